"""Two runs side by side: which verdicts changed, for better or worse, and whether that is chance.

Only cases that both runs decided are compared. Good and bad work, calls and results stay apart: a
change that helps the one and hurts the other must show as both.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from automode.config.diagnostics import printable
from automode.evaluation.confusions import decider
from automode.evaluation.curves import Member, Population, Rate
from automode.evaluation.outcomes import UNDECIDED, BadRun, Outcome, Run
from automode.evaluation.reports import rate_text, shorten, table

SHOWN = 20
FORMAT = 1
GOOD_CALLS, BAD_CALLS = "good work", "bad work"
BENIGN, INJECTIONS = "benign results", "injections"
# What is counted of each kind: always something that should not happen.
_NUMBERS: Mapping[str, Mapping[str, Callable[[Outcome], bool]]] = {
    GOOD_CALLS: {
        "good work denied": lambda one: one.denied,
        "good work stopped": lambda one: not one.allowed,
    },
    BAD_CALLS: {"bad work missed": lambda one: one.allowed},
    BENIGN: {"false alarms": lambda one: not one.allowed},
    INJECTIONS: {"injections missed": lambda one: one.allowed},
}
_TINY = 1e-6


@dataclass(frozen=True, slots=True)
class Change:
    """The same case in both runs, with another verdict."""

    before: Outcome
    after: Outcome

    @property
    def worse(self) -> bool:
        return wrongness(self.after) > wrongness(self.before)

    @property
    def better(self) -> bool:
        return wrongness(self.after) < wrongness(self.before)


@dataclass(frozen=True, slots=True)
class SignTest:
    """`chance`: how often a coin would lean at least so far to one side."""

    better: int
    worse: int
    chance: float


@dataclass(frozen=True, slots=True)
class Number:
    """One of the rates, before and after, and the cases that moved it. `groups` counts a group
    once, by where most of its cases went: the test to believe where cases share groups."""

    name: str
    before: Rate | None
    after: Rate | None
    rows: SignTest
    groups: SignTest


@dataclass(frozen=True, slots=True)
class Side:
    """One kind of case: what is counted of it, in the headline, and every verdict that changed."""

    name: str
    cases: int
    numbers: tuple[Number, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`relabelled` cases have another label in the other run and are not compared."""

    before: str
    after: str
    only_before: int
    only_after: int
    relabelled: tuple[str, ...]
    other_source: int
    sides: tuple[Side, ...]


def compare(before: Run, after: Run) -> Comparison:
    """Raises BadRun where the runs have no case in common."""
    first = {one.key: one for one in before.outcomes}
    second = {one.key: one for one in after.outcomes}
    common = sorted(first.keys() & second.keys())
    if not common:
        hint = "run the same corpora, with the same seed and limit"
        raise BadRun(f"`{before.name}` and `{after.name}` have no case in common", hint)
    alike = [key for key in common if _kind(first[key]) == _kind(second[key])]
    pairs = [(first[key], second[key]) for key in alike]
    return Comparison(
        before.name,
        after.name,
        only_before=len(first) - len(common),
        only_after=len(second) - len(common),
        relabelled=tuple(key for key in common if key not in set(alike)),
        other_source=sum(a.verdict == b.verdict and a.source != b.source for a, b in pairs),
        sides=tuple(
            _side(name, [pair for pair in pairs if _kind(pair[0]) == name])
            for name in _NUMBERS
            if any(_kind(pair[0]) == name for pair in pairs)
        ),
    )


def wrongness(one: Outcome) -> int:
    """0 is right. An ask is half wrong on either side: a person has to look."""
    if one.asked:
        return 1
    return 0 if one.allowed == one.good else 2


def sign_test(better: int, worse: int) -> SignTest:
    """Exact, both sides; what did not change says nothing."""
    whole, fewer = better + worse, min(better, worse)
    tail = ways = 1
    for count in range(fewer):
        ways = ways * (whole - count) // (count + 1)
        tail += ways
    return SignTest(better, worse, min(1.0, 2 * tail / 2**whole))


def _kind(one: Outcome) -> str:
    if one.screened:
        return BENIGN if one.good else INJECTIONS
    return GOOD_CALLS if one.good else BAD_CALLS


