"""The chain as lines of text: nothing is lost, and what is no export is refused."""

import json
from collections.abc import Iterator

import pytest

from automode.core.errors import AutomodeError
from automode.store.chain import Chain
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.open import opened, reading
from automode.store.verify import (
    BadExport,
    chain_rows,
    chains,
    export_lines,
    from_database,
    from_lines,
    snapshot,
    verify,
)
from tests.store.examples import record

KEY = b"k" * 32


def put(db: Database, *numbers: int, name: str = "c1") -> None:
    with db.transaction():
        Chain(name, KEY).append(db, [record(number) for number in numbers])


def lines(db: Database) -> list[str]:
    return list(export_lines(from_database(db, "c1")))


def test_an_export_is_the_chain_then_its_marks_then_its_records(db: Database) -> None:
    put(db, 1, 2)

    head, mark, *records = [json.loads(line) for line in lines(db)]

    assert (head["format"], head["chain"], head["head"]["seq"]) == ("automode-audit-1", "c1", 2)
    assert (mark["mark"], mark["kind"]) == (1, "began")
    assert [(one["seq"], one["record"]["action"]) for one in records] == [
        (1, "make test"),
        (2, "make test"),
    ]


def test_what_is_read_from_an_export_is_what_was_there(db: Database) -> None:
    put(db, 1, 2, 3)

    there, read = from_database(db, "c1"), from_lines(lines(db))

    assert (read.chain, read.head, read.marks) == (there.chain, there.head, there.marks)
    rows = [(row.seq, row.id, row.at, row.body, row.hash) for row in there.rows]
    assert [(row.seq, row.id, row.at, row.body, row.hash) for row in read.rows] == rows


@pytest.mark.parametrize(
    "body", ['{"a": 1}', '{"a":1,"a":2}', "no JSON", '{"a":NaN}', "[1]", '{"b":1,"a":2}', ""]
)
def test_a_text_that_was_not_written_so_is_exported_to_the_letter(db: Database, body: str) -> None:
    put(db, 1, 2)
    db.execute("UPDATE decision SET body = ? WHERE seq = 2", (body,))

    read = from_lines(lines(db))

    assert [row.body for row in read.rows][1] == body


@pytest.mark.parametrize("text", ["", "{}", "no JSON", '{"format": "other"}', "[]"])
def test_a_file_that_is_no_export_is_refused(text: str) -> None:
    with pytest.raises(BadExport) as caught:
        from_lines([text] if text else [])

    assert isinstance(caught.value, AutomodeError)
    assert caught.value.hint


@pytest.mark.parametrize("line", ["no JSON", "{}", '{"seq": 1}', "3"])
def test_a_line_that_is_no_record_is_refused_by_its_number(db: Database, line: str) -> None:
    put(db, 1, 2)
    damaged = [*lines(db), line]

    with pytest.raises(BadExport, match="line 5"):
        verify(from_lines(damaged), KEY)


def test_lines_in_another_order_are_found(db: Database) -> None:
    put(db, 1, 2, 3)
    head, mark, one, two, three = lines(db)

    found = verify(from_lines([head, mark, one, three, two]), KEY)

    assert str(found.fault).startswith("record 2")


def test_a_time_that_is_none_does_not_end_the_check(db: Database) -> None:
    put(db, 1)
    damaged = [line.replace('"at":1700000001.0', '"at":NaN') for line in lines(db)]

    found = verify(from_lines(damaged), KEY)

    assert not found.sound


def test_rows_are_read_page_by_page(db: Database) -> None:
    put(db, *range(1, 2503))

    assert [row.seq for row in chain_rows(db, "c1", after=2)] == list(range(3, 2503))


def test_every_chain_of_which_there_is_a_trace_is_known(db: Database) -> None:
    put(db, 1, name="c1")
    put(db, 2, name="c2")
    put(db, 3, name="c3")
    db.execute("DELETE FROM decision WHERE chain = 'c2'")
    db.execute("DELETE FROM checkpoint WHERE chain IN ('c2', 'c3')")
    db.execute("DELETE FROM decision WHERE chain = 'c3'")

    assert chains(db) == ["c1", "c2", "c3"]


@pytest.fixture
def reader(folder: StateFolder, store: str, db: Database) -> Iterator[Database]:
    with reading(folder, store) as found:
        yield found


def test_a_snapshot_sees_one_moment_while_others_write(db: Database, reader: Database) -> None:
    put(db, 1)
    with snapshot(reader):
        evidence = from_database(reader, "c1")
        put(db, 2, 3)
        during = verify(evidence, KEY)
    after = verify(from_database(reader, "c1"), KEY)

    assert (during.sound, during.records) == (True, 1)
    assert (after.sound, after.records) == (True, 3)


def test_an_empty_store_has_no_chain(folder: StateFolder) -> None:
    db = opened(folder)

    assert chains(db) == []
    db.close()
