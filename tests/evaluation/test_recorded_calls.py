"""Calls of a real store, as a past to replay."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from automode.classifier.events import UserPrompt
from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.core.transcript import Outcome, UserMessage
from automode.evaluation.recorded_calls import (
    AuditTrail,
    RecordedCall,
    words_before,
)
from automode.sessions.transcript_text import call_text, event_text
from automode.store.chain import Chain
from automode.store.changes import Heard
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.retention import purge_session
from tests.cli.stored import keep, record, state_folder, writable
from tests.evaluation.written_sessions import words_before as words_of

SESSION = SessionKey("pi", "0123456789abcdef")
PUSH = json.dumps({"command": "git push origin main"})
CLASSIFIER = "classifier.deliberate"


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return state_folder(tmp_path)


def said(text: str) -> str:
    return event_text(UserPrompt(text), str)


def called(call: str, outcome: Outcome | None = None, given: str = PUSH) -> str:
    return call_text(call, "Bash", given, outcome)


def heard(*lines: str) -> Iterable[Heard]:
    return [Heard(SESSION, line) for place, line in enumerate(lines)]


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
    first = (said("build it"), called("c1", Outcome.OK, MAKE))
    second = (said("once more"), called("c2", Outcome.OK, MAKE))
    keep(folder, made(1), made(2), made(3, PUSH), *heard(*first, *second))

    unheard, again, before = calls(folder, words=True)

    assert words_of(before) == [("build it", "")]
    assert words_of(again) == [("build it", ""), ("once more", "")]
    assert words_of(unheard) == []
    assert [words_of(one) for one in calls(folder)] == [[], [], []]


def test_one_record_gets_the_words_that_were_said_before_it(folder: StateFolder) -> None:
    first = (said("build it"), called("c1", Outcome.OK, MAKE))
    second = (said("once more"), called("c2", Outcome.OK, MAKE))
    keep(folder, made(1), made(2), made(3, PUSH), made(4, "cut"), *heard(*first, *second))

    with reading(folder) as db:
        found = [words_before(db, one) for one in (made(1), made(2), made(3, PUSH), made(4, "cut"))]

    assert [
        [one.text for one in transcript.entries if isinstance(one, UserMessage)]
        for transcript in found
    ] == [["build it"], ["build it", "once more"], [], []]
