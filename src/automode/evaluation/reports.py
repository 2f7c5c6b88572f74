"""A run's numbers as tables for a terminal, and as data for JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TypeAlias

from automode.config.settings import printable
from automode.evaluation.outcomes import SHOWN, Blame, Confusion, Confusions, Run
from automode.evaluation.scoring import Board, Latency, Rate, Scores, Slice, Spending

FORMAT = 2
WORST = 5
WIDTH = 100
MOST_RULES = 12
WIDEST_NAME = 50
NOTHING = "-"

LEGEND = (
    "denied: good work that was refused. stopped: denied or asked; with nobody there, an ask is a"
    " stop. missed: bad work that was allowed. In brackets: 95 %."
)
HEADS = ("", "good", "denied", "stopped", "bad", "missed")
RESULT_HEADS = ("", "benign", "false alarms", "injections", "missed")

Rows: TypeAlias = list[tuple[str, ...]]


def report_text(run: Run, scores: Scores, found: Confusions, *, most: int = WORST) -> str:
    parts = [f"run {printable(run.name)}: {len(run.outcomes):,} cases"]
    if run.unfinished:
        parts[0] += f"\nUNFINISHED: {run.planned:,} were planned; the numbers are of a sample"
    if scores.actions is not None:
        parts += [*_tables("calls", scores.actions, HEADS), LEGEND]
        parts.append("\n".join(_without_model(scores.actions, scores.spending)))
    if scores.results is not None:
        parts += _tables("tool results", scores.results, RESULT_HEADS)
    parts += [table(*latency_table(scores.latency)), "\n".join(spending_lines(scores.spending))]
    parts += _blame_table(found.blames)
    for title, kind in found.kinds.items():
        if kind:
            shown = "" if len(kind) <= most else f", the first {most}"
            lines = [f"{title}, worst first ({len(kind):,}{shown})", *map(_confusion, kind[:most])]
            parts.append("\n".join(lines))
    return "\n\n".join(part for part in parts if part) + "\n"


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


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
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


def slice_cells(one: Slice, heads: tuple[str, ...]) -> tuple[str, ...]:
    good, bad = count(one.good), count(one.bad)
    denied = () if heads == RESULT_HEADS else (rate_text(one.denied),)
    return (one.name, good, *denied, rate_text(one.stopped), bad, rate_text(one.missed))


def board_tables(board: Board, heads: tuple[str, ...]) -> dict[str, Rows]:
    """By title. Of the rules only those that went wrong most: there are too many to read."""
    ranked = sorted(board.rules, key=lambda one: (-_wrong(one), one.name))[:MOST_RULES]
    parts = {
        "by corpus": board.corpora,
        "by category": board.categories,
        "by grade of the label": board.grades,
        "by source (shares of all good and all bad work)": board.sources,
        "not in the headline": board.aside,
        f"by rule of the policy, the worst of {len(board.rules)}": filter(_wrong, ranked),
    }
    found = {title: [slice_cells(one, heads) for one in part] for title, part in parts.items()}
    return {title: rows for title, rows in found.items() if rows}


def _wrong(one: Slice) -> int:
    return sum(rate.hits for rate in (one.stopped, one.missed) if rate is not None)


def _tables(name: str, board: Board, heads: tuple[str, ...]) -> Iterator[str]:
    parts = {name: [slice_cells(board.headline, heads)], **board_tables(board, heads)}
    yield from (f"{title}\n{table(heads, rows)}" for title, rows in parts.items())


def _without_model(board: Board, spending: Spending) -> Iterator[str]:
    head = board.headline
    yield (
        f"decided without a model: {rate_text(head.unaided)} of good work, "
        f"{rate_text(head.bad_unaided)} of bad work"
    )
    if not spending.judged:
        yield "no model judged: what the layers before it left open was asked"
    if spending.failed:
        yield f"no answer could be had for {spending.failed:,} calls: an outage, no policy"
    if board.pairs is not None and spending.judged:
        yield f"pairs (asked for / not asked for) both right: {rate_text(board.pairs)}"
    if len(board.stages) > 1:
        rows = [(p.name, rate_text(p.stopped), rate_text(p.missed)) for p in board.stages]
        yield "\n" + table(("if it ended there", "good stopped", "bad missed"), rows)


def latency_table(latency: Sequence[Latency]) -> tuple[tuple[str, ...], Rows]:
    heads = ("milliseconds", "rows", "median", "p90", "p99", "slowest")
    return heads, [
        (one.name, count(one.rows), *map(_millis, one.micros.values())) for one in latency
    ]


def _millis(micros: float) -> str:
    return f"{micros / 1000:,.2f}" if micros < 100_000 else f"{micros / 1000:,.0f}"


def spending_lines(spending: Spending) -> Iterator[str]:
    """None where no model was asked."""
    if not any(spending.tokens.values()):
        return
    tokens = ", ".join(
        f"{number:,.0f} {name.replace('_', ' ')}" for name, number in spending.tokens.items()
    )
    at_least = "at least " if spending.unpriced else ""
    yield f"for 1,000 calls: {at_least}${spending.usd:,.4f}; tokens: {tokens}"
    yield f"the run itself: {at_least}${spending.total_usd:,.4f}"
    if spending.unpriced:
        yield f"the price of {spending.unpriced:,} calls is not known"


BLAME_HEADS = ("who decided", "good denied", "good asked", "bad missed", "bad stopped")


def blame_cells(one: Blame) -> tuple[str, ...]:
    counts = (one.good_denied, one.good_asked, one.bad_missed, one.bad_stopped)
    return (str(one.decider), *map(count, counts))


def _blame_table(blames: Sequence[Blame]) -> list[str]:
    """Both sides of whoever went wrong: what to change, and what else that would change."""
    wrong = [blame_cells(one) for one in blames if one.wrong]
    shown = "" if len(wrong) <= MOST_RULES else f", the first {MOST_RULES} of {len(wrong)}"
    rows = [(name[:WIDEST_NAME], *cells) for name, *cells in wrong[:MOST_RULES]]
    heads = (f"{BLAME_HEADS[0]}{shown}", *BLAME_HEADS[1:])
    return [table(heads, rows)] if rows else []


def confusion_lines(found: Confusion) -> dict[str, str]:
    """What is told of a case that went wrong, by name; without what is empty."""
    one = found.outcome
    lines = {
        "asked for": one.asked_for,
        "because": one.reason,
        "policy": found.decider.sentence,
        "expected": " by ".join(one.expected or ()),
    }
    return {name: text for name, text in lines.items() if text}


def _confusion(found: Confusion) -> str:
    one = found.outcome
    # Verdict and source come first: cut lines still say what happened.
    lines = [f"  {one.verdict} by {found.decider}: {one.key}", f"    {one.action}"]
    lines += [f"    {name}: {text}" for name, text in confusion_lines(found).items()]
    return "\n".join(shorten(line) for line in lines if line.strip())


def shorten(text: str) -> str:
    line = printable(text)
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def as_data(run: Run, scores: Scores, found: Confusions, *, most: int = SHOWN) -> dict[str, object]:
    """`most`: how many confusions of each kind; their true numbers stand beside them."""
    kinds = {
        "stopped": found.stopped,
        "missed": found.missed,
        "unexpected": found.unexpected,
        "falseAlarms": found.false_alarms,
        "overlooked": found.overlooked,
    }
    return {
        "format": FORMAT,
        "run": run.name,
        "cases": len(run.outcomes),
        "planned": run.planned,
        "facts": dict(run.facts),
        "scores": asdict(scores),
        "confusions": {
            name: {"count": len(kind), "worst": [_confusion_data(one) for one in kind[:most]]}
            for name, kind in kinds.items()
        },
        "deciders": [
            asdict(blame.decider)
            | {
                "goodDenied": blame.good_denied,
                "goodAsked": blame.good_asked,
                "badStopped": blame.bad_stopped,
                "badMissed": blame.bad_missed,
            }
            for blame in found.blames
        ],
    }


def _confusion_data(found: Confusion) -> dict[str, object]:
    one = found.outcome
    names = "id corpus category grade verdict source reason clearable score tool action".split()
    return {name: getattr(one, name) for name in names} | {
        "label": "good" if one.good else "bad",
        "headline": one.counted,
        "rule": found.decider.rule,
        "sentence": found.decider.sentence,
        "expected": None if one.expected is None else list(one.expected),
        "askedFor": one.asked_for,
    }
