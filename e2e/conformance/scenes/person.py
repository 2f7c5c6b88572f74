"""Scenes with a person in front of the agent's own terminal."""

import os
import re
from threading import Event

from automode.agents.scripted.model_server import CLEAR
from automode.agents.scripted.wire import ModelRequest, saying, using
from conformance.failing import expect
from conformance.trial import PATIENCE_SECONDS, PROMPT, Trial

STATUS = ("AM●", "AM*")
OVER = "the script is over"


def person_says_yes(trial: Trial) -> None:
    trial.agreed.add("asked-1")
    trial.model.plays(using(trial.agent.shell("touch asked-1")), saying(OVER))

    with trial.prompted() as terminal:
        terminal.wait_for(*trial.agent.screen.asked)
        expect(not trial.ran("asked-1"), "the call ran before anybody had answered")
        terminal.settle()
        terminal.type(trial.agent.screen.yes)
        terminal.wait_until(lambda: trial.ran("asked-1"), "the call did not run after a yes")


def person_says_no(trial: Trial) -> None:
    """It is on record after the next prompt, where the agent's hooks or its own record tell it."""
    trial.model.plays(using(trial.agent.shell("touch asked-1")), saying(OVER), saying(OVER))

    with trial.prompted() as terminal:
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


def person_says_yes_for_the_session(trial: Trial) -> None:
    """The same call of the next turn runs without a question."""
    trial.agreed.add("asked-1")
    call = using(trial.agent.shell("touch asked-1"))
    trial.model.plays(call, saying(OVER), call, saying(OVER))

    with trial.prompted() as terminal:
        terminal.wait_for(*trial.agent.screen.asked)
        terminal.settle()
        terminal.press(keys_of(trial.agent.screen.session))
        terminal.wait_until(lambda: trial.ran("asked-1"), "the call did not run after a yes")
        terminal.settle()
        os.unlink(f"{trial.project}/asked-1")  # or it would be another call: it names a file

        terminal.prompt(PROMPT)
        terminal.wait_until(lambda: trial.ran("asked-1"), "the call was asked about again")

    sources = [one.source for one in trial.records() if one.tool != "automode"]
    expect(sources == ["rules.ask", "approval"], f"on record are {sources}")


def person_says_why(trial: Trial) -> None:
    why = "use the staging bucket"
    trial.model.plays(using(trial.agent.shell("touch asked-1")), saying(OVER))

    with trial.prompted() as terminal:
        terminal.wait_for(*trial.agent.screen.asked)
        terminal.settle()
        terminal.press(keys_of(trial.agent.screen.why))
        terminal.wait_for("The agent reads it")
        terminal.settle()
        terminal.type(why)
        terminal.type("\r")
        terminal.wait_until(
            lambda: any(why in one for one in trial.model.results()),
            f"the model does not read why: {trial.model.results()}",
        )

    told = [one.reason for one in trial.records() if one.source == "person.decline"]
    expect(told == [f"the person said no to this call: {why}"], f"on record is {told}")
    expect(not trial.ran("asked-1"), "the call ran after a no")


def keys_of(text: str) -> list[str]:
    """One after the other: arrows, and what is typed."""
    return re.findall(r"\x1b\[.|.", text, re.DOTALL)


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

    with trial.prompted() as terminal:
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

    with trial.prompted() as terminal:
        terminal.wait_for(OVER)
        shown = terminal.wait_for(*STATUS)
        terminal.wait_until(
            lambda: "a:1" in terminal.text and "d:1" in terminal.text,
            f"the status line does not count; at first it showed:\n{shown}",
        )
