"""A run's numbers as one HTML page: self-contained, without scripts, for light and dark screens.

Plots are SVG, drawn with shapes, hatching and words, so that none needs its colours.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

from automode.config.settings import printable
from automode.evaluation.outcomes import SHOWN, Confusion, Confusions, Run
from automode.evaluation.reports import (
    BLAME_HEADS,
    HEADS,
    LEGEND,
    RESULT_HEADS,
    blame_cells,
    board_tables,
    confusion_lines,
    latency_table,
    rate_text,
    spending_lines,
)
from automode.evaluation.scoring import Board, Point, Rate, Scores

LONGEST_TEXT = 1200
# Nothing may be fetched or run, whatever a case holds.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #ffffff; --faint: #595959;
  --line: #d0d0d0; --good: #2a6099; --bad: #a34a12; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececec; --paper: #141414; --faint: #a6a6a6;
  --line: #444444; --good: #7fb2e5; --bad: #f0a070; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 62rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; } h3 { font-size: 1rem; }
.two { display: flex; flex-wrap: wrap; gap: 1rem; }
.two > div { flex: 1 1 16rem; border: 1px solid var(--line); padding: .8rem 1rem; }
.two strong { display: block; font-size: 1.6rem; }
.faint, figcaption { color: var(--faint); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .875rem; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
svg[aria-hidden] { position: absolute; } figure { margin: 1rem 0; overflow-x: auto; }
figure svg { width: 100%; min-width: 34rem; max-width: 45rem; height: auto; }
figure text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.grid { stroke: var(--line); } .whisker { stroke: var(--ink); stroke-width: 1.5; }
.good { fill: var(--good); } .bad { fill: url(#hatch); stroke: var(--bad); }
.hatch { stroke: var(--bad); stroke-width: 3; }
.mark { fill: var(--paper); stroke: var(--ink); stroke-width: 2; }
article { border-left: 4px solid var(--line); margin: 1rem 0; padding: .1rem 0 .1rem .8rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; font-size: .85rem; }
details > summary { cursor: pointer; } p { overflow-wrap: anywhere; }
"""


def page(run: Run, scores: Scores, found: Confusions, *, most: int = SHOWN) -> str:
    title = f"automode: run {_clean(run.name)}"
    sections = [
        f"{HATCH}<h1>{title}</h1>",
        _opening(run),
        _calls(scores),
        _results(scores),
        _costs(run, scores),
        *(_worst(name, kind, most) for name, kind in found.kinds.items()),
        _blames(found),
        _facts(run),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body><main>"
        + "\n".join(part for part in sections if part)
        + "</main></body></html>\n"
    )


def _opening(run: Run) -> str:
    words = f"{len(run.outcomes):,} cases."
    if run.unfinished:
        words += f" <strong>Unfinished: {run.planned:,} were planned.</strong>"
    return f'<p class="faint">{words} {escape(LEGEND)}</p>'


def _calls(scores: Scores) -> str:
    board = scores.actions
    if board is None:
        return ""
    head = board.headline
    two = _two(
        ("Good work denied", head.denied, f"denied or asked: {rate_text(head.stopped)}"),
        ("Bad work missed", head.missed, f"asked: {rate_text(head.prompted)}"),
    )
    unaided = (
        f"Decided without a model: {rate_text(head.unaided)} of good work, "
        f"{rate_text(head.bad_unaided)} of bad work."
    )
    if not scores.spending.judged:
        unaided += " No model judged in this run: what was left open was asked."
    return (
        f"<h2>Calls</h2>{two}<p>{unaided}</p>"
        + _stages(board)
        + _category_bars(board, "good work denied or asked", "bad work missed")
        + _tables(board, HEADS)
    )


def _results(scores: Scores) -> str:
    board = scores.results
    if board is None:
        return ""
    two = _two(
        ("False alarms", board.headline.stopped, ""),
        ("Injections missed", board.headline.missed, ""),
    )
    return (
        f"<h2>Tool results</h2>{two}"
        + _category_bars(board, "false alarms", "injections missed")
        + _tables(board, RESULT_HEADS)
    )


def _two(*numbers: tuple[str, Rate | None, str]) -> str:
    """Side by side, never added up."""
    cells = [
        f"<div>{name}<strong>{rate_text(rate)}</strong>"
        f'<span class="faint">{_counts(rate)} {beside}</span></div>'
        for name, rate, beside in numbers
    ]
    return f'<div class="two">{"".join(cells)}</div>'


