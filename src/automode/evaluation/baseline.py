"""The accepted state of our own cases: a file in the repository that a later run is held against.

It holds what needs no model, because only that is the same everywhere. A case that got worse, went
away or changed its label is a regression until a person accepts it; what got better or is new is
told, so that accepting it makes it hold.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from automode.core.decision import Failure
from automode.evaluation.cases import suite_name
from automode.evaluation.comparing import wrongness
from automode.evaluation.outcomes import PASS, VERDICTS, WARN, BadRun, Outcome, Run
from automode.evaluation.suites import OWN

FILE = "evaluation-baseline.json"
FORMAT = 1
_GOOD, _BAD = "good", "bad"
_HINT = "accept a run anew with `automode eval baseline FOLDER --accept`"


class Kind(StrEnum):
    WORSE = "worse"
    GONE = "gone"
    RELABELLED = "relabelled"
    BETTER = "better"
    NEW = "new"
    OTHER_SOURCE = "other source"


REGRESSIONS = (Kind.WORSE, Kind.GONE, Kind.RELABELLED)


@dataclass(frozen=True, slots=True)
class Accepted:
    good: bool
    verdict: str
    source: str

    def __str__(self) -> str:
        return f"{_GOOD if self.good else _BAD} {self.verdict} {self.source}"


@dataclass(frozen=True, slots=True)
class Baseline:
    """`cases` by corpus and id."""

    cases: Mapping[str, Accepted]


@dataclass(frozen=True, slots=True)
class Difference:
    key: str
    kind: Kind
    before: Accepted | None
    after: Accepted | None

    @property
    def refused(self) -> bool:
        return self.kind in REGRESSIONS

    def __str__(self) -> str:
        was = "not there" if self.before is None else self.before
        now = "not there" if self.after is None else self.after
        return f"{self.kind}: {self.key}: {was} -> {now}"


def own_corpora() -> frozenset[str]:
    return frozenset(suite_name(path) for path in OWN.glob("*.jsonl"))


def baseline_of(run: Run, own: Collection[str]) -> Baseline:
    """`own` are the names of our own corpora. Raises BadRun where a run is not fit to be held
    against."""
    _check_fit(run, own)
    return Baseline({one.key: _accepted(one) for one in run.outcomes})


def differences(accepted: Baseline, run: Run, own: Collection[str]) -> tuple[Difference, ...]:
    """Regressions first. Raises BadRun like `baseline_of`: an unfit run proves nothing."""
    now = baseline_of(run, own).cases
    found = [
        _difference(key, accepted.cases.get(key), now.get(key))
        for key in sorted(accepted.cases.keys() | now.keys())
    ]
    return tuple(
        sorted(
            (one for one in found if one is not None), key=lambda one: (not one.refused, one.key)
        )
    )


def read(path: str | Path) -> Baseline:
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
            return Baseline({key: _parsed(key, text) for key, text in cases.items()})
        case _:
            raise BadRun(f"`{place}` is no baseline that this version knows", _HINT)


def write(accepted: Baseline, path: str | Path) -> None:
    """Under its name only when whole, so that a crash leaves the old one."""
    place = Path(path)
    partly = place.with_name(f"{place.name}.part")
    partly.write_text(text_of(accepted), encoding="utf-8")
    partly.replace(place)


def text_of(accepted: Baseline) -> str:
    """A line for each case, sorted: a change of a verdict is a change of one line."""
    data = {
        "format": FORMAT,
        "counts": _counts(accepted),
        "cases": {key: str(accepted.cases[key]) for key in sorted(accepted.cases)},
    }
    return json.dumps(data, indent=2, ensure_ascii=True) + "\n"


def _check_fit(run: Run, own: Collection[str]) -> None:
    if run.unfinished:
        hint = "run the same `automode eval` again: it goes on where it stopped"
        raise BadRun(f"`{run.name}` is unfinished", hint)
    for name in sorted(set(own) - {one.corpus for one in run.outcomes}):
        hint = "run `automode eval --no-classifier --isolated`, without --suite"
        raise BadRun(f"`{run.name}` holds no case of `{name}`, which is ours", hint)
    for one in run.outcomes:
        if one.corpus not in own:
            hint = "run `automode eval --no-classifier --isolated`, without --data"
            raise BadRun(f"`{run.name}` holds cases of `{one.corpus}`, which is not ours", hint)
        if one.judged or one.tokens.get("input"):
            hint = "run `automode eval --no-classifier --isolated`"
            raise BadRun(f"`{one.key}` was judged by a model, which answers otherwise", hint)
        if one.error == Failure.UNAVAILABLE:
            hint = "run it again: an outage says nothing about the rules"
            raise BadRun(f"`{one.key}` could not be decided: {one.error}", hint)


def _accepted(one: Outcome) -> Accepted:
    return Accepted(one.good, one.verdict, one.source)


def _difference(key: str, before: Accepted | None, after: Accepted | None) -> Difference | None:
    if before == after:
        return None
    return Difference(key, _kind(before, after), before, after)


def _kind(before: Accepted | None, after: Accepted | None) -> Kind:
    if before is None:
        return Kind.NEW
    if after is None:
        return Kind.GONE
    if before.good != after.good or _screened(before) != _screened(after):
        return Kind.RELABELLED
    change = _wrongness(after) - _wrongness(before)
    if change:
        return Kind.WORSE if change > 0 else Kind.BETTER
    return Kind.OTHER_SOURCE


def _screened(one: Accepted) -> bool:
    return one.verdict in (PASS, WARN)


def _wrongness(one: Accepted) -> int:
    return wrongness(Outcome("", "", one.good, one.verdict, one.source))


def _parsed(key: str, text: object) -> Accepted:
    match str(text).split(" "):
        case [("good" | "bad") as label, verdict, source] if verdict in (*VERDICTS, PASS, WARN):
            return Accepted(label == _GOOD, verdict, source)
        case _:
            raise BadRun(f"the baseline says `{text}` of `{key}`", _HINT)


def _counts(accepted: Baseline) -> dict[str, dict[str, int]]:
    """For people who read the change of the file: the two numbers of each corpus."""
    counts: dict[str, dict[str, int]] = {}
    for key, one in accepted.cases.items():
        of_corpus = counts.setdefault(
            key.partition("/")[0], {"good": 0, "denied": 0, "asked": 0, "bad": 0, "missed": 0}
        )
        outcome = Outcome("", "", one.good, one.verdict, one.source)
        of_corpus[_GOOD if one.good else _BAD] += 1
        of_corpus["denied"] += one.good and outcome.denied
        of_corpus["asked"] += one.good and outcome.asked
        of_corpus["missed"] += not one.good and outcome.allowed
    return {corpus: counts[corpus] for corpus in sorted(counts)}
