"""Reads the folder of a run: one outcome for each case, checked field by field; and where the run
went wrong, worst first, with the rule, guard or sentence that decided it.

What cannot be read is an error and never a case that went well. To tune a policy, change the
sentence that a confusion names, run again, and look at both numbers with `automode eval compare`.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from automode.core.errors import AutomodeError
from automode.evaluation.cases import Fields
from automode.evaluation.run_folder import DECISIONS, facts_in, rows_in
from automode.guards.floor.layer import GUARDS
from automode.policy.defaults import default_rules

CLASSIFIER = "classifier."
UNDECIDED = "gate.undecided"
PROBE = "probe"
VERDICTS = ("allow", "ask", "deny", "halt")
PASS, WARN = "pass", "warn"


class BadRun(AutomodeError):
    """A run folder that cannot be read, or not be used for what was asked."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One row. `verdict` of a screened result is `pass` or `warn`. `group`: rows with an equal one
    hang together. `expected`: verdict and source, where the case says them."""

    id: str
    corpus: str
    good: bool
    verdict: str
    source: str
    category: str = ""
    group: str = ""
    grade: str = ""
    weight: float = 1.0
    headline: bool = True
    giveaway: bool = False
    reason: str = ""
    clearable: bool = False
    error: str = ""
    trail: tuple[str, ...] = ()
    micros: float = 0.0
    tokens: Mapping[str, int] = field(default_factory=dict)
    usd: float | None = None
    score: float | None = None
    rule: str = ""  # of the policy, that the case is about
    pair: str = ""
    expected: tuple[str, str] | None = None
    tool: str = ""
    action: str = ""  # the call, or the text, for people
    asked_for: str = ""  # the user's last words

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
    def counted(self) -> bool:
        """In the headline. What a tell-tale string gives away says little about anything else."""
        return self.headline and not self.giveaway

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
            one = _outcome(Fields(row))
        except AutomodeError as error:
            raise BadRun(f"{where}: {error}", error.hint) from error
        if found.setdefault(one.key, one) is not one:
            hint = "run it into a new folder: no case may count twice"
            raise BadRun(f"{where}: `{one.key}` was decided before", hint)
    if not found:
        raise BadRun(f"`{place}` holds no decision", "run `automode eval` into it first")
    outcomes = _group([found[key] for key in sorted(found)])
    return Run(place.resolve().name, facts, outcomes, _planned_cases(facts))


def _rows(place: Path) -> Sequence[Mapping[str, object]]:
    try:
        return list(rows_in(place))
    except (OSError, RecursionError) as error:
        what = getattr(error, "strerror", None) or type(error).__name__
        hint = "name the folder of a run, as `automode eval` prints it"
        raise BadRun(f"`{place / DECISIONS}` cannot be read: {what.lower()}", hint) from error


def _planned_cases(facts: Mapping[str, object]) -> int | None:
    match facts:
        case {"plan": {"sample": int() | None as sample}, "corpora": [*corpora]}:
            sizes = [
                int(sum(Fields(one).number(kind) or 0 for kind in ("actions", "results")))
                for one in corpora
                if isinstance(one, dict)
            ]
            return sum(size if sample is None else min(size, sample) for size in sizes)
        case _:
            return None


def _outcome(row: Fields) -> Outcome:
    screened = "suspect" in row.row
    labels = ("benign", "injection") if screened else ("allow", "block")
    verdict, source = _probe_verdict(row) if screened else _gate_verdict(row)
    tokens, expected = row.part("tokens"), row.part("expected")
    return Outcome(
        id=row.text("id"),
        corpus=row.text("corpus"),
        good=row.word("label", labels) == labels[0],
        verdict=verdict,
        source=source,
        category=row.maybe("category"),
        group=row.maybe("group"),
        grade=row.maybe("grade"),
        weight=row.weight(),
        headline=row.flag("headline", default=True),
        giveaway=row.flag("giveaway", default=False),
        reason=row.maybe("reason"),
        clearable=row.flag("clearable", default=False),
        error=row.maybe("error"),
        trail=row.words("trail"),
        micros=row.number("micros") or 0.0,
        tokens=tokens.counts() if tokens else {},
        usd=row.number("usd"),
        score=row.number("score"),
        rule=row.maybe("rule"),
        pair=row.maybe("pair"),
        expected=None if expected is None else _gate_verdict(expected),
        tool=row.maybe("tool"),
        action=row.maybe("excerpt" if screened else "action"),
        asked_for=row.maybe("asked"),
    )


def _gate_verdict(row: Fields) -> tuple[str, str]:
    return row.word("verdict", VERDICTS), row.text("source")


def _probe_verdict(row: Fields) -> tuple[str, str]:
    if not row.flag("suspect", default=True):
        return PASS, PROBE
    return WARN, ".".join([PROBE, *row.words("findings")[:1]])


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
_GRADES = {"strong": 0, "moderate": 1, "": 2, "weak": 3}
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
class Confusion:
    outcome: Outcome
    decider: Decider


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


@dataclass(frozen=True, slots=True)
class Confusions:
    """Calls: good work `stopped`, bad work `missed`, and what was decided otherwise, or by another
    source, than its case says. Results: `false_alarms`, and injections that were `overlooked`."""

    stopped: tuple[Confusion, ...]
    missed: tuple[Confusion, ...]
    unexpected: tuple[Confusion, ...]
    false_alarms: tuple[Confusion, ...]
    overlooked: tuple[Confusion, ...]
    blames: tuple[Blame, ...]

    @property
    def kinds(self) -> Mapping[str, tuple[Confusion, ...]]:
        return {
            "good work stopped": self.stopped,
            "bad work missed": self.missed,
            "decided otherwise than expected": self.unexpected,
            "false alarms": self.false_alarms,
            "injections overlooked": self.overlooked,
        }


def confusions(run: Run) -> Confusions:
    """All of them; whoever shows them shows the first few."""
    return Confusions(
        stopped=_worst(one for one in run.actions if one.good and not one.allowed),
        missed=_worst(one for one in run.actions if not one.good and one.allowed),
        unexpected=_worst(one for one in run.actions if _is_unexpected(one)),
        false_alarms=_worst(one for one in run.results if one.good and not one.allowed),
        overlooked=_worst(one for one in run.results if not one.good and one.allowed),
        blames=_blames(run.outcomes),
    )


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


def _worst(outcomes: Iterable[Outcome]) -> tuple[Confusion, ...]:
    return tuple(Confusion(one, decider(one)) for one in sorted(outcomes, key=_badness))


def _badness(one: Outcome) -> tuple[bool, int, int, float, str]:
    """Sorts the worst first: what is quoted before what is not; a label that is sure before one
    that is not; what nobody can lift, or nobody sees, before the rest; then how sure the judge
    was; the key last, so that the order is always the same."""
    surest = 0.0 if one.score is None else -abs(one.score - (0.0 if one.good else 1.0))
    return (not one.counted, _GRADES.get(one.grade, 2), _severity(one), surest, one.key)


def _severity(one: Outcome) -> int:
    if one.allowed:
        return 0 if one.unaided else 1
    if one.denied:
        return 1 if one.clearable else 0
    return 2 if one.unaided else 3


def _is_unexpected(one: Outcome) -> bool:
    """Without a model, a case for the classifier ends undecided: that is as expected."""
    if one.expected is None or one.expected == (one.verdict, one.source):
        return False
    return not (one.expected[1].startswith(CLASSIFIER) and one.source == UNDECIDED)


def _blames(outcomes: Sequence[Outcome]) -> tuple[Blame, ...]:
    who = {str(found): found for found in map(decider, outcomes)}
    counts = Counter((str(decider(one)), one.good, one.denied, one.allowed) for one in outcomes)
    blames = [
        Blame(
            found,
            good_denied=counts[name, True, True, False],
            good_asked=counts[name, True, False, False],
            bad_stopped=counts[name, False, True, False] + counts[name, False, False, False],
            bad_missed=counts[name, False, False, True],
        )
        for name, found in who.items()
    ]
    return tuple(sorted(blames, key=lambda one: (-one.wrong, str(one.decider))))


@cache
def _rules() -> Mapping[str, str]:
    return {rule.name: rule.text for rules in default_rules().values() for rule in rules}


@cache
def _guards() -> Mapping[str, str]:
    return {f"{_FLOOR}{guard.id}": guard.reason for guard in GUARDS}
