"""How many lines were ever spooled, as a sealed number beside the spool.

Files that are taken away before they were drained are missed by it.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from automode.store.folder import StateFolder
from automode.store.links import body_fields, same, sealed
from automode.store.record_text import canonical

_BYTES = 128
_FLAGS = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class SpoolCount:
    path: str
    key: bytes = field(repr=False)

    def begin(self) -> None:
        """Nothing, where it is begun already. Raises OSError."""
        with self._locked(os.O_CREAT) as descriptor:
            if os.fstat(descriptor).st_size == 0:
                os.pwrite(descriptor, self._text(0), 0)

    def add(self, lines: int) -> None:
        """One that is gone or forged is left so, for the writer to find. Raises OSError."""
        with self._locked() as descriptor:
            before = self._believed(os.pread(descriptor, _BYTES, 0))
            if before is not None:
                os.pwrite(descriptor, self._text(before + lines), 0)

    def put(self, lines: int) -> None:
        with self._locked(os.O_CREAT) as descriptor:
            os.pwrite(descriptor, self._text(lines), 0)

    def lines(self) -> int | None:
        """None where there is no number that this key sealed."""
        try:
            with self._locked() as descriptor:
                return self._believed(os.pread(descriptor, _BYTES, 0))
        except OSError:
            return None

    @contextmanager
    def _locked(self, more: int = 0) -> Iterator[int]:
        descriptor = os.open(self.path, _FLAGS | more, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)

    def _text(self, lines: int) -> bytes:
        text = canonical({"lines": lines, "seal": sealed(self.key, "spooled lines", lines)})
        return text.encode("ascii").ljust(_BYTES - 1) + b"\n"

    def _believed(self, found: bytes) -> int | None:
        match body_fields(found.decode("ascii", "replace")):
            case {"lines": int(lines), "seal": str(seal)}:
                genuine = same(seal, sealed(self.key, "spooled lines", lines))
                return lines if genuine else None
            case _:
                return None


def spool_count(folder: StateFolder, key: bytes) -> SpoolCount:
    return SpoolCount(folder.spool_count, key)
