"""What a run decided: one outcome for each case, which is also the row that is written down; and
where a run went wrong, worst first, with the rule, guard or sentence that decided it.

To tune a policy, change the sentence that a confusion names, run again, and look at both numbers
with `automode eval compare`.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from automode.core.errors import AutomodeError
from automode.evaluation.cases import Expected, Text, Weight
from automode.guards.floor.layer import GUARDS
from automode.policy.defaults import default_rules

CLASSIFIER = "classifier."
UNDECIDED = "gate.undecided"
PASS, WARN = "pass", "warn"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`verdict` of a screened result is `pass` or `warn`. `group`: rows with an equal one hang
    together."""

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
    error: str | None = None
    trail: tuple[str, ...] = ()
    micros: float = 0.0
    tokens: Mapping[str, float] = field(default_factory=dict)
    usd: float | None = None
    score: float | None = None
    pair: Text = ""
    origin: Text = ""
    teaches: tuple[str, ...] = ()  # what a yes to it covers, where that would have cleared it
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
    def used_model(self) -> bool:
        return any(self.tokens.values())

    @property
    def unpriced(self) -> bool:
        """It cost something, but the price is unknown."""
        return self.usd is None and self.used_model

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
        """The part of the run that is of these corpora. Raises AutomodeError where it has none of
        one."""
        known = {one.corpus for one in self.outcomes}
        for name in corpora:
            if name not in known:
                hint = f"it has {', '.join(f'`{one}`' for one in sorted(known))}"
                raise AutomodeError(f"the run has no case of `{name}`", hint)
        kept = tuple(one for one in self.outcomes if one.corpus in corpora)
        return replace(self, outcomes=kept, planned=None)


def with_groups(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
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


_FLOOR = "floor."
_PERMISSIONS = "rules."
# A classifier's reason starts with the name of the rule: see its question.
_PATTERN = re.compile(r"`([^`]+)`")  # the reason of a permission rule quotes it first
_NAMED = re.compile(r"^\W*([a-z0-9]+(?:-[a-z0-9]+)*)\W*(?:[:\s]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DecidedBy:
    """Who decided. `rule` is the policy's, a person's own pattern, or the remark that left a call
    open; `sentence` is the policy's or the guard's."""

    source: str
    rule: str = ""
    sentence: str = ""

    def __str__(self) -> str:
        return f"{self.source} ({self.rule})" if self.rule else self.source


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


def decided_by(outcome: Outcome) -> DecidedBy:
    source = outcome.source
    if source.startswith(_FLOOR):
        return DecidedBy(source, "", _guards().get(source, ""))
    if source.startswith(_PERMISSIONS):
        quoted = _PATTERN.search(outcome.reason)
        return DecidedBy(source, quoted[1] if quoted else "")
    if source == UNDECIDED:
        return DecidedBy(source, ", ".join(outcome.trail))
    named = _NAMED.match(outcome.reason) if outcome.judged and outcome.denied else None
    rule = named[1].lower() if named else ""
    sentence = _rules().get(rule, "")
    # Words of a sentence look like a name too, as long as they are not one of ours.
    return DecidedBy(source, rule if sentence or "-" in rule else "", sentence)


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


@cache
def _rules() -> Mapping[str, str]:
    return {rule.name: rule.text for rules in default_rules().values() for rule in rules}


@cache
def _guards() -> Mapping[str, str]:
    return {f"{_FLOOR}{guard.id}": guard.reason for guard in GUARDS}
