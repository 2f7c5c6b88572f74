"""Disks that are full, folders that cannot be written, servers that go away: each for real."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from automode.core.decision import Verdict
from automode.store.changes import Decided, RecordQuery
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.tables import records
from automode.store.writer import StoreWriter, Writer
from tests.store.examples import decided, record
from tests.store.postgres_server import NoServer, Server, server

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 60

BEGINNING = """
import json, os, resource, sys, time
from automode.store.changes import RecordQuery
from automode.store.folder import StateFolder
from automode.store.writer import StoreWriter
from automode.store.open import reading
from automode.store.tables import records
from automode.core.decision import Verdict
from automode.store.changes import Decided
from tests.store.examples import decided, record

folder = StateFolder(sys.argv[1] + "/state")
writer = StoreWriter(folder, retry_seconds=0)
places = []

def append(number):
    [kept] = writer.keep([[Decided(record(number, Verdict.DENY))]])
    places.append("lost" if kept.lost else "written")
    return kept

def recovered():
    for _ in range(100):
        writer.tend()
        if not any("wait" in notice for notice in writer.notices()):
            break

def found():
    writer.close()
    with reading(folder) as db:
        return sorted(one.id for one in records(db, RecordQuery(limit=100_000)))
"""

ON_A_FULL_DISK = f"""{BEGINNING}
ballast = sys.argv[1] + "/ballast"
with open(ballast, "wb") as file:
    file.write(b"x" * 1_000_000)
number = 0
while number < 5000 and not any("are lost" in notice for notice in writer.notices()):
    append(number)
    number += 1
during = writer.notices()
os.unlink(ballast)
recovered()
append(number)
print(json.dumps(dict(places=places, during=during, ids=found(), after=writer.notices())))
"""

PAST_A_SIZE_LIMIT = f"""{BEGINNING}
append(0)
before = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))
number = 1
while number < 5000 and not any("are lost" in notice for notice in writer.notices()):
    append(number)
    number += 1
during = writer.notices()
resource.setrlimit(resource.RLIMIT_FSIZE, before)
recovered()
append(number)
print(json.dumps(dict(places=places, during=during, ids=found(), after=writer.notices())))
"""

IN_A_READ_ONLY_FOLDER = f"""{BEGINNING}
append(0)
writer.close()
os.system(f"mount -o remount,ro {{sys.argv[1]}}")
reasons = [append(1).reason]
with reading(folder) as db:
    readable = len(records(db, RecordQuery()))
os.system(f"mount -o remount,rw {{sys.argv[1]}}")
recovered()
append(2)
print(json.dumps(dict(places=places, reasons=reasons, readable=readable, ids=found())))
"""


def on_a_small_disk(code: str, folder: Path) -> Mapping[str, object]:
    """What `code` prints when `folder` is a disk of 2 MiB that nobody else sees."""
    mount = 'mount -t tmpfs -o size=2m none "$1" && exec "$0" -c "$2" "$1"'
    inner = ["sh", "-c", mount, sys.executable, str(folder), code]
    for ways in (["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"]):
        probe = subprocess.run([*ways, "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True)
        if probe.returncode == 0:
            return printed([*ways, *inner])
    pytest.skip("NO SMALL DISK: neither root nor a user namespace may mount one here")


def printed(command: list[str]) -> Mapping[str, object]:
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    said: object = json.loads(done.stdout)
    assert isinstance(said, dict)
    return said


def names(count: int) -> list[str]:
    return [f"r{number:04}" for number in range(count)]


def listed(said: Mapping[str, object], name: str) -> list[object]:
    found = said[name]
    assert isinstance(found, list)
    return found


def check_full(said: Mapping[str, object]) -> None:
    """What was answered as written is there, and what went to the outage file; nothing twice."""
    places, found = listed(said, "places"), listed(said, "ids")
    written = {f"r{number:04}" for number, place in enumerate(places) if place == "written"}
    assert (places[0], places[-2], places[-1]) == ("written", "lost", "written")
    assert written <= set(map(str, found))
    assert len(found) == len(set(map(str, found))) >= len(places) - 3
    told = [str(notice) for notice in listed(said, "after")]
    assert all("are lost" in one or "could not be brought" in one for one in told)


def test_a_full_disk_is_said_and_nothing_answered_is_missing_when_there_is_room(
    tmp_path: Path,
) -> None:
    said = on_a_small_disk(ON_A_FULL_DISK, tmp_path)

    check_full(said)
    assert any("full" in str(notice) for notice in listed(said, "during"))


def test_past_a_size_limit_it_is_the_same(tmp_path: Path) -> None:
    check_full(printed([sys.executable, "-c", PAST_A_SIZE_LIMIT, str(tmp_path)]))


def test_on_a_disk_that_turned_read_only_nothing_is_written_and_reading_works(
    tmp_path: Path,
) -> None:
    said = on_a_small_disk(IN_A_READ_ONLY_FOLDER, tmp_path)

    assert said["places"] == ["written", "lost", "written"]
    assert "ead-only" in str(listed(said, "reasons")[0])
    assert said["readable"] == 1
    assert said["ids"] == ["r0000", "r0002"]


@pytest.mark.skipif(os.getuid() == 0, reason="ROOT may write everywhere")
def test_in_a_folder_without_the_right_to_write_changes_are_lost_and_it_is_said(
    folder: StateFolder,
) -> None:
    os.chmod(folder.path, 0o500)
    writer = StoreWriter(folder, retry_seconds=0)

    [kept] = writer.keep([decided(1)])

    os.chmod(folder.path, 0o700)
    assert kept.lost
    assert "ermission" in kept.reason


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that the test may stop."""
    try:
        with server() as running:
            yield running
    except NoServer as error:
        pytest.skip(f"NO POSTGRESQL: it could not be stopped and started, because {error}")


def test_a_server_that_goes_away_and_comes_back_has_everything_once(
    folder: StateFolder, own_server: Server
) -> None:
    async def scene() -> list[bool]:
        async with Writer(
            folder, own_server.url, tending_seconds=0.1, patience_seconds=PATIENCE_SECONDS
        ) as writer:
            places = [(await writer.append(decided(0))).lost]
            own_server.stop()
            denied = [Decided(record(number, Verdict.DENY)) for number in (1, 2)]
            places += [(await writer.append([one])).lost for one in denied]
            own_server.start()
            while writer.notices():
                await asyncio.sleep(0.1)
            places.append((await writer.append(decided(3))).lost)
            return places

    async def bounded() -> list[bool]:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await scene()

    assert asyncio.run(bounded()) == [False, True, True, False]
    with reading(folder, own_server.url) as db:
        assert sorted(one.id for one in records(db, RecordQuery())) == names(4)
