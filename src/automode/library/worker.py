"""The thread in which a gate works: connections and turns belong to one event loop, callers have
many."""

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from typing import TypeVar

from automode.core.errors import AutomodeError

T = TypeVar("T")


class Worker:
    """Whoever waits for work that ends with the worker gets an error: that nobody answers must not
    look as if the caller had been cancelled."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._giving = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=self._work, name="automode", daemon=True)
        self._thread.start()

    @property
    def works(self) -> bool:
        """Not in a copy of the process: its thread is not there."""
        return not self._stopped and self._process == os.getpid() and self._thread.is_alive()

    async def done(self, work: Coroutine[object, object, T]) -> T:
        """Raises AutomodeError where the worker has stopped, before or meanwhile."""
        given = self._given(work)
        if not _in_asyncio():
            return _result(given)
        try:
            return await asyncio.wrap_future(given)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is not None and caller.cancelling():
                raise
            raise _closed() from None

    def done_sync(self, work: Coroutine[object, object, T]) -> T:
        """The same for a program without an event loop."""
        return _result(self._given(work))

    def stop(self) -> None:
        with self._giving:  # what is given before is there when the loop stops, and is cut off
            self._stopped = True
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _given(self, work: Coroutine[object, object, T]) -> Future[T]:
        with self._giving:
            if not self.works:
                work.close()
                raise _closed()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _work(self) -> None:
        self._loop.run_forever()
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()  # whoever waits for one would wait for ever
        if left:
            self._loop.run_until_complete(asyncio.wait(left))
        self._loop.close()


def _in_asyncio() -> bool:
    """Another library's loop, such as Trio's, is held up for as long as the work takes."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _result(given: Future[T]) -> T:
    try:
        return given.result()
    except CancelledError:
        raise _closed() from None


def _closed() -> AutomodeError:
    return AutomodeError("this gate is closed, or belongs to another process", "make another")
