"""Lines of a session's file, one JSON object each: streamed, bounded, and never a reason to stop.

Kinds of rows come and go with every version of an agent: what cannot be read is passed over.
"""

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, TypeAlias

from automode.core.errors import AutomodeError
from automode.facts.record_file import record_row

LONGEST_LINE_BYTES = 16 * 1024 * 1024
Row: TypeAlias = Mapping[str, object]


class Unreadable(AutomodeError):
    """A file that was named, and cannot be read."""


def rows(path: str | Path) -> Iterator[Row]:
    """Raises Unreadable."""
    try:
        # A pipe in the place of a file would hold the command for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(descriptor, "rb") as stream:
            yield from rows_of(stream)
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or type(error).__name__
        raise Unreadable(
            f"`{path}` cannot be read: {what.lower()}", "name a readable file"
        ) from error


def rows_of(stream: BinaryIO, longest: int = LONGEST_LINE_BYTES) -> Iterator[Row]:
    while line := stream.readline(longest + 1):
        if len(line) > longest and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(longest)
            continue
        row = record_row(line)
        if row is not None:
            yield row


def seconds(moment: object) -> float:
    """Since the epoch, of what agents write as a time: text, or a count of milliseconds. 0 for
    anything else."""
    match moment:
        case str(text):
            try:
                when = datetime.fromisoformat(text)
            except ValueError:
                return 0.0
            return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        case bool():
            return 0.0
        case int() | float() as count:
            return count / 1000
        case _:
            return 0.0


def texts(content: object) -> str:
    """The text of a message: plain, or the text parts of its list of parts."""
    match content:
        case str(text):
            return text
        case [*parts]:
            return "\n".join(text for part in parts if (text := _text(part)))
        case _:
            return ""


def _text(part: object) -> str:
    match part:
        case {"type": "text" | "input_text" | "output_text", "text": str(text)}:
            return text
        case _:
            return ""
