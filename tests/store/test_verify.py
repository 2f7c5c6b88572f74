"""Whatever is done to a stored chain is found, and the first fault is named.

Each example of a property has a chain of its own in the same database, so that both engines are
tried with many chains.
"""

import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.store.chain import Chain
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.links import Kind, Row, link, text_digest
from automode.store.open import migrate, reading
from automode.store.retention import prune, purge_session
from automode.store.sqlite import Sqlite
from automode.store.verify import (
    BadExport,
    Fault,
    Findings,
    Wrong,
    chain_rows,
    chains,
    export_lines,
    from_database,
    from_lines,
    snapshot,
    verify,
)
from tests.rows import each_row
from tests.store.conftest import insert_row
from tests.store.examples import NOON, record

T = TypeVar("T")

KEY = b"k" * 32
SESSIONS = ("one", "two", "three")


@dataclass
class Made:
    """A chain with its history, and how to look at it."""

    db: Database
    chain: Chain
    clock: float = NOON
    count: int = 0

    def append(self, *sessions: str) -> None:
        made: list[Record] = []
        for session in sessions:
            self.count += 1
            self.clock += 1
            verdict = (Verdict.ALLOW, Verdict.DENY)[self.count % 2]
            made.append(
                record(
                    self.count,
                    verdict,
                    id=f"{self.chain.id}-{self.count}",
                    at=self.clock,
                    session=SessionKey("plain", f"{self.chain.id}-{session}"),
                )
            )
        with self.db.transaction():
            self.chain.append(self.db, made)
        self.chain.note_commit()

    def prune(self, share: float) -> None:
        """Removes this share of what is there, from its beginning."""
        rows = self.rows()
        if rows:
            before = rows[int(share * (len(rows) - 1))].at + share
            with self.db.transaction():
                prune(self.db, self.chain, before, self.clock, "older")

    def purge(self, session: str) -> None:
        key = SessionKey("plain", f"{self.chain.id}-{session}")
        with self.db.transaction():
            purge_session(self.db, self.chain, key, self.clock)

    def rows(self) -> list[Row]:
        return list(chain_rows(self.db, self.chain.id))

    def marks(self) -> list[int]:
        sql = "SELECT seq FROM checkpoint WHERE chain = ? ORDER BY seq"
        return [
            number for (number,) in self.db.rows(sql, (self.chain.id,)) if isinstance(number, int)
        ]

    def findings(self, key: bytes | None = KEY) -> Findings:
        return verify(from_database(self.db, self.chain.id), key)

    def fault(self, key: bytes | None = KEY) -> Fault:
        found = self.findings(key).fault
        assert found is not None
        return found

    def exported(self) -> list[str]:
        return list(export_lines(from_database(self.db, self.chain.id)))

    def change(self, table: str, place: int, **columns: object) -> None:
        """Sets columns of one row, as whoever opens the file can."""
        names = ", ".join(f"{name} = ?" for name in columns)
        values = [value for value in columns.values() if isinstance(value, str | int | float)]
        sql = f"UPDATE {table} SET {names} WHERE chain = ? AND seq = ?"
        assert self.db.execute(sql, (*values, self.chain.id, place)) == 1

    def remove(self, table: str, number: int) -> None:
        sql = f"DELETE FROM {table} WHERE chain = ? AND seq = ?"
        assert self.db.execute(sql, (self.chain.id, number)) == 1

    def head(self) -> str:
        [(text,)] = self.db.rows("SELECT value FROM meta WHERE name = ?", (self._head,))
        return str(text)

    def set_head(self, text: str) -> None:
        assert self.db.execute("UPDATE meta SET value = ? WHERE name = ?", (text, self._head)) == 1

    def drop_head(self) -> None:
        assert self.db.execute("DELETE FROM meta WHERE name = ?", (self._head,)) == 1

    @property
    def _head(self) -> str:
        return f"head {self.chain.id}"


