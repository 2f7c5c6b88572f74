"""A run's numbers as tables for a terminal, and as data for JSON."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

from automode.config.diagnostics import printable
from automode.evaluation.confusions import SHOWN, Blame, Confusion, Confusions
from automode.evaluation.curves import Rate
from automode.evaluation.outcomes import Run
from automode.evaluation.scoring import Board, Latency, Scores, Slice, Spending

WORST = 5
WIDTH = 100
MOST_RULES = 12
WIDEST_NAME = 50
NOTHING = "-"

LEGEND = (
    "denied: good work that was refused. stopped: denied or asked; with nobody there, an ask is a"
    " stop. missed: bad work that was allowed. In brackets: 95 %."
)
_HEADS = ("", "good", "denied", "stopped", "bad", "missed")
_RESULT_HEADS = ("", "benign", "false alarms", "injections", "missed")


def report_text(run: Run, scores: Scores, found: Confusions, *, most: int = WORST) -> str:
    parts = [_opening(run)]
    if scores.actions is not None:
        parts += [*_board("calls", scores.actions, _HEADS, slice_cells), LEGEND]
        parts += _without_model(scores.actions, scores.spending)
    if scores.results is not None:
        parts += _board("tool results", scores.results, _RESULT_HEADS, result_cells)
    parts += [_latency(scores.latency), *_spent(scores.spending)]
    parts += _deciders(found.blames)
    for title, kind in found.kinds.items():
        parts += _worst(f"{title}, worst first", kind, most)
    return "\n\n".join(part for part in parts if part) + "\n"


def percent(share: float) -> str:
    """Two digits where it is small: that is where they matter."""
    digits = 2 if share < 0.01 else 1
    return f"{100 * share:.{digits}f}"


def rate_text(rate: Rate | None) -> str:
    if rate is None:
        return NOTHING
    return f"{percent(rate.share)} % ({percent(rate.low)}-{percent(rate.high)})"


def slice_cells(one: Slice) -> tuple[str, ...]:
    good = (count(one.good), rate_text(one.denied), rate_text(one.stopped))
    bad = (count(one.bad), rate_text(one.missed))
    return (one.name, *good, *bad)


def result_cells(one: Slice) -> tuple[str, ...]:
    return (
        one.name,
        count(one.good),
        rate_text(one.stopped),
        count(one.bad),
        rate_text(one.missed),
    )


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


def _opening(run: Run) -> str:
    lines = [f"run {printable(run.name)}: {len(run.outcomes):,} cases"]
    if run.unfinished:
        lines.append(f"UNFINISHED: {run.planned:,} were planned; the numbers are of a sample")
    return "\n".join(lines)


def _board(
    name: str,
    board: Board,
    heads: tuple[str, ...],
    cells: Callable[[Slice], tuple[str, ...]],
) -> list[str]:
    parts = {
        name: (board.headline,),
        "by corpus": board.corpora,
        "by category": board.categories,
        "by grade of the label": board.grades,
        "by source (shares of all good and all bad work)": board.sources,
        "not in the headline": board.aside,
        **_rules(board),
    }
    return [
        f"{title}\n{table(heads, [cells(one) for one in slices])}"
        for title, slices in parts.items()
        if slices
    ]


def _rules(board: Board) -> dict[str, tuple[Slice, ...]]:
    """There are too many to read: only those that went wrong most."""
    ranked = sorted(board.rules, key=lambda one: (-_wrong(one), one.name))[:MOST_RULES]
    wrong = tuple(one for one in ranked if _wrong(one))
    return {f"by rule of the policy, the worst of {len(board.rules)}": wrong}


def _wrong(one: Slice) -> int:
    return sum(rate.hits for rate in (one.stopped, one.missed) if rate is not None)


def _without_model(board: Board, spending: Spending) -> list[str]:
    head = board.headline
    lines = [
        f"decided without a model: {rate_text(head.unaided)} of good work, "
        f"{rate_text(head.bad_unaided)} of bad work"
    ]
    if not spending.judged:
        lines.append("no model judged: what the layers before it left open was asked")
    if spending.failed:
        lines.append(f"no answer could be had for {spending.failed:,} calls: an outage, no policy")
    if board.pairs is not None and spending.judged:
        lines.append(f"pairs (asked for / not asked for) both right: {rate_text(board.pairs)}")
    if len(board.stages) > 1:
        rows = [(p.name, rate_text(p.stopped), rate_text(p.missed)) for p in board.stages]
        lines.append("\n" + table(("if it ended there", "good stopped", "bad missed"), rows))
    return ["\n".join(lines)]


def _latency(latency: Sequence[Latency]) -> str:
    rows = [
        (one.name, count(one.rows), *(millis(micros) for micros in one.micros.values()))
        for one in latency
    ]
    return table(("milliseconds", "rows", "median", "p90", "p99", "slowest"), rows)


def millis(micros: float) -> str:
    return f"{micros / 1000:,.2f}" if micros < 100_000 else f"{micros / 1000:,.0f}"


def _spent(spending: Spending) -> list[str]:
    if not any(spending.tokens.values()):
        return []
    tokens = ", ".join(
        f"{number:,.0f} {name.replace('_', ' ')}" for name, number in spending.tokens.items()
    )
    at_least = "at least " if spending.unpriced else ""
    lines = [
        f"for 1,000 calls: {at_least}${spending.usd:,.4f}; tokens: {tokens}",
        f"the run itself: {at_least}${spending.total_usd:,.4f}",
    ]
    if spending.unpriced:
        lines.append(f"the price of {spending.unpriced:,} calls is not known")
    return ["\n".join(lines)]


def _deciders(blames: Sequence[Blame]) -> list[str]:
    """Both sides of whoever went wrong: what to change, and what else that would change."""
    wrong = [one for one in blames if one.wrong]
    shown = "" if len(wrong) <= MOST_RULES else f", the first {MOST_RULES} of {len(wrong)}"
    heads = (f"who decided{shown}", "good denied", "good asked", "bad missed", "bad stopped")
    rows = [
        (
            str(one.decider)[:WIDEST_NAME],
            *map(count, (one.good_denied, one.good_asked, one.bad_missed, one.bad_stopped)),
        )
        for one in wrong[:MOST_RULES]
    ]
    return [table(heads, rows)] if rows else []


def _worst(title: str, found: Sequence[Confusion], most: int) -> list[str]:
    if not found:
        return []
    shown = "" if len(found) <= most else f", the first {most}"
    return [f"{title} ({len(found):,}{shown})\n" + "\n".join(map(_confusion, found[:most]))]


def _confusion(found: Confusion) -> str:
    one = found.outcome
    # Verdict and source come first: cut lines still say what happened.
    lines = [
        f"  {one.verdict} by {found.decider}: {one.key}",
        f"    {one.action}",
        f"    asked for: {one.asked_for}" if one.asked_for else "",
        f"    because: {one.reason}" if one.reason else "",
        f"    policy: {found.decider.sentence}" if found.decider.sentence else "",
        f"    expected: {' by '.join(one.expected)}" if one.expected else "",
    ]
    return "\n".join(shorten(line) for line in lines if line.strip())


def shorten(text: str) -> str:
    line = printable(text)
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


FORMAT = 1


def as_data(run: Run, scores: Scores, found: Confusions, *, most: int = SHOWN) -> dict[str, object]:
    """`most`: how many confusions of each kind; their true numbers stand beside them."""
    return {
        "format": FORMAT,
        "run": run.name,
        "cases": len(run.outcomes),
        "planned": run.planned,
        "facts": dict(run.facts),
        "scores": asdict(scores),
        "confusions": {
            "stopped": _confusions_data(found.stopped, most),
            "missed": _confusions_data(found.missed, most),
            "unexpected": _confusions_data(found.unexpected, most),
            "falseAlarms": _confusions_data(found.false_alarms, most),
            "overlooked": _confusions_data(found.overlooked, most),
        },
        "deciders": [
            {
                "source": blame.decider.source,
                "rule": blame.decider.rule,
                "sentence": blame.decider.sentence,
                "goodDenied": blame.good_denied,
                "goodAsked": blame.good_asked,
                "badStopped": blame.bad_stopped,
                "badMissed": blame.bad_missed,
            }
            for blame in found.blames
        ],
    }


def _confusions_data(found: tuple[Confusion, ...], most: int) -> dict[str, object]:
    return {"count": len(found), "worst": [_confusion_data(one) for one in found[:most]]}


def _confusion_data(found: Confusion) -> dict[str, object]:
    one = found.outcome
    return {
        "id": one.id,
        "corpus": one.corpus,
        "label": "good" if one.good else "bad",
        "category": one.category,
        "grade": one.grade,
        "headline": one.counted,
        "verdict": one.verdict,
        "source": one.source,
        "rule": found.decider.rule,
        "sentence": found.decider.sentence,
        "reason": one.reason,
        "clearable": one.clearable,
        "score": one.score,
        "expected": None if one.expected is None else list(one.expected),
        "tool": one.tool,
        "action": one.action,
        "askedFor": one.asked_for,
    }
