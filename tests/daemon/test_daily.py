"""What is done once a day is looked at more often, and what it says holds until the next look."""

import asyncio
from dataclasses import dataclass, field

from automode.core.errors import AutomodeError
from automode.daemon.daily import LOOK_SECONDS, Daily


@dataclass
class Work:
    """Says what it is given, one after the other; None is trouble."""

    says: list[str | None]
    now: float = 0.0
    done: list[float] = field(default_factory=list)

    async def __call__(self) -> str:
        self.done.append(self.now)
        said = self.says.pop(0)
        if said is None:
            raise AutomodeError("the disk is full")
        return said


async def notices(work: Work, *, looks: int, every: float) -> list[str]:
    daily = Daily(work, lambda: work.now)
    found = []
    for _ in range(looks):
        await daily.look()
        found.append(daily.notice)
        work.now += every
    return found


def test_trouble_is_told_tried_again_in_an_hour_and_forgotten_when_it_worked() -> None:
    work = Work([None, ""])

    found = asyncio.run(notices(work, looks=4, every=LOOK_SECONDS / 2))

    assert work.done == [0.0, LOOK_SECONDS]
    assert all("could not be removed: the disk is full" in one for one in found[:2])
    assert found[2:] == ["", ""]


def test_what_the_work_says_is_told_until_it_says_otherwise() -> None:
    work = Work(["wait", "wait", ""])

    assert asyncio.run(notices(work, looks=3, every=LOOK_SECONDS)) == ["wait", "wait", ""]
