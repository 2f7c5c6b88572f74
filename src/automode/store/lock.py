"""The lock that says who may write the database. The kernel lets go of it when its holder dies."""

import fcntl
import os
import time
from contextlib import suppress

from automode.store.database import Ailment, Trouble
from automode.store.folder import StateFolder

STEP_SECONDS = 0.05


class WriterLock:
    """Held by one process at a time. The file stays: removing it would let two hold it."""

    def __init__(self, folder: StateFolder) -> None:
        self._path = folder.writer_lock
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    def acquire(self, patience: float = 0.0) -> None:
        """Waits at most `patience` seconds. Raises Trouble, and is not held then."""
        if self.held:
            return
        end = time.monotonic() + patience
        while not self._tried():
            if time.monotonic() >= end:
                raise Trouble(
                    Ailment.LOCKED,
                    f"another process{self._holder()} writes the store",
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

    def _holder(self) -> str:
        with suppress(OSError, ValueError), open(self._path, encoding="ascii") as file:
            return f" (pid {int(file.read(20))})"
        return ""
