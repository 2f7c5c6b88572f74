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
from tests.sessions.offices import HOST, KEY, Judging, Office, said, working

SUB = SessionKey(HOST, "sub")


def entries(desk: DecisionService, key: SessionKey = KEY) -> tuple[object, ...]:
    live = desk.registry.get(key)
    assert live is not None
    return live.recorder.transcript.entries


def test_a_persons_words_count_and_a_machines_do_not(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.hear(office.typed("do it"), HOST)
        await desk.hear(PromptTyped(office.speaker(), "task done", machine=True), HOST)

        assert entries(desk) == (UserMessage("do it"),)

    working(office, work)


def test_inside_a_sub_agent_nobody_is_the_user_but_the_users_words_above_count(
    office: Office,
) -> None:
    judge = Judging()
    office.layers = [judge]
    call = office.bash("make fine", session="sub", parent="s")

    async def first(desk: DecisionService) -> None:
        await desk.hear(office.typed("never push"), HOST)
        await desk.hear(office.typed("push now", session="sub", parent="s"), HOST)
        await desk.decide(call, HOST)

        assert entries(desk, SUB)[0] == PriorCall("bash", {"command": "make fine"})

    async def later(desk: DecisionService) -> None:
        await desk.decide(call, HOST)

    working(office, first, later)

    for session in judge.seen:
        words = [one for one in session.transcript.entries if isinstance(one, UserMessage)]
        assert words == [UserMessage("never push")]
        assert session.parent == f"{HOST}/s"


def test_a_sub_agent_keeps_the_sessions_above_it_in_memory(office: Office) -> None:
    now = [1_700_000_000.0]
    office.clock = lambda: now[0]
    judge = Judging()
    office.layers = [judge]

    async def work(desk: DecisionService) -> None:
        await desk.hear(office.typed("never push"), HOST)
        for number in range(3):
            now[0] += IDLE_SECONDS - 60
            await desk.decide(office.bash(f"make {number}", session="sub", parent="s"), HOST)
            await desk.decide(office.bash("ls", session=f"other{number}"), HOST)
        desk.registry.drop(KEY)
        await desk.decide(office.bash("make last", session="sub", parent="s"), HOST)

    working(office, work)

    assert len(judge.seen) == 4
    assert all(UserMessage("never push") in one.transcript.entries for one in judge.seen)


def test_a_session_above_that_nobody_knows_is_done_without(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        for _ in range(2):
            ruling = await desk.decide(office.bash("ls", session="sub", parent="nobody"), HOST)
            assert said(ruling) == ("allow", "read-only")

    working(office, work)


def test_switching_a_session_off_switches_off_those_below_it(office: Office) -> None:
    call = office.bash("make", session="sub", parent="s")

    async def first(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker()), HOST)
        await desk.set_mode(KEY, Override.OFF)
        assert (await desk.decide(call, HOST)).decision is None

    async def later(desk: DecisionService) -> None:
        assert (await desk.decide(call, HOST)).decision is None
        other = await desk.decide(office.bash("ls", session="other"), HOST)
        assert said(other) == ("allow", "read-only")

    working(office, first, later)


@pytest.mark.parametrize("call", ["c1", ""])
def test_what_became_of_a_call_is_known_with_and_without_the_hosts_id(
    office: Office, call: str
) -> None:
    event = office.bash("ls", call=call)

    async def work(desk: DecisionService) -> None:
        await desk.decide(event, HOST)
        await desk.hear(office.ran(event, Outcome.ERROR), HOST)

        assert entries(desk) == (PriorCall("bash", {"command": "ls"}, Outcome.ERROR),)

    working(office, work)


def test_a_call_that_ran_without_being_asked_about_is_remembered(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.hear(office.ran(office.bash("make", call="c1")), HOST)
        await desk.hear(office.ran(office.bash("no", call="c2"), Outcome.REJECTED), HOST)
        await desk.hear(CallFinished(office.speaker(), "c3", "bash", {"odd": 1}, Outcome.OK), HOST)

        assert entries(desk) == (
            PriorCall("bash", {"command": "make"}, Outcome.OK),
            PriorCall("bash", {"odd": 1}, Outcome.OK),
        )

    working(office, work)


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
    office: Office, outcome: Outcome, expected: tuple[str, str], call: str
) -> None:
    office.layers = [Judging()]
    asked = office.bash("deny 2", call=call)

    async def work(desk: DecisionService) -> None:
        for number in range(2):
            await desk.decide(office.bash(f"deny {number}"), HOST)
        assert said(await desk.decide(asked, HOST)) == ("ask", "breaker.consecutive")
        await desk.hear(office.ran(asked, outcome), HOST)

        assert said(await desk.decide(office.bash("ls"), HOST)) == expected

    working(office, work)


def test_a_call_that_was_not_asked_about_resumes_nothing(office: Office) -> None:
    office.layers = [Judging()]

    async def work(desk: DecisionService) -> None:
        for number in range(3):
            await desk.decide(office.bash(f"deny {number}", call=f"c{number}"), HOST)
        await desk.hear(office.ran(office.bash("deny 0", call="c0")), HOST)
        await desk.hear(office.ran(office.bash("other", call="c9")), HOST)

        ruling = await desk.decide(office.bash("ls"), HOST)
        assert said(ruling) == ("ask", "gate.gate-silent")

    working(office, work)


OTHER_REPORTS: dict[str, Callable[[CallProposed], CallProposed]] = {
    "another id": lambda event: replace(event, id="c9"),
    "another input": lambda event: replace(event, input={"command": "deny 9"}),
    "another tool": lambda event: replace(event, tool="Bash"),
}


@pytest.mark.parametrize("name", OTHER_REPORTS)
def test_only_a_report_of_the_very_call_resumes(office: Office, name: str) -> None:
    office.layers = [Judging()]
    asked = office.bash("deny 2", call="c2")

    async def work(desk: DecisionService) -> None:
        for number in range(2):
            await desk.decide(office.bash(f"deny {number}"), HOST)
        await desk.decide(asked, HOST)
        await desk.hear(office.ran(OTHER_REPORTS[name](asked)), HOST)

        ruling = await desk.decide(office.bash("ls"), HOST)
        unknown = name == "another id"
        assert said(ruling) == ("ask", "gate.gate-silent" if unknown else "breaker.consecutive")

    working(office, work)


def test_a_yes_to_a_question_that_was_not_the_breakers_resumes_nothing(office: Office) -> None:
    office.layers = [Judging()]
    office.settings = {"permissions": {"ask": ["bash(git push*)"]}}
    asked = office.bash("git push", call="c1")

    async def work(desk: DecisionService) -> None:
        assert said(await desk.decide(asked, HOST)) == ("ask", "rules.ask")
        for number in range(3):
            await desk.decide(office.bash(f"deny {number}"), HOST)
        await desk.hear(office.ran(asked), HOST)

        ruling = await desk.decide(office.bash("ls"), HOST)
        assert said(ruling) == ("ask", "breaker.consecutive")

    working(office, work)


def test_a_call_that_nobody_vouches_for_ran_without_a_persons_yes(office: Office) -> None:
    office.layers = [Judging()]
    asked = office.bash("ls", call="c1")

    async def work(desk: DecisionService) -> None:
        for number in range(3):
            await desk.decide(office.bash(f"deny {number}"), HOST)
        await desk.decide(asked, HOST)
        await desk.hear(replace(office.ran(asked), doubted=True), HOST)
        before = said(await desk.decide(office.bash("ls", call="c2"), HOST))
        await desk.hear(office.ran(asked), HOST)

        assert before == ("ask", "breaker.consecutive")
        assert said(await desk.decide(office.bash("ls", call="c3"), HOST))[0] == "allow"

    working(office, work)


def test_a_beginning_that_nobody_vouches_for_only_tightens(office: Office) -> None:
    given = (Instructions("/w/AGENTS.md", "never push"),)
    unattended = office.speaker(attended=False)

    async def work(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(unattended, given), HOST)
        live = desk.registry.get(KEY)
        assert live is not None
        before = live.session.instructions
        await desk.hear(SessionStarted(office.speaker(), (), doubted=True), HOST)

        assert (live.unattended, live.session.instructions) == (True, before)
        assert before
        await desk.hear(SessionStarted(office.speaker()), HOST)
        await desk.hear(SessionStarted(unattended, doubted=True), HOST)
        assert live.unattended

    working(office, work)


def test_what_is_denied_in_sub_agents_stops_the_whole_family(office: Office) -> None:
    office.layers = [Judging()]

    async def first(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker(attended=False)), HOST)
        for number in range(3):
            call = office.bash(f"deny {number}", session=f"sub{number}", parent="s", attended=False)
            await desk.decide(call, HOST)

    async def restarted(desk: DecisionService) -> None:
        for session, parent in (("new", "s"), ("s", None), ("sub0", "s")):
            call = office.bash("ls", session=session, parent=parent, attended=False)
            assert said(await desk.decide(call, HOST)) == ("halt", "breaker.consecutive")
        other = await desk.decide(office.bash("ls", session="other"), HOST)
        assert said(other) == ("allow", "read-only")
        await desk.reset(KEY)
        again = office.bash("ls", session="new", parent="s", attended=False)
        assert said(await desk.decide(again, HOST)) == ("allow", "read-only")

    working(office, first, restarted)