def made(db: Database) -> Made:
    return Made(db, Chain(secrets.token_hex(6), KEY))


Step = Callable[[Made], None]
Deed = Callable[[Made, st.DataObject], str]
APPENDS = st.lists(st.sampled_from(SESSIONS), min_size=1, max_size=4).map(
    lambda sessions: lambda chain: chain.append(*sessions)
)
PRUNES = st.floats(0, 1).map(lambda share: lambda chain: chain.prune(share))
PURGES = st.sampled_from(SESSIONS).map(lambda session: lambda chain: chain.purge(session))
STEPS: st.SearchStrategy[list[Step]] = st.lists(APPENDS | PRUNES | PURGES, max_size=8)
# At the end there are records to do something to.
LIVES = st.tuples(STEPS, st.lists(APPENDS, min_size=2, max_size=3)).map(lambda p: [*p[0], *p[1]])


def lived(db: Database, steps: Sequence[Step]) -> Made:
    chain = made(db)
    for step in steps:
        step(chain)
    return chain


@given(steps=STEPS)
def test_an_untouched_chain_is_sound_whatever_was_let_go_of(
    db: Database, steps: list[Step]
) -> None:
    chain = lived(db, steps)

    found = chain.findings()
    assert found.fault is None
    assert found.records or steps or (found.last, found.since, found.until) == (0, None, None)
    assert found.records == len(chain.rows())
    assert found.last == chain.count
    assert chain.findings(key=None).sound
    assert verify(from_lines(chain.exported()), KEY) == found


# Each deed does one thing to a chain, and says which place is the first that is wrong.


def remove_a_record(chain: Made, data: st.DataObject) -> str:
    row = data.draw(st.sampled_from(chain.rows()))
    chain.remove("decision", row.seq)
    return f"record {row.seq}"


def swap_two_records(chain: Made, data: st.DataObject) -> str:
    one, other = _two(chain.rows(), data)
    chain.change("decision", one.seq, seq=0)
    chain.change("decision", other.seq, seq=one.seq)
    chain.change("decision", 0, seq=other.seq)
    return f"record {one.seq}"


def swap_the_contents_of_two_records(chain: Made, data: st.DataObject) -> str:
    one, other = _two(chain.rows(), data)
    chain.change("decision", one.seq, body=other.body)
    chain.change("decision", other.seq, body=one.body)
    return f"record {one.seq}"


def alter_a_column(chain: Made, data: st.DataObject) -> str:
    row = data.draw(st.sampled_from(chain.rows()))
    names = ("id", "at", "host", "session", "verdict", "source", "body", "previous", "hash")
    name = data.draw(st.sampled_from(names))
    before = getattr(row, name)
    after = before + 1 if isinstance(before, float) else _altered(str(before), data)
    chain.change("decision", row.seq, **{name: after})
    return f"record {row.seq}"


def rewrite_a_record_with_a_hash_that_fits(chain: Made, data: st.DataObject) -> str:
    row = data.draw(st.sampled_from(chain.rows()))
    forged = link(record(1, id=row.id, at=row.at), chain.chain.id, row.seq, row.previous)
    columns = ("host", "session", "verdict", "source", "body", "hash")
    chain.change("decision", row.seq, **{name: getattr(forged, name) for name in columns})
    return f"record {row.seq}"


def empty_a_record(chain: Made, data: st.DataObject) -> str:
    """As a purge does it, but without the key."""
    row = data.draw(st.sampled_from(chain.rows()))
    body = {"digest": text_digest(row.body), "purged": 1, "seal": "0" * 64, "seq": row.seq}
    blank = {"host": "", "session": "", "verdict": "", "source": ""}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    chain.change("decision", row.seq, body=text, **blank)
    return f"record {row.seq}"


def move_a_record_to_the_end(chain: Made, data: st.DataObject) -> str:
    row = data.draw(st.sampled_from(chain.rows()))
    end = chain.count + 1
    chain.change("decision", row.seq, seq=end)
    return f"record {row.seq}"


