"""The lock that says who may write the database. The kernel lets go of it when its holder dies."""

import fcntl
import os
import time
from contextlib import suppress

from automode.store.database import Ailment, Trouble
from automode.store.folder import StateFolder

STEP_SECONDS = 0.05
# A process that is killed while it starts another leaves the lock with the newborn, until that one
# has become the program it is to run.
ORPHAN_SECONDS = 1.0


class WriterLock:
    """Held by one process at a time. The file stays: removing it would let two hold it."""

    def __init__(self, folder: StateFolder) -> None:
        self._path = folder.writer_lock
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    def acquire(self, patience: float = 0.0) -> None:
        """Waits at most `patience` seconds, or for what a dead holder left behind. Raises Trouble,
        and is not held then."""
        if self.held:
            return
        start = time.monotonic()
        while not self._tried():
            holder = self._holder()
            waited = time.monotonic() - start
            if waited >= max(patience, 0.0 if _alive(holder) else ORPHAN_SECONDS):
                told = "" if holder is None else f" (pid {holder})"
                raise Trouble(
                    Ailment.LOCKED,
                    f"another process{told} writes the store",
                    "it is the daemon, or a command that is about to end",
                )
            time.sleep(STEP_SECONDS)

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _tried(self) -> bool:
        try:
            descriptor = os.open(
                self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
            )
        except OSError as error:
            raise Trouble(
                Ailment.READ_ONLY,
                f"the lock `{self._path}` cannot be opened: {error.strerror}",
                "make the state folder writable for this account",
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        # Only for messages, so a full disk must not stand in the way of the lock.
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode("ascii"), 0)
        return True

    def _holder(self) -> int | None:
        with suppress(OSError, ValueError), open(self._path, encoding="ascii") as file:
            return int(file.read(20))
        return None


def _alive(process: int | None) -> bool:
    """True when in doubt: whoever lives is not waited for longer than was asked."""
    if process is None or process <= 0:
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