def test_a_yes_in_a_sub_agent_resumes_the_whole_family(office: Office) -> None:
    office.layers = [Judging()]
    asked = office.bash("ls", session="sub", parent="s", call="c1")

    async def work(desk: DecisionService) -> None:
        for number in range(3):
            await desk.decide(office.bash(f"deny {number}"), HOST)
        assert said(await desk.decide(asked, HOST)) == ("ask", "breaker.consecutive")
        await desk.hear(office.ran(asked), HOST)

        assert said(await desk.decide(office.bash("ls"), HOST)) == ("allow", "read-only")

    working(office, work)


def test_a_yes_counts_once(office: Office) -> None:
    office.layers = [Judging()]
    asked = office.bash("deny 2", call="c2")

    async def work(desk: DecisionService) -> None:
        for number in range(2):
            await desk.decide(office.bash(f"deny {number}"), HOST)
        await desk.decide(asked, HOST)
        await desk.hear(office.ran(asked), HOST)
        for number in range(2):
            await desk.decide(office.bash(f"deny again {number}"), HOST)
        await desk.decide(office.bash("deny once more"), HOST)
        await desk.hear(office.ran(asked), HOST)

        ruling = await desk.decide(office.bash("ls"), HOST)
        assert said(ruling) == ("ask", "breaker.consecutive")

    working(office, work)


