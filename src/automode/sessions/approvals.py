"""Layer: a person's yes to an exact retry of one call. It stands after the walls.

Exact means: the same session, tool, input and working folder, and the same content of every file
that the call names. What those files use in turn is not looked at.
"""

import hashlib
import json
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from automode.classifier.named_files import disk_stamp, file_state
from automode.core.call import Delegate, Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.clearance import clearance
from automode.core.decision import Decision, allow
from automode.core.errors import BadCall
from automode.core.layer import Trail
from automode.core.record import Record, SessionKey
from automode.core.session import Session
from automode.gate.breaker import APPROVAL
from automode.sessions.ids import time_of
from automode.sessions.keeper import Keeper
from automode.store.changes import Approval, Approved

ONCE_SECONDS = 600.0
LARGEST_READ = 1024 * 1024  # bytes of one file; of a larger one its stamp has to do
MOST_READ = 16 * LARGEST_READ  # of all files of one call
MOST_OPEN = 64  # per session
MOST_PARTS = 100
WORDS_PER_PART = 40

canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=repr).encode


def exact(call: ToolCall, session: Session, given: str, key: bytes) -> str:
    """What two calls share only if one is an exact retry of the other; empty when that cannot be
    told. `given` is the call's input as canonical JSON. It is keyed, so that nobody who reads it
    can try out which secret stood in the input."""
    files = _files(call, session)
    if files is None:
        return ""
    digest = hashlib.blake2b(key=key, digest_size=20)
    for part in (session.id, call.tool, given, session.workspace.cwd, *files):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def _files(call: ToolCall, session: Session) -> list[str] | None:
    """The content of every file that the call could name; None when those are too many."""
    contents = _Contents()
    found: list[str] = []
    for count, names in enumerate(_names(call)):
        # Not as the action it is: names that a shell makes up while it runs are no reason to give
        # up here, because the person says yes to the very text.
        state = file_state(ToolCall("", Other(), {"": names}), session, contents.stamp)
        if state is None or count >= MOST_PARTS:
            return None
        found.append(state)
    return found


def _names(call: ToolCall) -> Iterator[str]:
    """Texts that may name files, each with few enough words."""
    match call.action:
        case Read(paths) | Write(paths):
            yield from paths
        case Shell(command):
            yield from _parts(command)
        case Fetch() | Delegate():
            pass
        case Other():
            for text in _strings(call.input):
                yield from _parts(text)


def _parts(text: str) -> Iterator[str]:
    words = text.split()
    for start in range(0, len(words), WORDS_PER_PART):
        yield " ".join(words[start : start + WORDS_PER_PART])


def _strings(value: object) -> Iterator[str]:
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, (list, tuple)):
            waiting += one


@dataclass(slots=True)
class _Contents:
    """Reads files up to a limit over all of them."""

    left: int = MOST_READ

    def stamp(self, path: str) -> str:
        try:
            found = os.stat(path)
            if not stat.S_ISREG(found.st_mode):
                return "no file"
            if found.st_size <= min(LARGEST_READ, self.left):
                self.left -= found.st_size
                return _hashed(path)
        except (OSError, ValueError):
            return "missing"
        return disk_stamp(path) or "missing"


def _hashed(path: str) -> str:
    # What was a file a moment ago may be a pipe now: opening it must not wait.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        return hashlib.sha256(file.read(LARGEST_READ + 1)).hexdigest()


def approved(record: Record, identity: str, now: float, *, session_long: bool) -> Approved:
    """A yes to an exact retry of the recorded call. BadCall for what no person's yes lifts."""
    found = clearance(record)
    if not found.possible:
        refusal = f"record `{record.id}` cannot be approved: {found.refusal}"
        raise BadCall(refusal, found.instead)
    expires = None if session_long else now + ONCE_SECONDS
    once = not session_long
    return Approved(identity, now, record.session, record.id, record.digest, once, expires)


@dataclass(slots=True)
class _Open:
    since: float
    digests: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class Approvals:
    """Knows which calls could be approved, so that most calls cost nothing here; whether one is,
    the keeper says."""

    name: ClassVar[str] = APPROVAL

    keeper: Keeper
    key: bytes
    clock: Callable[[], float] = time.time
    _open: dict[str, _Open] = field(default_factory=dict)

    async def __call__(self, call: ToolCall, session: Session, trail: Trail) -> Decision | None:
        waiting = self._open.get(session.id)
        if waiting is None or not waiting.digests:
            return None
        digest = exact(call, session, canonical(call.input), self.key)
        if digest not in waiting.digests:
            return None
        own = session.id.removeprefix(f"{session.host}/")
        found = await self.keeper.consume(SessionKey(session.host, own), digest, self.clock())
        if found is None or not (found.once or _made(found) >= waiting.since):
            return None
        if found.once:
            waiting.digests.pop(digest, None)
        return allow(APPROVAL, f"a person approved exactly this call (`{found.record}`)")

    def expect(self, key: SessionKey, digests: Iterable[str], since: float) -> None:
        """From now on these calls of a session may have been approved. An approval for the rest of
        a session counts only if it was given after `since`, when the session last began."""
        waiting = self._open.setdefault(str(key), _Open(since))
        for digest in digests:
            waiting.digests[digest] = None
        while len(waiting.digests) > MOST_OPEN:
            del waiting.digests[next(iter(waiting.digests))]

    def began(self, key: SessionKey, since: float) -> None:
        """A session begins anew: what was approved for the rest of it is over."""
        if str(key) in self._open:
            self._open[str(key)].since = since

    def forget(self, key: SessionKey) -> None:
        self._open.pop(str(key), None)


def open_digests(approvals: Iterable[Approval], now: float) -> list[str]:
    """Of approvals that may still count."""
    return [
        one.digest
        for one in approvals
        if one.consumed is None and (one.expires is None or one.expires > now)
    ]


def _made(approval: Approval) -> float:
    """Its id tells milliseconds: the end of the one it was made in."""
    return (time_of(approval.id) or 0.0) + 0.001
