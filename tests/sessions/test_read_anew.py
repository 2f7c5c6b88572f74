"""What was decided beside a desk that has the session in memory: it counts there as well."""

import asyncio
import os
import sqlite3
from pathlib import Path

from automode.core.decision import Verdict
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from automode.store.writer import Writer
from tests.sessions.offices import HOST, KEY, Judging, Office, records, working


def denied_alone(office: Office, count: int, session: str = "s") -> list[Verdict]:
    """By hooks that found no daemon, one process each."""

    async def denied(number: int) -> Verdict:
        async with Writer(office.folder) as writer:
            lone = office.desk(writer)
            ruling = await lone.decide(office.bash(f"rm -rf /usr/{number}", session), HOST)
        assert ruling.decision is not None
        return ruling.decision.verdict

    return [asyncio.run(denied(number)) for number in range(count)]


async def source(desk: DecisionService, office: Office, command: str) -> str:
    ruling = await desk.decide(office.bash(command), HOST)
    assert ruling.decision is not None
    return ruling.decision.source


def test_denials_without_a_daemon_stop_the_session_that_a_daemon_has_in_memory(
    tmp_path: Path,
) -> None:
    office = Office(tmp_path, layers=[Judging()])

    async def life(desk: DecisionService) -> None:
        assert await source(desk, office, "ls") == "read-only"

        alone = await asyncio.to_thread(denied_alone, office, 3)
        await desk.keeper.run(lambda _: None)  # as whoever reads or writes next

        assert alone == [Verdict.DENY] * 3
        assert await source(desk, office, "ls -l") == "breaker.consecutive"

    working(office, life)


async def meanwhile(desk: DecisionService, office: Office) -> None:
    """Another process wrote of another session, and somebody has asked since."""
    await asyncio.to_thread(denied_alone, office, 1, "elsewhere")
    await desk.keeper.run(lambda _: None)
    await desk.decide(office.bash("ls", session="another"), HOST)


def test_a_session_that_is_being_decided_in_is_read_anew_afterwards(tmp_path: Path) -> None:
    judge = Judging(seconds=0.3)
    office = Office(tmp_path, layers=[judge])

    async def life(desk: DecisionService) -> None:
        deciding = asyncio.ensure_future(source(desk, office, "npm run x"))
        await judge.asked()

        await asyncio.to_thread(denied_alone, office, 3)
        await desk.keeper.run(lambda _: None)
        await desk.decide(office.bash("ls", session="another"), HOST)
        await deciding

        # What was allowed meanwhile ended the row of denials; in all they count.
        assert await source(desk, office, "ls") == "read-only"
        live = desk.registry.get(KEY)
        assert live is not None
        assert live.session.history.total == 3

    working(office, life)


def test_denials_of_sub_agents_count_above_whatever_is_read_anew_meanwhile(tmp_path: Path) -> None:
    judge = Judging(seconds=0.2)
    office = Office(tmp_path, layers=[judge])

    async def life(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        for number in range(3):
            judge.seen.clear()
            below = office.bash(f"npm run deny{number}", session=f"below{number}", parent="s")
            deciding = asyncio.ensure_future(desk.decide(below, HOST))
            await judge.asked()
            await meanwhile(desk, office)
            await deciding

        assert await source(desk, office, "ls -l") == "breaker.consecutive"

    working(office, life)


def test_what_a_person_switches_holds_whatever_is_read_anew_meanwhile(tmp_path: Path) -> None:
    judge = Judging(seconds=0.4)
    office = Office(tmp_path, layers=[judge])

    async def life(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        await desk.set_mode(KEY, Override.OFF)
        await desk.decide(office.bash("ls", session="slow"), HOST)
        await asyncio.to_thread(denied_alone, office, 1, "elsewhere")
        deciding = asyncio.ensure_future(desk.decide(office.bash("npm x", session="slow"), HOST))
        await judge.asked()
        switching = asyncio.ensure_future(desk.set_mode(None, Override.ON))
        await asyncio.sleep(0.05)
        await desk.decide(office.bash("pwd"), HOST)
        await asyncio.gather(switching, deciding)

        assert await source(desk, office, "rm -rf /") == "floor.delete-root"

    working(office, life)


def test_denials_in_an_outage_count_when_it_is_over(tmp_path: Path) -> None:
    office = Office(tmp_path, layers=[Judging()])

    async def before(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)

    async def life(desk: DecisionService) -> None:
        other = sqlite3.connect(office.folder.database, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        assert await source(desk, office, "ls -l") in ("gate.desk-failed", "gate.not-recorded")
        for number in range(3):
            assert await source(desk, office, f"rm -rf /usr/{number}") == "floor.delete-root"
        assert os.path.getsize(office.folder.outage)
        other.close()

    async def later(desk: DecisionService) -> None:
        assert not os.path.exists(office.folder.outage)
        assert await source(desk, office, "ls -l") == "breaker.consecutive"
        assert [one.verdict.word for one in await records(desk)][-5:] == [
            *("ask", "deny", "deny", "deny", "ask")
        ]

    working(office, before, life, later)
