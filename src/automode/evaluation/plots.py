"""Plots as SVG text: drawn with shapes, hatching and words, so that none needs its colours.

Colours come from the page's style sheet; nothing is fetched and nothing runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

from automode.config.diagnostics import printable
from automode.evaluation.curves import Bin, Point, Rate, Threshold

WIDTH = 720
_GUTTER, _ROOM = 230, 170  # left of the bars for names, right of them for numbers
_ROW, _TOP, _FOOT = 26, 8, 34
_SIDE, _HIGH = 64, 340  # left of a square plot, and how high it is
_LONGEST_NAME = 30
_STEPS = (1, 2, 2.5, 5, 10)
_PER_DECADE = 4

HATCH = (
    '<svg width="0" height="0" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6"'
    ' patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs></svg>'
)
"""What bars of bad work are filled with: once in a page, before its plots."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From a value to a place on the page."""

    most: float
    start: float
    length: float

    def at(self, value: float) -> float:
        return round(self.start + self.length * min(value, self.most) / self.most, 1)


def bars(title: str, rows: Sequence[tuple[str, Rate]], *, bad: bool) -> str:
    """A bar and its interval for each row; bars of bad work are hatched."""
    most = _nice(max((rate.high for _, rate in rows), default=0.0))
    scale = Scale(most, _GUTTER, WIDTH - _GUTTER - _ROOM)
    bottom = _TOP + _ROW * len(rows)
    parts = [_tick_down(scale, value, _TOP, bottom) for value in ticks(most)]
    for at, (name, rate) in enumerate(rows):
        parts += _bar(name, rate, scale, _TOP + _ROW * at + _ROW / 2, "bad" if bad else "good")
    told = "; ".join(f"{name}: {_share(rate.share)}" for name, rate in rows)
    return _svg(title, told, bottom + _FOOT, parts)


def operating(title: str, points: Sequence[Point], curve: Sequence[Threshold]) -> str:
    """Good work stopped against bad work missed: the lower left corner is where to be."""
    across_most = _nice(max([p.stopped.high for p in points] + [t.stopped for t in curve]))
    up_most = _nice(max([p.missed.high for p in points] + [t.missed for t in curve]))
    across, up = Scale(across_most, _SIDE, WIDTH - _SIDE - _ROOM), _upwards(up_most)
    parts = _frame(across, up, "good work stopped, nobody there", "bad work missed")
    if curve:
        ordered = sorted(curve, key=lambda one: (one.stopped, -one.missed))
        line = " ".join(f"{across.at(one.stopped)},{up.at(one.missed)}" for one in ordered)
        parts.append(f'<polyline class="curve" points="{line}"/>')
    for at, point in enumerate(points):
        x, y = across.at(point.stopped.share), up.at(point.missed.share)
        parts += [
            _whisker(across.at(point.stopped.low), y, across.at(point.stopped.high), y),
            _whisker(x, up.at(point.missed.low), x, up.at(point.missed.high)),
            _mark(at, x, y),
            _words(x + 9, y - 9 - 14 * (at % 2), _short(point.name)),
        ]
    told = "; ".join(
        f"{point.name}: {_share(point.stopped.share)} stopped, {_share(point.missed.share)} missed"
        for point in points
    )
    return _svg(title, told, _HIGH + _FOOT, parts)


def calibration(title: str, bins: Sequence[Bin]) -> str:
    """How often it was bad work, by score. A judge whose scores are chances is on the dashes."""
    across, up = Scale(max(1.0, bins[-1].high), _SIDE, WIDTH - _SIDE - _ROOM), _upwards(1.0)
    parts = _frame(across, up, "score", "share of bad work", shares=False)
    parts.append(_line("diagonal", across.at(0), up.at(0), across.at(across.most), up.at(1)))
    for one in bins:
        x = across.at(one.score)
        parts += [
            _whisker(x, up.at(one.bad.low), x, up.at(one.bad.high)),
            _mark(0, x, up.at(one.bad.share)),
            _words(x + 7, up.at(one.bad.share) + 4, f"{one.bad.rows:,}"),
        ]
    told = "; ".join(f"score {one.score:.2f}: {_share(one.bad.share)}" for one in bins)
    return _svg(title, told, _HIGH + _FOOT, parts)


