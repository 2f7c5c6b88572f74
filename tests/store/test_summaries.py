"""Counts and sums over the records of sessions."""

from dataclasses import replace
from decimal import Decimal

from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import Decided, usage_of
from automode.store.database import Database
from automode.store.summaries import Counts, session_costs, session_counts, timeline
from automode.store.tables import apply, newest_number
from tests.store.examples import KEY, NOON, RECORD

OTHER = SessionKey("pi", KEY.id)


def filled(db: Database) -> Database:
    made = [
        replace(RECORD, id="a", at=NOON),
        replace(RECORD, id="b", at=NOON + 1, verdict=Verdict.DENY),
        replace(RECORD, id="c", at=NOON + 2, verdict=Verdict.DENY, session=OTHER),
        replace(RECORD, id="d", at=NOON + 3, source="person.off"),
    ]
    used = [one for row in made for one in usage_of(row.id, row.at, row.session, None, row.stages)]
    with db.transaction():
        apply(db, [*map(Decided, made), *used], Chain("c", b"k" * 32))
    return db


def test_decisions_of_a_session_are_counted_apart_from_the_same_id_elsewhere(db: Database) -> None:
    found = session_counts(filled(db), [KEY, OTHER, SessionKey("x", "unknown")])

    assert found == {KEY: Counts(3, {"deny": 1}), OTHER: Counts(1, {"deny": 1})}
    assert session_counts(db, []) == {}


def test_costs_are_added_up_as_money(db: Database) -> None:
    found = session_costs(filled(db), [KEY, OTHER])

    assert found == {KEY: Decimal("0.0036"), OTHER: Decimal("0.0012")}


def test_the_timeline_has_calls_in_their_order_and_nothing_that_a_person_did(db: Database) -> None:
    assert timeline(filled(db), KEY, 10) == [(NOON, "allow"), (NOON + 1, "deny")]
    assert timeline(db, KEY, 1) == [(NOON + 1, "deny")]


def test_the_newest_number_is_that_of_the_last_record(db: Database) -> None:
    assert newest_number(db) == 0
    assert newest_number(filled(db)) == 4
