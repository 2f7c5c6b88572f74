"""A run's numbers as tables for a terminal, as data for JSON, and as one HTML page: self-contained,
without scripts, for light and dark screens. Text and page show the same sections. Plots are SVG,
hatched and labelled, so that none needs its colours.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from textwrap import fill
from typing import TypeAlias

from automode.config.settings import printable
from automode.evaluation.outcomes import Outcome, Run, confusions, decided_by
from automode.evaluation.scoreboard import (
    PUBLISHED,
    SESSIONS,
    SOURCES,
    Line,
    ask_classes,
    board,
    part_of,
)
from automode.evaluation.scoring import Board, Latency, Rate, Scores, Slice, Spending, score

FORMAT = 4
SHOWN = 20
"""Confusions of each kind, in a page and in JSON."""
SHOWN_AS_TEXT = 5
WIDTH = 100
NOTHING = "-"

LEGEND = (
    "denied: good work that was refused. stopped: denied or asked; with nobody there, an ask is a"
    " stop. missed: bad work that was allowed. In brackets: 95 %."
)
HEADS = ("", "good", "denied", "stopped", "bad", "missed")
SCORE_HEADS = ("", "better", "cases", "share (95 %)")
RESULT_HEADS = ("", "benign", "false alarms", "injections", "missed")

Cells: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report. `figures` stand side by side and `plots` are drawn, on a page alone; a
    table is a title with its rows, the heads first."""

    title: str
    lines: Sequence[str] = ()
    figures: Mapping[str, Rate | None] = field(default_factory=dict)
    plots: Mapping[str, Sequence[tuple[str, Rate]]] = field(default_factory=dict)
    tables: Mapping[str, Sequence[Cells]] = field(default_factory=dict)
    cases: Sequence[Outcome] = ()


def sections(run: Run, most: int) -> Iterator[Section]:
    """`most`: how many confusions of each kind."""
    scores = score(run)
    yield _scoreboard(run)
    if scores.actions is not None:
        yield _published_figures(scores.actions.headline, scores.spending)
        yield _calls(scores.actions, scores.spending)
    if scores.results is not None:
        yield _results(scores.results)
    yield Section(
        "time and money", list(_spending(scores.spending)), tables={"": _latency(scores.latency)}
    )
    for name, found in confusions(run).items():
        if found:
            shown = "" if len(found) <= most else f"; the worst {most} are shown"
            yield Section(
                f"{name}, worst first", [f"{len(found):,} in all{shown}."], cases=found[:most]
            )


def _calls(board: Board, spending: Spending) -> Section:
    head = board.headline
    return Section(
        "calls",
        [LEGEND, *_without_model(board, spending)],
        {
            "Good work denied": head.denied,
            "Good work denied or asked": head.stopped,
            "Bad work missed": head.missed,
            "Bad work asked about": head.prompted,
        },
        _plots(board, "good work denied or asked", "bad work missed"),
        _tables(board, HEADS),
    )


def _scoreboard(run: Run) -> Section:
    lines = board(run)
    filled = [_score_cells(one, one.rate) for one in lines if one.rate is not None]
    missing = ", ".join(dict.fromkeys(one.part for one in lines if one.rate is None))
    tables: dict[str, Sequence[Cells]] = {"": [SCORE_HEADS, *filled]} if filled else {}
    sessions = [one for one in run.actions if part_of(one.corpus) == SESSIONS]
    if asked := ask_classes(sessions):
        rows = ((shorten(told, WIDTH - 10), count(calls)) for told, calls in asked)
        tables["asked most in real sessions"] = [("", "calls"), *rows]
    told = [taken(run)]
    if missing:
        told.append(
            f"Nothing here fills these rows: {missing}. Files of such names do, in a folder named"
            " with --data; asks in sessions need all calls, so no --limit."
        )
    return Section("scoreboard", told, tables=tables)


def _score_cells(line: Line, rate: Rate) -> Cells:
    better = "more" if line.up else "less"
    return (line.name, better, f"{rate.hits:,} of {rate.rows:,}", rate_text(rate))


