"""How much may be sent and recorded: quiet hours, messages an hour, records of refused answers."""

import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from automode.core.errors import BadSettings

HOUR_SECONDS = 3600.0
REFUSALS_SECONDS = 60.0
_HOURS = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")


def is_quiet(hours: str | None, at: float) -> bool:
    """Whether `at` lies in `hours`, as `22:00-07:00`, by this machine's clock. None: never."""
    if not hours:
        return False
    parts = _HOURS.fullmatch(hours)
    if parts is None:
        raise BadSettings(f"no hours: `{hours}`", "write them like `22:00-07:00`")
    now = time.localtime(at)
    minute = now.tm_hour * 60 + now.tm_min
    numbers = [int(part) for part in parts.groups()]
    begin, end = numbers[0] * 60 + numbers[1], numbers[2] * 60 + numbers[3]
    return begin <= minute < end if begin < end else minute >= begin or minute < end


@dataclass(slots=True)
class HourlyLimit:
    """So that an agent cannot flood a phone."""

    clock: Callable[[], float] = time.time
    held_back: int = 0  # calls of which no message told, since the last one that was sent
    _sent: deque[float] = field(default_factory=deque)

    def left(self, most: int) -> int:
        while self._sent and self._sent[0] <= self.clock() - HOUR_SECONDS:
            self._sent.popleft()
        return max(0, most - len(self._sent))

    def note(self) -> None:
        self._sent.append(self.clock())
        self.held_back = 0


@dataclass(slots=True)
class RefusedAnswers:
    """At most one record a minute, which says how many there were."""

    clock: Callable[[], float] = time.time
    total: int = 0
    _untold: int = 0
    _due: float = 0.0

    def told(self, why: str, by: str) -> str | None:
        """What to record of one more; None: nothing now."""
        self.total += 1
        self._untold += 1
        if self.clock() < self._due:
            return None
        more = self._untold - 1
        self._due, self._untold = self.clock() + REFUSALS_SECONDS, 0
        others = f"; {more} more before it" if more else ""
        return f"an answer by {by} was refused, and nothing changed: {why}{others}"
