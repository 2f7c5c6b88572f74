"""What was written can be found: by session, verdict, source, time, page, id and how it begins."""

from dataclasses import replace

import pytest

from automode.core.decision import Verdict
from automode.core.errors import BadCall
from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import Change, Decided, Heard, RecordQuery, SessionKept
from automode.store.database import Database, StoreError
from automode.store.tables import (
    apply,
    approvals,
    events,
    record,
    records,
    session,
    sessions,
    sessions_named,
    usage_rows,
)
from tests.store.examples import APPROVED, KEY, NOON, OTHER_KEY, RECORD, ROW, USED
from tests.store.examples import record as example

RECORDS: tuple[Change, ...] = (
    Decided(example(1)),
    Decided(example(2, Verdict.DENY)),
    Decided(example(3, Verdict.ASK, source="rules.ask")),
    Decided(example(4, Verdict.DENY, source="floorboard", session=OTHER_KEY)),
    Decided(example(5, Verdict.HALT, source="breaker.total")),
    Decided(example(6, session=SessionKey("claude-code", "5f0c-11"))),
)


def write(db: Database, *changes: Change) -> None:
    with db.transaction():
        apply(db, changes, Chain("c1", b"k" * 32))


def test_a_record_is_found_as_it_was_written(db: Database) -> None:
    write(db, Decided(RECORD))

    [found] = records(db, RecordQuery())

    assert found.record == RECORD
    assert (found.chain, found.seq, found.id, found.at) == ("c1", 1, RECORD.id, RECORD.at)
    assert (found.session, found.verdict, found.source) == (KEY, "allow", RECORD.source)


QUERIES = {
    "all": (RecordQuery(), [6, 5, 4, 3, 2, 1]),
    "the newest two": (RecordQuery(limit=2), [6, 5]),
    "one session": (RecordQuery(session=KEY), [5, 3, 2, 1]),
    "the same id elsewhere": (RecordQuery(session=OTHER_KEY), [4]),
    "nobody's session": (RecordQuery(session=SessionKey("x", "y")), []),
    "denials": (RecordQuery(verdicts=("deny", "halt")), [5, 4, 2]),
    "a whole source": (RecordQuery(source="rules.ask"), [3]),
    "a room of sources": (RecordQuery(source="floor"), [2]),
    "another room": (RecordQuery(source="classifier"), [6, 1]),
    "since": (RecordQuery(since=NOON + 5), [6, 5]),
    "until": (RecordQuery(until=NOON + 3), [2, 1]),
    "together": (RecordQuery(session=KEY, verdicts=("deny",), since=NOON), [2]),
    "no such verdict": (RecordQuery(verdicts=("maybe",)), []),
}


@pytest.mark.parametrize(("query", "expected"), QUERIES.values(), ids=QUERIES)
def test_a_query_narrows_and_the_newest_come_first(
    db: Database, query: RecordQuery, expected: list[int]
) -> None:
    write(db, *RECORDS)

    assert [one.id for one in records(db, query)] == [f"r{number:04}" for number in expected]


def test_pages_hold_everything_once(db: Database) -> None:
    write(db, *RECORDS)

    seen: list[str] = []
    before = None
    while page := records(db, RecordQuery(before=before, limit=4)):
        seen += [one.id for one in page]
        before = page[-1].number

    assert seen == [f"r{number:04}" for number in (6, 5, 4, 3, 2, 1)]


def test_records_stand_in_the_order_of_writing_also_when_the_clock_goes_back(
    db: Database,
) -> None:
    write(db, Decided(example(1)), Decided(example(2, at=NOON - 3600)), Decided(example(3)))

    assert [one.id for one in records(db, RecordQuery())] == ["r0003", "r0002", "r0001"]


def test_pages_hold_the_records_of_every_chain(db: Database) -> None:
    for number, chain in enumerate(("c1", "c2", "c1", "c2")):
        with db.transaction():
            apply(db, [Decided(example(number))], Chain(chain, b"k" * 32))

    first = records(db, RecordQuery(limit=2))
    second = records(db, RecordQuery(limit=2, before=first[-1].number))

    assert [one.id for one in first + second] == ["r0003", "r0002", "r0001", "r0000"]


def test_a_record_is_found_by_its_id(db: Database) -> None:
    write(db, *RECORDS)

    assert record(db, "r0003").id == "r0003"


