"""One look at the disk for all calls that wait at the same time.

A call may be judged by anything that was looked at after it was proposed, and by nothing older.
The event loop runs what is ready in the order in which it became so. So whatever comes to its turn
before a callback that was scheduled when a look began was waiting already at that moment, and the
look is fresh for it; whatever becomes ready later finds the look gone. A task that comes back for
another decision may have done anything since the last one: it begins a look of its own.
"""

import asyncio

from automode.facts.files import OneLook


class SharedLook:
    """Belongs to one event loop."""

    def __init__(self) -> None:
        self._look: OneLook | None = None
        self._taken: set[asyncio.Task[object] | None] = set()  # by whom

    def now(self) -> OneLook:
        """A look that began after the running task became ready to go on, or last asked."""
        task = asyncio.current_task()
        look = self._look
        if look is None:
            asyncio.get_running_loop().call_soon(self._forget)
        if look is None or task in self._taken:
            look = self._look = OneLook()
            self._taken.clear()
        self._taken.add(task)
        return look

    def _forget(self) -> None:
        self._look = None
        self._taken.clear()
