"""Changes arrive in the tables, and what only a person may say is sealed."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import (
    Approval,
    Change,
    Decided,
    Heard,
    ModeSet,
    RecordQuery,
    SessionKept,
)
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.open import migrate
from automode.store.sqlite import Sqlite
from automode.store.tables import (
    apply,
    approvals,
    consume,
    events,
    forget_session,
    forget_unseen,
    records,
    session,
    sessions,
    usage_rows,
)
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
    record,
)


def write(db: Database, *changes: Change) -> None:
    with db.transaction():
        apply(db, changes, Chain("c1", b"k" * 32))


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

    approval = Approval("a1", KEY, "r0007", "d" * 64, once=True, expires=NOON + 600)
    assert everything(db) == [[RECORD], [ROW], [HEARD], [approval], [USED]]


def test_writing_the_same_again_changes_nothing(db: Database) -> None:
    """Except events: the store numbers them as they come."""
    once = [one for one in ONE_OF_EACH if not isinstance(one, Heard)]
    write(db, *once)
    before = everything(db)

    write(db, *once)

    assert everything(db) == before


def test_events_are_numbered_as_they_come_whatever_their_writer_believes(db: Database) -> None:
    write(db, Heard(KEY, 7, "a"), Heard(KEY, 7, "b"), Heard(OTHER_KEY, 7, "x"))
    write(db, Heard(KEY, 0, "c"))

    assert events(db, KEY) == [Heard(KEY, place, word) for place, word in enumerate("abc")]
    assert events(db, KEY, newest=1) == [Heard(KEY, 2, "c")]


def test_who_writes_a_row_from_memory_does_not_take_back_what_a_person_switched(
    db: Database,
) -> None:
    write(db, SessionKept(ROW), ModeSet(KEY, "off"))

    write(db, SessionKept(replace(ROW, seen=NOON - 3600, standing="{}")))

    assert session(db, KEY) == replace(ROW, mode="off", standing="{}")  # nor is it older


def test_the_same_change_twice_in_one_transaction_counts_once(db: Database) -> None:
    write(db, *decided(1, 1), USED, USED, HEARD, APPROVED, APPROVED)

    found = everything(db)
    assert [len(one) for one in found if isinstance(one, list)] == [1, 0, 1, 1, 1]


def test_a_session_is_as_it_was_last_kept(db: Database) -> None:
    newer = replace(ROW, cwd="/elsewhere", ended=NOON + 8, seen=NOON + 8)

    write(db, SessionKept(ROW), SessionKept(newer))

    assert session(db, KEY) == newer


def test_the_same_id_on_two_hosts_is_two_sessions(db: Database) -> None:
    other = replace(ROW, key=OTHER_KEY, standing='{"silent": "y"}')

    write(db, SessionKept(ROW), SessionKept(other), HEARD)

    assert (session(db, KEY), session(db, OTHER_KEY)) == (ROW, other)
    assert events(db, OTHER_KEY) == []


def test_a_reset_takes_approvals_and_leaves_the_rest(db: Database) -> None:
    other = replace(APPROVED, id="a9", session=OTHER_KEY)

    write(db, *decided(1), SessionKept(ROW), HEARD, USED, APPROVED, other, FORGOTTEN)

    assert session(db, KEY) == ROW
    assert [one.id for one in approvals(db)] == ["a9"]
    assert (len(records(db, RecordQuery())), events(db, KEY)) == (1, [HEARD])


def test_what_follows_a_reset_in_one_transaction_stays(db: Database) -> None:
    write(db, SessionKept(ROW), APPROVED, FORGOTTEN, SessionKept(ROW), replace(APPROVED, id="a2"))

    assert session(db, KEY) == ROW
    assert [one.id for one in approvals(db)] == ["a2"]


def test_an_approval_that_counts_once_is_taken_once(db: Database) -> None:
    write(db, APPROVED)

    taken = [consume(db, KEY, APPROVED.digest, NOON + 5) for _ in range(2)]

    expected = Approval("a1", KEY, "r0007", "d" * 64, True, NOON + 600, NOON + 5)
    assert taken == [expected, None]
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


@pytest.mark.parametrize(("key", "digest", "now"), NOT_TAKEN.values(), ids=NOT_TAKEN)
def test_an_approval_is_for_one_call_of_one_session_for_a_while(
    db: Database, key: SessionKey, digest: str, now: float
) -> None:
    write(db, APPROVED)

    assert consume(db, key, digest, now) is None
    assert consume(db, KEY, APPROVED.digest, NOON + 1) is not None


def test_a_used_approval_does_not_come_back_by_being_written_again(db: Database) -> None:
    write(db, APPROVED)
    consume(db, KEY, APPROVED.digest, NOON + 1)

    write(db, APPROVED)

    assert consume(db, KEY, APPROVED.digest, NOON + 2) is None


FORGED_MODES = {
    "never sealed": "UPDATE session SET mode = 'off', seal = ''",
    "sealed for another mode": "UPDATE session SET mode = 'off'",
    "sealed for another session": """UPDATE session SET mode = 'off',
        seal = (SELECT seal FROM session WHERE host = 'codex') WHERE host <> 'codex'""",
}


@pytest.mark.parametrize("forged", FORGED_MODES.values(), ids=FORGED_MODES)
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


@pytest.mark.parametrize("forged", FORGED_APPROVALS.values(), ids=FORGED_APPROVALS)
def test_a_yes_that_nobody_sealed_is_none(db: Database, forged: str) -> None:
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


@pytest.mark.parametrize("forged", LENGTHENED.values(), ids=LENGTHENED)
def test_a_yes_cannot_be_made_longer(db: Database, forged: str) -> None:
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


def test_another_key_believes_no_switch_and_no_yes(db: Database) -> None:
    write(db, SessionKept(ROW), ModeSet(KEY, "off"), APPROVED)

    db.signing_key = b"o" * 32

    assert session(db, KEY) == replace(ROW, mode="")
    assert (approvals(db), consume(db, KEY, APPROVED.digest, NOON + 1)) == ([], None)


def test_a_session_can_be_forgotten_and_its_records_stay(db: Database) -> None:
    write(db, *decided(1), SessionKept(ROW), HEARD, USED, APPROVED)
    write(db, SessionKept(replace(ROW, key=OTHER_KEY)))

    with db.transaction():
        forget_session(db, KEY)

    other = replace(ROW, key=OTHER_KEY)
    assert everything(db) == [[record(1)], [other], [], [], []]


def test_sessions_that_were_not_seen_for_long_are_forgotten(db: Database) -> None:
    fresh = replace(ROW, key=OTHER_KEY, seen=NOON + 100)
    write(db, SessionKept(ROW), HEARD, APPROVED, USED, SessionKept(fresh))

    with db.transaction():
        forgotten = forget_unseen(db, NOON + 50)

    assert (forgotten, sessions(db)) == (1, [fresh])
    assert (events(db, KEY), approvals(db), usage_rows(db)) == ([], [], [USED])


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_whatever_a_host_calls_its_sessions_they_stay_apart(
    host: str, one: str, other: str
) -> None:
    db = Sqlite.empty()
    migrate(db)
    keys = [SessionKey(host, one), SessionKey(host, other)]
    rows = [replace(ROW, key=key, cwd=one, standing=str(at)) for at, key in enumerate(keys)]

    write(db, *(SessionKept(row) for row in rows), *(Heard(key, 0, key.id) for key in keys))

    assert [session(db, key) for key in keys] == ([rows[1]] * 2 if one == other else rows)
    assert [heard.event for heard in events(db, keys[0])] == [one] * (1 + (one == other))
    db.close()


def test_the_chain_of_a_folder_is_used(folder: StateFolder, db: Database) -> None:
    chain = Chain.of(folder)

    with db.transaction():
        apply(db, decided(1, 2), chain)

    assert [(one.chain, one.seq) for one in records(db, RecordQuery())] == [
        (chain.id, 2),
        (chain.id, 1),
    ]
