"""Notices for people: one of a kind for each session, and never more than a few."""

import asyncio

from automode.core.record import SessionKey
from automode.sessions.status import MOST_WAITING, Notices, Subscribers
from tests.store.examples import record

ONE, OTHER = SessionKey("plain", "a"), SessionKey("plain", "b")


def test_notices_are_dropped_by_session_and_by_kind() -> None:
    notices = Notices()
    for key in (ONE, OTHER):
        for kind in ("silent", "switched"):
            notices.tell(key, kind, kind)

    notices.drop(ONE, "silent")
    assert notices.all() == ("plain/a: switched", "plain/b: silent", "plain/b: switched")
    notices.drop(OTHER)
    assert notices.all() == ("plain/a: switched",)
    notices.drop(None)
    assert notices.all() == ()


def test_records_come_in_order_until_it_is_closed() -> None:
    async def work() -> list[str]:
        subscribers = Subscribers()
        watching = subscribers.add()
        for number in range(3):
            subscribers.publish(record(number))
        subscribers.close()
        subscribers.publish(record(9))
        return [one.id async for one in watching]

    assert asyncio.run(work()) == ["r0000", "r0001", "r0002"]


def test_a_slow_reader_loses_the_oldest_and_holds_nobody_up() -> None:
    async def work() -> tuple[str, int]:
        subscribers = Subscribers()
        with subscribers.add() as watching:
            for number in range(MOST_WAITING + 5):
                subscribers.publish(record(number))
        left = [one.id async for one in watching]
        return left[0], watching.lost

    assert asyncio.run(work()) == ("r0005", 5)


def test_a_reader_that_waits_is_woken() -> None:
    async def work() -> str:
        subscribers = Subscribers()
        watching = subscribers.add()

        async def first() -> str:
            async for one in watching:
                return one.id
            return "none"

        task = asyncio.create_task(first())
        await asyncio.sleep(0)
        subscribers.publish(record(7))
        return await asyncio.wait_for(task, 30)

    assert asyncio.run(work()) == "r0007"
