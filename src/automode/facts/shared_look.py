"""One look at the disk for all calls that wait at the same time.

A call may be judged by anything that was looked at after it was proposed, and by nothing older.
The event loop runs what is ready in the order in which it became so. So whatever comes to its turn
before a callback that was scheduled when a look began was waiting already at that moment, and the
look is fresh for it; whatever becomes ready later finds the look gone.
"""

import asyncio

from automode.facts.files import OneLook


class SharedLook:
    """Belongs to one event loop."""

    def __init__(self) -> None:
        self._look: OneLook | None = None

    def now(self) -> OneLook:
        """A look that began after the running task became ready to go on."""
        if self._look is None:
            self._look = OneLook()
            asyncio.get_running_loop().call_soon(self._forget)
        return self._look

    def _forget(self) -> None:
        self._look = None
