"""Scenes of calls that run under the kernel's guard."""

import shutil
import subprocess

from automode.agents.scripted.wire import saying, using
from automode.confine.guard import SEARCHED
from automode.core.decision import Verdict
from conformance.failing import ScenarioSkipped, expect
from conformance.trial import Trial

SCRIPT = """
import os, pathlib

def tried(path, shown):
    try:
        pathlib.Path(path).write_text("x")
        pathlib.Path(shown).write_text("x")
    except OSError:
        pass

pathlib.Path("allowed-inside").write_text("x")
tried(os.path.expanduser("~/outside"), "allowed-outside")
tried("CLAUDE.md", "allowed-protected")
if os.environ.get("AUTOMODE_CONFINED"):
    pathlib.Path("allowed-guarded").write_text("x")
print("the script ran")
"""
MAKEFILE = "test:\n\t@python3 allowed-script.py\n"
CALL = "make test"


def call_runs_confined(trial: Trial) -> None:
    """A test that nobody can see into: its writes inside of the workspace hold, others do not; and
    the same call is on record with the command that ran in its place."""
    if shutil.which("bwrap", path=SEARCHED) is None:
        raise ScenarioSkipped("bubblewrap is not installed, and Landlock lets no test write here")
    trial.settings(confine="unproved")
    trial.wait_for_guard()
    for name, content in (("allowed-script.py", SCRIPT), ("Makefile", MAKEFILE)):
        with open(f"{trial.project}/{name}", "w", encoding="utf-8") as file:
            file.write(content)
    trial.agreed.add("Makefile")
    # Without a repository nothing tells what of the project is work.
    subprocess.run(["git", "init", "-q", trial.project], check=True)  # noqa: S603, S607
    shell = trial.agent.shell
    trial.model.plays(using(shell(CALL)), using(shell("touch allowed-after")), saying("done"))

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
    expect(first.action == CALL, f"on record is `{first.action}`")
    marks = {one.mark: one.text for one in first.trail}
    expect("confined/" in marks.get("rewritten", ""), f"the record has {marks}")
    expect(trial.ran("allowed-after"), f"the run did not go on: {told}")
    sources = [one.source for one in others]
    expect(sources == ["rules.allow"], f"after it came {sources}")
