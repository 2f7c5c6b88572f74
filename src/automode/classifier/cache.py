"""Remembers what was decided for an identical call in an unchanged context, for a short while.

What counts as unchanged is the whole of this module; why stands in ADR 0012.
"""

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from automode.classifier.model_session import Clock
from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision, Verdict
from automode.core.recent import Recent
from automode.core.session import Session
from automode.core.tool_input import input_texts
from automode.core.tools import meant_paths
from automode.core.transcript import Entry, Outcome, PriorCall
from automode.core.workspace import Workspace
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
    a call that is merely repeated after denials, so that repeating brings no second judgement."""

    files: FileState
    clock: Clock
    _kept: Recent[str, tuple[float, Decision]] = field(default_factory=lambda: Recent(MOST_ENTRIES))
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

    def _fresh(self, key: str) -> Decision | None:
        at, decision = self._kept.get(key, (0.0, None))
        if decision is None or self.clock() - at < LONGEST_LIFE_SECONDS:
            return decision
        del self._kept[key]
        return None


MOST_NAMES = 200
_LONGEST_NAME = 1024

_WORD = re.compile(r"[^\s'\";|&<>()=,]+")
# What is known only when the script runs: variables, substitutions, patterns, braces.
_DYNAMIC = re.compile(r"[$`*?\[{\\]")


def disk_stamp(path: str) -> str | None:
    """Which file it is and when it changed; None for what a stamp says too little about."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return "missing"
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None  # a folder's stamp says nothing about what is in it
    return status_stamp(found)


def status_stamp(found: os.stat_result) -> str:
    """With the time of the last change of any kind: every program can set the other one back."""
    times = f"{found.st_mtime_ns}:{found.st_ctime_ns}"
    return f"{found.st_dev}:{found.st_ino}:{found.st_size}:{times}:{found.st_mode}"


def file_state(call: ToolCall, session: Session) -> str | None:
    """The stamps of all that the call could name; None when that cannot be told."""
    if isinstance(call.action, Shell) and _DYNAMIC.search(call.action.command):
        return None
    names: dict[str, None] = {}
    for text in input_texts(call.input, keys=True):
        names.update(dict.fromkeys([text, *_WORD.findall(text)]))
        if len(names) > MOST_NAMES:
            return None
    stamps: list[str] = []
    for path in _absolute(names, session.workspace):
        one = disk_stamp(path)
        if one is None:
            return None
        stamps.append(f"{path}\t{one}")
    return "\n".join(stamps)


def named_paths(text: str, workspace: Workspace) -> tuple[str, ...] | None:
    """The absolute path of every name that a text can be, or hold; None when there are too many."""
    words = _WORD.findall(text)
    names = dict.fromkeys([text, *words, *_colon_parts(words)])
    return None if len(names) > MOST_NAMES else tuple(_absolute(names, workspace))


def _colon_parts(words: Iterable[str]) -> Iterator[str]:
    """`-v ./data:/data`, `PATH=./bin:/bin`."""
    for word in words:
        if ":" in word and "://" not in word:
            yield from filter(None, word.split(":"))


def _absolute(names: Iterable[str], workspace: Workspace) -> Iterator[str]:
    for name in names:
        if name.strip() and len(name) <= _LONGEST_NAME and "\0" not in name:
            yield from meant_paths(name, workspace)
