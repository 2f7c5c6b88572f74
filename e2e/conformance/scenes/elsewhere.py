"""Scenes with nobody in front of the agent, and somebody elsewhere who answers."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from automode.agents.scripted.wire import saying, using
from automode.daemon.client import NoDaemon, request
from automode.daemon.frames import Right
from conformance.failing import expect
from conformance.trial import Trial

HOLD_SECONDS = 100
WHY = "not before the release"


def answers_come_from_elsewhere(trial: Trial) -> None:
    """A yes lets the call run, and the run goes on; of a no the model reads why, unless the
    run ends with it."""
    trial.settings(asks={"hold": HOLD_SECONDS})
    trial.install()  # its hook has to wait so long
    trial.agreed.add("asked-1")
    shell = trial.agent.shell
    calls = [using(shell(f"touch {name}")) for name in ("asked-1", "asked-2", "allowed-3")]
    trial.model.plays(*calls, saying("done"))

    with ThreadPoolExecutor(1) as beside:
        running = beside.submit(trial.run)
        answer(trial, "touch asked-1", "once")
        answer(trial, "touch asked-2", "deny", WHY)
        running.result()

    expect(trial.ran("asked-1"), f"the call did not run after a yes: {trial.model.results()}")
    expect(not trial.ran("asked-2"), "the call ran after a no")
    told = any(WHY in one for one in trial.model.results()) or not trial.agent.goes_on
    expect(told, f"the model does not read why: {trial.model.results()}")
    went_on = trial.ran("allowed-3") or not trial.agent.goes_on
    expect(went_on, f"the run did not go on: {trial.model.results()}")
    sources = [one.source for one in trial.records() if one.tool != "automode"]
    expected = ["rules.ask", "approval", "rules.ask", "person.decline"]
    expect(sources[:4] == expected, f"on record are {sources}")


def cancelled_turn_waits_no_more(trial: Trial) -> None:
    """A person at the terminal stops the turn while its ask waits for somebody elsewhere."""
    trial.settings(asks={"hold": HOLD_SECONDS})
    trial.install()
    trial.model.plays(using(trial.agent.shell("touch asked-1")), saying("done"))

    with trial.prompted() as terminal:
        terminal.wait_until(lambda: bool(_found(trial, "touch asked-1")), "nothing waits")
        terminal.settle()
        terminal.press(trial.agent.screen.stop)
        terminal.wait_until(lambda: not _found(trial, "touch asked-1"), "it still waits")

    expect(not trial.ran("asked-1"), "the cancelled call ran")


def answer(trial: Trial, action: str, kind: str, reason: str = "") -> None:
    """As a person's program does it, over the wire."""
    ask = _waiting(trial, action)
    data = {"record": ask["record"], "kind": kind, "by": "phone", "reason": reason}
    taken = request(trial.state, "answer", data, token=Right.PERSON)
    expect(taken["in_time"] is True, f"the answer came too late: {taken}")


def _waiting(trial: Trial, action: str) -> Mapping[str, object]:
    trial.wait_until(lambda: bool(_found(trial, action)), f"`{action}` does not wait")
    return _found(trial, action)[0]


def _found(trial: Trial, action: str) -> list[Mapping[str, object]]:
    """The asks about this that wait; none before the agent has asked anything."""
    try:
        waiting = request(trial.state, "inbox", {"only_waiting": True})["waiting"]
    except NoDaemon:
        return []
    rows = waiting if isinstance(waiting, list) else []
    return [one for one in rows if one["action"] == action]
