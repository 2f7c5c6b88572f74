"""Scenes with a person in front of the agent's own terminal."""

from threading import Event

from automode.agents.scripted.model_server import CLEAR
from automode.agents.scripted.wire import ModelRequest, saying, using
from conformance.failing import expect
from conformance.trial import PATIENCE_SECONDS, Trial

STATUS = ("AM●", "AM*")
PROMPT = "please go on"
OVER = "the script is over"


def person_says_yes(trial: Trial) -> None:
    trial.agreed.add("asked-1")
    trial.model.plays(using(trial.agent.shell("touch asked-1")), saying(OVER))

    with trial.terminal() as terminal:
        terminal.wait_for(*trial.agent.screen.ready)
        terminal.settle()
        terminal.prompt(PROMPT)
        terminal.wait_for(*trial.agent.screen.asked)
        expect(not trial.ran("asked-1"), "the call ran before anybody had answered")
        terminal.settle()
        terminal.type(trial.agent.screen.yes)
        terminal.wait_until(lambda: trial.ran("asked-1"), "the call did not run after a yes")


def person_says_no(trial: Trial) -> None:
    """It is on record after the next prompt, where the agent's hooks or its own record tell it."""
    trial.model.plays(using(trial.agent.shell("touch asked-1")), saying(OVER), saying(OVER))

    with trial.terminal() as terminal:
        terminal.wait_for(*trial.agent.screen.ready)
        terminal.settle()
        terminal.prompt(PROMPT)
        terminal.wait_for(*trial.agent.screen.asked)
        terminal.settle()
        terminal.type(trial.agent.screen.no)
        terminal.wait_until(
            lambda: not any(one in terminal.text for one in trial.agent.screen.asked),
            "the dialog did not close after a no",
        )
        terminal.settle()

        terminal.prompt(PROMPT)
        terminal.wait_until(
            lambda: any(one.source == "person.decline" for one in trial.records()),
            f"the no is not on record: {[one.source for one in trial.records()]}",
        )

    expect(not trial.ran("asked-1"), "the call ran after a no")


def person_cancels_the_turn(trial: Trial) -> None:
    """The judge takes its time, so that the call still waits when the person stops the turn. Then
    it clears the call, which must not run any more."""
    over = Event()

    def clears_late(_: ModelRequest) -> str:
        over.wait(PATIENCE_SECONDS)
        return CLEAR

    trial.settings(classifierTimeoutMs=int(PATIENCE_SECONDS * 1000))
    trial.model.verdicts = clears_late
    trial.model.plays(using(trial.agent.shell("touch other-1")), saying(OVER))

    with trial.terminal() as terminal:
        terminal.wait_for(*trial.agent.screen.ready)
        terminal.settle()
        terminal.prompt(PROMPT)
        terminal.wait_until(lambda: bool(trial.model.judged), "the judge was never asked")
        terminal.settle()
        terminal.press(trial.agent.screen.stop)
        terminal.settle()
        over.set()
        terminal.settle()
        expect(OVER not in terminal.text, "the turn went on: it was not cancelled")

    expect(not trial.ran("other-1"), "the cancelled call ran")


def status_line_counts(trial: Trial) -> None:
    shell = trial.agent.shell
    trial.model.plays(using(shell("touch allowed-1")), using(shell("touch denied-2")), saying(OVER))

    with trial.terminal() as terminal:
        terminal.wait_for(*trial.agent.screen.ready)
        terminal.settle()
        terminal.prompt(PROMPT)
        terminal.wait_for(OVER)
        shown = terminal.wait_for(*STATUS)
        terminal.wait_until(
            lambda: "a:1" in terminal.text and "d:1" in terminal.text,
            f"the status line does not count; at first it showed:\n{shown}",
        )
