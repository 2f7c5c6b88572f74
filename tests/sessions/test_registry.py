"""Sessions come back from the store as they were, and memory holds only so many of them."""

from automode.agents.events import CallProposed, Instructions, SessionStarted, Speaker
from automode.classifier.memory import MOST_ENTRIES
from automode.core.record import SessionKey
from automode.core.transcript import Outcome, PriorCall, UserMessage
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import LiveSession
from automode.sessions.registry import IDLE_SECONDS, MOST_LIVE
from tests.sessions.offices import HOST, KEY, Judging, Office, records, said, working


def live(desk: DecisionService, key: SessionKey = KEY) -> LiveSession:
    found = desk.registry.get(key)
    assert found is not None
    return found


def test_a_session_comes_back_with_its_words_calls_and_counters(office: Office) -> None:
    office.layers = [Judging()]
    ran, stopped = office.bash("make fine", call="c1"), office.bash("make deny", call="c2")

    async def first(desk: DecisionService) -> None:
        await desk.hear(office.typed("make it, please"), HOST)
        await desk.decide(ran, HOST)
        await desk.hear(office.ran(ran, Outcome.ERROR), HOST)
        await desk.decide(stopped, HOST)

    async def later(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        session = live(desk).session

        assert session.transcript.entries == (
            UserMessage("make it, please"),
            PriorCall("bash", {"command": "make fine"}, Outcome.ERROR),
            PriorCall("bash", {"command": "make deny"}, Outcome.DENIED),
        )
        assert (session.history.checked, session.history.blocked) == (3, 1)
        assert [denial.action for denial in session.history.denials] == ["make deny"]
        assert session.history.total == 1

    working(office, first, later)


def test_a_stopped_run_stays_stopped_over_a_restart(office: Office) -> None:
    office.layers = [Judging()]

    async def first(desk: DecisionService) -> None:
        for number in range(3):
            await desk.decide(office.bash(f"deny {number}", attended=False), HOST)

    async def later(desk: DecisionService) -> None:
        [state] = await desk.sessions()
        ruling = await desk.decide(office.bash("ls", attended=False), HOST)

        assert state.halted
        assert said(ruling) == ("halt", "breaker.consecutive")

    working(office, first, later, later)


def test_a_question_that_was_open_is_still_known_after_a_restart(office: Office) -> None:
    office.layers = [Judging()]
    asked = office.bash("deny 2", call="c2")

    async def first(desk: DecisionService) -> None:
        for number in range(2):
            await desk.decide(office.bash(f"deny {number}"), HOST)
        assert said(await desk.decide(asked, HOST)) == ("ask", "breaker.consecutive")

    async def later(desk: DecisionService) -> None:
        await desk.hear(office.ran(asked), HOST)
        assert said(await desk.decide(office.bash("ls"), HOST)) == ("allow", "read-only")

    working(office, first, later)


def test_a_long_session_comes_back_bounded_and_with_its_first_words(office: Office) -> None:
    async def first(desk: DecisionService) -> None:
        await desk.hear(office.typed("first words"), HOST)
        for number in range(MOST_ENTRIES + 200):
            await desk.hear(office.ran(office.bash("ls", call=f"c{number}")), HOST)

    async def later(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        entries = live(desk).session.transcript.entries

        assert len(entries) <= MOST_ENTRIES
        assert UserMessage("first words") in entries

    working(office, first, later)


def test_what_nobody_heard_of_for_long_leaves_memory_and_comes_back(office: Office) -> None:
    now = [1_700_000_000.0]
    office.clock = lambda: now[0]

    async def work(desk: DecisionService) -> None:
        await desk.hear(office.typed("first words"), HOST)
        now[0] += IDLE_SECONDS + 1
        await desk.decide(office.bash("ls", session="other"), HOST)
        gone = desk.registry.get(KEY) is None
        await desk.decide(office.bash("ls"), HOST)

        assert gone
        assert live(desk).recorder.transcript.entries[0] == UserMessage("first words")

    working(office, work)


def test_a_session_in_the_middle_of_a_call_stays(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        busy = desk.registry.seen(KEY, Speaker("s", "/"))
        async with busy.turn:
            for number in range(MOST_LIVE + 5):
                desk.registry.seen(SessionKey(HOST, f"s{number}"), Speaker(f"s{number}", "/"))
            assert desk.registry.get(KEY) is busy
        assert len(desk.registry.live()) <= MOST_LIVE + 1

    working(office, work)


def test_the_book_says_which_sessions_stand_above_one(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        for name, parent in {"a": None, "b": "a", "c": "b", "x": "y", "y": "x", "z": "z"}.items():
            desk.registry.seen(SessionKey(HOST, name), Speaker(name, "/", parent))

        above = {
            name: [
                one.key.id for one in desk.registry.ancestors(live(desk, SessionKey(HOST, name)))
            ]
            for name in "acxz"
        }
        assert above == {"a": [], "c": ["b", "a"], "x": ["y"], "z": []}

    working(office, work)


def test_the_first_parent_counts(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        desk.registry.seen(KEY, Speaker("s", "/", "top"))
        desk.registry.seen(KEY, Speaker("s", "/", "thief"))

        assert live(desk).parent == SessionKey(HOST, "top")

    working(office, work)


def test_a_clock_that_was_set_back_does_not_make_a_session_older(office: Office) -> None:
    now = [1_700_000_000.0]
    office.clock = lambda: now[0]
    office.layers = [Judging()]

    async def first(desk: DecisionService) -> None:
        await desk.decide(office.bash("deny 1", attended=False), HOST)
        now[0] -= 5000
        await desk.decide(office.bash("deny 2", attended=False), HOST)

    async def later(desk: DecisionService) -> None:
        ruling = await desk.decide(office.bash("deny 3", attended=False), HOST)
        assert said(ruling) == ("halt", "breaker.consecutive")
        assert len({record.id for record in await records(desk)}) == 3

    working(office, first, later)


def test_old_answers_and_instructions_come_back_however_many_calls_followed(
    office: Office,
) -> None:
    asking = CallProposed(office.speaker(), "AskUserQuestion", {"questions": []}, "q1")
    given = (Instructions("AGENTS.md", "never push"),)

    async def first(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker(), given), HOST)
        await desk.hear(office.ran(asking, answers=(("Which branch?", "fix"),)), HOST)
        for number in range(MOST_ENTRIES):
            event = office.bash("ls", call=f"c{number}")
            await desk.hear(office.ran(event), HOST)

    async def later(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        session = live(desk).session

        assert UserMessage("fix", "Which branch?") in session.transcript.entries
        assert session.instructions == (("AGENTS.md", "never push"),)

    working(office, first, later)