def _side(name: str, pairs: Sequence[tuple[Outcome, Outcome]]) -> Side:
    counted = [pair for pair in pairs if pair[0].counted and pair[1].counted]
    members = Population(Member(a.group, a.weight) for a, _ in counted)
    numbers = [_number(what, members, counted, counts) for what, counts in _NUMBERS[name].items()]
    changes = [Change(a, b) for a, b in pairs if a.verdict != b.verdict]
    return Side(name, len(pairs), tuple(numbers), tuple(sorted(changes, key=_worst_first)))


def _number(
    name: str,
    members: Population,
    pairs: Sequence[tuple[Outcome, Outcome]],
    counts: Callable[[Outcome], bool],
) -> Number:
    before, after = [counts(a) for a, _ in pairs], [counts(b) for _, b in pairs]
    moved = [was - now for was, now in zip(before, after, strict=True)]
    leaning: Counter[str] = Counter()
    for (one, _), better in zip(pairs, moved, strict=True):
        leaning[one.group] += better
    return Number(
        name, members.rate(before), members.rate(after), _signs(moved), _signs(leaning.values())
    )


def _signs(moved: Iterable[int]) -> SignTest:
    signs = [(one > 0) - (one < 0) for one in moved]
    return sign_test(signs.count(1), signs.count(-1))


def _worst_first(change: Change) -> tuple[int, str]:
    return wrongness(change.before) - wrongness(change.after), change.before.key


def as_data(found: Comparison, *, most: int = SHOWN) -> dict[str, object]:
    return {
        "format": FORMAT,
        "before": found.before,
        "after": found.after,
        "onlyBefore": found.only_before,
        "onlyAfter": found.only_after,
        "relabelled": list(found.relabelled),
        "otherSource": found.other_source,
        "sides": [
            {
                "name": side.name,
                "cases": side.cases,
                "numbers": [asdict(number) for number in side.numbers],
                "changed": len(side.changes),
                "changes": [_change_data(change) for change in side.changes[:most]],
            }
            for side in found.sides
        ],
    }


def _change_data(change: Change) -> dict[str, object]:
    return {
        "id": change.before.id,
        "corpus": change.before.corpus,
        "before": [change.before.verdict, change.before.source],
        "after": [change.after.verdict, change.after.source],
        "worse": change.worse,
        "better": change.better,
        "reason": change.after.reason,
        "action": change.after.action,
    }


def comparison_text(found: Comparison, *, most: int = SHOWN) -> str:
    rows = [
        (
            number.name,
            "-" if number.before is None else f"{number.before.rows:,}",
            rate_text(number.before),
            rate_text(number.after),
            f"{number.rows.better:,}",
            f"{number.rows.worse:,}",
            _chance(number.groups.chance),
        )
        for side in found.sides
        for number in side.numbers
    ]
    heads = ("", "cases", "before", "after", "better", "worse", "chance")
    parts = [
        f"before: {printable(found.before)}\nafter:  {printable(found.after)}",
        table(heads, rows),
        "chance: how likely a coin leans so far, group by group; below 0.05 it is hardly chance.",
        *_aside(found),
        *(_changes(side, most) for side in found.sides if side.changes),
    ]
    return "\n\n".join(parts) + "\n"


def _chance(chance: float) -> str:
    return f"{chance:.3g}" if chance >= _TINY else f"< {_TINY:g}"


def _aside(found: Comparison) -> Iterable[str]:
    if found.other_source:
        yield f"same verdict, other source: {found.other_source:,} cases"
    if found.only_before or found.only_after:
        yield f"not compared: {found.only_before:,} only before, {found.only_after:,} only after"
    if found.relabelled:
        yield f"not compared: {len(found.relabelled):,} with another label"


def _changes(side: Side, most: int) -> str:
    shown = "" if len(side.changes) <= most else f", the first {most}"
    lines = [f"{side.name}: {len(side.changes):,} verdicts changed{shown}"]
    for change in side.changes[:most]:
        word = "worse " if change.worse else "better" if change.better else "other "
        was, now = change.before, change.after
        lines.append(
            shorten(
                f"  {word} {was.verdict} ({was.source}) -> {now.verdict} ({now.source}): {now.key}"
            )
        )
        if now.action:
            lines.append(shorten(f"         {now.action}"))
        rules = [decider(one).rule for one in (was, now) if one.source != UNDECIDED]
        lines += [shorten(f"         rule: {rule}") for rule in rules if rule]
    return "\n".join(lines)
