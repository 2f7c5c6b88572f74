"""The audit store as a past to replay: a real store, with shadow records and what was said."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from automode.classifier.events import UserPrompt
from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.core.transcript import Outcome
from automode.evaluation.transcripts.audit import AuditTrail
from automode.evaluation.transcripts.gathering import RecordedCall
from automode.sessions.transcript_text import call_text, event_text
from automode.store.chain import Chain
from automode.store.changes import Heard
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.retention import purge_session
from tests.cli.records import keep, record, state_folder, writable
from tests.evaluation.transcripts.written_sessions import words_before

SESSION = SessionKey("claude-code", "0123456789abcdef")
MAKE = json.dumps({"command": "make"})


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return state_folder(tmp_path)


def decided(
    number: int,
    given: str = MAKE,
    *,
    verdict: Verdict = Verdict.ALLOW,
    source: str = "read-only",
    enforced: bool = True,
    session: SessionKey = SESSION,
) -> Record:
    made = record(number, verdict=verdict, source=source, session=session)
    return replace(made, input=given, enforced=enforced)


def calls(folder: StateFolder, *, words: bool = False) -> list[RecordedCall]:
    with reading(folder) as db:
        return list(AuditTrail(db, words).calls())


THEN: dict[str, tuple[Record, str, bool | None]] = {
    "allowed": (decided(1), "allow", True),
    "asked": (decided(1, verdict=Verdict.ASK, source="rules.ask"), "ask", None),
    "denied": (decided(1, verdict=Verdict.DENY, source="floor.delete-root"), "deny", False),
    "denied in shadow mode": (
        decided(1, verdict=Verdict.DENY, source="floor.delete-root", enforced=False),
        "deny",
        True,
    ),
    "approved by a person": (decided(1, source="approval"), "unknown", None),
    "halted by the breaker": (
        decided(1, verdict=Verdict.HALT, source="breaker.consecutive"),
        "unknown",
        None,
    ),
    "cancelled": (decided(1, verdict=Verdict.DENY, source="gate.cancelled"), "unknown", None),
}


@pytest.mark.parametrize("name", THEN)
def test_a_record_says_what_was_decided_and_whether_it_ran(folder: StateFolder, name: str) -> None:
    made, then, ran = THEN[name]
    keep(folder, made)

    (call,) = calls(folder)

    assert (call.then.value, call.ran, call.shadow) == (then, ran, not made.enforced)
    assert (call.tool, call.input, call.cwd, call.root) == ("Bash", {"command": "make"}, "/w", "/w")


@pytest.mark.parametrize("page", [1, 3, 7, 500])
def test_records_come_the_newest_first_over_many_pages(folder: StateFolder, page: int) -> None:
    keep(folder, *(decided(number) for number in range(1, 8)))

    with reading(folder) as db:
        found = [call.id[-1] for call in AuditTrail(db, page=page).calls()]

    assert found == list("7654321")


LOST = {"cut": json.dumps({"cut": "{…"}), "a list": "[]", "no JSON": "{"}


@pytest.mark.parametrize("name", LOST)
def test_what_cannot_be_decided_again_is_counted(folder: StateFolder, name: str) -> None:
    keep(folder, decided(1, LOST[name]), decided(2))

    with reading(folder) as db:
        trail = AuditTrail(db)
        found = list(trail.calls())

    assert [call.id for call in found] == ["r00000002"]
    assert trail.lost == 1


def test_what_was_purged_is_counted(folder: StateFolder) -> None:
    keep(folder, decided(1), decided(2, session=SessionKey("pi", "p")))
    with writable(folder) as db, db.transaction():
        purge_session(db, Chain.of(folder), SESSION, 1_800_000_100.0)

    with reading(folder) as db:
        trail = AuditTrail(db)
        found = list(trail.calls())

    assert ([call.host for call in found], trail.lost) == (["pi"], 1)


def said(position: int, text: str) -> Heard:
    return Heard(SESSION, position, event_text(UserPrompt(text), str))


def heard(position: int, call: str) -> Heard:
    return Heard(SESSION, position, call_text(call, "Bash", MAKE, Outcome.OK))


def test_each_call_gets_the_words_that_were_said_before_it(folder: StateFolder) -> None:
    keep(
        folder,
        *(said(0, "build it"), heard(1, "c1"), decided(1)),
        *(said(2, "once more"), heard(3, "c2"), decided(2)),
    )

    again, first = calls(folder, words=True)

    assert words_before(first) == [("build it", "")]
    assert words_before(again) == [("build it", ""), ("once more", "")]


def test_words_are_not_looked_for_where_nobody_needs_them(folder: StateFolder) -> None:
    keep(folder, said(0, "build it"), heard(1, "c1"), decided(1))

    (call,) = calls(folder)

    assert words_before(call) == []


def test_records_without_events_are_replayed_without_words(folder: StateFolder) -> None:
    keep(folder, decided(1))

    (call,) = calls(folder, words=True)

    assert words_before(call) == []
