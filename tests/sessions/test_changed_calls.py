"""Another hook may rewrite a call after it was decided: it has run, and it is told."""

import pytest

from automode.agents.events import CallFinished
from automode.core.transcript import Fact, Outcome, PriorCall
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from tests.sessions.service_setup import HOST, KEY, Judging, Setup, working

QUESTION: dict[str, object] = {"questions": [{"question": "Which?"}]}


def finished(
    setup: Setup, given: dict[str, object], outcome: Outcome = Outcome.OK, **more: object
) -> CallFinished:
    proposed = setup.bash("make it", call="c1")
    return setup.ran(proposed, outcome, input=given, **more)


CHANGED: dict[str, tuple[dict[str, object], Outcome, bool, bool]] = {
    # what has run, how it ended, whether a call was proposed → whether it is told
    "the very call": ({"command": "make it"}, Outcome.OK, True, False),
    "another command": ({"command": "make that"}, Outcome.OK, True, True),
    "another command that failed": ({"command": "make that"}, Outcome.ERROR, True, True),
    "one more field": ({"command": "make it", "timeout": 5}, Outcome.OK, True, True),
    "one that did not run": ({"command": "make that"}, Outcome.REJECTED, True, False),
    "one that was never proposed": ({"command": "make that"}, Outcome.OK, False, False),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_call_that_is_not_the_one_that_was_decided_is_told(setup: Setup, name: str) -> None:
    given, outcome, proposed, told = CHANGED[name]
    setup.layers = [Judging()]

    async def work(service: DecisionService) -> None:
        if proposed:
            await service.decide(setup.bash("make it", call="c1"), HOST)
        remarks = await service.hear(finished(setup, given, outcome), HOST)

        assert ("changed after automode decided it" in remarks.notice) is told
        assert any("changed after" in one for one in service.status().notices) is told

    working(setup, work)


def test_the_classifier_is_told_and_sees_what_really_ran(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    (setup.project / "x").parent.mkdir(parents=True, exist_ok=True)

    async def first(service: DecisionService) -> None:
        await service.decide(setup.bash("make it", call="c1"), HOST)
        await service.hear(finished(setup, {"command": "echo > ./written.sh"}), HOST)

    async def restarted(service: DecisionService) -> None:
        await service.decide(setup.bash("make more"), HOST)
        entries = judge.seen[-1].transcript.entries

        assert [one.name for one in entries if isinstance(one, Fact)] == ["changed-call"]
        ran = [one.input for one in entries if isinstance(one, PriorCall)]
        assert ran == [{"command": "make it"}, {"command": "echo > ./written.sh"}]
        written = judge.seen[-1].written_around
        assert written is not None
        assert any(path.endswith("/written.sh") for path in written)

    working(setup, first, restarted)


def test_what_the_agent_fills_in_by_itself_is_no_change(setup: Setup) -> None:
    setup.layers = [Judging()]
    proposed = setup.bash("", call="q1")
    asked = CallFinished(proposed.speaker, "q1", "AskUserQuestion", QUESTION, Outcome.OK)
    answered = {**QUESTION, "answers": {"Which?": "that"}, "annotations": {}}

    async def work(service: DecisionService) -> None:
        for added, told in ((("answers", "annotations"), False), ((), True)):
            call = setup.bash("", call="q1")
            await service.decide(type(call)(call.speaker, "AskUserQuestion", QUESTION, "q1"), HOST)
            done = CallFinished(asked.speaker, "q1", asked.tool, answered, Outcome.OK, added=added)
            remarks = await service.hear(done, HOST)
            assert ("changed after" in remarks.notice) is told

    working(setup, work)


def test_while_auto_mode_is_off_nothing_is_told(setup: Setup) -> None:
    setup.layers = [Judging()]

    async def work(service: DecisionService) -> None:
        await service.decide(setup.bash("make it", call="c0"), HOST)
        await service.person.set_mode(KEY, Override.OFF)
        await service.decide(setup.bash("make it", call="c1"), HOST)
        remarks = await service.hear(finished(setup, {"command": "make that"}), HOST)

        assert remarks.notice == ""

    working(setup, work)
