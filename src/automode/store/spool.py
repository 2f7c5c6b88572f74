"""Changes that could not be written, as lines in files of one process each, until somebody can.

A file ends in `.jsonl` while there may be something to write in it. Whoever appends holds a shared
lock on it, so that it is not removed under the pen. One that held lines nobody could read is kept,
with `.unreadable` at its end.

Every line is sealed: whoever can write files here, and has no key, can say nothing with it. What a
person decides (a yes to a call, a reset) is never spooled, because a copy of it could come again.
"""

import fcntl
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress

from automode.store.changes import Approved, Change, SessionForgotten
from automode.store.encoding import UnreadableLine, decoded, encoded
from automode.store.folder import BadFolder, StateFolder, secret
from automode.store.seals import opened_line, sealed_line
from automode.store.spool_count import spool_count

SUFFIX = ".jsonl"
UNREADABLE = ".unreadable"
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
LARGEST_LINE = 16 * 1024 * 1024  # what is longer was not written here
_MOST_LINES_READ = 5000  # of one file, by who only wants to know what waits


class Spool:
    """The spool file of whoever made this object; nobody else appends to it."""

    def __init__(self, folder: StateFolder) -> None:
        self._state = folder.path
        self._folder = folder.spool
        self._of = folder
        self._key = b""
        self._path = ""
        self._lines = 0

    def keep(self, changes: Sequence[Change]) -> None:
        """In one write, all or nothing. Raises OSError, or ValueError for what no line can say."""
        if any(person_decides(change) for change in changes):
            raise ValueError("what a person decides is not spooled")
        texts = [encoded(change) for change in changes]
        for folder in (self._state, self._folder):
            os.makedirs(folder, mode=0o700, exist_ok=True)
        key = self._signing_key()
        descriptor = self._locked()
        try:
            name, first = os.path.basename(self._path), self._lines + 1
            lines = (sealed_line(key, name, at, text) for at, text in enumerate(texts, first))
            _append(descriptor, b"".join(lines))
        finally:
            os.close(descriptor)
        self._lines += len(texts)
        self._count(len(texts), key)

    def _count(self, lines: int, key: bytes) -> None:
        count = spool_count(self._of, key)
        # A number that is too low accuses nobody, so trouble with it is none of the change's.
        with suppress(OSError):
            if not os.path.lexists(self._of.chain):
                count.begin()
            count.add(lines)

    def _signing_key(self) -> bytes:
        if not self._key:
            try:
                self._key = secret(self._of.signing_key)
            except BadFolder as error:
                raise OSError(str(error)) from error
        return self._key

    def _locked(self) -> int:
        while True:
            descriptor = self._opened()
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            # Between opening and locking the drained file may have been taken away.
            if _still_there(self._path, descriptor):
                return descriptor
            os.close(descriptor)

    def _opened(self) -> int:
        with suppress(FileNotFoundError):
            return os.open(self._path, _APPEND)
        # A name is used once: what the database knows of the file before must not count for this.
        name = f"{os.getpid()}-{secrets.token_hex(6)}{SUFFIX}"
        self._path = os.path.join(self._folder, name)
        self._lines = 0
        return os.open(self._path, _APPEND | os.O_CREAT | os.O_EXCL, 0o600)


def person_decides(change: Change) -> bool:
    return isinstance(change, Approved | SessionForgotten)


def spool(folder: StateFolder, changes: Sequence[Change]) -> None:
    """Keeps `changes` for whoever writes the database next. Raises OSError. It loads no database:
    for a process that decides without a daemon."""
    Spool(folder).keep(changes)


def spool_files(folder: StateFolder) -> list[str]:
    """The files with something to write, the oldest first."""
    try:
        with os.scandir(folder.spool) as found:
            files = [(_changed(entry), entry.path) for entry in found if _ours(entry)]
    except FileNotFoundError:
        return []
    return [path for changed, path in sorted(files) if changed]


def said(path: str, key: bytes) -> list[Change]:
    """What a file says that waits. What cannot be read, or what `key` did not seal, says nothing;
    nor does any line say what a person decides. Raises OSError."""
    name = os.path.basename(path)
    changes: list[Change] = []
    last = 0
    for line in whole_lines(path, 0, _MOST_LINES_READ)[0]:
        number, text = opened_line(key, name, line) or (0, "")
        if number <= last:  # of no seal, or a copy
            continue
        last = number
        with suppress(UnreadableLine):
            change = decoded(text)
            if not person_decides(change):
                changes.append(change)
    return changes


def set_aside_files(folder: StateFolder) -> list[str]:
    """Those with lines that nobody could read, or that this key did not seal."""
    try:
        return sorted(name for name in os.listdir(folder.spool) if name.endswith(UNREADABLE))
    except OSError:
        return []


def whole_lines(path: str, start: int, most: int) -> tuple[list[bytes], int]:
    """At most `most` lines from `start` on, and where the next begins. A line without its end is
    not there yet."""
    lines: list[bytes] = []
    with open(path, "rb") as file:
        file.seek(start)
        while len(lines) < most:
            line = file.readline(LARGEST_LINE)
            if not line.endswith(b"\n") and len(line) < LARGEST_LINE:
                break
            lines.append(line)
            start += len(line)
    return lines, start


def finished(path: str, drained: int, *, unreadable: bool) -> bool:
    """Takes a file away whose first `drained` bytes are written: removed, or set aside when it
    holds what nobody could read. False when somebody is about to add to it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        rest = os.pread(descriptor, LARGEST_LINE, drained)
        if b"\n" in rest:
            return False
        if rest or unreadable:
            os.rename(path, path + UNREADABLE)
        else:
            os.unlink(path)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def _still_there(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _changed(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat(follow_symlinks=False).st_mtime_ns
    except FileNotFoundError:  # drained while we look
        return 0


def _ours(entry: "os.DirEntry[str]") -> bool:
    return entry.name.endswith(SUFFIX) and entry.is_file(follow_symlinks=False)


def _append(descriptor: int, lines: bytes) -> None:
    before = os.fstat(descriptor).st_size
    cut_off = before and os.pread(descriptor, 1, before - 1) != b"\n"
    # A line that a full disk cut off must not swallow this one.
    lines = b"\n" + lines if cut_off else lines
    if (written := os.write(descriptor, lines)) < len(lines):
        os.ftruncate(descriptor, before)
        raise OSError(f"only {written} of {len(lines)} bytes could be written")
