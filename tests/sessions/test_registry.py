"""Sessions come back from the store as they were, and memory holds only so many of them."""

import asyncio
import os
import sqlite3
from pathlib import Path

from automode.agents.events import CallProposed, Instructions, SessionRef, SessionStarted
from automode.classifier.transcript import MOST_ENTRIES
from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.core.transcript import Outcome, PriorCall, UserMessage
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from automode.sessions.registry import IDLE_SECONDS, MOST_LIVE
from automode.sessions.status import is_halted
from automode.store.writer import Writer
from tests.sessions.service_setup import HOST, KEY, Judging, Setup, records, said


async def test_a_session_comes_back_with_its_words_calls_and_counters(setup: Setup) -> None:
    setup.layers = [Judging()]
    ran, stopped = setup.bash("make fine", call="c1"), setup.bash("make deny", call="c2")
    async with setup.open() as service:
        await service.hear(setup.typed("make it, please"), HOST)
        await service.decide(ran, HOST)
        await service.hear(setup.ran(ran, Outcome.ERROR), HOST)
        await service.decide(stopped, HOST)
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        session = setup.live().session

        assert session.transcript.entries == (
            UserMessage("make it, please"),
            PriorCall("bash", {"command": "make fine"}, Outcome.ERROR),
            PriorCall("bash", {"command": "make deny"}, Outcome.DENIED),
        )
        assert (session.history.checked, session.history.blocked) == (3, 1)
        assert [denial.action for denial in session.history.denials] == ["make deny"]
        assert session.history.total == 1


async def test_a_question_that_was_open_is_still_known_after_a_restart(setup: Setup) -> None:
    setup.layers = [Judging()]
    asked = setup.bash("deny 2", call="c2")
    async with setup.open() as service:
        await setup.deny(2)
        assert said(await service.decide(asked, HOST)) == ("ask", "breaker.consecutive")
    async with setup.open() as service:
        await service.hear(setup.ran(asked), HOST)
        assert await setup.says("ls") == ("allow", "read-only")


async def test_the_halt_of_a_run_is_known_to_a_new_daemon(setup: Setup) -> None:
    setup.layers = [Judging()]
    async with setup.open() as service:
        await service.decide(setup.bash("ls", attended=False, run="r1"), HOST)
        await setup.deny(3, attended=False)
    async with setup.open() as service:
        [state] = await service.person.sessions()
        assert (state.run, is_halted(state.history)) == ("r1", True)


async def test_a_long_session_comes_back_bounded_and_with_its_first_words(setup: Setup) -> None:
    async with setup.open() as service:
        await service.hear(setup.typed("first words"), HOST)
        for number in range(MOST_ENTRIES + 200):
            await service.hear(setup.ran(setup.bash("ls", call=f"c{number}")), HOST)
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        entries = setup.live().session.transcript.entries

        assert len(entries) <= MOST_ENTRIES
        assert UserMessage("first words") in entries


async def test_what_nobody_heard_of_for_long_leaves_memory_and_comes_back(setup: Setup) -> None:
    now = [1_700_000_000.0]
    setup.clock = lambda: now[0]
    async with setup.open() as service:
        await service.hear(setup.typed("first words"), HOST)
        now[0] += IDLE_SECONDS + 1
        await service.decide(setup.bash("ls", session="other"), HOST)
        gone = service.registry.get(KEY) is None
        await service.decide(setup.bash("ls"), HOST)

        assert gone
        assert setup.live().recorder.transcript.entries[0] == UserMessage("first words")


async def test_a_session_in_the_middle_of_a_call_stays(setup: Setup) -> None:
    async with setup.open() as service:
        busy = service.registry.seen(KEY, SessionRef("s", "/"))
        async with busy.turn:
            for number in range(MOST_LIVE + 5):
                service.registry.seen(SessionKey(HOST, f"s{number}"), SessionRef(f"s{number}", "/"))
            assert service.registry.get(KEY) is busy
        assert len(service.registry.live()) <= MOST_LIVE + 1


async def test_the_book_says_which_sessions_stand_above_one(setup: Setup) -> None:
    async with setup.open() as service:
        for name, parent in {"a": None, "b": "a", "c": "b", "x": "y", "y": "x", "z": "z"}.items():
            service.registry.seen(SessionKey(HOST, name), SessionRef(name, "/", parent))

        above = {
            name: [
                one.key.id for one in service.registry.ancestors(setup.live(SessionKey(HOST, name)))
            ]
            for name in "acxz"
        }
        assert above == {"a": [], "c": ["b", "a"], "x": ["y"], "z": []}


async def test_the_first_parent_counts(setup: Setup) -> None:
    async with setup.open() as service:
        service.registry.seen(KEY, SessionRef("s", "/", "top"))
        service.registry.seen(KEY, SessionRef("s", "/", "thief"))

        assert setup.live().parent == SessionKey(HOST, "top")


async def test_a_clock_that_was_set_back_does_not_make_a_session_older(setup: Setup) -> None:
    now = [1_700_000_000.0]
    setup.clock = lambda: now[0]
    setup.layers = [Judging()]
    async with setup.open() as service:
        await service.decide(setup.bash("deny 1", attended=False), HOST)
        now[0] -= 5000
        await service.decide(setup.bash("deny 2", attended=False), HOST)
    async with setup.open() as service:
        assert await setup.says("deny 3", attended=False) == ("halt", "breaker.consecutive")
        assert len({record.id for record in await records(service)}) == 3


