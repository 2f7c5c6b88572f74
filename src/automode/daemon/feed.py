"""Records as lines of JSON, for whoever watches."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

from automode.sessions.decision_service import Subscription
from automode.store.changes import record_fields


@dataclass(frozen=True, slots=True)
class Feed:
    """After the first reply one line per record, until the reader hangs up."""

    subscription: Subscription

    async def lines(self) -> AsyncIterator[bytes]:
        """A reader that was too slow is told how many records it has missed."""
        missed = 0
        async for record in self.subscription:
            if self.subscription.lost != missed:
                missed = self.subscription.lost
                yield _line({"missed": missed})
            yield _line(record_fields(record))

    def close(self) -> None:
        self.subscription.close()


def _line(fields: dict[str, object]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode("ascii") + b"\n"
