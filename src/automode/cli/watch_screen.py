"""The terminal of `automode watch`: taken over for a while, and given back as it was."""

import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

_ENTER = "\x1b[?1049h\x1b[?25l"  # the other screen, no cursor
_LEAVE = "\x1b[?25h\x1b[?1049l"
_HOME, _REST_OF_LINE, _REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"
_DISABLED = b"\0"
_CONTROL_CHARACTERS = 6  # where `tcgetattr` keeps them
_LONGEST_PRESS = 64


class Waker:
    """Wakes whoever waits for keys: from a thread, or when the window changes its size."""

    def __init__(self) -> None:
        self.end, self._other_end = os.pipe()
        self._closed = False
        for descriptor in (self.end, self._other_end):
            os.set_blocking(descriptor, False)

    def __call__(self) -> None:
        if self._closed:
            return
        # Full: whoever waits will wake as it is.
        with suppress(BlockingIOError):
            os.write(self._other_end, b"!")

    def calm(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self.end, 4096):
                pass

    def close(self) -> None:
        self._closed = True
        os.close(self.end)
        os.close(self._other_end)


class Screen:
    """`keys` is the descriptor that keys come from; None where no keyboard is there."""

    def __init__(self, waker: Waker, keys: int | None) -> None:
        self.waker = waker
        self.keys = keys

    def show(self, lines: Sequence[str]) -> None:
        """One write: a screen that is drawn in pieces flickers. Nothing is cleared first, for the
        same reason."""
        text = "\r\n".join(f"{line}{_REST_OF_LINE}" for line in lines)
        sys.stdout.write(f"{_HOME}{text}{_REST_OF_SCREEN}")
        sys.stdout.flush()

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows, asked anew: `COLUMNS` would stay what it was."""
        try:
            found = os.get_terminal_size(sys.stdout.fileno())
        except OSError:
            return 80, 24
        return found.columns or 80, found.lines or 24

    def pressed(self) -> str:
        """The keys pressed by now; waits for one, or for the waker."""
        watched = [self.waker.end] + ([] if self.keys is None else [self.keys])
        ready, _, _ = select.select(watched, [], [])
        if self.waker.end in ready:
            self.waker.calm()
        if self.keys is None or self.keys not in ready:
            return ""
        typed = os.read(self.keys, _LONGEST_PRESS)
        if not typed:
            self.keys = None  # the terminal is gone; it would be ready for ever
        return typed.decode("utf-8", "replace")


@contextmanager
def screen(waker: Waker) -> Iterator[Screen]:
    """The whole terminal. However it ends, the terminal is as it was before."""
    keys = sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None
    with _signals(waker), _unechoed(keys):
        try:
            sys.stdout.write(_ENTER)
            sys.stdout.flush()
            yield Screen(waker, keys)
        finally:
            sys.stdout.write(_LEAVE)
            sys.stdout.flush()


@contextmanager
def _unechoed(keys: int | None) -> Iterator[None]:
    """Keys arrive as they are pressed and are not shown. Ctrl-C still interrupts; ctrl-Z would
    leave the shell on the other screen."""
    if keys is None:
        yield
        return
    before = termios.tcgetattr(keys)
    try:
        tty.setcbreak(keys)
        now = termios.tcgetattr(keys)
        now[_CONTROL_CHARACTERS][termios.VSUSP] = _DISABLED
        termios.tcsetattr(keys, termios.TCSANOW, now)
        yield
    finally:
        termios.tcsetattr(keys, termios.TCSADRAIN, before)


@contextmanager
def _signals(waker: Waker) -> Iterator[None]:
    def resized(_number: int, _frame: FrameType | None) -> None:
        waker()

    def ended(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    before = {
        signal.SIGWINCH: signal.signal(signal.SIGWINCH, resized),
        signal.SIGTERM: signal.signal(signal.SIGTERM, ended),
        signal.SIGHUP: signal.signal(signal.SIGHUP, ended),
    }
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action)
