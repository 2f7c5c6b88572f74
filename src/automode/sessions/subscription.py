"""Records as they are kept, for whoever watches: nobody who reads slowly holds a decision up."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Self

from automode.core.record import Record

MOST_WAITING = 1024


class Subscription:
    """An async iterator over records, and a context manager. A reader that is too slow loses the
    oldest; `lost` says how many."""

    def __init__(self, subscribers: "Subscribers") -> None:
        self.lost = 0
        self._subscribers = subscribers
        self._waiting: deque[Record] = deque(maxlen=MOST_WAITING)
        self._news = asyncio.Event()
        self._open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aiter__(self) -> AsyncIterator[Record]:
        while True:
            while self._waiting:
                yield self._waiting.popleft()
            if not self._open:
                return
            self._news.clear()
            await self._news.wait()

    def close(self) -> None:
        """Ends the iteration once what waits was read."""
        self._open = False
        self._subscribers.remove(self)
        self._news.set()

    def hand(self, record: Record) -> None:
        self.lost += len(self._waiting) == MOST_WAITING
        self._waiting.append(record)
        self._news.set()


class Subscribers:
    def __init__(self) -> None:
        self._all: list[Subscription] = []

    def add(self) -> Subscription:
        subscription = Subscription(self)
        self._all.append(subscription)
        return subscription

    def remove(self, subscription: Subscription) -> None:
        if subscription in self._all:
            self._all.remove(subscription)

    def publish(self, record: Record) -> None:
        for subscription in self._all:
            subscription.hand(record)

    def close(self) -> None:
        for subscription in list(self._all):
            subscription.close()
