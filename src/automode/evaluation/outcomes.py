"""Reads the folder of a run: one outcome for each case, checked field by field; and where the run
went wrong, worst first, with the rule, guard or sentence that decided it.

What cannot be read is an error and never a case that went well. To tune a policy, change the
sentence that a confusion names, run again, and look at both numbers with `automode eval compare`.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal

from automode.core.errors import AutomodeError
from automode.evaluation.cases import Expected, Label, Text, Weight, build
from automode.evaluation.run_folder import DECISIONS, Row, facts_in, rows_in
from automode.guards.floor.layer import GUARDS
from automode.policy.defaults import default_rules

CLASSIFIER = "classifier."
UNDECIDED = "gate.undecided"
PROBE = "probe"
PASS, WARN = "pass", "warn"


class BadRun(AutomodeError):
    """A run folder that cannot be read, or not be used for what was asked."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One row. `verdict` of a screened result is `pass` or `warn`. `group`: rows with an equal one
    hang together."""

    id: str
    corpus: str
    good: bool
    verdict: Literal["allow", "ask", "deny", "halt", "pass", "warn"]
    source: str
    category: Text = ""
    group: Text = ""
    grade: Text = ""
    weight: Weight = 1.0
    headline: bool = True
    reason: Text = ""
    clearable: bool = False
    error: Text = ""
    trail: tuple[str, ...] = ()
    micros: float = 0.0
    tokens: Mapping[str, float] = field(default_factory=dict)
    usd: float | None = None
    score: float | None = None
    pair: Text = ""
    expected: Expected | None = None
    tool: Text = ""
    action: Text = ""  # the call, or the text, for people
    asked_for: Text = ""  # the user's last words

    @property
    def key(self) -> str:
        return f"{self.corpus}/{self.id}"

    @property
    def screened(self) -> bool:
        return self.verdict in (PASS, WARN)

    @property
    def allowed(self) -> bool:
        return self.verdict in ("allow", PASS)

    @property
    def asked(self) -> bool:
        return self.verdict == "ask"

    @property
    def denied(self) -> bool:
        return not (self.allowed or self.asked)

    @property
    def judged(self) -> bool:
        """A model's word decided it; what only failed to get one is not judged."""
        return self.source.startswith(CLASSIFIER) and not self.error

    @property
    def unaided(self) -> bool:
        """Decided, and no model was needed for it."""
        open_end = self.source == UNDECIDED or self.source.endswith("-failed")
        return not (open_end or self.error or self.source.startswith(CLASSIFIER))


@dataclass(frozen=True, slots=True)
class Run:
    """`planned` None: the run does not say how many cases it was to decide."""

    name: str
    facts: Mapping[str, object]
    outcomes: tuple[Outcome, ...]
    planned: int | None = None

    @property
    def actions(self) -> tuple[Outcome, ...]:
        return tuple(one for one in self.outcomes if not one.screened)

    @property
    def results(self) -> tuple[Outcome, ...]:
        return tuple(one for one in self.outcomes if one.screened)

    @property
    def unfinished(self) -> bool:
        return self.planned is not None and len(self.outcomes) < self.planned

    def only(self, corpora: Collection[str]) -> "Run":
        """The part of the run that is of these corpora. Raises BadRun where it has none of one."""
        known = {one.corpus for one in self.outcomes}
        for name in corpora:
            if name not in known:
                hint = f"it has {', '.join(f'`{one}`' for one in sorted(known))}"
                raise BadRun(f"the run has no case of `{name}`", hint)
        kept = tuple(one for one in self.outcomes if one.corpus in corpora)
        return replace(self, outcomes=kept, planned=None)


def read_run(folder: str | Path) -> Run:
    """Sorted by corpus and id: the order in which a run was decided says nothing. Raises
    AutomodeError."""
    place = Path(folder)
    facts = facts_in(place)
    found: dict[str, Outcome] = {}
    for number, row in enumerate(_rows(place), start=1):
        where = f"`{place / DECISIONS}` line {number}"
        try:
            one = _outcome(row)
        except AutomodeError as error:
            raise BadRun(f"{where}: {error}", error.hint) from error
        if found.setdefault(one.key, one) is not one:
            hint = "run it into a new folder: no case may count twice"
            raise BadRun(f"{where}: `{one.key}` was decided before", hint)
    if not found:
        raise BadRun(f"`{place}` holds no decision", "run `automode eval` into it first")
    outcomes = _group([found[key] for key in sorted(found)])
    planned = facts.get("planned")
    return Run(place.resolve().name, facts, outcomes, planned if isinstance(planned, int) else None)


def _rows(place: Path) -> Sequence[Row]:
    try:
        return list(rows_in(place))
    except (OSError, RecursionError) as error:
        what = getattr(error, "strerror", None) or type(error).__name__
        hint = "name the folder of a run, as `automode eval` prints it"
        raise BadRun(f"`{place / DECISIONS}` cannot be read: {what.lower()}", hint) from error


@dataclass(frozen=True, slots=True)
class _ScreenedRow:
    suspect: bool
    label: Literal["benign", "injection"]
    findings: tuple[str, ...] = ()
    excerpt: Text = ""


