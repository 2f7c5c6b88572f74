"""Finds memory that nobody uses, and gives it back to the system.

C's allocator keeps what was freed between things that live on, for the next time. A process that
reads thousands of commands of all sizes leaves more such gaps every hour, and they would look like
a leak. Where the allocator cannot be asked, nothing is done. Python's own search through all that
lives takes a tenth of a second, so it waits until nobody has asked anything for a while.
"""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass

QUIET_SECONDS = 60.0


@dataclass(slots=True)
class UnusedMemory:
    """`last_used` is when something was asked last, by `time.monotonic`."""

    _last_used: float | None = None
    _searched: float | None = None  # the `last_used` of that time
    _trim: Callable[[int], object] | None = None
    _looked: bool = False

    def give_back(self, last_used: float) -> bool:
        """If anything was done since the last time. Takes about half a millisecond with 130 MB,
        more with more; says whether it was done."""
        before, self._last_used = self._last_used, last_used
        if before in (None, last_used):
            return False
        if not self._looked:
            self._looked, self._trim = True, _allocators_own()
        if self._trim is None:
            return False
        self._trim(0)
        return True

    def search(self, last_used: float) -> bool:
        """Once in each quiet while; says whether it was done."""
        quiet = time.monotonic() - last_used > QUIET_SECONDS
        if not quiet or last_used == self._searched:
            return False
        self._searched = last_used
        gc.collect()
        return True


def _allocators_own() -> Callable[[int], object] | None:
    """Of the C library that is loaded; not every one has it."""
    try:
        # Loading it takes its time, and a daemon that is not asked anything needs none of it. Not
        # every Python was built with it.
        import ctypes

        return ctypes.CDLL(None).malloc_trim
    except (ImportError, OSError, AttributeError, TypeError):
        return None
