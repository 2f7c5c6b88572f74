"""What was decided beside a desk that has the session in memory: it counts there as well."""

import asyncio
from pathlib import Path

from automode.core.decision import Verdict
from automode.sessions.desk import Desk
from automode.store.open import SQLITE
from automode.store.spooling import Spooling
from tests.sessions.offices import HOST, KEY, Judging, Office, working


def denied_alone(office: Office, count: int) -> list[Verdict]:
    """By hooks that found no daemon, one process each."""

    async def denied(number: int) -> Verdict:
        lone = office.desk(Spooling(office.folder, SQLITE))
        ruling = await lone.decide(office.bash(f"rm -rf /usr/{number}"), HOST)
        assert ruling.decision is not None
        return ruling.decision.verdict

    return [asyncio.run(denied(number)) for number in range(count)]


async def source(desk: Desk, office: Office, command: str) -> str:
    ruling = await desk.decide(office.bash(command), HOST)
    assert ruling.decision is not None
    return ruling.decision.source


def test_denials_without_a_daemon_stop_the_session_that_a_daemon_has_in_memory(
    tmp_path: Path,
) -> None:
    office = Office(tmp_path, layers=[Judging()])

    async def life(desk: Desk) -> None:
        assert await source(desk, office, "ls") == "read-only"

        alone = await asyncio.to_thread(denied_alone, office, 3)
        await desk.keeper.run(lambda _: None)  # as whoever reads next does: what waits is written

        assert alone == [Verdict.DENY] * 3
        assert await source(desk, office, "ls -l") == "breaker.consecutive"

    working(office, life)


def test_a_session_that_is_being_decided_in_is_read_anew_afterwards(tmp_path: Path) -> None:
    judge = Judging(seconds=0.3)
    office = Office(tmp_path, layers=[judge])

    async def life(desk: Desk) -> None:
        deciding = asyncio.ensure_future(source(desk, office, "npm run x"))
        await judge.asked()
        before = desk.book.get(KEY)

        await asyncio.to_thread(denied_alone, office, 3)
        await desk.keeper.run(lambda _: None)
        other = await desk.decide(office.bash("ls", session="another"), HOST)
        held = desk.book.get(KEY)
        await deciding

        assert other.decision is not None
        assert held is before
        # What was allowed meanwhile ended the row of denials; in all they count.
        assert await source(desk, office, "ls") == "read-only"
        after = desk.book.get(KEY)
        assert after is not None
        assert after is not before
        assert after.session.history.total == 3

    working(office, life)
