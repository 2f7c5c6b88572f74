"""One plain file for what was decided while the store could not be written: for the audit.

Anybody who can write the file can put lines into it. So only what denies or asks is brought in:
such a record can tighten the breaker, and loosens nothing.
"""

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import TypeAlias

from automode.core.decision import Verdict
from automode.core.record import Record
from automode.store.changes import Change, Decided, canonical, record_fields, record_from, usage_of
from automode.store.database import ErrorKind, StoreError
from automode.store.folder import StateFolder

MOST_AT_ONCE = 500  # records in one transaction: other writers get their turn in between
LONGEST_LINE = 16 * 1024 * 1024
_IMPORTING = ".importing"
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


Apply: TypeAlias = Callable[[Sequence[Change]], None]
"""Writes changes in a transaction of its own. Raises StoreError."""


def keep_in_outage(folder: StateFolder, changes: Iterable[Change]) -> None:
    """Appends what denies or asks: an allow that is not in the store was not given. Raises OSError,
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
    """Brings the file into the store and removes it; known records are skipped, so a cut import is
    repeated. Returns a notice, or nothing. Raises StoreError."""
    importing = folder.outage + _IMPORTING
    bad = 0
    with suppress(FileNotFoundError):
        if not os.path.lexists(importing):
            if not stat.S_ISREG(os.lstat(folder.outage).st_mode):
                return f"`{folder.outage}` is not a file"
            os.rename(folder.outage, importing)  # who appends now starts a new file
        with open(importing, "rb") as file:
            changes = _changes(iter(lambda: file.readline(LONGEST_LINE), b""))
            while some := list(islice(changes, MOST_AT_ONCE)):
                usable = [one for one in some if one is not None]
                bad += len(some) - len(usable) + _apply_each(usable, apply)
        os.unlink(importing)
    return f"{bad} lines of `{importing}` could not be brought into the store" if bad else ""


def _apply_each(changes: Sequence[Change], apply: Apply) -> int:
    """Applies the changes. How many of them hold what no database takes."""
    try:
        apply(changes)
    except StoreError as error:
        if error.kind is not ErrorKind.REFUSED:
            raise
        if len(changes) == 1:
            return 1
        return sum(_apply_each([one], apply) for one in changes)
    return 0


def _importable(record: Record) -> bool:
    return record.verdict is not Verdict.ALLOW and not record.source.startswith("person.")


def _changes(lines: Iterable[bytes]) -> Iterator[Change | None]:
    """None is a line that could not be used."""
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
        yield from usage_of(record.id, record.at, record.session, record.parent, record.stages)
