"""A real terminal: a program in a pty, and what a person would see of it."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence

import pyte

PATIENCE_SECONDS = 60.0


class Terminal:
    """Use as a context manager; whatever still runs at the end is killed."""

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        *,
        columns: int = 80,
        rows: int = 24,
    ) -> None:
        self._screen = pyte.HistoryScreen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._raw = bytearray()
        self._end, self._other_end = pty.openpty()
        self._set_size(columns, rows)
        self.process = subprocess.Popen(
            words,
            stdin=self._other_end,
            stdout=self._other_end,
            stderr=self._other_end,
            env=dict(environment),
            preexec_fn=self._controlling,
        )

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._end)
        os.close(self._other_end)

    @property
    def raw(self) -> bytes:
        return bytes(self._raw)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def type(self, keys: str) -> None:
        os.write(self._end, keys.encode())

    def wait_for(self, seen: Callable[[str], bool]) -> str:
        """What is on the screen once `seen` says so."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not seen(self.text):
            assert time.monotonic() < deadline, f"it never came; the screen says:\n{self.text}"
            self._read(0.2)
        return self.text

    def ended(self) -> int:
        """The exit status."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it never ended; the screen says:\n{self.text}"
            self._read(0.1)
        while self._read(0.1):  # a terminal gives what it holds a few thousand bytes at a time
            pass
        return self.process.wait()

    def _read(self, seconds: float) -> bool:
        """Whether anything came."""
        ready, _, _ = select.select([self._end], [], [], seconds)
        if ready:
            data = os.read(self._end, 65_536)
            self._raw += data
            self._stream.feed(data)
        return bool(ready)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _controlling(self) -> None:
        os.setsid()
        fcntl.ioctl(self._other_end, termios.TIOCSCTTY, 0)
