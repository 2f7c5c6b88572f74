"""Remembers what was decided for an identical call in an unchanged context, for a short while.

What counts as unchanged is the whole of this module; why stands in ADR 0012.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from automode.classifier.circuit import Clock
from automode.core.call import ToolCall
from automode.core.decision import Decision, Verdict
from automode.core.session import Session
from automode.core.transcript import Entry, Outcome, PriorCall
from automode.gate.layer import Trail

LONGEST_LIFE_SECONDS = 300.0
MOST_ENTRIES = 256
MOST_DIGESTS = 20_000

# The state of the files that a call names; None when it cannot be known.
FileState = Callable[[ToolCall, Session], str | None]


@dataclass(frozen=True, slots=True)
class Context:
    """Two keys of one call. `world` is all that the answer may depend on, except that calls which
    were denied since do not count: they changed nothing. `seen` adds what the model reads."""

    world: str
    seen: str


def _changed_nothing(entry: Entry) -> bool:
    return isinstance(entry, PriorCall) and entry.outcome is Outcome.DENIED


def _digest(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


@lru_cache(maxsize=4)
def _system_digest(system: str) -> str:
    """The longest text of all, and the same for every call."""
    return _digest(system)


@dataclass(slots=True)
class Cache:
    """Failures are never kept. An allow needs the very same prompt; anything stricter also answers
    a call that is merely repeated after denials, so that repeating is no second throw of dice."""

    files: FileState
    clock: Clock
    most: int = MOST_ENTRIES
    _kept: OrderedDict[str, tuple[float, Decision]] = field(default_factory=OrderedDict)
    # By identity, with the entry itself so that its identity is not given to another one. Entries
    # do not change; a session only gets more of them, and each is looked at once.
    _digests: dict[int, tuple[Entry, str]] = field(default_factory=dict)

    def context(
        self, call: ToolCall, session: Session, trail: Trail, *, prompt: tuple[str, str], judge: str
    ) -> Context | None:
        """`prompt` is system and context as a model gets them, `judge` says who answers and how.
        None: nothing about this call may be remembered."""
        state = self.files(call, session)
        if state is None:
            return None
        system, shown = prompt
        place = session.workspace
        entries = session.transcript.entries
        world = _digest(
            repr((session.id, session.parent, session.attended, session.mode)),
            repr((place.root, place.cwd, place.home, place.roots)),
            judge,
            _system_digest(system),
            repr(trail),
            repr(call),
            state,
            *(self._entry(entry) for entry in entries if not _changed_nothing(entry)),
        )
        return Context(world, _digest(world, shown))

    def _entry(self, entry: Entry) -> str:
        known = self._digests.get(id(entry))
        if known is not None and known[0] is entry:
            return known[1]
        if len(self._digests) >= MOST_DIGESTS:
            self._digests.clear()
        found = _digest(repr(entry))
        self._digests[id(entry)] = (entry, found)
        return found

    def recall(self, context: Context) -> Decision | None:
        found = self._fresh(context.world)
        return self._fresh(context.seen) if found is None else found

    def keep(self, context: Context, decision: Decision) -> None:
        if decision.error is not None:
            return
        key = context.seen if decision.verdict is Verdict.ALLOW else context.world
        self._kept[key] = (self.clock(), decision)
        self._kept.move_to_end(key)
        while len(self._kept) > self.most:
            self._kept.popitem(last=False)

    def _fresh(self, key: str) -> Decision | None:
        at, decision = self._kept.get(key, (0.0, None))
        if decision is None or self.clock() - at < LONGEST_LIFE_SECONDS:
            return decision
        del self._kept[key]
        return None
