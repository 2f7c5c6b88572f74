"""Many wait, one writes; every waiter learns where its changes are."""

import asyncio
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path
from threading import Event
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Verdict
from automode.store.changes import WRITTEN, Decided, RecordQuery, SessionKept
from automode.store.database import Database, StoreError
from automode.store.folder import StateFolder
from automode.store.tables import records
from automode.store.writer import TENDING_SECONDS, StoreWriter, Writer
from tests.store.conftest import ids, sound
from tests.store.examples import APPROVED, KEY, NOON, decided, record

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 60


def run(work: Coroutine[object, object, T]) -> T:
    async def bounded() -> T:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await work

    return asyncio.run(bounded())


def patient(
    folder: StateFolder, store: str = "sqlite", *, tending_seconds: float = TENDING_SECONDS
) -> Writer:
    """How long a decision waits for the store is for agents, not for a busy machine."""
    return Writer(folder, store, tending_seconds=tending_seconds, patience_seconds=PATIENCE_SECONDS)


async def until(true: Callable[[], bool]) -> None:
    while not true():
        await asyncio.sleep(0.02)


async def test_everybody_who_waits_is_answered_and_written_once(
    folder: StateFolder, store: str
) -> None:
    async with patient(folder, store) as writer:
        kept = await asyncio.gather(*(writer.append(decided(number)) for number in range(2500)))

    # Counted and as sets: to show how two long lists differ takes hours.
    assert Counter(kept) == {WRITTEN: 2500}
    found = ids(folder, store)
    assert len(found) == 2500
    assert set(found) == {f"r{number:04}" for number in range(2500)}


async def test_they_share_commits(folder: StateFolder) -> None:
    """The head of the chain is written once in every commit, and something counts that."""

    def count_heads(db: Database) -> None:
        db.execute("CREATE TABLE counted (value TEXT)")
        db.execute(
            "CREATE TRIGGER counting AFTER UPDATE ON meta"
            " BEGIN INSERT INTO counted VALUES (new.value); END"
        )

    async with patient(folder) as writer:
        await writer.append(decided(999))
        await writer.run(count_heads)
        await asyncio.gather(*(writer.append(decided(number)) for number in range(500)))
        outcome = len(await writer.run(lambda db: db.rows("SELECT 1 FROM counted")))

    assert 1 <= outcome <= 50


async def test_what_is_run_sees_everything_that_was_appended_before(folder: StateFolder) -> None:
    async with patient(folder) as writer:
        waiting = [asyncio.ensure_future(writer.append(decided(n))) for n in range(50)]
        await asyncio.sleep(0)
        found = await writer.run(lambda db: len(records(db, RecordQuery())))
        await asyncio.gather(*waiting)
        outcome = found

    assert outcome == 50


async def test_of_many_who_want_an_approval_one_gets_it(
    folder: StateFolder, tmp_path: Path, store: str
) -> None:
    """Also of two machines that share a server."""
    other = folder if store == "sqlite" else StateFolder(str(tmp_path / "other"))
    async with patient(folder, store) as one, patient(other, store) as two:
        await one.append([APPROVED])
        outcome = await asyncio.gather(
            *(who.consume(KEY, APPROVED.digest, NOON + 1) for who in (one, two) * 10)
        )

    assert [one.id for one in outcome if one is not None] == ["a1"]


async def test_without_a_database_nothing_is_approved(folder: StateFolder) -> None:
    os.mkdir(folder.database)
    async with patient(folder) as writer:
        await writer.append([APPROVED])

        assert await writer.consume(KEY, APPROVED.digest, NOON + 1) is None
        with pytest.raises(StoreError):
            await writer.run(lambda db: db.rows("SELECT 1"))


async def test_who_is_cancelled_has_its_changes_written_all_the_same(folder: StateFolder) -> None:
    async with patient(folder) as writer:
        waiting = [asyncio.ensure_future(writer.append(decided(n))) for n in range(20)]
        await asyncio.sleep(0)
        for one in waiting[::2]:
            one.cancel()
        done = await asyncio.gather(*waiting, return_exceptions=True)

        assert done[1::2] == [WRITTEN] * 10
    assert len(ids(folder, "sqlite")) == 20


async def test_closing_writes_what_waits_and_nothing_after(folder: StateFolder) -> None:
    async with patient(folder) as writer:
        waiting = [asyncio.ensure_future(writer.append(decided(n))) for n in range(300)]
        await asyncio.sleep(0)
    after = await writer.append(decided(999))

    assert Counter(await asyncio.gather(*waiting)) == {WRITTEN: 300}
    assert len(ids(folder, "sqlite")) == 300
    assert after.reason == "the store is closed"