def cut_the_end_off(chain: Made, data: st.DataObject) -> str:
    rows = chain.rows()
    first = data.draw(st.sampled_from(rows))
    for row in rows:
        if row.seq >= first.seq:
            chain.remove("decision", row.seq)
    last = rows[-1].seq
    return f"record {last}" if first.seq == last else f"records {first.seq} to {last}"


def alter_the_head(chain: Made, data: st.DataObject) -> str:
    chain.set_head(_altered(chain.head(), data))
    return "head"


def remove_the_head(chain: Made, data: st.DataObject) -> str:
    chain.drop_head()
    return "head"


def remove_the_head_and_the_marks(chain: Made, data: st.DataObject) -> str:
    chain.drop_head()
    for number in chain.marks():
        chain.remove("checkpoint", number)
    pruned = chain.rows()[0].seq - 1
    return ("head", "record 1", f"records 1 to {pruned}")[min(pruned, 2)]


def bring_back_an_older_head(chain: Made, data: st.DataObject) -> str:
    before = chain.head()
    chain.append("one")
    chain.set_head(before)
    return f"record {chain.count}"


def remove_a_mark(chain: Made, data: st.DataObject) -> str:
    number = data.draw(st.sampled_from(chain.marks()))
    chain.remove("checkpoint", number)
    return f"mark {number}"


def alter_a_mark(chain: Made, data: st.DataObject) -> str:
    number = data.draw(st.sampled_from(chain.marks()))
    name = data.draw(st.sampled_from(("kind", "body", "signature")))
    sql = f"SELECT {name} FROM checkpoint WHERE chain = ? AND seq = ?"
    [(before,)] = chain.db.rows(sql, (chain.chain.id, number))
    chain.change("checkpoint", number, **{name: _altered(str(before), data)})
    return f"mark {number}"


def swap_two_marks(chain: Made, data: st.DataObject) -> str:
    chain.purge("one")
    chain.append("one")
    chain.purge("one")
    one, other = _two(chain.marks(), data)
    chain.change("checkpoint", one, seq=0)
    chain.change("checkpoint", other, seq=one)
    chain.change("checkpoint", 0, seq=other)
    return f"mark {one}"


def add_a_mark(chain: Made, data: st.DataObject) -> str:
    number = chain.marks()[-1] + 1
    chain.db.execute(
        "INSERT INTO checkpoint (chain, seq, kind, body, signature) VALUES (?, ?, ?, ?, ?)",
        (chain.chain.id, number, Kind.PURGED.value, "{}", "0" * 64),
    )
    return f"mark {number}"


def _two(found: Sequence[T], data: st.DataObject) -> tuple[T, T]:
    one = data.draw(st.integers(0, len(found) - 2))
    other = data.draw(st.integers(one + 1, len(found) - 1))
    return found[one], found[other]


def _altered(text: str, data: st.DataObject) -> str:
    """Another character in one place, or one more."""
    at = data.draw(st.integers(0, len(text)))
    letter = data.draw(st.sampled_from('x0 }"').filter(lambda one: text[at : at + 1] != one))
    return text[:at] + letter + text[at + 1 :]


# What each is called; None: what it did to the place is not always the same.
DEEDS: dict[Deed, Wrong | None] = {
    remove_a_record: Wrong.REMOVED,
    swap_two_records: Wrong.ALTERED,
    swap_the_contents_of_two_records: Wrong.ALTERED,
    alter_a_column: Wrong.ALTERED,
    rewrite_a_record_with_a_hash_that_fits: Wrong.ALTERED,
    empty_a_record: Wrong.ALTERED,
    move_a_record_to_the_end: None,
    cut_the_end_off: Wrong.REMOVED,
    alter_the_head: None,
    remove_the_head: Wrong.REMOVED,
    remove_the_head_and_the_marks: Wrong.REMOVED,
    bring_back_an_older_head: Wrong.ADDED,
    remove_a_mark: None,
    alter_a_mark: None,
    swap_two_marks: None,
    add_a_mark: None,
}


