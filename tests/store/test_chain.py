"""Appending to the chain: once each, in order, sealed, and never over somebody else's traces."""

from collections.abc import Sequence
from contextlib import suppress

import pytest

from automode.core.record import Record
from automode.store.chain import Chain
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.links import Kind, linked, record_of
from automode.store.verify import Findings, Wrong, from_database, verify
from tests.store.examples import NOON, record

KEY = b"k" * 32


@pytest.fixture
def chain() -> Chain:
    return Chain("c1", KEY)


def append(db: Database, chain: Chain, *records: Record) -> int:
    with db.transaction():
        count = chain.append(db, records)
    chain.committed()
    return count


def findings(db: Database, key: bytes = KEY) -> Findings:
    return verify(from_database(db, "c1"), key)


def wrongs(db: Database) -> set[tuple[Wrong, str]]:
    fault = findings(db).fault
    return set() if fault is None else {(fault.wrong, fault.place)}


def column(db: Database, name: str) -> list[object]:
    return [value for (value,) in db.rows(f"SELECT {name} FROM decision ORDER BY seq")]


def test_records_follow_each_other_over_any_number_of_commits(db: Database, chain: Chain) -> None:
    append(db, chain, record(1), record(2))
    append(db, chain, record(3))

    made = column(db, "hash")
    assert column(db, "seq") == [1, 2, 3]
    assert column(db, "previous") == ["", *made[:-1]]
    assert findings(db).sound


def test_what_is_kept_is_the_record(db: Database, chain: Chain) -> None:
    append(db, chain, record(1))

    assert [record_of(str(body)) for body in column(db, "body")] == [record(1)]


def test_a_record_is_kept_once_however_often_it_is_handed_in(db: Database, chain: Chain) -> None:
    counts = [
        append(db, chain, record(1), record(1)),
        append(db, chain, record(1)),
        append(db, chain, record(1), record(2)),
        append(db, chain),
    ]

    assert counts == [1, 0, 1, 0]
    assert column(db, "id") == ["r0001", "r0002"]
    assert findings(db).sound


def test_many_records_are_asked_for_in_one_go(db: Database, chain: Chain) -> None:
    several: Sequence[Record] = [record(number) for number in range(1, 1202)]

    assert append(db, chain, *several) == len(several)
    assert append(db, chain, *several) == 0


def test_what_was_rolled_back_was_never_there(db: Database, chain: Chain) -> None:
    append(db, chain, record(1))
    with suppress(InterruptedError), db.transaction():
        chain.append(db, [record(2)])
        chain.append(db, [record(3)])
        raise InterruptedError
    append(db, chain, record(4))

    assert column(db, "id") == ["r0001", "r0004"]
    assert findings(db).sound


def test_the_chain_of_a_folder_stays_the_same(folder: StateFolder) -> None:
    one, other = Chain.of(folder), Chain.of(folder)

    assert (one.id, one.key) == (other.id, other.key)
    assert one.key.hex() not in repr(one)


def test_two_chains_share_a_database_and_not_their_numbers(db: Database, chain: Chain) -> None:
    append(db, chain, record(1))
    append(db, Chain("c2", KEY), record(2))

    assert column(db, "seq") == [1, 1]
    assert findings(db).records == 1
    assert findings(db).sound


@pytest.mark.parametrize("text", [None, "{}", "no JSON"])
def test_an_end_that_is_gone_is_not_mended_in_silence(
    db: Database, chain: Chain, text: str | None
) -> None:
    append(db, chain, record(1), record(2))
    if text is None:
        db.execute("DELETE FROM meta")
    else:
        db.execute("UPDATE meta SET value = ?", (text,))

    append(db, Chain("c1", KEY), record(3))

    assert wrongs(db) == {(Wrong.RESUMED, "mark 2")}
    assert column(db, "seq") == [1, 2, 3]


def test_another_key_goes_on_and_says_so(db: Database, chain: Chain) -> None:
    append(db, chain, record(1))

    append(db, Chain("c1", b"other"), record(2))

    assert wrongs(db) == {(Wrong.ALTERED, "mark 2")}
    assert [mark.kind for mark in findings(db, b"other").marks] == [Kind.RESUMED]


def test_a_chain_that_is_cut_while_it_is_written_shows_the_cut(db: Database, chain: Chain) -> None:
    append(db, chain, record(1))
    [(head,)] = db.rows("SELECT value FROM meta")
    append(db, chain, record(2), record(3))
    db.execute("DELETE FROM decision WHERE seq > 1")
    db.execute("UPDATE meta SET value = ?", (str(head),))

    append(db, chain, record(4))

    assert wrongs(db) == {(Wrong.REMOVED, "records 2 to 3")}


def test_a_row_behind_the_end_is_never_taken_over(db: Database, chain: Chain) -> None:
    append(db, chain, record(1))
    forged = linked(record(2), "c1", 2, str(column(db, "hash")[0]))
    columns = (forged.seq, forged.id, forged.at, forged.host, forged.session, forged.verdict)
    db.execute(
        "INSERT INTO decision (chain, seq, id, at, host, session, verdict, source, body, previous,"
        " hash) VALUES ('c1', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*columns, forged.source, forged.body, forged.previous, forged.hash),
    )
    assert wrongs(db) == {(Wrong.ADDED, "record 2")}

    append(db, chain, record(3))

    assert column(db, "seq") == [1, 2, 3]
    assert wrongs(db) == {(Wrong.RESUMED, "mark 2")}
    assert findings(db).marks[1].count == 1


def test_a_writer_goes_on_behind_what_another_one_with_its_key_wrote(
    db: Database, chain: Chain
) -> None:
    other = Chain("c1", KEY)
    for number, writer in enumerate((chain, chain, other, chain, other, other, chain), start=1):
        append(db, writer, record(number))

    assert column(db, "seq") == [1, 2, 3, 4, 5, 6, 7]
    assert findings(db).sound


def test_a_mark_behind_the_end_is_never_taken_over(db: Database, chain: Chain) -> None:
    append(db, chain, record(1))
    append(db, chain, record(2))
    db.execute(
        "INSERT INTO checkpoint (chain, seq, kind, body, signature)"
        " VALUES ('c1', 2, 'pruned', '{}', '')"
    )

    append(db, chain, record(3))

    assert wrongs(db) == {(Wrong.ALTERED, "mark 2")}
    assert column(db, "seq") == [1, 2, 3]


def test_an_end_that_was_rolled_back_is_not_the_one_that_was_left(
    db: Database, chain: Chain
) -> None:
    append(db, chain, record(1))
    with suppress(ZeroDivisionError), db.transaction():
        chain.append(db, [record(2)])
        raise ZeroDivisionError
    chain.rolled_back()
    chain.committed()

    append(db, chain, record(3))

    assert column(db, "id") == ["r0001", "r0003"]
    assert findings(db).sound


def test_an_id_may_hold_what_databases_refuse(db: Database, chain: Chain) -> None:
    odd = record(1, id="a\0\ud800\\", source="rules.\0")

    append(db, chain, odd)
    again = append(db, chain, odd)

    assert again == 0
    assert findings(db).sound
    assert [record_of(str(body)) for body in column(db, "body")] == [odd]


def test_the_first_mark_says_when_the_chain_began(db: Database, chain: Chain) -> None:
    append(db, chain, record(1), record(2))

    [mark] = findings(db).marks
    assert (mark.kind, mark.at, mark.first) == (Kind.BEGAN, NOON + 1, 1)
