"""Reads the folder of a run: one outcome for each case, checked field by field.

What cannot be read is an error and never a case that went well.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from automode.core.errors import AutomodeError
from automode.evaluation.fields import Fields
from automode.evaluation.run_folder import DECISIONS, facts_in, rows_in

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
            sizes = [_size(corpus) for corpus in corpora]
            return sum(size if sample is None else min(size, sample) for size in sizes)
        case _:
            return None


def _size(corpus: object) -> int:
    match corpus:
        case {"actions": int(actions), "results": int(results)}:
            return actions + results
        case _:
            return 0


def _outcome(row: Fields) -> Outcome:
    screened = "suspect" in row.row
    labels = ("benign", "injection") if screened else ("allow", "block")
    verdict, source = _probe_verdict(row) if screened else _gate_verdict(row)
    return Outcome(
        id=row.text("id"),
        corpus=row.text("corpus"),
        good=row.word("label", labels) == labels[0],
        verdict=verdict,
        source=source,
        category=row.maybe("category"),
        group=row.maybe("group"),
        grade=row.maybe("grade"),
        weight=row.positive("weight", 1.0),
        headline=row.flag("headline", default=True),
        giveaway=row.flag("giveaway", default=False),
        reason=row.maybe("reason"),
        clearable=row.flag("clearable", default=False),
        error=row.maybe("error"),
        trail=_words(row, "trail"),
        micros=_number(row, "micros") or 0.0,
        tokens=_tokens(row.part("tokens")),
        usd=_number(row, "usd"),
        score=_number(row, "score"),
        rule=row.maybe("rule"),
        pair=row.maybe("pair"),
        expected=_expected_verdict(row.part("expected")),
        tool=row.maybe("tool"),
        action=row.maybe("excerpt" if screened else "action"),
        asked_for=row.maybe("asked"),
    )


def _gate_verdict(row: Fields) -> tuple[str, str]:
    return row.word("verdict", VERDICTS), row.text("source")


def _probe_verdict(row: Fields) -> tuple[str, str]:
    if not row.flag("suspect", default=True):
        return PASS, PROBE
    return WARN, ".".join([PROBE, *_words(row, "findings")[:1]])


def _expected_verdict(part: Fields | None) -> tuple[str, str] | None:
    return None if part is None else _gate_verdict(part)


def _tokens(part: Fields | None) -> Mapping[str, int]:
    return {} if part is None else {name: int(_number(part, name) or 0) for name in part.row}


def _number(row: Fields, name: str) -> float | None:
    match row.row.get(name):
        case None:
            return None
        # A truth value is a number to Python.
        case int() | float() as value if not isinstance(value, bool) and 0 <= value < 1e300:
            return float(value)
        case _:
            path = f"{row.within}.{name}" if row.within else name
            raise AutomodeError(f"`{path}` is no number from 0", "write one, or null")


def _words(row: Fields, name: str) -> tuple[str, ...]:
    match row.row.get(name):
        case None:
            return ()
        case [*found] if all(isinstance(one, str) for one in found):
            return tuple(str(one) for one in found)
        case _:
            raise AutomodeError(f"`{name}` is no list of words", "write a list of words")


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