def test_what_is_of_no_interest_changes_nothing(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.hear(Ignored("Notification"), HOST)
        await desk.hear(office.bash("ls"), HOST)

        assert desk.status().sessions == ()

    working(office, work)


def test_very_long_words_are_cut_and_kept(office: Office) -> None:
    async def first(desk: DecisionService) -> None:
        await desk.hear(office.typed("word " * 100_000), HOST)

    async def later(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        [message, _] = entries(desk)
        assert isinstance(message, UserMessage)
        assert "characters cut" in message.text
        assert len(message.text) < 66_000

    working(office, first, later)


ASKING = {"questions": [{"question": "Which branch may I push to?"}]}


def test_a_persons_answer_to_the_agents_own_question_counts_and_is_bound_to_it(
    office: Office,
) -> None:
    event = CallProposed(office.speaker(), "AskUserQuestion", ASKING, "c1")
    done = office.ran(event, answers=(("Which branch may I push to?", "fix, only that"),))
    expected = UserMessage("fix, only that", "Which branch may I push to?")

    async def first(desk: DecisionService) -> None:
        await desk.decide(event, HOST)
        await desk.hear(done, HOST)
        assert entries(desk)[-1] == expected

    async def later(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        assert expected in entries(desk)

    working(office, first, later)


def test_no_answer_is_taken_from_a_call_that_failed_or_was_refused(office: Office) -> None:
    event = CallProposed(office.speaker(), "AskUserQuestion", ASKING, "c1")

    async def work(desk: DecisionService) -> None:
        await desk.decide(event, HOST)
        for outcome in (Outcome.ERROR, Outcome.REJECTED, Outcome.DENIED):
            await desk.hear(office.ran(event, outcome, answers=(("push?", "yes"),)), HOST)

        assert not any(isinstance(one, UserMessage) for one in entries(desk))

    working(office, work)


def ended(office: Office, words: str, session: str = "s", **more: object) -> TurnEnded:
    return TurnEnded(office.speaker(session, **more), words)


REFERENTS = {
    # setting     the agent's last words              then             what the yes answers
    "referent": ("Done.\n\nShall I push?", "yes", "Shall I push?"),
    "visible": ("Done.\n\nShall I push?", "yes", "Shall I push?"),
    "none": ("Done.\n\nShall I push?", "yes", ""),
}


@pytest.mark.parametrize("setting", REFERENTS)
def test_a_bare_yes_carries_what_it_answers(office: Office, setting: str) -> None:
    office.settings = {"autoMode": {"transcript": {"assistantText": setting}}}
    words, answer, referent = REFERENTS[setting]

    async def first(desk: DecisionService) -> None:
        await desk.hear(ended(office, words), HOST)

    async def later(desk: DecisionService) -> None:
        await desk.hear(office.typed(answer), HOST)
        assert entries(desk) == (UserMessage(answer, referent),)

    working(office, first, later)


def test_words_of_the_agent_that_nobody_answered_with_yes_are_forgotten(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.hear(ended(office, "Shall I push?"), HOST)
        await desk.hear(office.typed("no, wait"), HOST)
        await desk.hear(ended(office, "Shall I delete it?"), HOST)
        await desk.decide(office.bash("ls", call="c1"), HOST)
        await desk.hear(office.typed("yes"), HOST)

        words = [one for one in entries(desk) if isinstance(one, UserMessage)]
        assert words == [UserMessage("no, wait"), UserMessage("yes")]

    working(office, work)


def test_only_the_end_of_long_words_is_kept_and_nothing_of_a_sub_agents(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.hear(ended(office, "x" * 5000), HOST)
        await desk.hear(ended(office, "Shall I push?", "sub", parent="s"), HOST)
        await desk.hear(office.typed("yes"), HOST)

        [message] = entries(desk)
        assert isinstance(message, UserMessage)
        assert len(message.referent) == 600
        assert entries(desk, SUB) == ()

    working(office, work)

    for path in (office.home / "state").rglob("*"):
        assert not path.is_file() or b"x" * 700 not in path.read_bytes()
