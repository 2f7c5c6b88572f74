"""The file in which an agent itself keeps a session: the last rows of it, or nothing.

The agent can write that file, so what it says may only take something away from the agent. Nothing
here ever raises.
"""

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping

LONGEST_TAIL = 1024 * 1024  # bytes
_OTHERS_MAY_WRITE = 0o022

Row = Mapping[str, object]


def record_rows(path: str, place: re.Pattern[str], tail: int = LONGEST_TAIL) -> list[Row] | None:
    """None where the file is not at a `place` of such records, or not this account's alone."""
    text = _tail(path, tail) if place.fullmatch(path) else None
    return None if text is None else list(_parse_rows(text))


def _parse_rows(text: bytes) -> Iterator[Row]:
    """Row types come and go with every version: what cannot be read is skipped."""
    for line in text.split(b"\n"):
        row = record_row(line)
        if row is not None:
            yield row


def record_row(line: bytes) -> Row | None:
    """None for a line that is no row."""
    try:
        row: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _tail(path: str, most: int) -> bytes | None:
    if "\0" in path:
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(descriptor)
        ours = found.st_uid == os.geteuid() and not found.st_mode & _OTHERS_MAY_WRITE
        if not stat.S_ISREG(found.st_mode) or not ours:
            return None
        return os.pread(descriptor, most, max(0, found.st_size - most))
    except OSError:
        return None
    finally:
        os.close(descriptor)
