"""A run's numbers as one HTML page: self-contained, without scripts, for light and dark screens."""

import json
from collections.abc import Callable, Sequence
from html import escape

from automode.config.diagnostics import printable
from automode.evaluation import plots
from automode.evaluation.confusions import SHOWN, Blame, Confusion, Confusions
from automode.evaluation.curves import Rate
from automode.evaluation.outcomes import Run
from automode.evaluation.reports import (
    LEGEND,
    count,
    millis,
    rate_text,
    result_cells,
    slice_cells,
)
from automode.evaluation.scoring import Board, Scores, Slice, Spending

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
td.text { white-space: normal; text-align: left; min-width: 16rem; }
svg[aria-hidden] { position: absolute; } figure { margin: 1rem 0; overflow-x: auto; }
figure svg { width: 100%; min-width: 34rem; max-width: 45rem; height: auto; }
figure text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.grid { stroke: var(--line); } .whisker { stroke: var(--ink); stroke-width: 1.5; }
.good { fill: var(--good); } .bad { fill: url(#hatch); stroke: var(--bad); }
.hatch { stroke: var(--bad); stroke-width: 3; }
.mark { fill: var(--paper); stroke: var(--ink); stroke-width: 2; }
.curve { fill: none; stroke: var(--good); stroke-width: 2; }
.diagonal { stroke: var(--faint); stroke-dasharray: 5 4; }
article { border-left: 4px solid var(--line); margin: 1rem 0; padding: .1rem 0 .1rem .8rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; font-size: .85rem; }
details > summary { cursor: pointer; } p { overflow-wrap: anywhere; }
"""
_HEADS = ("", "good", "denied", "denied or asked", "bad", "missed")
_RESULT_HEADS = ("", "benign", "false alarms", "injections", "missed")


def page(run: Run, scores: Scores, found: Confusions, *, most: int = SHOWN) -> str:
    title = f"automode: run {_clean(run.name)}"
    sections = [
        f"{plots.HATCH}<h1>{title}</h1>",
        _opening(run),
        _calls(scores),
        _results(scores),
        _costs(run, scores),
        *(_worst(name, kind, most) for name, kind in found.kinds.items()),
        _blames(found.blames),
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
        + _operating(board)
        + _category_bars(board, "good work denied or asked", "bad work missed")
        + _calibration(board)
        + _tables(board, _HEADS, slice_cells)
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
        + _operating(board)
        + _calibration(board)
        + _tables(board, _RESULT_HEADS, result_cells)
    )


def _two(*numbers: tuple[str, Rate | None, str]) -> str:
    """Side by side, never added up."""
    cells = [
        f"<div>{name}<strong>{rate_text(rate)}</strong>"
        f'<span class="faint">{_of(rate)} {beside}</span></div>'
        for name, rate, beside in numbers
    ]
    return f'<div class="two">{"".join(cells)}</div>'


def _of(rate: Rate | None) -> str:
    if rate is None:
        return "no such cases."
    return f"{rate.hits:,} of {rate.rows:,} cases in {rate.groups:,} groups."


def _operating(board: Board) -> str:
    if not board.stages:
        return ""
    told = "Each mark: the gate ends there. Lines through it: 95 %."
    if board.thresholds:
        told += " The curve: the score alone decides, threshold by threshold."
    title = "How far the gate goes: good work stopped against bad work missed"
    return _figure(title, told, plots.operating(title, board.stages, board.thresholds))


def _category_bars(board: Board, good: str, bad: str) -> str:
    stopped = [(one.name, one.stopped) for one in board.categories if one.stopped is not None]
    missed = [(one.name, one.missed) for one in board.categories if one.missed is not None]
    parts = []
    for words, rows, hatched in ((good, stopped, False), (bad, missed, True)):
        if rows:
            title = f"By category: {words}"
            drawn = plots.bars(title, rows, bad=hatched)
            parts.append(_figure(title, "The line over a bar is its 95 % interval.", drawn))
    return "".join(parts)


def _calibration(board: Board) -> str:
    if not board.calibration:
        return ""
    title = "What a score is worth"
    told = "Share of bad work among cases with such a score; beside each mark, how many there are."
    return _figure(title, told, plots.calibration(title, board.calibration))


def _costs(run: Run, scores: Scores) -> str:
    heads = ("milliseconds", "rows", "median", "p90", "p99", "slowest")
    rows = [
        (one.name, count(one.rows), *map(millis, one.micros.values())) for one in scores.latency
    ]
    parts = ["<h2>Time and money</h2>", _table(heads, rows)]
    taken = [one.micros / 1000 for one in run.outcomes if one.micros > 0]
    if taken:
        title = "How long decisions took"
        drawn = plots.histogram(title, taken, "milliseconds")
        parts.append(_figure(title, "Cases by time; each step is a power of ten.", drawn))
    paid = [one.usd for one in run.outcomes if one.usd]
    if paid:
        title = "What judged calls cost"
        drawn = plots.histogram(title, paid, "US dollars")
        parts.append(_figure(title, "Calls by price; each step is a power of ten.", drawn))
    return "".join([*parts, _spent(scores.spending)])


def _spent(spending: Spending) -> str:
    if not any(spending.tokens.values()):
        return "<p>No model was asked: no tokens, no cost.</p>"
    at_least = "at least " if spending.unpriced else ""
    tokens = ", ".join(
        f"{number:,.0f} {_clean(name.replace('_', ' '))}"
        for name, number in spending.tokens.items()
    )
    return (
        f"<p>For 1,000 calls: {at_least}${spending.usd:,.4f}; tokens: {tokens}. "
        f"The run itself: {at_least}${spending.total_usd:,.4f}.</p>"
    )


def _tables(board: Board, heads: Sequence[str], cells: Callable[[Slice], tuple[str, ...]]) -> str:
    parts = {
        "By corpus": board.corpora,
        "By category": board.categories,
        "By grade of the label": board.grades,
        "By source: shares of all good and all bad work": board.sources,
        "By rule of the policy": board.rules,
        "Not in the headline": board.aside,
    }
    return "".join(
        f"<h3>{title}</h3>{_table(heads, [cells(one) for one in slices])}"
        for title, slices in parts.items()
        if slices
    )


def _worst(name: str, found: Sequence[Confusion], most: int) -> str:
    if not found:
        return ""
    shown = "" if len(found) <= most else f"; the worst {most} are shown"
    inside = "".join(_confusion(one) for one in found[:most])
    title = f"{name[0].upper()}{name[1:]}, worst first"
    return f'<h2>{title}</h2><p class="faint">{len(found):,} in all{shown}.</p>{inside}'


def _confusion(found: Confusion) -> str:
    one = found.outcome
    lines = {
        "asked for": one.asked_for,
        "because": one.reason,
        "policy": found.decider.sentence,
        "expected": " by ".join(one.expected or ()),
    }
    told = "".join(
        f'<div><span class="faint">{name}:</span> {_clean(text)}</div>'
        for name, text in lines.items()
        if text
    )
    where = " · ".join(filter(None, (one.key, one.category, one.grade)))
    return (
        f"<article><strong>{one.verdict}</strong> by {_clean(str(found.decider))} "
        f'<span class="faint">{_clean(where)}</span><pre>{_clean(one.action)}</pre>{told}</article>'
    )


def _blames(blames: Sequence[Blame]) -> str:
    rows = [
        (
            str(one.decider),
            *map(count, (one.good_denied, one.good_asked, one.bad_missed, one.bad_stopped)),
        )
        for one in blames
    ]
    heads = ("who decided", "good denied", "good asked", "bad missed", "bad stopped")
    told = "Change the rule or sentence, run again, and compare: both sides have to be looked at."
    return f"<h2>Who decided</h2><p>{told}</p>{_table(heads, rows)}" if rows else ""


def _facts(run: Run) -> str:
    text = _clean(json.dumps(run.facts, indent=2, sort_keys=True), most=100_000, lines=True)
    return f"<h2>How it was run</h2><details><summary>run.json</summary><pre>{text}</pre></details>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{_clean(head)}</th>' for head in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{_clean(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f'<div class="scroll" tabindex="0"><table><tr>{top}</tr>{body}</table></div>'


def _figure(title: str, told: str, drawn: str) -> str:
    return f"<h3>{title}</h3><figure>{drawn}<figcaption>{told}</figcaption></figure>"


def _clean(text: str, most: int = LONGEST_TEXT, *, lines: bool = False) -> str:
    """Text of a case may hold anything: markup is escaped, and so is what cannot be seen."""
    short = text if len(text) <= most else f"{text[: most - 1]}…"
    parts = short.split("\n") if lines else [short]
    return escape("\n".join(map(printable, parts)))
