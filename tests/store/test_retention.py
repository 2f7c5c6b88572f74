"""Old records go, what a person wants gone is gone, and the chain says so."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.record import Record, SessionKey
from automode.store import retention
from automode.store.chain import Chain
from automode.store.changes import Change, Decided, SessionKept, SessionRow
from automode.store.database import Database, Engine
from automode.store.folder import StateFolder
from automode.store.links import Kind, record_of
from automode.store.open import open_store
from automode.store.retention import Purged, leftovers, purge_all, purge_before, purge_session
from automode.store.tables import apply, approvals, events, sessions
from automode.store.verify import Findings, chain_rows, from_database, verify
from tests.rows import each_row
from tests.store.examples import (
    APPROVED,
    HEARD,
    KEY,
    NOON,
    ONE_OF_EACH,
    OTHER_KEY,
    ROW,
    USED,
    record,
)

SIGNING = b"k" * 32
NOW = NOON + 1000
DAY = 86_400.0
TABLES = ("session", "event", "approval", "usage")


@pytest.fixture
def chain() -> Chain:
    return Chain("c1", SIGNING)


def put(db: Database, chain: Chain, *changes: Change | Record) -> None:
    with db.transaction():
        made = [Decided(one) if isinstance(one, Record) else one for one in changes]
        apply(db, made, chain)
    chain.note_commit()


def findings(db: Database) -> Findings:
    return verify(from_database(db, "c1"), SIGNING)


def kept(db: Database) -> dict[int, bool]:
    """By number, whether a record still has its content."""
    return {row.seq: record_of(row.body) is not None for row in chain_rows(db, "c1")}


def counts(db: Database) -> dict[str, object]:
    return {name: db.rows(f"SELECT count(*) FROM {name}")[0][0] for name in TABLES}


def purged_session(db: Database, chain: Chain, key: SessionKey = KEY) -> Purged:
    with db.transaction():
        return purge_session(db, chain, key, NOW)


def aged(*days: float) -> list[Record]:
    """A record for each age in days, counted from noon."""
    return [record(number, at=NOON - age * DAY) for number, age in enumerate(days, start=1)]


def applied(db: Database, chain: Chain, keep_days: int = 90, now: float = NOON) -> int:
    with db.transaction():
        return retention.apply(db, chain, now, keep_days)


AGES = {
    "what is older goes": ((120, 91, 89, 1), [3, 4]),
    "nothing is old": ((3, 2, 1), [1, 2, 3]),
    "an empty store": ((), []),
    "everything is old": ((120, 110), []),
    "a clock that was ahead holds nothing back": ((120, -4000, 100, 1), [4]),
    "a clock that was behind takes nothing along": ((120, 1, 4000, 1), [2, 3, 4]),
}


@pytest.mark.parametrize(("days", "left"), AGES.values(), ids=AGES)
def test_what_is_older_goes_and_the_rest_still_verifies(
    db: Database, chain: Chain, days: tuple[float, ...], left: list[int]
) -> None:
    put(db, chain, *aged(*days))

    removed = applied(db, chain)

    marks = [mark for mark in findings(db).marks if mark.kind is Kind.PRUNED]
    assert (removed, list(kept(db))) == (len(days) - len(left), left)
    assert [(mark.count, mark.why) for mark in marks] == [(removed, "older than 90 days")] * (
        removed > 0
    )
    assert findings(db).sound
    put(db, chain, record(9))
    assert list(kept(db)) == [*left, len(days) + 1]  # the numbers go on
    assert findings(db).sound


def test_sessions_that_nobody_has_seen_are_forgotten_on_either_engine(db: Database) -> None:
    young = replace(ROW, key=OTHER_KEY, seen=ROW.seen + DAY)
    with db.transaction():
        apply(db, [SessionKept(ROW), HEARD, APPROVED, SessionKept(young)], Chain("c1", SIGNING))

    with db.transaction():
        gone = [retention.forget_sessions(db, ROW.seen + 1) for _ in range(2)]

    assert gone == [1, 0]
    assert (sessions(db), events(db, ROW.key), approvals(db)) == ([young], [], [])


def test_while_one_machine_forgets_sessions_another_leaves_it_to_that_one(
    folder: StateFolder, postgres_store: str
) -> None:
    one, other = open_store(folder, postgres_store), open_store(folder, postgres_store)
    with one.transaction():
        apply(one, [SessionKept(ROW)], Chain("c1", SIGNING))

    with one.transaction(), other.transaction():
        gone = [retention.forget_sessions(db, ROW.seen + 1) for db in (one, other)]

    left = sessions(one)
    one.close()
    other.close()
    assert (gone, left) == ([1, 0], [])


def test_letting_go_hides_nothing_that_is_missing_and_touches_no_other_chain(
    db: Database, chain: Chain
) -> None:
    put(db, chain, *aged(120, 3, 2, 1))
    put(db, Chain("c2", SIGNING), record(7, at=NOON - 120 * DAY))
    db.execute("DELETE FROM decision WHERE seq = 3")

    removed = [applied(db, chain, now=now) for now in (0.0, NOON - 300 * DAY, NOON)]

    assert removed == [0, 0, 1]  # a clock that is behind removes nothing
    assert str(findings(db).fault).startswith("record 3")
    assert [row.seq for row in chain_rows(db, "c2")] == [1]


def test_a_session_loses_its_contents_and_keeps_its_places(db: Database, chain: Chain) -> None:
    put(db, chain, record(1), record(2, session=OTHER_KEY), record(3))

    assert purged_session(db, chain) == Purged(emptied=2, sessions=1)

    assert kept(db) == {1: False, 2: True, 3: False}
    assert (findings(db).sound, findings(db).purged) == (True, 2)
    mark = findings(db).marks[-1]
    assert (mark.kind, mark.count, mark.why) == (Kind.PURGED, 2, "purged: one session")


def test_what_else_is_kept_of_a_session_goes_too(db: Database, chain: Chain) -> None:
    put(db, chain, *ONE_OF_EACH[:-1])
    assert all(counts(db).values())
    marks = len(findings(db).marks)

    nobody = purged_session(db, chain, SessionKey("x", "y"))
    assert (nobody, len(findings(db).marks)) == (Purged(sessions=1), marks)
    purged_session(db, chain)

    assert counts(db) == dict.fromkeys(TABLES, 0)


def test_sub_sessions_go_with_it_whether_they_are_remembered_or_not(
    db: Database, chain: Chain
) -> None:
    below = SessionKey(KEY.host, "below")
    deeper = SessionKey(KEY.host, "deeper")
    elsewhere = SessionKey("codex", "elsewhere")
    put(db, chain, SessionKept(_row(below, parent=KEY.id)))
    put(
        *(db, chain, record(1), record(2, session=below)),
        record(3, session=deeper, parent="below"),
        record(4, session=elsewhere, parent="below"),
        record(5, session=SessionKey(KEY.host, "b"), action='"parent":"below"'),
        record(6, session=SessionKey(KEY.host, "c"), parent="BELOW"),
    )

    assert purged_session(db, chain) == Purged(emptied=3, sessions=3)
    assert kept(db) == {1: False, 2: False, 3: False, 4: True, 5: True, 6: True}
    assert findings(db).sound


def test_a_long_session_is_emptied_whole(db: Database, chain: Chain) -> None:
    put(db, chain, *(record(number) for number in range(1, 1203)))

    assert [purged_session(db, chain).emptied for _ in range(2)] == [1202, 0]
    assert findings(db).sound


def test_a_purge_does_not_wash_an_altered_record_clean(db: Database, chain: Chain) -> None:
    put(db, chain, record(1), record(2))
    db.execute("UPDATE decision SET body = replace(body, 'make test', 'make play') WHERE seq = 1")

    purged_session(db, chain)

    assert "record 1 " in str(findings(db).fault)


def test_everything_from_before_a_day_goes(db: Database, chain: Chain) -> None:
    with db.transaction():
        assert purge_all(db, chain, NOW) == Purged()
        assert purge_before(db, chain, NOW, NOW) == Purged()
    put(db, chain, record(1), record(2), record(9, session=OTHER_KEY))
    put(db, chain, SessionKept(ROW), HEARD, APPROVED, USED)

    with db.transaction():
        purged = purge_before(db, chain, NOON + 8, NOW)

    assert (purged.removed, purged.emptied) == (2, 0)
    assert kept(db) == {3: True}
    assert findings(db).sound
    assert findings(db).marks[-1].why == "purged: before a day"
    assert counts(db) == dict.fromkeys(TABLES, 0)  # the session had ended before


def test_everything_goes_and_the_chain_goes_on(db: Database, chain: Chain) -> None:
    put(db, chain, record(1), record(2), *ONE_OF_EACH[2:-1])

    with db.transaction():
        purged = purge_all(db, chain, NOW)

    assert purged.removed == 2
    assert counts(db) == dict.fromkeys(TABLES, 0)
    assert findings(db).sound
    put(db, chain, record(3))
    assert kept(db) == {3: True}
    assert findings(db).sound


def test_purging_everything_ends_old_faults_with_a_mark(db: Database, chain: Chain) -> None:
    put(db, chain, record(1), record(2))
    db.execute("UPDATE checkpoint SET signature = 'x'")
    db.execute("DELETE FROM meta")
    assert not findings(db).sound

    with db.transaction():
        purge_all(db, Chain("c1", SIGNING), NOW)

    found = findings(db)
    assert found.sound
    assert [(mark.kind, mark.count) for mark in found.marks] == [(Kind.BEGAN, 2)]


def test_in_a_shared_database_what_others_recorded_stays(db: Database, chain: Chain) -> None:
    other = Chain("c2", SIGNING)
    put(db, chain, record(1))
    put(db, other, record(2, session=OTHER_KEY), SessionKept(_row(OTHER_KEY, parent=None)))

    with db.transaction():
        purge_all(db, chain, NOW)

    shared = db.engine is Engine.POSTGRESQL
    assert [row.seq for row in chain_rows(db, "c2")] == ([1] if shared else [])
    assert verify(from_database(db, "c2"), SIGNING).sound
    assert counts(db)["session"] == int(shared)


PURGES: dict[str, Callable[[Database, Chain], Purged]] = {
    "session": lambda db, chain: purge_session(db, chain, KEY, NOW),
    "before": lambda db, chain: purge_before(db, chain, NOW, NOW),
    "all": lambda db, chain: purge_all(db, chain, NOW),
}


@each_row("purge", PURGES.values())
def test_nothing_of_it_is_left_in_the_files(
    folder: StateFolder, purge: Callable[[Database, Chain], Purged]
) -> None:
    word = "unmistakable"
    chain = Chain.of(folder)
    db = open_store(folder)
    wordy = [record(number, action=f"{word} {number}" * 50) for number in range(1, 60)]
    put(db, chain, *wordy, SessionKept(ROW), HEARD)

    with db.transaction():
        purge(db, chain)
    db.checkpoint(truncate=True)

    assert not any(word.encode() in data for data in _files(folder))
    db.close()


def test_databases_that_were_moved_aside_are_found(folder: StateFolder) -> None:
    for name in ("audit.db", "audit.db-wal", "audit.db.corrupt-1", "audit.db.gone-1-wal", "x.db"):
        Path(folder.path, name).touch()

    names = [Path(file).name for file in leftovers(folder)]
    assert names == ["audit.db.corrupt-1", "audit.db.gone-1-wal"]


def _row(key: SessionKey, parent: str | None) -> SessionRow:
    return replace(ROW, key=key, parent=parent)


def _files(folder: StateFolder) -> Iterable[bytes]:
    return [path.read_bytes() for path in Path(folder.path).rglob("*") if path.is_file()]
