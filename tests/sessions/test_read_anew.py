"""What was decided beside a service that has the session in memory: it counts there as well."""

import asyncio
import os
import sqlite3
from pathlib import Path

from automode.core.decision import Verdict
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from automode.store.writer import Writer
from tests.sessions.service_setup import HOST, KEY, Judging, Setup, records, working


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


def test_denials_without_a_daemon_stop_the_session_that_a_daemon_has_in_memory(
    tmp_path: Path,
) -> None:
    setup = Setup(tmp_path, layers=[Judging()])

    async def life(service: DecisionService) -> None:
        assert await source(service, setup, "ls") == "read-only"

        alone = await asyncio.to_thread(denied_alone, setup, 3)
        await service.store.run(lambda _: None)  # as whoever reads or writes next

        assert alone == [Verdict.DENY] * 3
        assert await source(service, setup, "ls -l") == "breaker.consecutive"

    working(setup, life)


async def meanwhile(service: DecisionService, setup: Setup) -> None:
    """Another process wrote of another session, and somebody has asked since."""
    await asyncio.to_thread(denied_alone, setup, 1, "elsewhere")
    await service.store.run(lambda _: None)
    await service.decide(setup.bash("ls", session="another"), HOST)


def test_a_session_that_is_being_decided_in_is_read_anew_afterwards(tmp_path: Path) -> None:
    judge = Judging(seconds=0.3)
    setup = Setup(tmp_path, layers=[judge])

    async def life(service: DecisionService) -> None:
        deciding = asyncio.ensure_future(source(service, setup, "npm run x"))
        await judge.asked()

        await asyncio.to_thread(denied_alone, setup, 3)
        await service.store.run(lambda _: None)
        await service.decide(setup.bash("ls", session="another"), HOST)
        await deciding

        # What was allowed meanwhile ended the row of denials; in all they count.
        assert await source(service, setup, "ls") == "read-only"
        live = service.registry.get(KEY)
        assert live is not None
        assert live.session.history.total == 3

    working(setup, life)


def test_denials_of_sub_agents_count_above_whatever_is_read_anew_meanwhile(tmp_path: Path) -> None:
    judge = Judging(seconds=0.2)
    setup = Setup(tmp_path, layers=[judge])

    async def life(service: DecisionService) -> None:
        await service.decide(setup.bash("ls"), HOST)
        for number in range(3):
            judge.seen.clear()
            below = setup.bash(f"npm run deny{number}", session=f"below{number}", parent="s")
            deciding = asyncio.ensure_future(service.decide(below, HOST))
            await judge.asked()
            await meanwhile(service, setup)
            await deciding

        assert await source(service, setup, "ls -l") == "breaker.consecutive"

    working(setup, life)


def test_what_a_person_switches_holds_whatever_is_read_anew_meanwhile(tmp_path: Path) -> None:
    judge = Judging(seconds=0.4)
    setup = Setup(tmp_path, layers=[judge])

    async def life(service: DecisionService) -> None:
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

    working(setup, life)


def test_denials_in_an_outage_count_when_it_is_over(tmp_path: Path) -> None:
    setup = Setup(tmp_path, layers=[Judging()])

    async def before(service: DecisionService) -> None:
        await service.decide(setup.bash("ls"), HOST)

    async def life(service: DecisionService) -> None:
        other = sqlite3.connect(setup.folder.database, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        assert await source(service, setup, "ls -l") in ("gate.desk-failed", "gate.not-recorded")
        for number in range(3):
            assert await source(service, setup, f"rm -rf /usr/{number}") == "floor.delete-root"
        assert os.path.getsize(setup.folder.outage)
        other.close()

    async def later(service: DecisionService) -> None:
        assert not os.path.exists(setup.folder.outage)
        assert await source(service, setup, "ls -l") == "breaker.consecutive"
        assert [one.verdict.word for one in await records(service)][-5:] == [
            *("ask", "deny", "deny", "deny", "ask")
        ]

    working(setup, before, life, later)
