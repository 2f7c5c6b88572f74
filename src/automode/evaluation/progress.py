"""How far a run is: a bar on a terminal, plain lines elsewhere; always on standard error."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

REDRAW_SECONDS = 0.1
LINE_SECONDS = 15.0
BAR_WIDTH = 24


@dataclass(slots=True)
class Progress:
    """`done`, `spent` and `unpriced` begin with what an earlier part of the run left behind."""

    total: int
    done: int = 0
    spent: float = 0.0
    unpriced: int = 0
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    clock: Callable[[], float] = time.monotonic
    _before: int = field(init=False)
    _started: float = field(init=False)
    _shown: float = field(init=False)

    def __post_init__(self) -> None:
        self._before = self.done
        self._started = self._shown = self.clock()

    def advance(self, usd: float | None) -> None:
        """None: a model was asked whose price nobody knows."""
        self.done += 1
        self.spent += usd or 0.0
        self.unpriced += usd is None
        now = self.clock()
        wait = REDRAW_SECONDS if self._terminal else LINE_SECONDS
        if now - self._shown >= wait:
            self._shown = now
            self._write(self.line(now))

    def finish(self) -> None:
        self._write(self.line(self.clock()))
        if self._terminal:
            self.stream.write("\n")
            self.stream.flush()

    def line(self, now: float) -> str:
        share = self.done / self.total if self.total else 1.0
        seconds = now - self._started
        rate = (self.done - self._before) / seconds if seconds > 0 else 0.0
        parts = [
            f"{self.done:,} of {self.total:,}",
            f"{share:4.0%}",
            f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s",
            _cost(self.spent, self.unpriced),
            _left(self.total - self.done, rate),
        ]
        text = "  ".join(part for part in parts if part)
        return f"{_bar(share)} {text}" if self._terminal else text

    @property
    def _terminal(self) -> bool:
        return self.stream.isatty()

    def _write(self, line: str) -> None:
        self.stream.write(f"\r\x1b[K{line}" if self._terminal else f"{line}\n")
        self.stream.flush()


def _bar(share: float) -> str:
    filled = round(share * BAR_WIDTH)
    return f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}]"


def _cost(spent: float, unpriced: int) -> str:
    """What nobody knows must not look like nothing."""
    if not unpriced:
        return f"${spent:.2f}"
    return f"${spent:.2f} and unknown cost" if spent else "unknown cost"


def _left(cases: int, rate: float) -> str:
    if cases <= 0:
        return "done"
    if rate <= 0:
        return ""
    seconds = round(cases / rate)
    hours, minutes = seconds // 3600, seconds % 3600 // 60
    if hours:
        return f"{hours} h {minutes:02} min left"
    return f"{minutes} min {seconds % 60:02} s left" if minutes else f"{seconds} s left"
