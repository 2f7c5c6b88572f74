"""What a session hears: whose words count, what became of calls, what resumes a tripped breaker."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from automode.agents.events import (
    CallFinished,
    CallProposed,
    Ignored,
    Instructions,
    PromptTyped,
    SessionStarted,
    TurnEnded,
)
from automode.core.record import SessionKey
from automode.core.transcript import Outcome, PriorCall, UserMessage
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from automode.sessions.registry import IDLE_SECONDS
from tests.sessions.service_setup import HOST, KEY, Judging, Setup, said, working

SUB = SessionKey(HOST, "sub")


def entries(service: DecisionService, key: SessionKey = KEY) -> tuple[object, ...]:
    live = service.registry.get(key)
    assert live is not None
    return live.recorder.transcript.entries


def test_a_persons_words_count_and_a_machines_do_not(setup: Setup) -> None:
    async def work(service: DecisionService) -> None:
        await service.hear(setup.typed("do it"), HOST)
        await service.hear(PromptTyped(setup.speaker(), "task done", machine=True), HOST)

        assert entries(service) == (UserMessage("do it"),)

    working(setup, work)


def test_inside_a_sub_agent_nobody_is_the_user_but_the_users_words_above_count(
    setup: Setup,
) -> None:
    judge = Judging()
    setup.layers = [judge]
    call = setup.bash("make fine", session="sub", parent="s")

    async def first(service: DecisionService) -> None:
        await service.hear(setup.typed("never push"), HOST)
        await service.hear(setup.typed("push now", session="sub", parent="s"), HOST)
        await service.decide(call, HOST)

        assert entries(service, SUB)[0] == PriorCall("bash", {"command": "make fine"})

    async def later(service: DecisionService) -> None:
        await service.decide(call, HOST)

    working(setup, first, later)

    for session in judge.seen:
        words = [one for one in session.transcript.entries if isinstance(one, UserMessage)]
        assert words == [UserMessage("never push")]
        assert session.parent == f"{HOST}/s"


def test_a_sub_agent_keeps_the_sessions_above_it_in_memory(setup: Setup) -> None:
    now = [1_700_000_000.0]
    setup.clock = lambda: now[0]
    judge = Judging()
    setup.layers = [judge]

    async def work(service: DecisionService) -> None:
        await service.hear(setup.typed("never push"), HOST)
        for number in range(3):
            now[0] += IDLE_SECONDS - 60
            await service.decide(setup.bash(f"make {number}", session="sub", parent="s"), HOST)
            await service.decide(setup.bash("ls", session=f"other{number}"), HOST)
        service.registry.drop(KEY)
        await service.decide(setup.bash("make last", session="sub", parent="s"), HOST)

    working(setup, work)

    assert len(judge.seen) == 4
    assert all(UserMessage("never push") in one.transcript.entries for one in judge.seen)


def test_a_session_above_that_nobody_knows_is_done_without(setup: Setup) -> None:
    async def work(service: DecisionService) -> None:
        for _ in range(2):
            ruling = await service.decide(setup.bash("ls", session="sub", parent="nobody"), HOST)
            assert said(ruling) == ("allow", "read-only")

    working(setup, work)


def test_switching_a_session_off_switches_off_those_below_it(setup: Setup) -> None:
    call = setup.bash("make", session="sub", parent="s")

    async def first(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker()), HOST)
        await service.person.set_mode(KEY, Override.OFF)
        assert (await service.decide(call, HOST)).decision is None

    async def later(service: DecisionService) -> None:
        assert (await service.decide(call, HOST)).decision is None
        other = await service.decide(setup.bash("ls", session="other"), HOST)
        assert said(other) == ("allow", "read-only")

    working(setup, first, later)


@pytest.mark.parametrize("call", ["c1", ""])
def test_what_became_of_a_call_is_known_with_and_without_the_hosts_id(
    setup: Setup, call: str
) -> None:
    event = setup.bash("ls", call=call)

    async def work(service: DecisionService) -> None:
        await service.decide(event, HOST)
        await service.hear(setup.ran(event, Outcome.ERROR), HOST)

        assert entries(service) == (PriorCall("bash", {"command": "ls"}, Outcome.ERROR),)

    working(setup, work)


def test_a_call_that_ran_without_being_asked_about_is_remembered(setup: Setup) -> None:
    async def work(service: DecisionService) -> None:
        await service.hear(setup.ran(setup.bash("make", call="c1")), HOST)
        await service.hear(setup.ran(setup.bash("no", call="c2"), Outcome.REJECTED), HOST)
        await service.hear(
            CallFinished(setup.speaker(), "c3", "bash", {"odd": 1}, Outcome.OK), HOST
        )

        assert entries(service) == (
            PriorCall("bash", {"command": "make"}, Outcome.OK),
            PriorCall("bash", {"odd": 1}, Outcome.OK),
        )

    working(setup, work)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome.OK, ("allow", "read-only")),
        (Outcome.ERROR, ("ask", "breaker.consecutive")),
        (Outcome.REJECTED, ("ask", "breaker.consecutive")),
        (Outcome.DENIED, ("ask", "breaker.consecutive")),
    ],
)
@pytest.mark.parametrize("call", ["c2", ""])
def test_a_call_that_ran_although_it_was_asked_about_resumes_auto_mode(
    setup: Setup, outcome: Outcome, expected: tuple[str, str], call: str
) -> None:
    setup.layers = [Judging()]
    asked = setup.bash("deny 2", call=call)

    async def work(service: DecisionService) -> None:
        for number in range(2):
            await service.decide(setup.bash(f"deny {number}"), HOST)
        assert said(await service.decide(asked, HOST)) == ("ask", "breaker.consecutive")
        await service.hear(setup.ran(asked, outcome), HOST)

        assert said(await service.decide(setup.bash("ls"), HOST)) == expected

    working(setup, work)


def test_a_call_that_was_not_asked_about_resumes_nothing(setup: Setup) -> None:
    setup.layers = [Judging()]

    async def work(service: DecisionService) -> None:
        for number in range(3):
            await service.decide(setup.bash(f"deny {number}", call=f"c{number}"), HOST)
        await service.hear(setup.ran(setup.bash("deny 0", call="c0")), HOST)
        await service.hear(setup.ran(setup.bash("other", call="c9")), HOST)

        ruling = await service.decide(setup.bash("ls"), HOST)
        assert said(ruling) == ("ask", "gate.gate-silent")

    working(setup, work)


OTHER_REPORTS: dict[str, Callable[[CallProposed], CallProposed]] = {
    "another id": lambda event: replace(event, id="c9"),
    "another input": lambda event: replace(event, input={"command": "deny 9"}),
    "another tool": lambda event: replace(event, tool="Bash"),
}


@pytest.mark.parametrize("name", OTHER_REPORTS)
def test_only_a_report_of_the_very_call_resumes(setup: Setup, name: str) -> None:
    setup.layers = [Judging()]
    asked = setup.bash("deny 2", call="c2")

    async def work(service: DecisionService) -> None:
        for number in range(2):
            await service.decide(setup.bash(f"deny {number}"), HOST)
        await service.decide(asked, HOST)
        await service.hear(setup.ran(OTHER_REPORTS[name](asked)), HOST)

        ruling = await service.decide(setup.bash("ls"), HOST)
        unknown = name == "another id"
        assert said(ruling) == ("ask", "gate.gate-silent" if unknown else "breaker.consecutive")

    working(setup, work)


def test_a_yes_to_a_question_that_was_not_the_breakers_resumes_nothing(setup: Setup) -> None:
    setup.layers = [Judging()]
    setup.settings = {"permissions": {"ask": ["bash(git push*)"]}}
    asked = setup.bash("git push", call="c1")

    async def work(service: DecisionService) -> None:
        assert said(await service.decide(asked, HOST)) == ("ask", "rules.ask")
        for number in range(3):
            await service.decide(setup.bash(f"deny {number}"), HOST)
        await service.hear(setup.ran(asked), HOST)

        ruling = await service.decide(setup.bash("ls"), HOST)
        assert said(ruling) == ("ask", "breaker.consecutive")

    working(setup, work)


def test_a_call_that_nobody_vouches_for_ran_without_a_persons_yes(setup: Setup) -> None:
    setup.layers = [Judging()]
    asked = setup.bash("ls", call="c1")

    async def work(service: DecisionService) -> None:
        for number in range(3):
            await service.decide(setup.bash(f"deny {number}"), HOST)
        await service.decide(asked, HOST)
        await service.hear(replace(setup.ran(asked), doubted=True), HOST)
        before = said(await service.decide(setup.bash("ls", call="c2"), HOST))
        await service.hear(setup.ran(asked), HOST)

        assert before == ("ask", "breaker.consecutive")
        assert said(await service.decide(setup.bash("ls", call="c3"), HOST))[0] == "allow"

    working(setup, work)


def test_a_beginning_that_nobody_vouches_for_only_tightens(setup: Setup) -> None:
    given = (Instructions("/w/AGENTS.md", "never push"),)
    unattended = setup.speaker(attended=False)

    async def work(service: DecisionService) -> None:
        await service.hear(SessionStarted(unattended, given), HOST)
        live = service.registry.get(KEY)
        assert live is not None
        before = live.session.instructions
        await service.hear(SessionStarted(setup.speaker(), (), doubted=True), HOST)

        assert (live.unattended, live.session.instructions) == (True, before)
        assert before
        await service.hear(SessionStarted(setup.speaker()), HOST)
        await service.hear(SessionStarted(unattended, doubted=True), HOST)
        assert live.unattended

    working(setup, work)


def test_what_is_denied_in_sub_agents_stops_the_whole_family(setup: Setup) -> None:
    setup.layers = [Judging()]

    async def first(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker(attended=False)), HOST)
        for number in range(3):
            call = setup.bash(f"deny {number}", session=f"sub{number}", parent="s", attended=False)
            await service.decide(call, HOST)

    async def restarted(service: DecisionService) -> None:
        for session, parent in (("new", "s"), ("s", None), ("sub0", "s")):
            call = setup.bash("ls", session=session, parent=parent, attended=False)
            assert said(await service.decide(call, HOST)) == ("halt", "breaker.consecutive")
        other = await service.decide(setup.bash("ls", session="other"), HOST)
        assert said(other) == ("allow", "read-only")
        await service.person.reset(KEY)
        again = setup.bash("ls", session="new", parent="s", attended=False)
        assert said(await service.decide(again, HOST)) == ("allow", "read-only")

    working(setup, first, restarted)


def test_a_yes_in_a_sub_agent_resumes_the_whole_family(setup: Setup) -> None:
    setup.layers = [Judging()]
    asked = setup.bash("ls", session="sub", parent="s", call="c1")

    async def work(service: DecisionService) -> None:
        for number in range(3):
            await service.decide(setup.bash(f"deny {number}"), HOST)
        assert said(await service.decide(asked, HOST)) == ("ask", "breaker.consecutive")
        await service.hear(setup.ran(asked), HOST)

        assert said(await service.decide(setup.bash("ls"), HOST)) == ("allow", "read-only")

    working(setup, work)


def test_a_yes_counts_once(setup: Setup) -> None:
    setup.layers = [Judging()]
    asked = setup.bash("deny 2", call="c2")

    async def work(service: DecisionService) -> None:
        for number in range(2):
            await service.decide(setup.bash(f"deny {number}"), HOST)
        await service.decide(asked, HOST)
        await service.hear(setup.ran(asked), HOST)
        for number in range(2):
            await service.decide(setup.bash(f"deny again {number}"), HOST)
        await service.decide(setup.bash("deny once more"), HOST)
        await service.hear(setup.ran(asked), HOST)

        ruling = await service.decide(setup.bash("ls"), HOST)
        assert said(ruling) == ("ask", "breaker.consecutive")

    working(setup, work)


def test_what_is_of_no_interest_changes_nothing(setup: Setup) -> None:
    async def work(service: DecisionService) -> None:
        await service.hear(Ignored("Notification"), HOST)
        await service.hear(setup.bash("ls"), HOST)

        assert service.status().sessions == ()

    working(setup, work)


def test_very_long_words_are_cut_and_kept(setup: Setup) -> None:
    async def first(service: DecisionService) -> None:
        await service.hear(setup.typed("word " * 100_000), HOST)

    async def later(service: DecisionService) -> None:
        await service.decide(setup.bash("ls"), HOST)
        [message, _] = entries(service)
        assert isinstance(message, UserMessage)
        assert "characters cut" in message.text
        assert len(message.text) < 66_000

    working(setup, first, later)


ASKING = {"questions": [{"question": "Which branch may I push to?"}]}


def test_a_persons_answer_to_the_agents_own_question_counts_and_is_bound_to_it(
    setup: Setup,
) -> None:
    event = CallProposed(setup.speaker(), "AskUserQuestion", ASKING, "c1")
    done = setup.ran(event, answers=(("Which branch may I push to?", "fix, only that"),))
    expected = UserMessage("fix, only that", "Which branch may I push to?")

    async def first(service: DecisionService) -> None:
        await service.decide(event, HOST)
        await service.hear(done, HOST)
        assert entries(service)[-1] == expected

    async def later(service: DecisionService) -> None:
        await service.decide(setup.bash("ls"), HOST)
        assert expected in entries(service)

    working(setup, first, later)


def test_no_answer_is_taken_from_a_call_that_failed_or_was_refused(setup: Setup) -> None:
    event = CallProposed(setup.speaker(), "AskUserQuestion", ASKING, "c1")

    async def work(service: DecisionService) -> None:
        await service.decide(event, HOST)
        for outcome in (Outcome.ERROR, Outcome.REJECTED, Outcome.DENIED):
            await service.hear(setup.ran(event, outcome, answers=(("push?", "yes"),)), HOST)

        assert not any(isinstance(one, UserMessage) for one in entries(service))

    working(setup, work)


def ended(setup: Setup, words: str, session: str = "s", **more: object) -> TurnEnded:
    return TurnEnded(setup.speaker(session, **more), words)


REFERENTS = {
    # setting     the agent's last words              then             what the yes answers
    "referent": ("Done.\n\nShall I push?", "yes", "Shall I push?"),
    "visible": ("Done.\n\nShall I push?", "yes", "Shall I push?"),
    "none": ("Done.\n\nShall I push?", "yes", ""),
}


@pytest.mark.parametrize("setting", REFERENTS)
def test_a_bare_yes_carries_what_it_answers(setup: Setup, setting: str) -> None:
    setup.settings = {"autoMode": {"transcript": {"assistantText": setting}}}
    words, answer, referent = REFERENTS[setting]

    async def first(service: DecisionService) -> None:
        await service.hear(ended(setup, words), HOST)

    async def later(service: DecisionService) -> None:
        await service.hear(setup.typed(answer), HOST)
        assert entries(service) == (UserMessage(answer, referent),)

    working(setup, first, later)


def test_words_of_the_agent_that_nobody_answered_with_yes_are_forgotten(
    setup: Setup,
) -> None:
    async def work(service: DecisionService) -> None:
        await service.hear(ended(setup, "Shall I push?"), HOST)
        await service.hear(setup.typed("no, wait"), HOST)
        await service.hear(ended(setup, "Shall I delete it?"), HOST)
        await service.decide(setup.bash("ls", call="c1"), HOST)
        await service.hear(setup.typed("yes"), HOST)

        words = [one for one in entries(service) if isinstance(one, UserMessage)]
        assert words == [UserMessage("no, wait"), UserMessage("yes")]

    working(setup, work)


def test_only_the_end_of_long_words_is_kept_and_nothing_of_a_sub_agents(
    setup: Setup,
) -> None:
    async def work(service: DecisionService) -> None:
        await service.hear(ended(setup, "x" * 5000), HOST)
        await service.hear(ended(setup, "Shall I push?", "sub", parent="s"), HOST)
        await service.hear(setup.typed("yes"), HOST)

        [message] = entries(service)
        assert isinstance(message, UserMessage)
        assert len(message.referent) == 600
        assert entries(service, SUB) == ()

    working(setup, work)

    for path in (setup.home / "state").rglob("*"):
        assert not path.is_file() or b"x" * 700 not in path.read_bytes()
