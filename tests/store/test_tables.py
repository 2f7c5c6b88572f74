"""What was written can be found: by session, verdict, source, time, page, id and how it begins."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Verdict
from automode.core.errors import BadCall
from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import (
    Change,
    Decided,
    Heard,
    ModeSet,
    RecordQuery,
    SessionKept,
)
from automode.store.database import Database, StoreError
from automode.store.open import migrate
from automode.store.sqlite import Sqlite
from automode.store.tables import (
    apply,
    approvals,
    consume,
    counts_since,
    events,
    find_session,
    record,
    records,
    session,
    sessions,
    usage_rows,
)
from tests.rows import each_row
from tests.store.examples import (
    APPROVED,
    FORGOTTEN,
    HEARD,
    KEY,
    NOON,
    ONE_OF_EACH,
    OTHER_KEY,
    RECORD,
    ROW,
    USED,
    decided,
)
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


@pytest.fixture
def filled(db: Database) -> Database:
    write(db, *RECORDS)
    return db


COUNTS = [
    (0.0, 10, {"allow": 2, "deny": 2, "ask": 1, "halt": 1}),
    (NOON + 4, 10, {"allow": 1, "deny": 1, "halt": 1}),
    (0.0, 2, {"allow": 1, "halt": 1}),  # of the newest two
    (NOON + 60, 10, {}),
]


@each_row("since, newest, expected", COUNTS)
def test_decisions_since_a_time_are_counted_by_verdict(
    filled: Database, since: float, newest: int, expected: dict[str, int]
) -> None:
    assert counts_since(filled, since, newest=newest) == expected


def test_what_a_person_did_is_not_counted(filled: Database) -> None:
    write(filled, Decided(example(7, source="person.off")))

    assert counts_since(filled, NOON + 6, newest=10) == {"allow": 1}


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
    "together": (RecordQuery(session=KEY, verdicts=("deny",), since=NOON), [2]),
    "no such verdict": (RecordQuery(verdicts=("maybe",)), []),
    "an agent": (RecordQuery(host=OTHER_KEY.host), [4]),
    "what is new": (RecordQuery(after=4), [6, 5]),
    "between two": (RecordQuery(after=2, before=5), [4, 3]),
    "a project": (RecordQuery(root=RECORD.root, limit=1), [6]),
    "another project": (RecordQuery(root="/srv/proj"), []),
    "words in either case": (RecordQuery(words=("MAKE", "ordinary"), limit=1), [6]),
    "words with signs of patterns": (RecordQuery(words=("mak_", "%")), []),
}


def test_words_are_found_as_they_are_whatever_signs_they_hold(db: Database) -> None:
    strange = ['100%_!"', "a\\b", "Zürich", "tab\there"]
    made = [replace(RECORD, id=f"s{at}", action=text) for at, text in enumerate(strange)]
    write(db, *(Decided(one) for one in made))

    found = [records(db, RecordQuery(words=(one.action,))) for one in made]

    assert [[row.id for row in rows] for rows in found] == [[one.id] for one in made]


@each_row("query, expected", QUERIES.values())
def test_a_query_narrows_and_the_newest_come_first(
    filled: Database, query: RecordQuery, expected: list[int]
) -> None:
    assert [one.id for one in records(filled, query)] == [f"r{number:04}" for number in expected]


@pytest.mark.parametrize("name", ["gate.desk-failed", "gate.service-failed"])
def test_a_source_is_found_by_its_old_and_its_new_name(db: Database, name: str) -> None:
    write(db, Decided(example(1, source="gate.desk-failed")))
    write(db, Decided(example(2, source="gate.service-failed")), Decided(example(3)))

    assert [one.id for one in records(db, RecordQuery(source=name))] == ["r0002", "r0001"]


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


@each_row("wanted, found", [("r0003", "r0003"), ("abd", "abd1"), ("abc", "abc")])
def test_a_record_is_found_by_its_id_or_how_it_begins(
    filled: Database, wanted: str, found: str
) -> None:
    write(filled, *(Decided(replace(RECORD, id=own)) for own in ("abc", "abcd", "abd1")))

    assert record(filled, wanted).id == found


NOT_ONE = {"": "no record", "x": "no record", "r00": "more than one record", "R0001": "no record"}


@each_row("wanted, says", NOT_ONE.items())
def test_none_and_several_are_told_with_a_way_out(filled: Database, wanted: str, says: str) -> None:
    with pytest.raises(BadCall, match=f"{says}.*`{wanted}`") as caught:
        record(filled, wanted)

    assert caught.value.hint


def test_ids_of_any_characters_are_found(db: Database) -> None:
    strange = ["a%b", "a_b", "a\\b", "ü", "a\x00b", "\ud800"]
    write(db, *(Decided(replace(RECORD, id=own)) for own in strange))

    assert [record(db, own).id for own in strange] == strange


def test_sessions_are_listed_as_they_were_last_seen(db: Database) -> None:
    newer = replace(ROW, key=OTHER_KEY, seen=NOON + 99)
    ended = replace(ROW, key=SessionKey("pi", "x"), seen=NOON + 50, ended=NOON + 50)
    write(db, *(SessionKept(row) for row in (ROW, newer, ended)))

    assert sessions(db) == [newer, ended, ROW]
    assert sessions(db, limit=1) == [newer]


def test_events_come_in_their_order(db: Database) -> None:
    write(db, Heard(KEY, "a"), Heard(KEY, "b"), Heard(OTHER_KEY, "x"))
    write(db, Heard(KEY, "c"))

    assert events(db, KEY) == ["a", "b", "c"]
    assert events(db, KEY, newest=2) == ["b", "c"]
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


def everything(db: Database) -> Sequence[object]:
    found = records(db, RecordQuery())
    return [
        [one.record for one in found],
        sessions(db),
        events(db, KEY),
        approvals(db),
        usage_rows(db),
    ]


def test_every_kind_of_change_arrives(db: Database) -> None:
    write(db, Decided(RECORD), SessionKept(ROW), HEARD, USED, APPROVED)

    assert everything(db) == [[RECORD], [ROW], [HEARD.event], [APPROVED], [USED]]
    assert session(db, OTHER_KEY) is None


def test_writing_the_same_again_changes_nothing(db: Database) -> None:
    """Except events: the store numbers them as they come."""
    once = [one for one in ONE_OF_EACH if not isinstance(one, Heard)]
    write(db, *once)
    before = everything(db)

    write(db, *once)

    assert everything(db) == before


def test_who_writes_a_row_from_memory_does_not_take_back_what_a_person_switched(
    db: Database,
) -> None:
    write(db, SessionKept(ROW), ModeSet(KEY, "off"))

    write(db, SessionKept(replace(ROW, seen=NOON - 3600, standing="{}")))

    assert session(db, KEY) == replace(ROW, mode="off", standing="{}")  # nor is it older


def test_a_reset_takes_approvals_and_leaves_the_rest(db: Database) -> None:
    other = replace(APPROVED, id="a9", session=OTHER_KEY)

    write(db, *decided(1), SessionKept(ROW), HEARD, USED, APPROVED, other, FORGOTTEN)
    write(db, APPROVED, FORGOTTEN, replace(APPROVED, id="a2", at=NOON - 1))

    assert session(db, KEY) == ROW
    assert [one.id for one in approvals(db)] == ["a9", "a2"]  # what follows a reset stays
    assert (len(records(db, RecordQuery())), events(db, KEY)) == (1, [HEARD.event])


def test_an_approval_that_counts_once_is_taken_once(db: Database) -> None:
    write(db, APPROVED)

    taken = [consume(db, KEY, APPROVED.digest, NOON + 5) for _ in range(2)]

    expected = replace(APPROVED, consumed=NOON + 5)
    assert taken == [expected, None]
    write(db, APPROVED)
    assert consume(db, KEY, APPROVED.digest, NOON + 6) is None  # nor does it come back so
    assert approvals(db, KEY) == [expected]


def test_an_approval_for_the_session_is_taken_again_and_again(db: Database) -> None:
    write(db, replace(APPROVED, once=False, expires=None))

    taken = [consume(db, KEY, APPROVED.digest, NOON + at) for at in (1, 999_999)]

    assert [one is not None and one.consumed is None for one in taken] == [True, True]


def test_the_one_for_the_session_is_taken_before_the_one_that_counts_once(db: Database) -> None:
    write(db, APPROVED, replace(APPROVED, id="a2", once=False, expires=None))

    taken = consume(db, KEY, APPROVED.digest, NOON + 1)

    assert taken is not None
    assert taken.id == "a2"


NOT_TAKEN = {
    "another call": (KEY, "e" * 64, NOON + 1),
    "another host": (OTHER_KEY, APPROVED.digest, NOON + 1),
    "another session": (SessionKey("claude-code", "5f0c-2"), APPROVED.digest, NOON + 1),
    "too late": (KEY, APPROVED.digest, NOON + 600),
    "a clock set back to before it": (KEY, APPROVED.digest, NOON - 1),
}


@each_row("key, digest, now", NOT_TAKEN.values())
def test_an_approval_is_for_one_call_of_one_session_for_a_while(
    db: Database, key: SessionKey, digest: str, now: float
) -> None:
    write(db, FORGOTTEN, APPROVED)

    assert consume(db, key, digest, now) is None
    assert consume(db, KEY, APPROVED.digest, NOON + 1) is not None


FORGED_MODES = {
    "never sealed": "UPDATE session SET mode = 'off', seal = ''",
    "sealed for another mode": "UPDATE session SET mode = 'off'",
    "sealed for another session": """UPDATE session SET mode = 'off',
        seal = (SELECT seal FROM session WHERE host = 'codex') WHERE host <> 'codex'""",
}


@each_row("forged", FORGED_MODES.values())
def test_a_switch_that_nobody_sealed_is_none(db: Database, forged: str) -> None:
    write(db, SessionKept(ROW), ModeSet(KEY, "on"))
    write(db, SessionKept(replace(ROW, key=OTHER_KEY)), ModeSet(OTHER_KEY, "off"))
    assert session(db, KEY) == replace(ROW, mode="on")

    db.execute(forged)

    assert session(db, KEY) == replace(ROW, mode="")
    assert {one.mode for one in sessions(db) if one.key == KEY} == {""}


FORGED_APPROVALS = {
    "never given": """INSERT INTO approval (id, at, host, session, record, digest, once)
        SELECT 'b', at, host, session, record, 'x', 0 FROM approval""",
    "for another call": "UPDATE approval SET digest = 'x'",
    "for longer": "UPDATE approval SET digest = 'x', expires = NULL",
    "a copy for another call": """INSERT INTO approval
        (id, at, host, session, record, digest, once, expires, seal)
        SELECT 'b', at, host, session, record, 'x', once, expires, seal FROM approval""",
}


@each_row("forged", FORGED_APPROVALS.values())
def test_a_yes_that_nobody_sealed_is_none(db: Database, forged: str) -> None:
    db.execute("DELETE FROM approval")
    write(db, APPROVED)

    db.execute(forged)

    assert consume(db, KEY, "x", NOON + 1) is None
    assert [one.digest for one in approvals(db, KEY) if one.digest == "x"] == []


LENGTHENED = {
    "no end": "UPDATE approval SET expires = NULL",
    "for the session": "UPDATE approval SET once = 0",
    "later": f"UPDATE approval SET expires = {NOON + 9000}",
    "used and taken back": "UPDATE approval SET consumed = NULL",
}


@each_row("forged", LENGTHENED.values())
def test_a_yes_cannot_be_made_longer(db: Database, forged: str) -> None:
    db.execute("DELETE FROM approval")
    write(db, APPROVED)
    consume(db, KEY, APPROVED.digest, NOON + 1)
    db.execute("UPDATE approval SET consumed = NULL")

    db.execute(forged)

    assert consume(db, KEY, APPROVED.digest, NOON + 2) is None
    assert approvals(db, KEY) == []


def test_a_forged_yes_does_not_stand_before_a_true_one(db: Database) -> None:
    write(db, APPROVED)
    db.execute(
        "INSERT INTO approval (id, at, host, session, record, digest, once)"
        " SELECT 'b', at, host, session, record, digest, 0 FROM approval"
    )

    taken = consume(db, KEY, APPROVED.digest, NOON + 1)

    assert taken is not None
    assert taken.id == "a1"


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_whatever_a_host_calls_its_sessions_they_stay_apart(
    host: str, one: str, other: str
) -> None:
    db = Sqlite.empty()
    migrate(db)
    keys = [SessionKey(host, one), SessionKey(host, other)]
    rows = [replace(ROW, key=key, cwd=one, standing=str(at)) for at, key in enumerate(keys)]

    write(db, *(SessionKept(row) for row in rows), *(Heard(key, key.id) for key in keys))

    assert [session(db, key) for key in keys] == ([rows[1]] * 2 if one == other else rows)
    assert events(db, keys[0]) == [one] * (1 + (one == other))
    db.close()


ONLY = SessionKey("codex", "7a/b")
ODD = SessionKey("plain", "a\0\ud800")
MEANT = {
    "claude-code/5f0c-1": KEY,
    "codex/5f0c-1": OTHER_KEY,
    "claude-code/5": KEY,
    "7a/b": ONLY,
    "7": ONLY,
    "codex/7a": ONLY,
    "a\0\ud800": ODD,
    "live": SessionKey("pi", "live-1"),
}
UNCLEAR = {
    "": "no session",
    "5f0c": "may mean several sessions: claude-code/5f0c-1, codex/5f0c-1",
    "5f0c-1": "may mean several sessions",
    "nobody": "no session is called `nobody`",
    "pi/5f0c-1": "no session",
}


def test_a_session_is_found_by_its_name_or_how_it_begins(db: Database) -> None:
    keys = (KEY, OTHER_KEY, ONLY, ODD)
    changes = [Decided(example(at, session=key)) for at, key in enumerate(keys, start=1)]
    write(db, *changes, SessionKept(ROW))

    live = [SessionKey("pi", "live-1"), KEY]
    assert {name: find_session(db, name, live) for name in MEANT} == MEANT
    for name, says in UNCLEAR.items():
        with pytest.raises(BadCall, match=says) as caught:
            find_session(db, name)
        assert caught.value.hint
    db.execute("UPDATE decision SET host = '', session = '', verdict = ''")  # as purged ones are
    with pytest.raises(BadCall):
        find_session(db, "7a/b")