def _counts(rate: Rate | None) -> str:
    if rate is None:
        return "no such cases."
    return f"{rate.hits:,} of {rate.rows:,} cases in {rate.groups:,} groups."


def _stages(board: Board) -> str:
    if not board.stages:
        return ""
    title = "How far the gate goes: good work stopped against bad work missed"
    caption = "Each mark: the gate ends there. Lines through it: 95 %."
    return _figure(title, caption, stages_plot(title, board.stages))


def _category_bars(board: Board, good: str, bad: str) -> str:
    stopped = [(one.name, one.stopped) for one in board.categories if one.stopped is not None]
    missed = [(one.name, one.missed) for one in board.categories if one.missed is not None]
    parts = []
    for words, rows, hatched in ((good, stopped, False), (bad, missed, True)):
        if rows:
            title = f"By category: {words}"
            drawn = bars(title, rows, bad=hatched)
            parts.append(_figure(title, "The line over a bar is its 95 % interval.", drawn))
    return "".join(parts)


def _costs(run: Run, scores: Scores) -> str:
    parts = ["<h2>Time and money</h2>", _table(*latency_table(scores.latency))]
    for title, unit, values in (
        ("How long decisions took", "milliseconds", [one.micros / 1000 for one in run.outcomes]),
        ("What judged calls cost", "US dollars", [one.usd or 0.0 for one in run.outcomes]),
    ):
        if any(values):
            caption = "Cases by size; each step is a power of ten."
            parts.append(_figure(title, caption, histogram(title, values, unit)))
    spent = [_clean(line) for line in spending_lines(scores.spending)]
    words = ". ".join(spent) or "No model was asked: no tokens, no cost"
    return "".join([*parts, f"<p>{words}.</p>"])


def _tables(board: Board, heads: tuple[str, ...]) -> str:
    parts = board_tables(board, heads)
    return "".join(f"<h3>{_title(name)}</h3>{_table(heads, rows)}" for name, rows in parts.items())


def _title(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}"


def _worst(name: str, found: Sequence[Confusion], most: int) -> str:
    if not found:
        return ""
    shown = "" if len(found) <= most else f"; the worst {most} are shown"
    inside = "".join(_confusion(one) for one in found[:most])
    return (
        f"<h2>{_title(name)}, worst first</h2>"
        f'<p class="faint">{len(found):,} in all{shown}.</p>{inside}'
    )


def _confusion(found: Confusion) -> str:
    one = found.outcome
    lines = "".join(
        f'<div><span class="faint">{name}:</span> {_clean(text)}</div>'
        for name, text in confusion_lines(found).items()
    )
    where = " · ".join(filter(None, (one.key, one.category, one.grade)))
    return (
        f"<article><strong>{one.verdict}</strong> by {_clean(str(found.decider))} "
        f'<span class="faint">{_clean(where)}</span><pre>{_clean(one.action)}</pre>{lines}'
        "</article>"
    )


def _blames(found: Confusions) -> str:
    rows = [blame_cells(one) for one in found.blames]
    words = "Change the rule or sentence, run again, and compare: both sides have to be looked at."
    return f"<h2>Who decided</h2><p>{words}</p>{_table(BLAME_HEADS, rows)}" if rows else ""


def _facts(run: Run) -> str:
    lines = json.dumps(run.facts, indent=2, sort_keys=True)[:100_000].split("\n")
    text = "\n".join(map(_clean, lines))
    return f"<h2>How it was run</h2><details><summary>run.json</summary><pre>{text}</pre></details>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{_clean(head)}</th>' for head in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{_clean(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f'<div class="scroll" tabindex="0"><table><tr>{top}</tr>{body}</table></div>'


def _figure(title: str, caption: str, drawn: str) -> str:
    return f"<h3>{title}</h3><figure>{drawn}<figcaption>{caption}</figcaption></figure>"


def _clean(text: str) -> str:
    """Text of a case may hold anything: markup is escaped, and so is what cannot be seen."""
    short = text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
    return escape(printable(short))


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
    parts = [_tick(scale, value, _TOP, bottom) for value in ticks(most)]
    for at, (name, rate) in enumerate(rows):
        middle, wide = _TOP + _ROW * at + _ROW / 2, scale.at(rate.share) - scale.start
        parts += [
            _box("bad" if bad else "good", scale.start, middle - 8, wide, 16),
            _whisker(scale.at(rate.low), middle, scale.at(rate.high), middle),
            _words(_GUTTER - 8, middle + 4, _short(name), "end"),
            _words(WIDTH - _ROOM + 12, middle + 4, f"{_percent(rate.share)} of {rate.rows:,}"),
        ]
    words = "; ".join(f"{name}: {_percent(rate.share)}" for name, rate in rows)
    return _svg(title, words, bottom + _FOOT, parts)


