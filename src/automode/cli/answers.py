"""The answers of a batch on their way out: recorded first, where they are to be recorded."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from automode.cli.recording import Recording, Tried, unless_lost
from automode.store.changes import WRITTEN, Kept

MOST_AT_ONCE = 500
BYTES_AT_ONCE = 1024 * 1024  # of lines that were read: so that memory stays flat

_encode = json.JSONEncoder(allow_nan=False).encode


@dataclass(slots=True)
class Answered:
    """`tried` None: nothing was decided that could be recorded. `size` is that of the line."""

    identity: object
    fields: dict[str, object]
    size: int
    tried: Tried | None = None

    def line(self) -> str:
        try:
            return _encode({"id": self.identity} | self.fields)
        except (RecursionError, ValueError):
            return _encode({"id": None} | self.fields)  # an id that cannot be written down

    def tightened(self, kept: Kept) -> None:
        """An allow that nobody could look up is none."""
        if self.tried is None or not kept.lost:
            return
        attended = self.tried.session.attended
        decision = unless_lost(self.tried.decision, kept, attended=attended)
        self.fields |= {
            "verdict": decision.verdict.word,
            "source": decision.source,
            "reason": decision.reason,
        }


@dataclass(slots=True)
class Answers:
    """`at_once`: somebody waits for each. `decisions`: they are recorded, and not only what models
    were asked about them."""

    write: Callable[[str], None]
    at_once: bool = True
    recording: Recording | None = None
    decisions: bool = False
    kept: Kept = WRITTEN  # the last that was not written
    _waiting: list[Answered] = field(default_factory=list)
    _size: int = 0

    async def take(self, answered: Answered) -> None:
        if self.recording is None:
            self.write(answered.line())
            return
        self._waiting.append(answered)
        self._size += answered.size
        many = len(self._waiting) >= MOST_AT_ONCE or self._size >= BYTES_AT_ONCE
        if self.at_once or many:
            await self.settle()

    async def settle(self) -> None:
        """Records what waits, then writes it out."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        if self.recording is not None:
            await self._record(self.recording, waiting)
        for one in waiting:
            self.write(one.line())

    async def _record(self, recording: Recording, waiting: list[Answered]) -> None:
        tried = [one.tried for one in waiting if one.tried is not None]
        requests = [request for one in tried for request in one.requests]
        kept = WRITTEN
        if self.decisions and tried:
            kept, _ = await recording.keep(tried)
            for one in waiting:
                one.tightened(kept)
        elif requests:
            kept = await recording.book(requests)
        if kept.lost:
            self.kept = kept