async def test_a_store_that_hangs_holds_nobody_and_nothing_is_doubled(folder: StateFolder) -> None:
    """Something in the writer's thread does not come back, as when a disk or a server hangs. They
    began to wait at different moments, one gave up by itself, and one alarm is for all."""
    hang = Event()

    async def late(writer: Writer, number: int) -> bool:
        await asyncio.sleep(number * 0.05)
        return (await writer.append(decided(number))).lost

    async with Writer(folder, tending_seconds=0.05, patience_seconds=0.5) as writer:
        stuck = asyncio.ensure_future(writer.run(lambda _: hang.wait(PATIENCE_SECONDS)))
        cancelled = asyncio.ensure_future(writer.append(decided(9)))
        waiting = [asyncio.ensure_future(late(writer, number)) for number in range(4)]
        await asyncio.sleep(0)
        cancelled.cancel()
        lost = await asyncio.gather(*waiting)
        approval, notices = await writer.consume(KEY, "", NOON), writer.notices()
        hang.set()
        await stuck
        await until(lambda: not writer.notices())

    assert lost == [True] * 4
    assert approval is None
    assert "the store does not answer" in notices
    found = ids(folder, "sqlite")
    assert len(found) == len(set(found))
    assert "r0009" in found  # it was on its way


async def test_a_hanging_store_without_an_outage_file_says_so(folder: StateFolder) -> None:
    begun, hang = Event(), Event()

    def hangs(_: object) -> bool:
        begun.set()
        return hang.wait(PATIENCE_SECONDS)

    async with Writer(folder, patience_seconds=0.3) as writer:
        stuck = asyncio.ensure_future(writer.run(hangs))
        await asyncio.to_thread(begun.wait, PATIENCE_SECONDS)
        os.mkdir(folder.outage)
        kept = await writer.append([Decided(record(1, Verdict.DENY))])
        hang.set()
        await stuck

        assert "the outage file cannot be written" in kept.reason


async def test_a_mistake_in_our_own_code_says_lost_and_the_next_one_works(
    folder: StateFolder, caplog: pytest.LogCaptureFixture
) -> None:
    no_change: list[object] = [object()]
    async with patient(folder) as writer:
        # What no caller that was type-checked can hand in.
        kept = await writer.append([SessionKept(no_change)])  # type: ignore[arg-type]

        assert kept.lost
        assert "the writer failed" in kept.reason
        assert await writer.append(decided(1)) == WRITTEN
    assert "changes could not be kept" in caplog.text


APPEND_MANY_AND_SAY = """
import asyncio, sys
from automode.store.folder import StateFolder
from automode.store.writer import Writer
from tests.store.examples import decided

async def one(writer, start):
    for number in range(start, start + 100_000):
        kept = await writer.append(decided(number))
        print(f"r{number:04}", "lost" if kept.lost else "written", flush=True)

async def main():
    async with Writer(StateFolder(sys.argv[1]), sys.argv[2], patience_seconds=60) as writer:
        await asyncio.gather(*(one(writer, 1_000_000 * at) for at in range(20)))

asyncio.run(main())
"""


def test_a_kill_in_the_middle_of_shared_commits_loses_nothing_that_was_answered(
    folder: StateFolder, store: str
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", APPEND_MANY_AND_SAY, folder.path, store],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(500)]
        child.kill()
        lines += child.stdout.read().splitlines(keepends=True)
    said = {line.split()[0] for line in lines if line.endswith("written\n")}

    async def restart() -> None:
        async with patient(folder, store) as writer:
            # A server holds a killed client's lock until it has seen that the client is gone.
            while (await writer.append(decided(9))) != WRITTEN:
                await asyncio.sleep(0.1)

    run(restart())
    found = ids(folder, store)
    assert said - set(found) == set()
    assert (len(said) >= 500, len(found)) == (True, len(set(found)))
    assert sound(folder, store)


STEPS = st.lists(
    st.one_of(
        st.lists(st.integers(0, 30), min_size=1, max_size=3).map(lambda some: ("append", some)),
        st.sampled_from([("tend", []), ("restart", []), ("delete", []), ("damage", [])]),
    ),
    max_size=12,
)


@given(steps=STEPS)
def test_whatever_happens_to_the_file_what_was_answered_is_there_or_named_as_missing(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, list[int]]]
) -> None:
    folder = StateFolder(str(tmp_path_factory.mktemp("w") / "state")).prepared()
    writer, answered = StoreWriter(folder, retry_seconds=0), set[str]()
    lost = False
    for step, numbers in steps:
        match step:
            case "append":
                [kept] = writer.keep([decided(*numbers)])
                answered |= set() if kept.lost else {f"r{number:04}" for number in numbers}
            case "tend":
                writer.tend()
            case "restart":
                writer.close()
            case _:
                if not os.path.exists(folder.database):
                    continue
                writer.close()
                for path in Path(folder.path).glob("audit.db*"):
                    path.unlink()
                if step == "damage":
                    Path(folder.database).write_bytes(b"no database" * 1000)
                lost, answered = lost or bool(answered), set()
    writer.open()
    writer.close()

    whole = sound(folder)
    assert answered <= set(ids(folder))
    assert whole or lost or any(step == "damage" for step, _ in steps)
    assert not (lost and whole)