async def test_old_answers_and_instructions_come_back_however_many_calls_followed(
    setup: Setup,
) -> None:
    asking = CallProposed(setup.ref(), "AskUserQuestion", {"questions": []}, "q1")
    given = (Instructions("AGENTS.md", "never push"),)
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref(), given), HOST)
        await service.hear(setup.ran(asking, answers=(("Which branch?", "fix"),)), HOST)
        for number in range(MOST_ENTRIES):
            event = setup.bash("ls", call=f"c{number}")
            await service.hear(setup.ran(event), HOST)
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        session = setup.live().session

        assert UserMessage("fix", "Which branch?") in session.transcript.entries
        assert session.instructions == (("AGENTS.md", "never push"),)


def denied_alone(setup: Setup, count: int, session: str = "s") -> list[Verdict]:
    """By hooks that found no daemon, one process each."""

    async def denied(number: int) -> Verdict:
        async with Writer(setup.folder) as writer:
            lone = setup.service(writer)
            ruling = await lone.decide(setup.bash(f"rm -rf /usr/{number}", session), HOST)
        assert ruling.decision is not None
        return ruling.decision.verdict

    return [asyncio.run(denied(number)) for number in range(count)]


async def source(service: DecisionService, setup: Setup, command: str) -> str:
    ruling = await service.decide(setup.bash(command), HOST)
    assert ruling.decision is not None
    return ruling.decision.source


async def test_denials_without_a_daemon_stop_the_session_that_a_daemon_has_in_memory(
    tmp_path: Path,
) -> None:
    setup = Setup(tmp_path, layers=[Judging()])
    async with setup.open() as service:
        assert await source(service, setup, "ls") == "read-only"

        alone = await asyncio.to_thread(denied_alone, setup, 3)
        await service.store.run(lambda _: None)  # as whoever reads or writes next

        assert alone == [Verdict.DENY] * 3
        assert await source(service, setup, "ls -l") == "breaker.consecutive"


async def meanwhile(service: DecisionService, setup: Setup) -> None:
    """Another process wrote of another session, and somebody has asked since."""
    await asyncio.to_thread(denied_alone, setup, 1, "elsewhere")
    await service.store.run(lambda _: None)
    await service.decide(setup.bash("ls", session="another"), HOST)


async def test_a_session_that_is_being_decided_in_is_read_anew_afterwards(tmp_path: Path) -> None:
    judge = Judging(seconds=0.3)
    setup = Setup(tmp_path, layers=[judge])
    async with setup.open() as service:
        deciding = asyncio.ensure_future(source(service, setup, "npm run x"))
        await judge.asked()

        await asyncio.to_thread(denied_alone, setup, 3)
        await service.store.run(lambda _: None)
        await service.decide(setup.bash("ls", session="another"), HOST)
        await deciding

        # What was allowed meanwhile ended the row of denials; in all they count.
        assert await source(service, setup, "ls") == "read-only"
        live = setup.live()
        assert live.session.history.total == 3


async def test_denials_of_sub_agents_count_above_whatever_is_read_anew_meanwhile(
    tmp_path: Path,
) -> None:
    judge = Judging(seconds=0.2)
    setup = Setup(tmp_path, layers=[judge])
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        for number in range(3):
            judge.seen.clear()
            below = setup.bash(f"npm run deny{number}", session=f"below{number}", parent="s")
            deciding = asyncio.ensure_future(service.decide(below, HOST))
            await judge.asked()
            await meanwhile(service, setup)
            await deciding

        assert await source(service, setup, "ls -l") == "breaker.consecutive"


async def test_what_a_person_switches_holds_whatever_is_read_anew_meanwhile(tmp_path: Path) -> None:
    judge = Judging(seconds=0.4)
    setup = Setup(tmp_path, layers=[judge])
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        await service.person.set_mode(KEY, Override.OFF)
        await service.decide(setup.bash("ls", session="slow"), HOST)
        await asyncio.to_thread(denied_alone, setup, 1, "elsewhere")
        deciding = asyncio.ensure_future(service.decide(setup.bash("npm x", session="slow"), HOST))
        await judge.asked()
        switching = asyncio.ensure_future(service.person.set_mode(None, Override.ON))
        await asyncio.sleep(0.05)
        await service.decide(setup.bash("pwd"), HOST)
        await asyncio.gather(switching, deciding)

        assert await source(service, setup, "rm -rf /") == "floor.delete-root"


async def test_denials_in_an_outage_count_when_it_is_over(tmp_path: Path) -> None:
    setup = Setup(tmp_path, layers=[Judging()])
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
    async with setup.open() as service:
        other = sqlite3.connect(setup.folder.database, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        assert await source(service, setup, "ls -l") in ("gate.service-failed", "gate.not-recorded")
        for number in range(3):
            assert await source(service, setup, f"rm -rf /usr/{number}") == "floor.delete-root"
        assert os.path.getsize(setup.folder.outage)
        other.close()
    async with setup.open() as service:
        assert not os.path.exists(setup.folder.outage)
        assert await source(service, setup, "ls -l") == "breaker.consecutive"
        assert [one.verdict.word for one in await records(service)][-5:] == [
            *("ask", "deny", "deny", "deny", "ask")
        ]
