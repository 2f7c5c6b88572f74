"""What is done once a day: what failed is told and tried again soon."""

import asyncio

from automode.core.errors import AutomodeError
from automode.daemon.daily import DAY_SECONDS, RETRY_SECONDS, Daily


def test_trouble_is_told_tried_again_soon_and_forgotten_when_it_worked() -> None:
    now, done, troubles = [0.0], list[float](), [True, False, False]

    async def work() -> None:
        done.append(now[0])
        if troubles.pop(0):
            raise AutomodeError("the disk is full")

    async def look() -> list[str]:
        daily, found = Daily(work, lambda: now[0]), list[str]()
        for step in (0.0, RETRY_SECONDS / 2, RETRY_SECONDS / 2, RETRY_SECONDS, DAY_SECONDS):
            now[0] += step
            await daily.look()
            found.append(daily.notice)
        return found

    found = asyncio.run(look())

    assert done == [0.0, RETRY_SECONDS, 2 * RETRY_SECONDS + DAY_SECONDS]
    assert all("could not be removed: the disk is full" in one for one in found[:2])
    assert found[2:] == ["", "", ""]