def test_a_record_is_found_by_how_its_id_begins(db: Database) -> None:
    write(db, Decided(replace(RECORD, id="abc1")), Decided(replace(RECORD, id="abd1")))

    assert record(db, "abd").id == "abd1"


def test_an_id_that_is_the_beginning_of_another_is_itself(db: Database) -> None:
    write(db, Decided(replace(RECORD, id="abc")), Decided(replace(RECORD, id="abcd")))

    assert record(db, "abc").id == "abc"


NOT_ONE = {"": "no record", "x": "no record", "r00": "more than one record", "R0001": "no record"}


@pytest.mark.parametrize(("wanted", "says"), NOT_ONE.items())
def test_none_and_several_are_told_with_a_way_out(db: Database, wanted: str, says: str) -> None:
    write(db, *RECORDS)

    with pytest.raises(BadCall, match=f"{says}.*`{wanted}`") as caught:
        record(db, wanted)

    assert caught.value.hint


def test_ids_of_any_characters_are_found(db: Database) -> None:
    strange = ["a%b", "a_b", "a\\b", "ü", "a\x00b", "\ud800"]
    write(db, *(Decided(replace(RECORD, id=own)) for own in strange))

    assert [record(db, own).id for own in strange] == strange


def test_a_purged_record_keeps_its_place(db: Database) -> None:
    write(db, Decided(RECORD))
    tombstone = '{"digest": "d", "purged": 1, "seal": "s", "seq": 1}'
    db.execute("UPDATE decision SET body = ?", (tombstone,))

    [found] = records(db, RecordQuery())

    assert (found.id, found.record) == (RECORD.id, None)


def test_sessions_are_listed_as_they_were_last_seen(db: Database) -> None:
    newer = replace(ROW, key=OTHER_KEY, seen=NOON + 99)
    ended = replace(ROW, key=SessionKey("pi", "x"), seen=NOON + 50, ended=NOON + 50)
    write(db, *(SessionKept(row) for row in (ROW, newer, ended)))

    assert sessions(db) == [newer, ended, ROW]
    assert sessions(db, limit=1) == [newer]
    assert sessions(db, running=True) == [newer, ROW]


def test_sessions_are_found_by_their_id_or_how_it_begins(db: Database) -> None:
    longer = replace(ROW, key=SessionKey("claude-code", "5f0c-11"))
    other = replace(ROW, key=OTHER_KEY)
    write(db, *(SessionKept(row) for row in (ROW, longer, other)))

    assert sessions_named(db, "5f0c-1") == [ROW, other]
    assert sessions_named(db, "5f0c-11") == [longer]
    assert sessions_named(db, "5f0") == [ROW, other, longer]
    assert sessions_named(db, "6") == []


def test_a_session_nobody_kept_is_none(db: Database) -> None:
    assert session(db, KEY) is None


def test_events_come_in_their_order(db: Database) -> None:
    said = [Heard(KEY, position, f"event {position}") for position in range(4)]
    write(db, *said, Heard(OTHER_KEY, 0, "another session"))

    assert events(db, KEY) == said
    assert events(db, KEY, newest=2) == said[2:]
    assert events(db, KEY, newest=0) == []


def test_usage_is_found_by_session_and_time(db: Database) -> None:
    later = replace(USED, id="u2", at=NOON + 60, usd=None)
    other = replace(USED, id="u3", session=OTHER_KEY, parent=None)
    write(db, later, USED, other)

    assert usage_rows(db) == [USED, other, later]
    assert usage_rows(db, sessions=[KEY]) == [USED, later]
    assert usage_rows(db, sessions=[KEY, OTHER_KEY], since=NOON + 1) == [later]


def test_approvals_are_listed_newest_first(db: Database) -> None:
    newer = replace(APPROVED, id="a2", at=NOON + 1)
    other = replace(APPROVED, id="a3", session=OTHER_KEY)
    write(db, APPROVED, newer, other)

    assert [one.id for one in approvals(db, KEY)] == ["a2", "a1"]
    assert {one.id for one in approvals(db)} == {"a1", "a2", "a3"}


def test_a_row_with_values_of_other_kinds_is_trouble(db: Database) -> None:
    write(db, SessionKept(ROW))
    db.execute("ALTER TABLE session RENAME COLUMN attended TO other")
    db.execute("ALTER TABLE session RENAME COLUMN mode TO attended")
    db.execute("ALTER TABLE session RENAME COLUMN other TO mode")

    with pytest.raises(StoreError, match="a value of another kind"):
        session(db, KEY)