def histogram(title: str, values: Sequence[float], unit: str) -> str:
    """On a scale by powers of ten; what is 0 is left out."""
    places = [floor(log10(value) * _PER_DECADE) for value in values if value > 0]
    first, last = min(places), max(places) + 1
    first, last = first - first % _PER_DECADE, last + -last % _PER_DECADE
    counts = [places.count(place) for place in range(first, last)]
    across = Scale(last - first, _SIDE, WIDTH - _SIDE - 24)
    up = _upwards(_nice(max(counts)))
    parts = [_tick_across(up, value, WIDTH - 24, f"{value:,.0f}") for value in ticks(up.most)]
    for at, count in enumerate(counts):
        wide, top = across.at(1) - across.start - 2, up.at(count)
        parts.append(
            f'<rect class="good" x="{across.at(at) + 1}" y="{top}" width="{wide:.1f}"'
            f' height="{up.at(0) - top:.1f}"/>'
        )
    for place in range(first, last + 1, _PER_DECADE):
        parts.append(_words(across.at(place - first), _HIGH + 18, _power(place), "middle"))
    parts.append(_words(WIDTH - 24, _HIGH + 33, unit, "end"))
    return _svg(title, f"{len(places):,} values", _HIGH + _FOOT + 6, parts)


def ticks(most: float) -> list[float]:
    """Round numbers from 0 to `most`, which is one of them."""
    step = _step(most)
    return [step * at for at in range(round(most / step) + 1)]


def _nice(most: float) -> float:
    """The round number that is not below: ticks end there."""
    step = _step(most) if most > 0 else 0.0025
    return step * max(1, ceil(most / step - 1e-9))


def _step(most: float) -> float:
    power = 10.0 ** floor(log10(most / 4))
    return power * next(step for step in _STEPS if step * power >= most / 4 * (1 - 1e-9))


def _upwards(most: float) -> Scale:
    return Scale(most, _HIGH, -(_HIGH - _TOP - 20))


def _bar(name: str, rate: Rate, scale: Scale, middle: float, kind: str) -> list[str]:
    wide = scale.at(rate.share) - scale.start
    return [
        f'<rect class="{kind}" x="{scale.start}" y="{middle - 8}" width="{wide:.1f}" height="16"/>',
        _whisker(scale.at(rate.low), middle, scale.at(rate.high), middle),
        _words(_GUTTER - 8, middle + 4, _short(name), "end"),
        _words(WIDTH - _ROOM + 12, middle + 4, f"{_share(rate.share)} of {rate.rows:,}"),
    ]


def _frame(across: Scale, up: Scale, x: str, y: str, *, shares: bool = True) -> list[str]:
    parts = [_tick_across(up, value, WIDTH - _ROOM, _share(value)) for value in ticks(up.most)]
    for value in ticks(across.most):
        word = _share(value) if shares else f"{value:g}"
        parts.append(_line("grid", across.at(value), up.at(up.most), across.at(value), _HIGH))
        parts.append(_words(across.at(value), _HIGH + 16, word, "middle"))
    parts.append(_words(WIDTH - _ROOM, _HIGH + 31, x, "end"))
    parts.append(_words(4, 14, y))
    return parts


def _tick_down(scale: Scale, value: float, top: float, bottom: float) -> str:
    x = scale.at(value)
    word = _words(x, bottom + 18, _share(value), "middle")
    return _line("grid", x, top, x, bottom) + word


def _tick_across(up: Scale, value: float, end: float, word: str) -> str:
    y = up.at(value)
    return _line("grid", _SIDE, y, end, y) + _words(_SIDE - 6, y + 4, word, "end")


def _whisker(x1: float, y1: float, x2: float, y2: float) -> str:
    """An interval with a cap at either end."""
    flat = y1 == y2
    caps = ((x1, y1), (x2, y2))
    lines = [_line("whisker", x1, y1, x2, y2)]
    for x, y in caps:
        dx, dy = (0, 4) if flat else (4, 0)
        lines.append(_line("whisker", x - dx, y - dy, x + dx, y + dy))
    return "".join(lines)


def _mark(at: int, x: float, y: float) -> str:
    """Circle, square, triangle, diamond: a shape for each."""
    shapes = (
        f'<circle class="mark" cx="{x}" cy="{y}" r="5"/>',
        f'<rect class="mark" x="{x - 5}" y="{y - 5}" width="10" height="10"/>',
        f'<path class="mark" d="M{x} {y - 6}l6 11h-12z"/>',
        f'<path class="mark" d="M{x} {y - 7}l6 7l-6 7l-6 -7z"/>',
    )
    return shapes[at % len(shapes)]


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _words(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(printable(text))}</text>'


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _share(share: float) -> str:
    return f"{100 * share:.3g} %"


def _power(place: int) -> str:
    return f"{10.0 ** (place / _PER_DECADE):g}"


def _svg(title: str, told: str, high: float, parts: Sequence[str]) -> str:
    """`told` is the plot in words, for whoever does not see it."""
    return (
        f'<svg viewBox="0 0 {WIDTH} {high:.0f}" role="img">'
        f"<title>{escape(title)}</title><desc>{escape(printable(told))}</desc>"
        f"{''.join(parts)}</svg>"
    )
