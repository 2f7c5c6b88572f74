"""Two runs side by side: which verdicts changed, for better or worse, and whether that is chance;
and a run of our own cases beside the accepted one, a file in the repository.

Only cases that both runs decided are compared. Good and bad work, calls and results stay apart: a
change that helps the one and hurts the other must show as both.

The accepted state holds what needs no model, because only that is the same everywhere. A case that
got worse, went away or changed its label is a regression until a person accepts it; what got better
or is new is told, so that accepting it makes it hold.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from automode.config.settings import printable
from automode.core.decision import Failure
from automode.evaluation.cases import OWN, suite_name
from automode.evaluation.outcomes import (
    PASS,
    UNDECIDED,
    VERDICTS,
    WARN,
    BadRun,
    Outcome,
    Run,
    decider,
)
from automode.evaluation.reports import rate_text, shorten, table
from automode.evaluation.scoring import Rate, rate

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
    whole = better + worse
    tail = ways = 1
    for count in range(min(better, worse)):
        ways = ways * (whole - count) // (count + 1)
        tail += ways
    return SignTest(better, worse, min(1.0, 2 * tail / 2**whole))


def _kind(one: Outcome) -> str:
    if one.screened:
        return BENIGN if one.good else INJECTIONS
    return GOOD_CALLS if one.good else BAD_CALLS


def _side(name: str, pairs: Sequence[tuple[Outcome, Outcome]]) -> Side:
    counted = [pair for pair in pairs if pair[0].counted and pair[1].counted]
    numbers = [_number(what, counted, counts) for what, counts in _NUMBERS[name].items()]
    changes = [Change(a, b) for a, b in pairs if a.verdict != b.verdict]
    return Side(name, len(pairs), tuple(numbers), tuple(sorted(changes, key=_worst_first)))


def _number(
    name: str, pairs: Sequence[tuple[Outcome, Outcome]], counts: Callable[[Outcome], bool]
) -> Number:
    leaning: Counter[str] = Counter()
    for was, now in pairs:
        leaning[was.group] += counts(was) - counts(now)
    return Number(
        name,
        before=rate((was.group, was.weight, counts(was)) for was, _ in pairs),
        after=rate((was.group, was.weight, counts(now)) for was, now in pairs),
        rows=_signs(counts(was) - counts(now) for was, now in pairs),
        groups=_signs(leaning.values()),
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


FILE = "evaluation-baseline.json"
_HINT = "accept a run anew with `automode eval baseline FOLDER --accept`"


class Kind(StrEnum):
    WORSE = "worse"
    GONE = "gone"
    RELABELLED = "relabelled"
    BETTER = "better"
    NEW = "new"
    OTHER_SOURCE = "other source"


REGRESSIONS = (Kind.WORSE, Kind.GONE, Kind.RELABELLED)
Baseline: TypeAlias = Mapping[str, Outcome]
"""By corpus and id. Only label, verdict and source of these outcomes count."""


@dataclass(frozen=True, slots=True)
class Difference:
    """`before` and `after` are empty where there is no such case."""

    key: str
    kind: Kind
    before: str
    after: str

    @property
    def is_regression(self) -> bool:
        return self.kind in REGRESSIONS

    def __str__(self) -> str:
        was, now = self.before or "not there", self.after or "not there"
        return f"{self.kind}: {self.key}: {was} -> {now}"


def own_corpora() -> frozenset[str]:
    return frozenset(suite_name(path) for path in OWN.glob("*.jsonl"))


def baseline_of(run: Run, own: Collection[str]) -> Baseline:
    """`own` are the names of our own corpora. Raises BadRun where a run is not fit to be held
    against."""
    _check_fit(run, own)
    return {one.key: one for one in run.outcomes}


def differences(accepted: Baseline, run: Run, own: Collection[str]) -> tuple[Difference, ...]:
    """Regressions first. Raises BadRun like `baseline_of`: an unfit run proves nothing."""
    now = baseline_of(run, own)
    found = [
        Difference(key, kind, _line(accepted.get(key)), _line(now.get(key)))
        for key in accepted.keys() | now.keys()
        if (kind := _difference(accepted.get(key), now.get(key))) is not None
    ]
    return tuple(sorted(found, key=lambda one: (not one.is_regression, one.key)))


def read_baseline(path: str | Path) -> Baseline:
    """Raises BadRun: a baseline that cannot be read accepts nothing."""
    place = Path(path)
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except OSError as error:
        what = (error.strerror or type(error).__name__).lower()
        raise BadRun(f"`{place}` cannot be read: {what}", _HINT) from error
    except (ValueError, RecursionError) as error:
        raise BadRun(f"`{place}` is not JSON", _HINT) from error
    match found:
        case {"format": int(number), "cases": dict(cases)} if number == FORMAT and cases:
            return {key: _parse_line(key, text) for key, text in cases.items()}
        case _:
            raise BadRun(f"`{place}` is no baseline that this version knows", _HINT)


def write_baseline(accepted: Baseline, path: str | Path) -> None:
    """A line for each case, sorted: a change of a verdict is a change of one line. Under its name
    only when whole, so that a crash leaves the old one."""
    data = {
        "format": FORMAT,
        "counts": _counts(accepted),
        "cases": {key: _line(accepted[key]) for key in sorted(accepted)},
    }
    place = Path(path)
    partly = place.with_name(f"{place.name}.part")
    partly.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    partly.replace(place)


def _check_fit(run: Run, own: Collection[str]) -> None:
    anew = "run `automode eval --no-classifier --isolated`"
    if run.unfinished:
        hint = "run the same `automode eval` again: it goes on where it stopped"
        raise BadRun(f"`{run.name}` is unfinished", hint)
    for name in sorted(set(own) - {one.corpus for one in run.outcomes}):
        raise BadRun(
            f"`{run.name}` holds no case of `{name}`, which is ours", f"{anew}, without --suite"
        )
    for one in run.outcomes:
        if one.corpus not in own:
            what = f"`{run.name}` holds cases of `{one.corpus}`, which is not ours"
            raise BadRun(what, f"{anew}, without --data")
        if one.judged or one.tokens.get("input"):
            raise BadRun(f"`{one.key}` was judged by a model, which answers otherwise", anew)
        if one.error == Failure.UNAVAILABLE:
            hint = "run it again: an outage says nothing about the rules"
            raise BadRun(f"`{one.key}` could not be decided: {one.error}", hint)


def _difference(before: Outcome | None, after: Outcome | None) -> Kind | None:
    if before is None or after is None:
        return Kind.NEW if before is None else Kind.GONE
    if _kind(before) != _kind(after):
        return Kind.RELABELLED
    change = wrongness(after) - wrongness(before)
    if change:
        return Kind.WORSE if change > 0 else Kind.BETTER
    return None if _line(before) == _line(after) else Kind.OTHER_SOURCE


def _line(one: Outcome | None) -> str:
    return "" if one is None else f"{'good' if one.good else 'bad'} {one.verdict} {one.source}"


def _parse_line(key: str, text: object) -> Outcome:
    match str(text).split(" "):
        case [("good" | "bad") as label, verdict, source] if verdict in (*VERDICTS, PASS, WARN):
            corpus, _, identity = key.partition("/")
            return Outcome(identity, corpus, label == "good", verdict, source)
        case _:
            raise BadRun(f"the baseline says `{text}` of `{key}`", _HINT)


def _counts(accepted: Baseline) -> dict[str, dict[str, int]]:
    """For people who read the change of the file: the two numbers of each corpus."""
    counts: dict[str, dict[str, int]] = {}
    for one in sorted(accepted.values(), key=lambda one: one.corpus):
        of_corpus = counts.setdefault(
            one.corpus, {"good": 0, "denied": 0, "asked": 0, "bad": 0, "missed": 0}
        )
        of_corpus["good" if one.good else "bad"] += 1
        of_corpus["denied"] += one.good and one.denied
        of_corpus["asked"] += one.good and one.asked
        of_corpus["missed"] += not one.good and one.allowed
    return counts
