"""Sessions come back from the store as they were, and memory holds only so many of them."""

from automode.agents.events import CallProposed, Instructions, SessionStarted, Speaker
from automode.classifier.memory import MOST_ENTRIES
from automode.core.record import SessionKey
from automode.core.transcript import Outcome, PriorCall, UserMessage
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import LiveSession
from automode.sessions.registry import IDLE_SECONDS, MOST_LIVE
from tests.sessions.service_setup import HOST, KEY, Judging, Setup, records, said, working


def live(service: DecisionService, key: SessionKey = KEY) -> LiveSession:
    found = service.registry.get(key)
    assert found is not None
    return found


def test_a_session_comes_back_with_its_words_calls_and_counters(setup: Setup) -> None:
    setup.layers = [Judging()]
    ran, stopped = setup.bash("make fine", call="c1"), setup.bash("make deny", call="c2")

    async def first(service: DecisionService) -> None:
        await service.hear(setup.typed("make it, please"), HOST)
        await service.decide(ran, HOST)
        await service.hear(setup.ran(ran, Outcome.ERROR), HOST)
        await service.decide(stopped, HOST)

    async def later(service: DecisionService) -> None:
        await service.decide(setup.bash("ls"), HOST)
        session = live(service).session

        assert session.transcript.entries == (
            UserMessage("make it, please"),
            PriorCall("bash", {"command": "make fine"}, Outcome.ERROR),
            PriorCall("bash", {"command": "make deny"}, Outcome.DENIED),
        )
        assert (session.history.checked, session.history.blocked) == (3, 1)
        assert [denial.action for denial in session.history.denials] == ["make deny"]
        assert session.history.total == 1

    working(setup, first, later)


def test_a_stopped_run_stays_stopped_over_a_restart(setup: Setup) -> None:
    setup.layers = [Judging()]

    async def first(service: DecisionService) -> None:
        for number in range(3):
            await service.decide(setup.bash(f"deny {number}", attended=False), HOST)

    async def later(service: DecisionService) -> None:
        [state] = await service.person.sessions()
        ruling = await service.decide(setup.bash("ls", attended=False), HOST)

        assert state.halted
        assert said(ruling) == ("halt", "breaker.consecutive")

    working(setup, first, later, later)


def test_a_question_that_was_open_is_still_known_after_a_restart(setup: Setup) -> None:
    setup.layers = [Judging()]
    asked = setup.bash("deny 2", call="c2")

    async def first(service: DecisionService) -> None:
        for number in range(2):
            await service.decide(setup.bash(f"deny {number}"), HOST)
        assert said(await service.decide(asked, HOST)) == ("ask", "breaker.consecutive")

    async def later(service: DecisionService) -> None:
        await service.hear(setup.ran(asked), HOST)
        assert said(await service.decide(setup.bash("ls"), HOST)) == ("allow", "read-only")

    working(setup, first, later)


def test_a_long_session_comes_back_bounded_and_with_its_first_words(setup: Setup) -> None:
    async def first(service: DecisionService) -> None:
        await service.hear(setup.typed("first words"), HOST)
        for number in range(MOST_ENTRIES + 200):
            await service.hear(setup.ran(setup.bash("ls", call=f"c{number}")), HOST)

    async def later(service: DecisionService) -> None:
        await service.decide(setup.bash("ls"), HOST)
        entries = live(service).session.transcript.entries

        assert len(entries) <= MOST_ENTRIES
        assert UserMessage("first words") in entries

    working(setup, first, later)


def test_what_nobody_heard_of_for_long_leaves_memory_and_comes_back(setup: Setup) -> None:
    now = [1_700_000_000.0]
    setup.clock = lambda: now[0]

    async def work(service: DecisionService) -> None:
        await service.hear(setup.typed("first words"), HOST)
        now[0] += IDLE_SECONDS + 1
        await service.decide(setup.bash("ls", session="other"), HOST)
        gone = service.registry.get(KEY) is None
        await service.decide(setup.bash("ls"), HOST)

        assert gone
        assert live(service).recorder.transcript.entries[0] == UserMessage("first words")

    working(setup, work)


def test_a_session_in_the_middle_of_a_call_stays(setup: Setup) -> None:
    async def work(service: DecisionService) -> None:
        busy = service.registry.seen(KEY, Speaker("s", "/"))
        async with busy.turn:
            for number in range(MOST_LIVE + 5):
                service.registry.seen(SessionKey(HOST, f"s{number}"), Speaker(f"s{number}", "/"))
            assert service.registry.get(KEY) is busy
        assert len(service.registry.live()) <= MOST_LIVE + 1

    working(setup, work)


def test_the_book_says_which_sessions_stand_above_one(setup: Setup) -> None:
    async def work(service: DecisionService) -> None:
        for name, parent in {"a": None, "b": "a", "c": "b", "x": "y", "y": "x", "z": "z"}.items():
            service.registry.seen(SessionKey(HOST, name), Speaker(name, "/", parent))

        above = {
            name: [
                one.key.id
                for one in service.registry.ancestors(live(service, SessionKey(HOST, name)))
            ]
            for name in "acxz"
        }
        assert above == {"a": [], "c": ["b", "a"], "x": ["y"], "z": []}

    working(setup, work)


def test_the_first_parent_counts(setup: Setup) -> None:
    async def work(service: DecisionService) -> None:
        service.registry.seen(KEY, Speaker("s", "/", "top"))
        service.registry.seen(KEY, Speaker("s", "/", "thief"))

        assert live(service).parent == SessionKey(HOST, "top")

    working(setup, work)


def test_a_clock_that_was_set_back_does_not_make_a_session_older(setup: Setup) -> None:
    now = [1_700_000_000.0]
    setup.clock = lambda: now[0]
    setup.layers = [Judging()]

    async def first(service: DecisionService) -> None:
        await service.decide(setup.bash("deny 1", attended=False), HOST)
        now[0] -= 5000
        await service.decide(setup.bash("deny 2", attended=False), HOST)

    async def later(service: DecisionService) -> None:
        ruling = await service.decide(setup.bash("deny 3", attended=False), HOST)
        assert said(ruling) == ("halt", "breaker.consecutive")
        assert len({record.id for record in await records(service)}) == 3

    working(setup, first, later)


def test_old_answers_and_instructions_come_back_however_many_calls_followed(
    setup: Setup,
) -> None:
    asking = CallProposed(setup.speaker(), "AskUserQuestion", {"questions": []}, "q1")
    given = (Instructions("AGENTS.md", "never push"),)

    async def first(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker(), given), HOST)
        await service.hear(setup.ran(asking, answers=(("Which branch?", "fix"),)), HOST)
        for number in range(MOST_ENTRIES):
            event = setup.bash("ls", call=f"c{number}")
            await service.hear(setup.ran(event), HOST)

    async def later(service: DecisionService) -> None:
        await service.decide(setup.bash("ls"), HOST)
        session = live(service).session

        assert UserMessage("fix", "Which branch?") in session.transcript.entries
        assert session.instructions == (("AGENTS.md", "never push"),)

    working(setup, first, later)
