"""One plain file for what was decided while the store could not be written: for the audit.

Anybody who can write the file can put lines into it. So only what denies or asks is brought in:
such a record can tighten the breaker, and loosens nothing. The sealed files that version 0.1 left
in its spool are brought in here as well.
"""

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Protocol

from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.store.changes import (
    Change,
    Decided,
    Heard,
    Used,
    canonical,
    record_fields,
    record_from,
)
from automode.store.database import ErrorKind, StoreError
from automode.store.folder import BadFolder, StateFolder, secret
from automode.store.links import same, sealed

MOST_AT_ONCE = 500  # records in one transaction: whoever waits to write is served in between
LONGEST_LINE = 16 * 1024 * 1024
_IMPORTING = ".importing"
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class Apply(Protocol):
    """Writes changes in a transaction of its own. Raises StoreError."""

    def __call__(self, changes: Sequence[Change]) -> None: ...


def keep_in_outage(folder: StateFolder, changes: Iterable[Change]) -> None:
    """Appends what denies or asks. An allow that is not in the store was not given. Raises OSError,
    or ValueError for what no line can say."""
    records = [one.record for one in changes if isinstance(one, Decided)]
    lines = [canonical(record_fields(one)) for one in records if _importable(one)]
    if not lines:
        return
    # Beginning with a line's end: a line that a full disk cut off must not swallow the next.
    text = "\n".join(["", *lines, ""]).encode("ascii")
    descriptor = os.open(folder.outage, _APPEND, 0o600)
    try:
        if os.write(descriptor, text) < len(text):
            raise OSError("only a part of it could be written")
    finally:
        os.close(descriptor)


def import_outage(folder: StateFolder, apply: Apply) -> str:
    """Brings the file into the store and removes it. Records that are there already are passed by,
    so that an import that was cut short is done again. Returns a notice, or nothing. Raises
    StoreError."""
    importing = folder.outage + _IMPORTING
    with suppress(FileNotFoundError):
        if not os.path.lexists(importing):
            if not stat.S_ISREG(os.lstat(folder.outage).st_mode):
                return f"`{folder.outage}` is not a file"
            os.rename(folder.outage, importing)  # who appends meanwhile begins a new one
        return import_lines(importing, _records, apply)
    return ""


def import_lines(
    path: str, read: Callable[[Iterable[bytes]], Iterator[Change | None]], apply: Apply
) -> str:
    """Applies what `read` makes of the lines of a file, and removes the file. None is a line that
    could not be used."""
    bad = 0
    with open(path, "rb") as file:
        changes = read(iter(lambda: file.readline(LONGEST_LINE), b""))
        while some := list(islice(changes, MOST_AT_ONCE)):
            usable = [one for one in some if one is not None]
            bad += len(some) - len(usable) + _applied(usable, apply)
    os.unlink(path)
    return f"{bad} lines of `{path}` could not be brought into the store" if bad else ""


def _applied(changes: Sequence[Change], apply: Apply) -> int:
    """How many of the changes hold what no database takes."""
    try:
        apply(changes)
    except StoreError as error:
        if error.kind is not ErrorKind.REFUSED:
            raise
        if len(changes) == 1:
            return 1
        return sum(_applied([one], apply) for one in changes)
    return 0


def usage_of(record: Record) -> Iterator[Used]:
    """What the requests of a recorded call cost, as the usage table keeps it."""
    for number, one in enumerate(record.stages):
        counts = (one.input, one.output, one.cache_read, one.cache_write, one.millis)
        whose = (record.session, record.parent, one.stage, one.model)
        yield Used(f"{record.id}.{number}", record.at, *whose, *counts, one.usd)


def _importable(record: Record) -> bool:
    return record.verdict is not Verdict.ALLOW and not record.source.startswith("person.")


def _records(lines: Iterable[bytes]) -> Iterator[Change | None]:
    for line in filter(bytes.strip, lines):
        try:
            fields = json.loads(line)
            record = record_from(fields) if isinstance(fields, dict) else None
        except (ValueError, RecursionError):
            record = None
        if record is None or not _importable(record):
            yield None
            continue
        yield Decided(record)
        yield from usage_of(record)


def import_spool(folder: StateFolder, apply: Apply) -> str:
    """Every file once; what was imported is removed. Returns a notice, or nothing. Raises
    StoreError, and OSError for a file that cannot be read or removed."""
    try:
        files = sorted(name for name in os.listdir(folder.spool) if name.endswith(".jsonl"))
        key = secret(folder.signing_key) if files else b""
    except (FileNotFoundError, NotADirectoryError, BadFolder):
        return ""
    notices = [
        import_lines(os.path.join(folder.spool, name), partial(_changes, key, name), apply)
        for name in files
    ]
    return "; ".join(one for one in notices if one)


def _changes(key: bytes, file: str, lines: Iterable[bytes]) -> Iterator[Change | None]:
    last = 0
    for line in lines:
        number, _, rest = line.decode("ascii", "replace").partition(" ")
        seal, _, text = rest.rstrip("\n").partition(" ")
        genuine = number.isdigit() and same(seal, sealed(key, "spooled", file, int(number), text))
        if not genuine or int(number) <= last:  # a line that comes again is a copy
            yield None
            continue
        last = int(number)
        try:
            yield from list(_change(text))
        except ValueError:
            yield None


def _change(text: str) -> Iterator[Change | None]:
    """Counters and rows of sessions are left out: counters follow from the records."""
    match json.loads(text):
        case {"change": "decided", "record": dict(fields)}:
            record = record_from(fields)
            yield Decided(record)
            yield from usage_of(record)
        case {"change": "heard", "host": str(host), "session": str(own), "event": str(event)}:
            yield Heard(SessionKey(host, own), 0, event)
        case _:
            pass
