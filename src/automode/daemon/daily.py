"""When the daemon turns to what is done once a day, and what it says of that in `status`."""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from automode.core.errors import AutomodeError

RETRY_SECONDS = 600.0
DAY_SECONDS = 86_400.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Daily:
    """Calls `work` once a day. What failed is tried again ten minutes later."""

    work: Callable[[], Awaitable[None]]
    clock: Callable[[], float] = time.monotonic
    notice: str = ""
    _due: float = 0.0

    async def look(self) -> None:
        now = self.clock()
        if now < self._due:
            return
        self._due = now + RETRY_SECONDS
        try:
            await self.work()
        except AutomodeError as error:
            self.notice = (
                f"old records could not be removed: {error}; it is tried every ten minutes"
            )
            log.warning("the daily work failed: %s", type(error).__name__)
            return
        self.notice, self._due = "", now + DAY_SECONDS
