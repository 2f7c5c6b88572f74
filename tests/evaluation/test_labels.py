"""What is a label and what is not: a real store, with approvals and what was said before."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from automode.assemble import READER
from automode.classifier.events import Origin, ToolFinished, UserPrompt
from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.core.transcript import Outcome
from automode.evaluation.cases import EarlierCall, Message
from automode.evaluation.labels import rows_of_store
from automode.evaluation.training_rows import Skipped, TrainingRows
from automode.sessions.person import Deeds
from automode.sessions.person import Place as DoneTo
from automode.sessions.record_builder import Ids, RecordBuilder
from automode.sessions.transcript_text import call_text, disowned_text, event_text
from automode.store.chain import Chain
from automode.store.changes import Change, Decided, Heard
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.retention import purge_session
from tests.cli.records import keep, record, state_folder, writable

SESSION = SessionKey("pi", "0123456789abcdef")
PUSH = json.dumps({"command": "git push origin main"})
CLASSIFIER = "classifier.deliberate"


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return state_folder(tmp_path)


def lessons(folder: StateFolder, since: float | None = None, *, ran: bool = False) -> TrainingRows:
    with reading(folder) as db:
        return rows_of_store(db, since, ran=ran)


def decided(
    number: int, verdict: Verdict, given: str = PUSH, *, source: str = CLASSIFIER
) -> Record:
    made = record(number, verdict=verdict, source=source, session=SESSION)
    return replace(made, input=given, clearable=True)


def approved(of: Record) -> Decided:
    """As `automode approve` writes it down."""
    deeds = Deeds(RecordBuilder(b"key", "me", READER), Ids(), lambda: of.at + 1)
    return deeds.done("approve", "approved it", DoneTo(of.session), [of.id])


def said(text: str, origin: Origin = Origin.PERSON) -> str:
    return event_text(UserPrompt(text, origin), str)


def called(call: str, outcome: Outcome | None = None, given: str = PUSH) -> str:
    return call_text(call, "Bash", given, outcome)


def finished(call: str, outcome: Outcome) -> str:
    return event_text(ToolFinished(call, outcome), str)


def heard(*lines: str) -> Iterable[Heard]:
    return [Heard(SESSION, place, line) for place, line in enumerate(lines)]


ASKED, DENIED = decided(1, Verdict.ASK), decided(1, Verdict.DENY)
ALLOWED = decided(1, Verdict.ALLOW)
OK, FAILED, NO = Outcome.OK, Outcome.ERROR, Outcome.REJECTED
LABELS: dict[str, tuple[Record, Outcome | None, bool, tuple[str, str] | Skipped]] = {
    # record, how it ended, whether somebody approved it, what follows
    "approved after a denial": (DENIED, Outcome.DENIED, True, ("approved", "allow")),
    "approved after an ask": (ASKED, None, True, ("approved", "allow")),
    "asked and rejected": (ASKED, NO, False, ("rejected", "block")),
    "allowed and rejected": (ALLOWED, NO, False, ("rejected", "block")),
    "asked and ran": (ASKED, OK, False, Skipped.ONLY_RAN),
    "asked and failed": (ASKED, FAILED, False, Skipped.NOBODY_LOOKED),
    "asked, and no end": (ASKED, None, False, Skipped.NOBODY_LOOKED),
    "denied": (DENIED, Outcome.DENIED, False, Skipped.NOBODY_LOOKED),
    "allowed and ran": (ALLOWED, OK, False, Skipped.NOBODY_LOOKED),
    "denied by a rule": (
        decided(1, Verdict.DENY, source="rules.deny"), Outcome.DENIED, False, Skipped.NOBODY_LOOKED,
    ),
    "rejected with nobody there": (
        replace(ASKED, attended=False), NO, False, Skipped.NOBODY_LOOKED,
    ),
    "ran in shadow mode": (replace(ASKED, enforced=False), OK, False, Skipped.NOBODY_LOOKED),
    "too long to be kept": (
        replace(DENIED, input=json.dumps({"cut": "{…"})), Outcome.DENIED, True, Skipped.CUT,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LABELS)
def test_only_what_a_person_said_is_a_label(folder: StateFolder, name: str) -> None:
    made, outcome, yes, expected = LABELS[name]
    changes: list[Change | Record] = [made, *heard(said("fix the tests"), called("c1", outcome))]
    keep(folder, *changes, *([approved(made)] if yes else []))

    found = lessons(folder)

    if isinstance(expected, Skipped):
        assert (found.taken, found.left) == ([], {expected: 1})
    else:
        assert found.kinds == {expected: 1}


def test_that_an_asked_call_ran_is_a_yes_for_who_wants_it_so(folder: StateFolder) -> None:
    keep(folder, ASKED, *heard(said("push it"), called("c1"), finished("c1", OK)))

    assert lessons(folder, ran=True).kinds == {("answered", "allow"): 1}


def test_a_row_has_the_words_and_the_calls_before_it(folder: StateFolder) -> None:
    status = json.dumps({"command": "git status"})
    keep(
        folder,
        replace(ALLOWED, id="r0", input=status),
        *heard(said("fix it"), called("c0", OK, status), said("go on"), called("c1", NO)),
        replace(ASKED, cwd="/home/dev/shop"),
    )

    (found,) = lessons(folder).taken

    case = found.case
    assert (case.tool, case.input) == ("Bash", {"command": "git push origin main"})
    assert case.messages == (Message("user", "fix it"), Message("user", "go on"))
    assert case.prior_calls == (EarlierCall("Bash", {"command": "git status"}, "ok"),)
    assert (case.cwd, case.group) == ("/home/dev/shop", str(SESSION))
    assert found.at == ASKED.at


WORDLESS = {
    "nobody spoke": (),
    "only an agent spoke": (said("push", Origin.ORCHESTRATOR),),
    "nobody typed it after all": (said("push it to main"), disowned_text("push it to main")),
}


@pytest.mark.parametrize("name", WORDLESS)
def test_without_the_users_words_there_is_no_row(folder: StateFolder, name: str) -> None:
    keep(folder, ASKED, *heard(*WORDLESS[name], called("c1", NO)))

    found = lessons(folder)

    assert (found.taken, found.left) == ([], {Skipped.NO_WORDS: 1})


def test_a_call_that_cannot_be_told_from_another_is_left_out(folder: StateFolder) -> None:
    """While auto mode was off the same call was made, and not recorded: which one was rejected?"""
    keep(folder, ASKED, *heard(said("fix it"), called("c0", OK), called("c1", NO)))

    found = lessons(folder)

    assert (found.taken, found.left) == ([], {Skipped.UNPLACED: 1})


def test_of_equal_calls_after_equal_words_the_newest_answer_counts(folder: StateFolder) -> None:
    keep(
        folder,
        *(ASKED, decided(2, Verdict.DENY), approved(decided(2, Verdict.DENY))),
        *(decided(3, Verdict.ALLOW, source="approval"),),
        *heard(said("push"), called("c1", NO), called("c2", Outcome.DENIED), called("c3", OK)),
    )

    found = lessons(folder)

    assert [one.case.id for one in found.taken] == ["r00000002"]
    assert found.left == {Skipped.REPEATED: 1}


def test_what_is_too_old_or_purged_is_left_out(folder: StateFolder) -> None:
    other = replace(decided(2, Verdict.ASK), session=SessionKey("pi", "other"))
    keep(folder, ASKED, other, *heard(said("push"), called("c1", NO)))
    with writable(folder) as db, db.transaction():
        purge_session(db, Chain.of(folder), other.session, 1_800_000_100.0)

    assert len(lessons(folder).taken) == 1
    assert lessons(folder).left == {Skipped.PURGED: 1}
    assert lessons(folder, since=ASKED.at + 0.5).taken == []
