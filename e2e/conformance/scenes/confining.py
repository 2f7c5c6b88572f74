"""Scenes of calls that run under the kernel's guard."""

import os

from automode.agents.scripted.wire import saying, using
from automode.core.decision import Verdict
from conformance.failing import expect
from conformance.trial import Trial

SCRIPT = """#!/bin/sh
touch allowed-inside
touch "$HOME/outside" 2>/dev/null && touch allowed-outside
touch CLAUDE.md 2>/dev/null && touch allowed-protected
test "$AUTOMODE_CONFINED" && touch allowed-guarded
echo the script ran
"""


def call_runs_confined(trial: Trial) -> None:
    """A program that nobody described: its writes inside of the workspace hold, others do not; and
    the same call is on record with the command that ran in its place."""
    trial.settings(confine="unproved")
    trial.wait_for_guard()
    with open(f"{trial.project}/allowed-script", "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    os.chmod(file.name, 0o700)
    shell = trial.agent.shell
    trial.model.plays(
        using(shell("./allowed-script")), using(shell("touch allowed-after")), saying("done")
    )

    trial.run()

    told = trial.model.results()
    expect(trial.ran("allowed-guarded"), f"the call did not run under the guard: {told}")
    expect(trial.ran("allowed-inside"), f"a write inside was refused: {told}")
    expect(not trial.ran("allowed-outside"), "a write outside was not refused")
    expect(not trial.ran("allowed-protected"), "a protected file was written")
    expect("the script ran" in "\n".join(told), f"its output did not reach the model: {told}")
    first, *others = trial.records()
    expect(
        (first.verdict, first.source) == (Verdict.ALLOW, "confine"), f"decided by {first.source}"
    )
    expect(first.action == "./allowed-script", f"on record is `{first.action}`")
    marks = {one.mark: one.text for one in first.trail}
    expect("confined/" in marks.get("rewritten", ""), f"the record has {marks}")
    expect(trial.ran("allowed-after"), f"the run did not go on: {told}")
    sources = [one.source for one in others]
    expect(sources == ["rules.allow"], f"after it came {sources}")