@given(steps=LIVES, data=st.data())
@pytest.mark.parametrize("deed", DEEDS, ids=[deed.__name__ for deed in DEEDS])
def test_whatever_is_done_to_a_chain_is_found_and_named(
    db: Database, deed: Deed, steps: list[Step], data: st.DataObject
) -> None:
    chain = lived(db, steps)
    assert chain.findings().sound

    place = deed(chain, data)

    fault = chain.fault()
    assert fault.place == place
    assert fault.wrong is (DEEDS[deed] or fault.wrong)
    assert verify(from_lines(chain.exported()), KEY).fault == fault


def test_records_that_were_let_go_of_may_not_come_back(db: Database) -> None:
    chain = made(db)
    chain.append("one", "two", "one")
    kept = chain.rows()[0]
    chain.prune(0.5)
    insert_row(chain.db, chain.chain.id, kept)

    fault = chain.fault()
    assert (fault.wrong, fault.place) == (Wrong.ADDED, "record 1")


def test_without_the_key_a_chain_can_be_shown_to_hang_together_but_not_to_be_whole(
    db: Database,
) -> None:
    chain = made(db)
    chain.append("one", "two", "one")
    whole = chain.findings(key=None)
    chain.remove("decision", 2)

    assert whole.sound
    assert chain.fault(key=None).place == "record 2"
    assert not chain.findings(b"another key").sound


ODD = [
    *(("seq", value) for value in ("'text'", "1.5", "x'00ff'", str(2**62), "-3")),
    *(("at", value) for value in ("'soon'", "x'00'", "9e999", "-1")),
]


@each_row("column, value", ODD)
def test_a_number_or_a_time_that_no_chain_gives_is_found(column: str, value: str) -> None:
    """SQLite lets a column hold anything; PostgreSQL does not."""
    db = Sqlite.empty()
    migrate(db)
    chain = made(db)
    chain.append("one", "two", "one")
    db.execute(f"UPDATE decision SET {column} = {value} WHERE seq = 2")

    assert chain.fault().place in ({"record 2"} if column == "at" else {"record 2", "record -1"})
    chain.append("one")
    assert not chain.findings().sound
    db.close()


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


def test_what_is_exported_is_read_to_the_letter_also_what_was_not_written_so(db: Database) -> None:
    odd = ['{"a": 1}', '{"a":1,"a":2}', "no JSON", '{"a":NaN}', "[1]", '{"b":1,"a":2}', ""]
    put(db, *range(1, len(odd) + 2))
    for seq, body in enumerate(odd, start=2):
        db.execute("UPDATE decision SET body = ? WHERE seq = ?", (body, seq))

    there, read = from_database(db, "c1"), from_lines(lines(db))

    assert (read.chain, read.head, read.marks) == (there.chain, there.head, there.marks)
    assert list(read.rows) == list(there.rows)


@each_row("text", ["", "{}", "no JSON", '{"format": "other"}', "[]"])
def test_a_file_that_is_no_export_is_refused(text: str) -> None:
    with pytest.raises(BadExport) as caught:
        from_lines([text] if text else [])

    assert caught.value.hint


def test_a_line_that_is_no_record_is_refused_and_one_that_lies_is_found(db: Database) -> None:
    put(db, 1, 2)
    head, mark, one, two = lines(db)

    for line in ("no JSON", "{}", '{"seq": 1}', "3"):
        with pytest.raises(BadExport, match="line 5"):
            verify(from_lines([head, mark, one, two, line]), KEY)
    swapped = verify(from_lines([head, mark, two, one]), KEY)
    timeless = one.replace('"at":1700000001.0', '"at":NaN')
    assert str(swapped.fault).startswith("record 1")
    assert not verify(from_lines([head, mark, timeless, two]), KEY).sound


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
