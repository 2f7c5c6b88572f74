"""`kill -9` at any moment: what was answered is recorded, and the next call works."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from automode.store.folder import secret
from automode.store.open import reading
from automode.store.verify import chains, from_database, verify
from tests.sessions.service_setup import HOST, KEY, Setup, records, said

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
GENEROUS_SECONDS = 60


@contextmanager
def dying(folder: Path, point: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.sessions.dying_service", str(folder), point]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=GENEROUS_SECONDS)


def heard_until(process: subprocess.Popen[str], wanted: str, most: int) -> list[str]:
    """The ids that were answered until a line begins with `wanted`, or until there are `most`."""
    answered: list[str] = []
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(wanted) or len(answered) >= most:
            break
        answered.append(line.split()[1])
    return answered


async def after_the_crash(setup: Setup, answered: list[str]) -> set[str]:
    async with setup.open() as service:
        kept = {record.id for record in await records(service, None)}
        assert set(answered) <= kept
        ruling = await service.decide(setup.bash("ls", attended=False), HOST)
        # Never three denials in a row, and few in all: nothing is stopped.
        assert said(ruling) == ("allow", "read-only")
        live = setup.live()
        of_session = [one for one in await records(service) if one.session == KEY]
        assert live.session.history.checked == len(of_session)
        return kept


def sound(setup: Setup) -> None:
    """The chain holds, whatever was cut off."""
    key = secret(setup.folder.signing_key)
    with reading(setup.folder) as db:
        found = [verify(from_database(db, chain), key) for chain in chains(db)]
    assert [one.fault for one in found] == [None]


@pytest.mark.parametrize("point", ["decide", "record", "written"])
def test_killed_at_a_point_nothing_answered_is_lost(tmp_path: Path, point: str) -> None:
    with dying(tmp_path, point) as process:
        answered = heard_until(process, f"at {point}", most=10_000)
        assert len(answered) > 10

    kept = asyncio.run(after_the_crash(Setup(tmp_path), answered))

    # What was written and not answered may be there; nothing else is.
    assert len(kept - set(answered)) <= (1 if point == "written" else 0)
    sound(Setup(tmp_path))


@pytest.mark.parametrize("more", [3, 17, 40])
def test_killed_at_any_moment_nothing_answered_is_lost(tmp_path: Path, more: int) -> None:
    with dying(tmp_path, "never") as process:
        answered = heard_until(process, "never", most=more)
        time.sleep(0.01 * more)
        process.kill()
        assert process.stdout is not None
        answered += [line.split()[1] for line in process.stdout if line.endswith("\n")]

    asyncio.run(after_the_crash(Setup(tmp_path), answered))
    sound(Setup(tmp_path))
