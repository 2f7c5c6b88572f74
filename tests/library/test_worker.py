"""The thread of a gate: who waits for it, who may use it, and how it ends."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from automode.core.errors import AutomodeError
from automode.library.worker import Worker

PATIENCE = 60.0


@pytest.fixture(name="worker")
def _worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    if worker.works:
        worker.stop()


class Begun:
    """Work that ends only when somebody ends it."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.cut_off = threading.Event()

    async def waiting(self) -> None:
        self.begun.set()
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            self.cut_off.set()


def test_who_waits_for_a_worker_that_stops_gets_an_error(worker: Worker) -> None:
    """Not what a caller gets who was cancelled: some frameworks pass over that."""
    work, found = Begun(), list[BaseException]()

    def wait() -> None:
        try:
            worker.done_sync(work.waiting())
        except AutomodeError as error:
            found.append(error)

    async def wait_in_a_loop() -> None:
        with pytest.raises(AutomodeError, match="closed"):
            await worker.done(work.waiting())

    threads = [
        threading.Thread(target=one) for one in (wait, lambda: asyncio.run(wait_in_a_loop()))
    ]
    for thread in threads:
        thread.start()
    assert work.begun.wait(PATIENCE)
    worker.stop()
    for thread in threads:
        thread.join(PATIENCE)

    assert not any(thread.is_alive() for thread in threads)
    assert len(found) == 1


def test_a_caller_that_is_cancelled_cuts_its_work_off(worker: Worker) -> None:
    work = Begun()

    async def cancelled() -> None:
        task = asyncio.ensure_future(worker.done(work.waiting()))
        await asyncio.to_thread(work.begun.wait, PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())

    assert work.cut_off.wait(PATIENCE)


def test_a_loop_that_is_not_asyncios_waits_for_the_answer(worker: Worker) -> None:
    async def answer() -> int:
        return 7

    with pytest.raises(StopIteration) as ended:
        worker.done(answer()).send(None)

    assert ended.value.value == 7


def test_a_worker_that_has_stopped_takes_nothing(worker: Worker) -> None:
    worker.stop()
    work = Begun()

    with pytest.raises(AutomodeError, match="closed"):
        worker.done_sync(work.waiting())
    with pytest.raises(AutomodeError, match="closed"):
        asyncio.run(worker.done(work.waiting()))

    assert not work.begun.is_set()