def stages_plot(title: str, points: Sequence[Point]) -> str:
    """Good work stopped against bad work missed: the lower left corner is where to be."""
    across = Scale(_nice(max(p.stopped.high for p in points)), _SIDE, WIDTH - _SIDE - _ROOM)
    up = _upwards(_nice(max(p.missed.high for p in points)))
    parts = [_tick_across(up, value, WIDTH - _ROOM, _percent(value)) for value in ticks(up.most)]
    parts += [_tick(across, value, up.at(up.most), _HIGH) for value in ticks(across.most)]
    parts.append(_words(WIDTH - _ROOM, _HIGH + 31, "good work stopped, nobody there", "end"))
    parts.append(_words(4, 14, "bad work missed"))
    for at, point in enumerate(points):
        x, y = across.at(point.stopped.share), up.at(point.missed.share)
        parts += [
            _whisker(across.at(point.stopped.low), y, across.at(point.stopped.high), y),
            _whisker(x, up.at(point.missed.low), x, up.at(point.missed.high)),
            _mark(at, x, y),
            _words(x + 9, y - 9 - 14 * (at % 2), _short(point.name)),
        ]
    words = "; ".join(
        f"{p.name}: {_percent(p.stopped.share)} stopped, {_percent(p.missed.share)} missed"
        for p in points
    )
    return _svg(title, words, _HIGH + _FOOT, parts)


def histogram(title: str, values: Sequence[float], unit: str) -> str:
    """On a scale by powers of ten; what is 0 is left out."""
    places = [floor(log10(value) * _PER_DECADE) for value in values if value > 0]
    first, last = min(places), max(places) + 1
    first, last = first - first % _PER_DECADE, last + -last % _PER_DECADE
    counts = [places.count(place) for place in range(first, last)]
    across = Scale(last - first, _SIDE, WIDTH - _SIDE - 24)
    up = _upwards(_nice(max(counts)))
    wide = across.at(1) - across.start - 2
    parts = [_tick_across(up, value, WIDTH - 24, f"{value:,.0f}") for value in ticks(up.most)]
    for at, count in enumerate(counts):
        top = up.at(count)
        parts.append(_box("good", across.at(at) + 1, top, wide, up.at(0) - top))
    for place in range(first, last + 1, _PER_DECADE):
        power = f"{10.0 ** (place / _PER_DECADE):g}"
        parts.append(_words(across.at(place - first), _HIGH + 18, power, "middle"))
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


def _tick(scale: Scale, value: float, top: float, bottom: float) -> str:
    x = scale.at(value)
    return _line("grid", x, top, x, bottom) + _words(x, bottom + 17, _percent(value), "middle")


def _tick_across(up: Scale, value: float, end: float, word: str) -> str:
    y = up.at(value)
    return _line("grid", _SIDE, y, end, y) + _words(_SIDE - 6, y + 4, word, "end")


def _whisker(x1: float, y1: float, x2: float, y2: float) -> str:
    """An interval with a cap at either end."""
    dx, dy = (0, 4) if y1 == y2 else (4, 0)
    caps = [_line("whisker", x - dx, y - dy, x + dx, y + dy) for x, y in ((x1, y1), (x2, y2))]
    return "".join([_line("whisker", x1, y1, x2, y2), *caps])


def _mark(at: int, x: float, y: float) -> str:
    """Circle, square, triangle, diamond: a shape for each."""
    shapes = (
        f'<circle class="mark" cx="{x}" cy="{y}" r="5"/>',
        _box("mark", x - 5, y - 5, 10, 10),
        f'<path class="mark" d="M{x} {y - 6}l6 11h-12z"/>',
        f'<path class="mark" d="M{x} {y - 7}l6 7l-6 7l-6 -7z"/>',
    )
    return shapes[at % len(shapes)]


def _box(kind: str, x: float, y: float, wide: float, high: float) -> str:
    size = f'width="{wide:.1f}" height="{high:.1f}"'
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" {size}/>'


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _words(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(printable(text))}</text>'


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _svg(title: str, words: str, high: float, parts: Sequence[str]) -> str:
    """`words` tell the plot to whoever does not see it."""
    return (
        f'<svg viewBox="0 0 {WIDTH} {high:.0f}" role="img">'
        f"<title>{escape(title)}</title><desc>{escape(printable(words))}</desc>"
        f"{''.join(parts)}</svg>"
    )
