"""Scenes of plain decisions, with nobody there: allow, deny, ask, the breaker, the end of a run."""

import json

from automode.agents.scripted.wire import saying, using
from automode.core.decision import Verdict
from conformance.failing import expect
from conformance.trial import Trial

SIGNED = "automode ("
"""How every reason begins that an agent is told."""


def allowed_call_runs(trial: Trial) -> None:
    trial.model.plays(using(trial.agent.shell("touch allowed-1")), saying("done"))

    ran = trial.run()

    expect(trial.ran("allowed-1"), f"the allowed call did not run: {trial.model.results()}")
    expect(ran.status == 0, f"the run ended with {ran.status}: {ran.err[-500:]}")
    expect([one.verdict for one in trial.records()] == [Verdict.ALLOW], "it is not on record")


def denied_call_does_not_run(trial: Trial) -> None:
    shell = trial.agent.shell
    trial.model.plays(
        using(shell("touch denied-1")), using(shell("touch allowed-2")), saying("done")
    )

    trial.run()

    reason = first_result(trial)
    expect(f"{SIGNED}rules.deny)" in reason, f"the reason did not reach the model: `{reason}`")
    told = "Go on without this call" in reason
    expect(told, f"the model is not told what to do instead: `{reason}`")
    expect(trial.ran("allowed-2"), "the run did not go on after the denial")


def environment_tightens(trial: Trial) -> None:
    """Settings in the agent's environment may forbid, and permit nothing."""
    rules = {"deny": ["bash(touch allowed-1)"], "allow": ["bash(touch asked-2)"]}
    given = {"AUTOMODE_SETTINGS_JSON": json.dumps({"permissions": rules})}
    shell = trial.agent.shell
    calls = [using(shell(f"touch {name}")) for name in ("allowed-1", "asked-2", "allowed-3")]
    trial.model.plays(*calls, saying("done"))

    trial.run(variables=given)

    expect(not trial.ran("allowed-1"), "a deny rule of the environment did not hold")
    sources = [one.source for one in trial.records()]
    expect(sources[:1] == ["rules.deny"], f"it was decided by {sources}")
    expect(not trial.ran("asked-2"), "an allow rule of the environment was believed")
    went_on = trial.ran("allowed-3") or not trial.agent.goes_on
    expect(went_on, f"the run did not go on: {trial.model.results()}")


def calls_of_one_turn_are_told_apart(trial: Trial) -> None:
    shell = trial.agent.shell
    both = using(shell("touch denied-1"), shell("touch allowed-1"), shell("touch denied-2"))
    trial.model.plays(both, saying("done"))

    trial.run()

    expect(trial.ran("allowed-1"), f"the allowed one did not run: {trial.model.results()}")
    denied = [one for one in trial.model.results() if SIGNED in one]
    expect(denied, "no reason reached the model")


def nobody_answers_an_ask(trial: Trial) -> None:
    trial.model.plays(using(trial.agent.shell("touch asked-1")), saying("done"))

    trial.run()

    expect(not trial.ran("asked-1"), "a call ran that nobody was asked about")
    expect(SIGNED in first_result(trial), f"the model was told: `{first_result(trial)}`")


def third_denial_halts(trial: Trial) -> None:
    shell = trial.agent.shell
    denials = [using(shell(f"touch denied-{number}")) for number in (1, 2, 3)]
    trial.model.plays(*denials, using(shell("touch allowed-4")), saying("done"))

    trial.run()

    verdicts = [one.verdict for one in trial.records()]
    expect(verdicts[:2] == [Verdict.DENY] * 2, f"the first two were {verdicts[:2]}")
    expect(stopped(trial, verdicts[2:]), f"from the third on: {verdicts[2:]}")
    expect(not trial.ran("allowed-4"), "the run went on after the breaker had tripped")


def halt_ends_the_run(trial: Trial) -> None:
    trial.settings(escalation={"consecutive": 1})
    shell = trial.agent.shell
    trial.model.plays(
        using(shell("touch denied-1")), using(shell("touch allowed-2")), saying("done")
    )

    ran = trial.run()

    verdicts = [one.verdict for one in trial.records()]
    expect(stopped(trial, verdicts), f"on record are {verdicts}")
    expect(not trial.ran("allowed-2"), "the run went on after `halt`")
    said = f"{ran.out}{ran.err}"
    told = "automode" in said or not trial.agent.tells_why_it_stopped
    expect(told, f"the run does not say why it stopped: `{said}`")


def halt_is_told_by_run(trial: Trial) -> None:
    """Whoever waits for `automode run` learns of a halt, whatever the agent itself says of it."""
    shell = trial.agent.shell
    trial.model.plays(using(shell("touch allowed-1")), saying("done"))
    well = trial.run(guarded=True)
    expect(trial.ran("allowed-1"), f"the allowed call did not run: {well.err[-500:]}")
    expect(well.status == 0, f"a run without a halt ended with {well.status}: {well.err[-500:]}")

    trial.settings(escalation={"consecutive": 1})
    trial.model.plays(using(shell("touch denied-1")), saying("done"))
    halted = trial.run(guarded=True)
    expect(halted.status == 30, f"a halted run ended with {halted.status}: {halted.err[-500:]}")
    expect("automode halted this run" in halted.err, f"it does not say so: {halted.err[-500:]}")


def stopped(trial: Trial, verdicts: list[Verdict]) -> bool:
    """One `halt` ends the run; where the agent cannot be stopped, every further call gets one."""
    most = 1 if trial.agent.stops else len(verdicts)
    return verdicts != [] and verdicts == [Verdict.HALT] * most


def first_result(trial: Trial) -> str:
    return next(iter(trial.model.results()), "")
