"""The file of decisions: one line per case, added at its end, whole lines only."""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from automode.core.errors import AutomodeError

Row: TypeAlias = dict[str, object]
NAME = "decisions.jsonl"


class Decisions:
    """Open for one run at a time: the kernel lets go of the file when the run dies."""

    def __init__(self, folder: Path) -> None:
        path = folder / NAME
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._descriptor = os.open(path, flags, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._descriptor)
            raise AutomodeError(
                f"another run is writing to `{folder}`", "wait for it, or name another --out"
            ) from error
        try:
            # A run that was killed while it wrote has left half a line: it is decided again.
            os.ftruncate(self._descriptor, _whole_bytes(path))
            self.rows = tuple(rows_in(folder))
        except (AutomodeError, OSError):
            self.close()
            raise

    def add(self, row: Mapping[str, object]) -> None:
        """In one write: whoever reads along sees whole lines."""
        line = json.dumps(row).encode("ascii") + b"\n"
        while line:
            line = line[os.write(self._descriptor, line) :]

    def close(self) -> None:
        os.close(self._descriptor)


def rows_in(folder: Path) -> Iterator[Row]:
    """What a run has written so far; half a line at the end is passed over."""
    path = folder / NAME
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.endswith(b"\n"):
                yield _row(line, f"`{path}` line {number}")


def _row(line: bytes, where: str) -> Row:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise AutomodeError(
            f"{where} is not JSON", "start the run anew in another --out"
        ) from error
    match row:
        case {"id": str(), "corpus": str()}:
            return dict(row)
        case _:
            raise AutomodeError(
                f"{where} is no decision of a run", "start the run anew in another --out"
            )


def _whole_bytes(path: Path) -> int:
    """How much of the file ends with a whole line."""
    size = 0
    with path.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                size += len(line)
    return size
