"""Calls of a real store: as a past to replay, and what is a label and what is not."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.assemble import READER
from automode.classifier.events import Origin, ToolFinished, UserPrompt
from automode.classifier.redaction import Redactor
from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.core.transcript import Outcome
from automode.evaluation.cases import ActionCase, EarlierCall, Message, load
from automode.evaluation.recorded_calls import RecordedCall
from automode.evaluation.stored_calls import (
    FIELDS,
    AuditTrail,
    Skipped,
    TrainingRows,
    row_data,
    rows_of_store,
)
from automode.sessions.person import NOWHERE, Deeds
from automode.sessions.record_builder import Ids, RecordBuilder
from automode.sessions.transcript_text import PromptDisowned, call_text, event_text
from automode.store.chain import Chain
from automode.store.changes import Change, Decided, Heard
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.retention import purge_session
from tests.cli.stored import keep, record, state_folder, writable
from tests.evaluation.written_sessions import words_before

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
    return deeds.person_did("approve", "approved it", replace(NOWHERE, key=of.session), [of.id])


def said(text: str, origin: Origin = Origin.PERSON) -> str:
    return event_text(UserPrompt(text, origin), str)


def called(call: str, outcome: Outcome | None = None, given: str = PUSH) -> str:
    return call_text(call, "Bash", given, outcome)


def finished(call: str, outcome: Outcome) -> str:
    return event_text(ToolFinished(call, outcome), str)


def heard(*lines: str) -> Iterable[Heard]:
    return [Heard(SESSION, line) for place, line in enumerate(lines)]


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


def test_a_row_has_the_words_and_the_calls_before_it(folder: StateFolder) -> None:
    status = json.dumps({"command": "git status"})
    keep(
        folder,
        replace(ALLOWED, id="r0", input=status),
        *heard(said("fix it"), called("c0", OK, status), said("go on"), called("c1", NO)),
        replace(ASKED, cwd="/home/dev/shop"),
    )

    ((at, case),) = lessons(folder).taken

    assert (case.tool, case.input) == ("Bash", {"command": "git push origin main"})
    assert case.messages == (Message("user", "fix it"), Message("user", "go on"))
    assert case.prior_calls == (EarlierCall("Bash", {"command": "git status"}, "ok"),)
    assert (case.cwd, case.group) == ("/home/dev/shop", str(SESSION))
    assert at == ASKED.at


# What the session heard, and why there is no row.
LEFT_OUT: list[tuple[tuple[str, ...], Skipped]] = [
    ((called("c1", NO),), Skipped.NO_WORDS),
    ((said("push", Origin.ORCHESTRATOR), called("c1", NO)), Skipped.NO_WORDS),
    (
        (
            said("push it to main"),
            event_text(PromptDisowned("push it to main"), str),
            called("c1", NO),
        ),
        Skipped.NO_WORDS,
    ),
    # While auto mode was off the same call was made, and not recorded: which one was rejected?
    ((said("fix it"), called("c0", OK), called("c1", NO)), Skipped.UNPLACED),
    ((said("push it"), called("c1"), finished("c1", OK)), Skipped.ONLY_RAN),
]


@pytest.mark.parametrize(("lines", "why"), LEFT_OUT)
def test_a_row_needs_the_users_words_and_a_sure_place(
    folder: StateFolder, lines: tuple[str, ...], why: Skipped
) -> None:
    keep(folder, ASKED, *heard(*lines))

    found = lessons(folder)

    assert (found.taken, found.left) == ([], {why: 1})
    # That an asked call ran is a yes for who wants it so.
    wanted = {("answered", "allow"): 1} if why is Skipped.ONLY_RAN else {}
    assert lessons(folder, ran=True).kinds == wanted


def test_of_equal_calls_after_equal_words_the_newest_answer_counts(folder: StateFolder) -> None:
    keep(
        folder,
        *(ASKED, decided(2, Verdict.DENY), approved(decided(2, Verdict.DENY))),
        *(decided(3, Verdict.ALLOW, source="approval"),),
        *heard(said("push"), called("c1", NO), called("c2", Outcome.DENIED), called("c3", OK)),
    )

    found = lessons(folder)

    assert [case.id for _, case in found.taken] == ["r00000002"]
    assert found.left == {Skipped.REPEATED: 1}


def test_what_is_too_old_or_purged_is_left_out(folder: StateFolder) -> None:
    other = replace(decided(2, Verdict.ASK), session=SessionKey("pi", "other"))
    keep(folder, ASKED, other, *heard(said("push"), called("c1", NO)))
    with writable(folder) as db, db.transaction():
        purge_session(db, Chain.of(folder), other.session, 1_800_000_100.0)

    assert len(lessons(folder).taken) == 1
    assert lessons(folder).left == {Skipped.PURGED: 1}
    assert lessons(folder, since=ASKED.at + 0.5).taken == []


KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def full(text: str) -> ActionCase:
    """A case with the text in every place that takes one."""
    return ActionCase(
        id="r1",
        tool=text,
        input={"command": text, "more": [{text: text}]},
        label="block",
        category=text,
        messages=(Message("user", text), Message("assistant", text)),
        prior_calls=(EarlierCall(text, {"command": text}, text),),
        parent=text,
        cwd=f"/home/{text}",
        group=text,
        grade="moderate",
    )


@given(st.text(st.characters(codec="utf-8"), max_size=30), st.text(max_size=30))
def test_no_secret_is_written_wherever_it_stands(before: str, behind: str) -> None:
    row = row_data(full(f"{before} {KEY} {behind}"), Redactor(b"key"))

    assert KEY not in json.dumps(row)


def test_what_is_written_is_read_as_a_case(tmp_path: Path) -> None:
    row = row_data(full("plain"), Redactor(b"key"))
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(row) + "\n")

    assert load(file).cases == (full("plain"),)
    assert set(row) <= set(FIELDS)


MAKE = json.dumps({"command": "make"})


def made(
    number: int, given: str = MAKE, verdict: Verdict = Verdict.ALLOW, source: str = "read-only"
) -> Record:
    return replace(record(number, verdict=verdict, source=source, session=SESSION), input=given)


def calls(folder: StateFolder, *, words: bool = False) -> list[RecordedCall]:
    with reading(folder) as db:
        return list(AuditTrail(db, words).calls())


THEN: dict[str, tuple[Record, str, bool | None]] = {
    "allowed": (made(1), "allow", True),
    "asked": (made(1, MAKE, Verdict.ASK, "rules.ask"), "ask", None),
    "denied": (made(1, MAKE, Verdict.DENY, "floor.x"), "deny", False),
    "denied in shadow mode": (
        replace(made(1, MAKE, Verdict.DENY, "floor.x"), enforced=False),
        "deny",
        True,
    ),
    "approved by a person": (made(1, source="approval"), "unknown", None),
    "halted by the breaker": (made(1, MAKE, Verdict.HALT, "breaker.total"), "unknown", None),
    "cancelled": (made(1, MAKE, Verdict.DENY, "gate.cancelled"), "unknown", None),
}


@pytest.mark.parametrize("name", THEN)
def test_a_record_says_what_was_decided_and_whether_it_ran(folder: StateFolder, name: str) -> None:
    kept, then, ran = THEN[name]
    keep(folder, kept)

    (call,) = calls(folder)

    assert (call.then.value, call.ran, call.shadow) == (then, ran, not kept.enforced)
    assert (call.tool, call.input, call.cwd, call.root) == ("Bash", {"command": "make"}, "/w", "/w")


@pytest.mark.parametrize("page", [1, 3, 7, 500])
def test_records_come_the_newest_first_over_many_pages(folder: StateFolder, page: int) -> None:
    keep(folder, *(made(number) for number in range(1, 8)))

    with reading(folder) as db:
        found = [call.id[-1] for call in AuditTrail(db, page=page).calls()]

    assert found == list("7654321")


@pytest.mark.parametrize("text", [json.dumps({"cut": "{…"}), "[]", "{", None])
def test_what_cannot_be_decided_again_is_counted(folder: StateFolder, text: str | None) -> None:
    keep(folder, made(1, text or MAKE), replace(made(2), session=SessionKey("pi", "p")))
    if text is None:
        with writable(folder) as db, db.transaction():
            purge_session(db, Chain.of(folder), SESSION, 1_800_000_100.0)

    with reading(folder) as db:
        trail = AuditTrail(db)
        found = list(trail.calls())

    assert ([call.id for call in found], trail.lost) == (["r00000002"], 1)


def test_each_call_gets_the_words_that_were_said_before_it(folder: StateFolder) -> None:
    first = (said("build it"), called("c1", OK, MAKE))
    second = (said("once more"), called("c2", OK, MAKE))
    keep(folder, made(1), made(2), made(3, PUSH), *heard(*first, *second))

    unheard, again, before = calls(folder, words=True)

    assert words_before(before) == [("build it", "")]
    assert words_before(again) == [("build it", ""), ("once more", "")]
    assert words_before(unheard) == []
    assert [words_before(one) for one in calls(folder)] == [[], [], []]
