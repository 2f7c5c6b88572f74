"""Deadlines of everything that is open or in flight, with one timer for all of them.

Nearly every deadline is called off long before it is due, thousands in a second: a timer of the
loop's own for each would take longer to make and to sort than what it watches over.
"""

import asyncio
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeAlias

_Alarm: TypeAlias = tuple[float, Callable[[], None]]  # when it is due, and what it does then


@dataclass(slots=True)
class Alarms:
    """Holds what is set and neither due nor called off yet, and nothing else."""

    _waiting: dict[Hashable, _Alarm] = field(default_factory=dict)
    _timer: asyncio.TimerHandle | None = None

    def set(self, owner: Hashable, seconds: float, ring: Callable[[], None]) -> None:
        """Each owner has one: another takes its place."""
        due = asyncio.get_running_loop().time() + seconds
        self._waiting[owner] = (due, ring)
        if self._timer is None or due < self._timer.when():
            self._wake_at(due)

    def call_off(self, owner: Hashable) -> None:
        """The timer stays: what wakes too early finds nothing due."""
        self._waiting.pop(owner, None)

    def _wake_at(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(due, self._woken)

    def _woken(self) -> None:
        self._timer = None
        try:
            self._ring_due(asyncio.get_running_loop().time())
        finally:
            # Also after one that failed: the others are still due.
            if self._waiting:
                self._wake_at(min(due for due, _ in self._waiting.values()))

    def _ring_due(self, now: float) -> None:
        for owner, alarm in tuple(self._waiting.items()):
            due, ring = alarm
            # One that rings may call off or replace another.
            if due <= now and self._waiting.get(owner) is alarm:
                del self._waiting[owner]
                ring()