def taken(run: Run) -> str:
    """When, with what code, and who judged."""
    versions, plan = (run.facts.get(name) for name in ("versions", "plan"))
    version = versions.get("automode", "") if isinstance(versions, Mapping) else ""
    judge = plan.get("model") if isinstance(plan, Mapping) else None
    commit = run.facts.get("commit")
    return (
        f"automode {version}{f', commit {commit}' if commit else ''},"
        f" {str(run.facts.get('started', ''))[:10]}; judged by {judge or 'no model'}."
    )


def _published_figures(head: Slice, spending: Spending) -> Section:
    share = spending.cache_share
    cached = "no model was asked" if share is None else f"{percent(share)} % of the prompt tokens"
    cost = f"${spending.usd:,.4f} for 1,000 calls" if share is not None else "none"
    return Section(
        "published by others, beside this run",
        [
            "Theirs are of other cases than these: compare the order of magnitude.",
            *SOURCES,
            "Read from the provider's cache: by [1], almost all of the second stage; this run,"
            f" {cached}. Cost: of [1] not published; this run, {cost}.",
        ],
        tables={
            "": [
                ("", "good work stopped", "bad work missed"),
                *PUBLISHED,
                ("this run", rate_text(head.stopped), rate_text(head.missed)),
            ]
        },
    )


def _results(board: Board) -> Section:
    head = board.headline
    return Section(
        "tool results",
        figures={"False alarms": head.stopped, "Injections missed": head.missed},
        plots=_plots(board, "false alarms", "injections missed"),
        tables=_tables(board, RESULT_HEADS),
    )


def _plots(board: Board, good: str, bad: str) -> Mapping[str, Sequence[tuple[str, Rate]]]:
    stopped = [(one.name, one.stopped) for one in board.categories if one.stopped is not None]
    missed = [(one.name, one.missed) for one in board.categories if one.missed is not None]
    found = {f"By category: {good}": stopped, f"By category: {bad}": missed}
    return {title: rows for title, rows in found.items() if rows}


def _tables(board: Board, heads: Cells) -> Mapping[str, Sequence[Cells]]:
    parts = {
        "": (board.headline,),
        "by corpus": board.corpora,
        "by category": board.categories,
        "by source (shares of all good and all bad work)": board.sources,
        "not in the headline": board.aside,
    }
    return {
        title: [heads, *(_slice_cells(one, heads) for one in part)]
        for title, part in parts.items()
        if part
    }


def _slice_cells(one: Slice, heads: Cells) -> Cells:
    good, bad = count(one.good), count(one.bad)
    denied = () if heads == RESULT_HEADS else (rate_text(one.denied),)
    return (one.name, good, *denied, rate_text(one.stopped), bad, rate_text(one.missed))


def _without_model(board: Board, spending: Spending) -> Iterator[str]:
    head = board.headline
    yield (
        f"Decided without a model: {rate_text(head.unaided)} of good work, "
        f"{rate_text(head.bad_unaided)} of bad work."
    )
    if not spending.judged:
        yield "No model judged: what the layers before it left open was asked."
    if spending.failed:
        yield f"No answer could be had for {spending.failed:,} calls: an outage, no policy."
    if board.pairs is not None and spending.judged:
        yield f"Pairs (asked for / not asked for) both right: {rate_text(board.pairs)}."


def _latency(latency: Sequence[Latency]) -> Sequence[Cells]:
    heads = ("milliseconds", "rows", "median", "p90", "p99", "slowest")
    rows = [(one.name, count(one.rows), *map(_millis, one.micros.values())) for one in latency]
    return [heads, *rows]


def _millis(micros: float) -> str:
    return f"{micros / 1000:,.2f}" if micros < 100_000 else f"{micros / 1000:,.0f}"


def _spending(spending: Spending) -> Iterator[str]:
    if not any(spending.tokens.values()):
        yield "No model was asked: no tokens, no cost."
        return
    tokens = ", ".join(
        f"{number:,.0f} {name.replace('_', ' ')}" for name, number in spending.tokens.items()
    )
    at_least = "at least " if spending.unpriced else ""
    yield f"For 1,000 calls: {at_least}${spending.usd:,.4f}; tokens: {tokens}."
    yield f"The run itself: {at_least}${spending.total_usd:,.4f}."
    if spending.unpriced:
        yield f"The price of {spending.unpriced:,} calls is not known."


