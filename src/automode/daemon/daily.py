"""When the daemon turns to what is done once a day, and what it says of that in `status`."""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from automode.core.errors import AutomodeError

LOOK_SECONDS = 600.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Daily:
    """`work` is called every ten minutes: it knows itself what is due, and what failed is tried
    again. It says what a person should know."""

    work: Callable[[], Awaitable[str]]
    clock: Callable[[], float] = time.monotonic
    notice: str = ""
    _last: float | None = None

    async def look(self) -> None:
        now = self.clock()
        if self._last is not None and now - self._last < LOOK_SECONDS:
            return
        self._last = now
        try:
            self.notice = await self.work()
        except AutomodeError as error:
            self.notice = (
                f"old records could not be removed: {error}; it is tried every ten minutes"
            )
            log.warning("the daily work failed: %s", type(error).__name__)
