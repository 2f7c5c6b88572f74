"""Progress: a bar for a terminal, plain lines for everybody else."""

import io

import pytest

from automode.evaluation.progress import LINE_SECONDS, Progress


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


LINES = {
    "at the start": (0, 0, 0.0, 0.0, "0 of 2,000    0%  0.0/s  $0.00"),
    "half way": (1000, 0, 10.0, 1.5, "1,000 of 2,000   50%  100/s  $1.50  10 s left"),
    "slowly": (10, 0, 20.0, 0.0, "10 of 2,000    0%  0.5/s  $0.00  1 h 06 min left"),
    "for minutes": (1000, 0, 100.0, 0.0, "1,000 of 2,000   50%  10/s  $0.00  1 min 40 s left"),
    "going on": (1000, 900, 10.0, 0.0, "1,000 of 2,000   50%  10/s  $0.00  1 min 40 s left"),
    "at the end": (2000, 0, 20.0, 0.25, "2,000 of 2,000  100%  100/s  $0.25  done"),
}


@pytest.mark.parametrize(("done", "before", "seconds", "usd", "line"), LINES.values(), ids=LINES)
def test_a_line_says_rate_cost_and_time_left(
    done: int, before: int, seconds: float, usd: float, line: str
) -> None:
    clock = Clock()
    progress = Progress(2000, before, stream=io.StringIO(), clock=clock)
    progress.done, progress.spent = done, usd

    assert progress.line(clock.now + seconds) == line


def test_where_nobody_looks_lines_come_seldom_and_hold_no_control_characters() -> None:
    clock, stream = Clock(), io.StringIO()
    progress = Progress(4, stream=stream, clock=clock)

    for pause in (1.0, LINE_SECONDS, 1.0, 1.0):
        clock.now += pause
        progress.advance(0.01)
    progress.finish()

    lines = stream.getvalue().splitlines()
    assert [line.partition("  ")[0] for line in lines] == ["2 of 4", "4 of 4"]
    assert all(line.isprintable() for line in lines)


def test_a_terminal_gets_a_bar_that_is_drawn_over_itself() -> None:
    clock, screen = Clock(), Screen()
    progress = Progress(2, stream=screen, clock=clock)

    for _ in range(2):
        clock.now += 1.0
        progress.advance(0.0)
    progress.finish()

    drawn = screen.getvalue()
    assert drawn.count("\n") == 1
    assert "\r\x1b[K[############............] 1 of 2" in drawn
    assert drawn.endswith("done\n")


def test_a_price_that_nobody_knows_does_not_look_like_nothing() -> None:
    progress = Progress(3, stream=io.StringIO())

    progress.advance(None)
    unknown = progress.line(0.0)
    progress.advance(0.5)

    assert "unknown cost" in unknown
    assert "$" not in unknown
    assert "$0.50 and unknown cost" in progress.line(0.0)


def test_nothing_to_do_is_done() -> None:
    assert "100%" in Progress(0, stream=io.StringIO()).line(0.0)