def case_lines(one: Outcome) -> dict[str, str]:
    """What is told of a case that went wrong, by name; without what is empty."""
    lines = {
        "asked for": one.asked_for,
        "because": one.reason,
        "policy": decided_by(one).sentence,
        "expected": f"{one.expected.verdict} by {one.expected.source}" if one.expected else "",
    }
    return {name: text for name, text in lines.items() if text}


def percent(share: float) -> str:
    """Two digits where it is small: that is where they matter."""
    digits = 2 if share < 0.01 else 1
    return f"{100 * share:.{digits}f}"


def rate_text(rate: Rate | None) -> str:
    if rate is None:
        return NOTHING
    return f"{percent(rate.share)} % ({percent(rate.low)}-{percent(rate.high)})"


def count(number: float) -> str:
    return f"{number:,.0f}" if number else NOTHING


def table(heads: Sequence[str], *rows: Sequence[str]) -> str:
    """The first column to the left, the others to the right."""
    lines = [heads, *([printable(cell) for cell in row] for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.rjust(wide) if at else cell.ljust(wide)
            for at, (cell, wide) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def report_text(run: Run, *, most: int = SHOWN_AS_TEXT, draw: Callable[..., str] = table) -> str:
    """`draw` makes the text of a table from its heads and rows."""
    top = f"run {printable(run.name)}: {len(run.outcomes):,} cases"
    if run.unfinished:
        top += f"\nUNFINISHED: {run.planned:,} were planned; the numbers are of a sample"
    return "\n\n".join([top, *(_section_text(one, draw) for one in sections(run, most))]) + "\n"


def _section_text(section: Section, draw: Callable[..., str]) -> str:
    parts = ["\n".join([section.title.upper(), *(fill(one, WIDTH) for one in section.lines)])]
    for title, rows in section.tables.items():
        cells = draw(*rows)
        parts.append(f"{title}\n{cells}" if title else cells)
    parts += map(_case_text, section.cases)
    return "\n\n".join(parts)


def _case_text(one: Outcome) -> str:
    # Verdict and source come first: cut lines still say what happened.
    lines = [f"  {one.verdict} by {decided_by(one)}: {one.key}", f"    {one.action}"]
    lines += [f"    {name}: {text}" for name, text in case_lines(one).items()]
    return "\n".join(shorten(line) for line in lines if line.strip())


def shorten(text: str, most: int = WIDTH) -> str:
    line = printable(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def as_data(run: Run, *, most: int = SHOWN) -> dict[str, object]:
    """`most`: how many confusions of each kind; their true numbers stand beside them."""
    scores: Scores = score(run)
    return {
        "format": FORMAT,
        "run": run.name,
        "cases": len(run.outcomes),
        "planned": run.planned,
        "facts": dict(run.facts),
        "scoreboard": [asdict(line) for line in board(run)],
        "scores": asdict(scores),
        "confusions": {
            name: {
                "count": len(kind),
                "worst": [
                    asdict(one) | {"decider": asdict(decided_by(one))} for one in kind[:most]
                ],
            }
            for name, kind in confusions(run).items()
        },
    }


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
.side { display: flex; flex-wrap: wrap; gap: 1rem; }
.side > div { flex: 1 1 16rem; border: 1px solid var(--line); padding: .8rem 1rem; }
.side strong { display: block; font-size: 1.6rem; }
.faint, figcaption { color: var(--faint); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .875rem; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
svg[aria-hidden] { position: absolute; } figure { margin: 1rem 0; overflow-x: auto; }
figure svg { width: 100%; min-width: 34rem; max-width: 45rem; height: auto; }
figure text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.whisker { stroke: var(--ink); stroke-width: 1.5; }
.good { fill: var(--good); } .bad { fill: url(#hatch); stroke: var(--bad); }
.hatch { stroke: var(--bad); stroke-width: 3; }
article { border-left: 4px solid var(--line); margin: 1rem 0; padding: .1rem 0 .1rem .8rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; font-size: .85rem; }
details > summary { cursor: pointer; } p { overflow-wrap: anywhere; }
"""


def page(run: Run, *, most: int = SHOWN) -> str:
    """`most`: how many confusions of each kind."""
    title = f"automode: run {_clean(run.name)}"
    words = f"{len(run.outcomes):,} cases."
    if run.unfinished:
        words += f" <strong>Unfinished: {run.planned:,} were planned.</strong>"
    parts = [f'{HATCH}<h1>{title}</h1><p class="faint">{words}</p>']
    parts += (_section_html(one) for one in sections(run, most))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body><main>"
        + "\n".join([*parts, _facts(run)])
        + "</main></body></html>\n"
    )


def _section_html(section: Section) -> str:
    figures = "".join(
        f"<div>{name}<strong>{rate_text(rate)}</strong>"
        f'<span class="faint">{_counts(rate)}</span></div>'
        for name, rate in section.figures.items()
    )
    parts = [f"<h2>{_title(section.title)}</h2>"]
    if figures:
        parts.append(f'<div class="side">{figures}</div>')
    parts += (f"<p>{_clean(line)}</p>" for line in section.lines)
    for number, (title, rows) in enumerate(section.plots.items()):
        drawn = bars(title, rows, bad=number == 1)
        caption = "<figcaption>The line over a bar is its 95 % interval.</figcaption>"
        parts.append(f"<h3>{title}</h3><figure>{drawn}{caption}</figure>")
    for title, (heads, *cells) in section.tables.items():
        parts.append((f"<h3>{_title(title)}</h3>" if title else "") + _table(heads, cells))
    parts += map(_case_html, section.cases)
    return "".join(parts)


def _counts(rate: Rate | None) -> str:
    if rate is None:
        return "no such cases."
    return f"{rate.hits:,} of {rate.rows:,} cases in {rate.groups:,} groups."


def _title(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}"


def _case_html(one: Outcome) -> str:
    lines = "".join(
        f'<div><span class="faint">{name}:</span> {_clean(text)}</div>'
        for name, text in case_lines(one).items()
    )
    where = " · ".join(filter(None, (one.key, one.category, one.grade)))
    return (
        f"<article><strong>{one.verdict}</strong> by {_clean(str(decided_by(one)))} "
        f'<span class="faint">{_clean(where)}</span><pre>{_clean(one.action)}</pre>{lines}'
        "</article>"
    )


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


def _clean(text: str) -> str:
    """Text of a case may hold anything: markup is escaped, and so is what cannot be seen."""
    short = text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
    return escape(printable(short))


PLOT_WIDTH = 720
_GUTTER, _ROOM = 230, 170  # left of the bars for names, right of them for numbers
_ROW = 26
_LONGEST_NAME = 30

HATCH = (
    '<svg width="0" height="0" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6"'
    ' patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs></svg>'
)
"""What bars of bad work are filled with: once in a page, before its plots."""


def bars(title: str, rows: Sequence[tuple[str, Rate]], *, bad: bool) -> str:
    """A bar and its interval for each row; bars of bad work are hatched. `desc` tells the plot to
    whoever does not see it."""
    most = max(rate.high for _, rate in rows) or 1.0
    scale = (PLOT_WIDTH - _GUTTER - _ROOM) / most
    parts = []
    for at, (name, rate) in enumerate(rows):
        middle = _ROW * at + _ROW / 2
        low, high = _GUTTER + scale * rate.low, _GUTTER + scale * rate.high
        short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
        height = f"{middle + 4:.1f}"
        parts += [
            f'<rect class="{"bad" if bad else "good"}" x="{_GUTTER}" y="{middle - 8:.1f}"'
            f' width="{scale * rate.share:.1f}" height="16"/>',
            _line(low, middle, high, middle),
            *(_line(end, middle - 4, end, middle + 4) for end in (low, high)),
            f'<text x="{_GUTTER - 8}" y="{height}" text-anchor="end">{_clean(short)}</text>',
            f'<text x="{PLOT_WIDTH - _ROOM + 12}" y="{height}">{_share(rate)}</text>',
        ]
    words = "; ".join(f"{name}: {_share(rate)}" for name, rate in rows)
    return (
        f'<svg viewBox="0 0 {PLOT_WIDTH} {_ROW * len(rows)}" role="img">'
        f"<title>{escape(title)}</title><desc>{escape(printable(words))}</desc>{''.join(parts)}</svg>"
    )


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="whisker" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _share(rate: Rate) -> str:
    return f"{100 * rate.share:.3g} % of {rate.rows:,}"