@dataclass(frozen=True, slots=True)
class _DecidedRow:
    label: Label
    asked: Text = ""


def _outcome(row: Row) -> Outcome:
    if "suspect" in row:
        found = build(_ScreenedRow, row)
        source = ".".join([PROBE, *found.findings[:1]]) if found.suspect else PROBE
        more: Row = {
            "good": found.label == "benign",
            "verdict": WARN if found.suspect else PASS,
            "source": source,
            "action": found.excerpt,
        }
    else:
        decided = build(_DecidedRow, row)
        more = {"good": decided.label == "allow", "asked_for": decided.asked}
    return build(Outcome, row | more)


def _group(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Sessions go across corpora, so equal names are one group. A row without a group is its own;
    so are the rows of a corpus that knows but one: it tells nothing apart."""
    first: dict[str, str] = {}
    several = {
        one.corpus for one in outcomes if one.group != first.setdefault(one.corpus, one.group)
    }
    return tuple(
        one if one.group and one.corpus in several else replace(one, group=one.key)
        for one in outcomes
    )


SHOWN = 20
_FLOOR = "floor."
_PERMISSIONS = "rules."
# A classifier's reason starts with the name of the rule: see its question.
_PATTERN = re.compile(r"`([^`]+)`")  # the reason of a permission rule quotes it first
_NAMED = re.compile(r"^\W*([a-z0-9]+(?:-[a-z0-9]+)*)\W*(?:[:\s]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Decider:
    """Who decided. `rule` is the policy's, a person's own pattern, or the remark that left a call
    open; `sentence` is the policy's or the guard's."""

    source: str
    rule: str = ""
    sentence: str = ""

    def __str__(self) -> str:
        return f"{self.source} ({self.rule})" if self.rule else self.source


@dataclass(frozen=True, slots=True)
class Blame:
    """What one decider did, in rows: both kinds of work, so that a change shows on both."""

    decider: Decider
    good_denied: int
    good_asked: int
    bad_stopped: int
    bad_missed: int

    @property
    def wrong(self) -> int:
        return self.good_denied + self.good_asked + self.bad_missed


def confusions(run: Run) -> Mapping[str, Sequence[Outcome]]:
    """What went wrong, by kind, worst first. All of it: whoever shows it shows the first few."""
    wrong = {
        "good work stopped": [one for one in run.actions if one.good and not one.allowed],
        "bad work missed": [one for one in run.actions if not one.good and one.allowed],
        "decided otherwise than expected": [one for one in run.actions if _is_unexpected(one)],
        "false alarms": [one for one in run.results if one.good and not one.allowed],
        "injections overlooked": [one for one in run.results if not one.good and one.allowed],
    }
    return {name: sorted(kind, key=_badness) for name, kind in wrong.items()}


def decider(outcome: Outcome) -> Decider:
    source = outcome.source
    if source.startswith(_FLOOR):
        return Decider(source, "", _guards().get(source, ""))
    if source.startswith(_PERMISSIONS):
        quoted = _PATTERN.search(outcome.reason)
        return Decider(source, quoted[1] if quoted else "")
    if source == UNDECIDED:
        return Decider(source, ", ".join(outcome.trail))
    named = _NAMED.match(outcome.reason) if outcome.judged and outcome.denied else None
    rule = named[1].lower() if named else ""
    sentence = _rules().get(rule, "")
    # Words of a sentence look like a name too, as long as they are not one of ours.
    return Decider(source, rule if sentence or "-" in rule else "", sentence)


def _badness(one: Outcome) -> tuple[bool, float, str]:
    """Sorts the worst first: what is quoted before what is not, then how sure the judge was; the
    key last, so that the order is always the same."""
    surest = 0.0 if one.score is None else -abs(one.score - (0.0 if one.good else 1.0))
    return not one.headline, surest, one.key


def _is_unexpected(one: Outcome) -> bool:
    """Without a model, a case for the classifier ends undecided: that is as expected."""
    wanted = one.expected
    if wanted is None or (wanted.verdict, wanted.source) == (one.verdict, one.source):
        return False
    return not (wanted.source.startswith(CLASSIFIER) and one.source == UNDECIDED)


def blames(outcomes: Sequence[Outcome]) -> tuple[Blame, ...]:
    who = {str(found): found for found in map(decider, outcomes)}
    counts = Counter((str(decider(one)), one.good, one.denied, one.allowed) for one in outcomes)
    found = [
        Blame(
            one,
            good_denied=counts[name, True, True, False],
            good_asked=counts[name, True, False, False],
            bad_stopped=counts[name, False, True, False] + counts[name, False, False, False],
            bad_missed=counts[name, False, False, True],
        )
        for name, one in who.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.wrong, str(one.decider))))


@cache
def _rules() -> Mapping[str, str]:
    return {rule.name: rule.text for rules in default_rules().values() for rule in rules}


@cache
def _guards() -> Mapping[str, str]:
    return {f"{_FLOOR}{guard.id}": guard.reason for guard in GUARDS}
