"""Tables and progress: drawn by rich in a terminal, plain lines anywhere else. Only a terminal
waits for rich to load."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, TextIO

from automode.cli.options import wants_colour
from automode.cli.printing import one_line, paragraph, say, width

DRAW_SECONDS = 0.1
NARROWEST_CELL = 8


def drawable(stream: TextIO | None) -> bool:
    """Whether a person looks at it, in a terminal that can do more than print lines."""
    capable = os.environ.get("TERM", "") not in ("", "dumb")
    return capable and stream is not None and stream.isatty()


def show_table(
    rows: Sequence[Sequence[str]], heads: Sequence[str], *, words: int = 99, indent: int = 2
) -> None:
    """Behind the first `words` columns there are numbers, which stand to the right. In a terminal
    every cell but the first of a row is wrapped until the table fits, elsewhere only the last one.
    """
    drawn = drawn_table(rows, heads, words=words, indent=indent)
    if drawn:
        say(drawn)
        return
    shown = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, cells)) for cells in zip(heads, *shown, strict=True)][:-1]
    for row in (heads, *shown):
        cells = [
            cell.ljust(wide) if at < words else cell.rjust(wide)
            for at, (cell, wide) in enumerate(zip(row, widths, strict=False))
        ]
        paragraph(row[-1], " " * indent + "".join(f"{cell}  " for cell in cells))


def drawn_table(
    rows: Sequence[Sequence[str]], heads: Sequence[str], *, words: int, indent: int
) -> str:
    """Empty where nobody looks at a terminal, or its numbers do not fit there."""
    if not drawable(sys.stdout):
        return ""
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    shown = [[one_line(cell) for cell in row] for row in rows]
    columns = list(zip(heads, *shown, strict=True))
    least = [
        max(len(part) for cell in cells for part in (cell.split(" ") if at >= words else [cell]))
        for at, cells in enumerate(columns)
    ]
    least[1:words] = [NARROWEST_CELL] * len(least[1:words])
    room = width() - indent - 2 * len(columns)
    if sum(least) > room:
        return ""
    fits = sum(max(map(len, cells)) for cells in columns) <= room
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for at, head in enumerate(heads):
        side: Literal["left", "right"] = "left" if at < words else "right"
        fixed = None if fits or 0 < at < words else least[at]
        table.add_column(head, justify=side, width=fixed, overflow="fold")
    for row in shown:
        table.add_row(*map(Text, row))  # a Text holds no markup
    console = Console(width=width(), no_color=wants_colour() is False)
    with console.capture() as drawn:
        console.print(Padding(table, (0, 0, 0, indent), expand=False))
    return drawn.get().rstrip("\n")


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int | None, str], None]]:
    """Shows how far a command is to a person who waits, on standard error: what is done, of how
    many, and a note. It is gone at the end."""
    if not drawable(sys.stderr):
        yield lambda done, total, note: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, no_color=wants_colour() is False)
    parts = (TextColumn(label), BarColumn(), TextColumn("{task.fields[note]}", markup=False))
    # Without a thread that draws: some commands start processes meanwhile.
    with Progress(
        *parts, TimeRemainingColumn(), console=console, auto_refresh=False, transient=True
    ) as bar:
        task = bar.add_task(label, total=None, note="")
        drawn = 0.0

        def show(done: int, total: int | None, note: str) -> None:
            nonlocal drawn
            now = time.monotonic()
            if now - drawn >= DRAW_SECONDS:
                drawn = now
                bar.update(task, completed=done, total=total, note=note, refresh=True)

        yield show
