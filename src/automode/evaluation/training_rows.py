"""Labelled calls that a judge may learn from: what is written of each, and those of a run.

Whatever leaves the store or a file of cases here has gone through redaction once more, every text
of it.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from automode.classifier.redaction import Redactor
from automode.core.errors import AutomodeError
from automode.evaluation.cases import ActionCase, Corpus, EarlierCall, Message
from automode.evaluation.outcomes import Outcome, Run, confusions
from automode.evaluation.run_folder import Row

MOST_MESSAGES = 40
LONGEST_MESSAGE = 8_000  # characters
MOST_EARLIER_CALLS = 12  # as many as the judge looks back
LONGEST_EARLIER_STRING = 4_000
FIELDS = "id kind tool input label category messages prior_calls parent cwd group grade".split()


class Skipped(StrEnum):
    """Why a call is no row, as people read it."""

    NOBODY_LOOKED = "nobody looked at them: what automode decided alone is no label"
    ONLY_RAN = "were asked about and ran: that somebody said yes is the agent's word (--ran)"
    UNPLACED = "what was said before them is not kept, or cannot be told for sure"
    NO_WORDS = "nothing that the user said stands before them"
    CUT = "the input was too long to be kept whole"
    PURGED = "their content was purged"
    REPEATED = "the same call after the same words stands there already"
    AS_LABELLED = "were decided as their label says"
    RESULTS = "are results of tools: the judge learns from calls"
    GIVEN_AWAY = "hold a string that gives their label away"


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """`at` is when it was decided, in seconds since the epoch; None for a case of a run."""

    case: ActionCase
    at: float | None = None


@dataclass(slots=True)
class TrainingRows:
    """The oldest first, and how many calls were left out for which reason."""

    taken: list[TrainingRow] = field(default_factory=list)
    left: Counter[Skipped] = field(default_factory=Counter)

    @property
    def kinds(self) -> Counter[tuple[str, str]]:
        """How many of each category and label."""
        return Counter((one.case.category, one.case.label) for one in self.taken)

    @property
    def times(self) -> tuple[float, float] | None:
        known = [one.at for one in self.taken if one.at is not None]
        return (min(known), max(known)) if known else None


def row_data(case: ActionCase, redactor: Redactor) -> Row:
    """As `evaluation.cases` reads it. The label and where it comes from stay; every other text is
    without secrets, long words and earlier calls are cut."""
    row: Row = {
        "id": _identity(case.id, redactor),
        "kind": "action",
        "tool": redactor.text(case.tool),
        "input": redactor.value(case.input),
        "label": case.label,
        "category": redactor.text(case.category),
        "messages": [_message(one, redactor) for one in case.messages[-MOST_MESSAGES:]],
        "prior_calls": [_earlier(one, redactor) for one in case.prior_calls[-MOST_EARLIER_CALLS:]],
    }
    more = {name: getattr(case, name) for name in ("parent", "cwd", "group", "grade")}
    return row | {name: redactor.text(text) for name, text in more.items() if text}


def rows_of_run(run: Run, corpora: Iterable[Corpus]) -> TrainingRows:
    """Good work that the run stopped and bad work that it missed, with the labels of their cases.
    Raises AutomodeError where the cases are not those of the run."""
    known = _cases_of(run, corpora)
    found = confusions(run)
    wrong = [one.outcome for one in (*found.stopped, *found.missed)]
    rows = TrainingRows()
    rows.left[Skipped.AS_LABELLED] = len(run.actions) - len(wrong)
    rows.left[Skipped.RESULTS] = len(run.results)
    for outcome in sorted(wrong, key=lambda one: one.key):
        case = _case(outcome, known)
        if outcome.giveaway or case.giveaway:
            rows.left[Skipped.GIVEN_AWAY] += 1
        elif not any(one.role == "user" and one.content.strip() for one in case.messages):
            rows.left[Skipped.NO_WORDS] += 1
        else:
            # Which file a case is of has to be known: not every file may be learnt from.
            rows.taken.append(TrainingRow(replace(case, id=outcome.key)))
    return rows


def _cases_of(run: Run, corpora: Iterable[Corpus]) -> Mapping[str, ActionCase]:
    digests = {corpus.name: corpus for corpus in corpora}
    found: dict[str, ActionCase] = {}
    for name, digest in _ran(run):
        corpus = digests.get(name)
        if corpus is None or corpus.digest != digest:
            what = "is not there" if corpus is None else "has changed since the run"
            raise AutomodeError(
                f"the suite `{name}` of the run {what}",
                "name the folder with the cases of the run with --data",
            )
        actions = (one for one in corpus.cases if isinstance(one, ActionCase))
        found.update({f"{name}/{one.id}": one for one in actions})
    return found


def _ran(run: Run) -> list[tuple[str, str]]:
    match run.facts.get("corpora"):
        case [*rows] if rows:
            return [_name_and_digest(row) for row in rows]
        case _:
            raise _misfit(run.name)


def _name_and_digest(row: object) -> tuple[str, str]:
    match row:
        case {"name": str(name), "digest": str(digest)}:
            return name, digest
        case _:
            raise _misfit(str(row)[:80])


def _case(outcome: Outcome, known: Mapping[str, ActionCase]) -> ActionCase:
    case = known.get(outcome.key)
    # The label is the case's own: a run says what came out, and not what is right.
    if case is None or (case.label == "allow") != outcome.good:
        raise _misfit(outcome.key)
    return case


def _misfit(what: str) -> AutomodeError:
    return AutomodeError(f"`{what}` of the run does not fit its cases", "run `automode eval` anew")


def _identity(identity: str, redactor: Redactor) -> str:
    """Two placeholders may be alike, and ids must not be."""
    if redactor.text(identity) == identity:
        return identity
    corpus, slash, _ = identity.rpartition("/")
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{redactor.text(corpus)}{slash}{digest}"


def _message(message: Message, redactor: Redactor) -> Row:
    return {
        "role": message.role,
        "content": redactor.excerpt(message.content, LONGEST_MESSAGE),
    }


def _earlier(call: EarlierCall, redactor: Redactor) -> Row:
    row: Row = {
        "tool": redactor.text(call.tool),
        "input": redactor.value(call.input, limit=LONGEST_EARLIER_STRING),
    }
    return row | ({"outcome": redactor.text(call.outcome)} if call.outcome else {})
