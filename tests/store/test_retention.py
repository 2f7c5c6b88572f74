"""Old records go, and the chain says where it begins now."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from automode.core.record import Record
from automode.store import retention
from automode.store.chain import Chain
from automode.store.changes import SessionKept
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.links import Kind
from automode.store.open import opened
from automode.store.tables import apply, approvals, events, sessions
from automode.store.verify import Findings, chain_rows, from_database, verify
from tests.store.examples import APPROVED, HEARD, NOON, OTHER_KEY, ROW, record

KEY = b"k" * 32
DAY = 86_400.0


@pytest.fixture
def chain() -> Chain:
    return Chain("c1", KEY)


def put(db: Database, chain: Chain, records: Iterable[Record]) -> None:
    with db.transaction():
        chain.append(db, list(records))
    chain.committed()


def aged(*days: float) -> list[Record]:
    """A record for each age in days, counted from noon."""
    return [record(number, at=NOON - age * DAY) for number, age in enumerate(days, start=1)]


def applied(db: Database, chain: Chain, keep_days: int = 90) -> int:
    with db.transaction():
        return retention.apply(db, chain, NOON, keep_days)


def numbers(db: Database) -> list[int]:
    return [row.seq for row in chain_rows(db, "c1")]


def findings(db: Database) -> Findings:
    return verify(from_database(db, "c1"), KEY)


def test_what_is_older_goes_and_the_rest_still_verifies(db: Database, chain: Chain) -> None:
    put(db, chain, aged(120, 91, 89, 1))

    removed = applied(db, chain)

    assert removed == 2
    assert numbers(db) == [3, 4]
    assert findings(db).sound


def test_the_mark_says_what_went_and_why(db: Database, chain: Chain) -> None:
    put(db, chain, aged(120, 91, 1))
    before = list(chain_rows(db, "c1"))[1].hash

    applied(db, chain)

    mark = findings(db).marks[-1]
    assert (mark.kind, mark.first, mark.before) == (Kind.PRUNED, 3, before)
    assert (mark.count, mark.why, mark.at) == (2, "older than 90 days", NOON)


def test_nothing_old_leaves_no_mark(db: Database, chain: Chain) -> None:
    put(db, chain, aged(3, 2, 1))

    assert applied(db, chain) == 0
    assert len(findings(db).marks) == 1


def test_an_empty_store_has_nothing_to_let_go_of(db: Database, chain: Chain) -> None:
    assert applied(db, chain) == 0
    assert findings(db).marks == ()


def test_when_everything_is_old_the_numbers_go_on(db: Database, chain: Chain) -> None:
    put(db, chain, aged(120, 110))

    assert applied(db, chain) == 2
    assert findings(db).sound
    put(db, chain, [record(9)])

    assert numbers(db) == [3]
    assert findings(db).sound


def test_each_day_adds_to_the_days_before(db: Database, chain: Chain) -> None:
    put(db, chain, aged(10, 9, 8, 7, 6))

    removed = [applied(db, chain, days) for days in (9, 8, 7, 7)]

    assert removed == [1, 1, 1, 0]
    assert numbers(db) == [4, 5]
    assert findings(db).sound


def test_a_clock_that_was_ahead_holds_nothing_back(db: Database, chain: Chain) -> None:
    put(db, chain, aged(120, -4000, 100, 1))

    assert applied(db, chain) == 3
    assert numbers(db) == [4]
    assert findings(db).sound


def test_a_clock_that_is_behind_now_removes_nothing(db: Database, chain: Chain) -> None:
    put(db, chain, aged(120, 91, 1))

    with db.transaction():
        removed = [retention.apply(db, chain, now) for now in (0.0, NOON - 300 * DAY)]

    assert removed == [0, 0]
    assert numbers(db) == [1, 2, 3]


def test_a_clock_that_was_behind_takes_nothing_along(db: Database, chain: Chain) -> None:
    put(db, chain, aged(120, 1, 4000, 1))

    assert applied(db, chain) == 1
    assert numbers(db) == [2, 3, 4]


def test_sessions_that_nobody_has_seen_are_forgotten_on_either_engine(db: Database) -> None:
    young = replace(ROW, key=OTHER_KEY, seen=ROW.seen + DAY)
    with db.transaction():
        apply(db, [SessionKept(ROW), HEARD, APPROVED, SessionKept(young)], Chain("c1", KEY))

    with db.transaction():
        gone = [retention.forget_sessions(db, ROW.seen + 1) for _ in range(2)]

    assert gone == [1, 0]
    assert (sessions(db), events(db, ROW.key), approvals(db)) == ([young], [], [])


def test_while_one_machine_forgets_sessions_another_leaves_it_to_that_one(
    folder: StateFolder, postgres_store: str
) -> None:
    one, other = opened(folder, postgres_store), opened(folder, postgres_store)
    with one.transaction():
        apply(one, [SessionKept(ROW)], Chain("c1", KEY))

    with one.transaction(), other.transaction():
        gone = [retention.forget_sessions(db, ROW.seen + 1) for db in (one, other)]

    left = sessions(one)
    one.close()
    other.close()
    assert (gone, left) == ([1, 0], [])


def test_letting_go_does_not_hide_what_is_missing_from_the_rest(db: Database, chain: Chain) -> None:
    put(db, chain, aged(120, 3, 2, 1))
    db.execute("DELETE FROM decision WHERE seq = 3")

    applied(db, chain)

    assert str(findings(db).fault).startswith("record 3")


def test_other_chains_are_not_touched(db: Database, chain: Chain) -> None:
    put(db, chain, aged(120))
    put(db, Chain("c2", KEY), [record(7, at=NOON - 120 * DAY)])

    applied(db, chain)

    assert [row.seq for row in chain_rows(db, "c2")] == [1]
