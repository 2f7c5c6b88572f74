"""An agent in a terminal: a real pseudo-terminal, and what a person would see of it.

Needs `pyte`, which is installed for development only.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

import pyte

from conformance.failing import ScenarioFailed

COLUMNS, ROWS = 120, 40
PATIENCE_SECONDS = 120.0  # a busy machine takes a minute to show an agent
_SETTLED_SECONDS = 0.5
_BETWEEN_KEYS_SECONDS = 0.2
_RESTLESS_SECONDS = 3.0  # something that is drawn again and again is no reason to wait longer


class _Screen(pyte.Screen):
    """Agents ask a terminal for more than this one knows; nothing of that is drawn."""

    def report_device_status(self, mode: int, **rest: object) -> None:
        if not rest:
            super().report_device_status(mode)

    def select_graphic_rendition(self, *codes: int, **rest: object) -> None:
        if not rest:
            super().select_graphic_rendition(*codes)


class Terminal:
    """Use as a context manager: the agent's whole process group is ended with it."""

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        folder: str,
        *,
        columns: int = COLUMNS,
        rows: int = ROWS,
    ) -> None:
        self._screen = _Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._end, other_end = pty.openpty()
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(other_end, termios.TIOCSWINSZ, size)
        self.process = subprocess.Popen(  # noqa: S603 - the agent under test
            words,
            stdin=other_end,
            stdout=other_end,
            stderr=other_end,
            env=dict(environment),
            cwd=folder,
            preexec_fn=_in_front,
        )
        os.close(other_end)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._end)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    def type(self, keys: str) -> None:
        os.write(self._end, keys.encode())

    def press(self, keys: Sequence[str]) -> None:
        """One after the other, as a person presses them: what comes at once is another key."""
        for key in keys:
            self.type(key)
            pressed = time.monotonic()
            while time.monotonic() - pressed < _BETWEEN_KEYS_SECONDS and self._read(0.05):
                pass

    def prompt(self, text: str) -> None:
        """Enter comes alone: a pasted text that ends in one is not sent."""
        self.type(text)
        self.settle()
        self.type("\r")

    def wait_for(self, *seen: str) -> str:
        return self.wait_until(
            lambda: any(one in self.text for one in seen), f"the screen never said {seen}"
        )

    def wait_until(self, condition: Callable[[], bool], what: str) -> str:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > deadline or not self._read(0.2):
                raise ScenarioFailed(f"{what}; it shows:\n{self._shown()}")
        return self.text

    def settle(self, seconds: float = _SETTLED_SECONDS) -> None:
        """Until nothing has been drawn for a moment."""
        quiet_since = time.monotonic()
        deadline = quiet_since + _RESTLESS_SECONDS
        shown = self.text
        while time.monotonic() - quiet_since < seconds and time.monotonic() < deadline:
            if not self._read(0.1):
                return
            if self.text != shown:
                shown, quiet_since = self.text, time.monotonic()

    def ended(self) -> int:
        """The exit status, once all that it wrote is on the screen."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._read(0.2):
            if time.monotonic() > deadline:
                raise ScenarioFailed(f"it never ended; it shows:\n{self._shown()}")
        return self.process.wait()

    def _read(self, seconds: float) -> bool:
        """Whether the program still holds the other end."""
        ready, _, _ = select.select([self._end], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self._end, 65_536)
        except OSError:  # Linux's way to say that the other end is closed
            return False
        self._stream.feed(data)
        return bool(data)

    def _shown(self) -> str:
        return "\n".join(line for line in self.text.splitlines() if line)


def _in_front() -> None:
    """Its standard input becomes the terminal that controls it, as in a person's window."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
