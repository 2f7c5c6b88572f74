"""The hash chain of audit records: each row holds the hash of the one before; the end is sealed.

Any number of processes extend it, one transaction after the other.

The tables `decision` and `checkpoint`, and `head …` in `meta`, are written here, in
`store.retention` and in `store.retention`, and nowhere else:

    decision    chain, seq (from 1), id, at, host, session, verdict (its word), source, body,
                previous, hash
    checkpoint  chain, seq (the mark's own number, from 1), kind, body, signature
    meta        name, value (the sealed head of a chain: name `head <chain>`)

The hash of a row is made of the digest of its body, so that a body can be taken out later and the
chain still holds: see `store.links`. A chain that was tampered with is never mended in silence: to
go on from an end that is not as it was left takes a mark that says so, for good.
"""

import os
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from automode.core.record import Record
from automode.store.changes import storable
from automode.store.database import Database, Value
from automode.store.folder import StateFolder, known_secret, made_once, secret
from automode.store.links import (
    GENESIS,
    HEAD_NAME,
    HIGHEST,
    Checkpoint,
    Head,
    Kind,
    head_from,
    linked,
    same,
)

_PLACE_BYTES = 512
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe in its place must hold nobody
GONE = "the head file was gone"
FOREIGN = "the head file had another seal"
NAMELESS = "`chain.id` was gone"


@dataclass(frozen=True, slots=True)
class HeadFileState:
    """What the head file says. `doubt` is why it cannot be asked; without one, and without a head,
    nothing was ever begun."""

    head: Head | None = None
    doubt: str = ""
    missing: str = ""  # the path of the chain's id, where none was found

    def behind(self, last: int) -> bool:
        """Whether a chain whose last record is number `last` once was longer."""
        return self.head is not None and last < self.head.seq

    def nameless(self, chain: str) -> bool:
        """Whether the database has a chain that nothing says to be the one of this folder. Who
        began to write it since the look has made its id first."""
        return bool(chain and self.missing) and not os.path.lexists(self.missing)


@dataclass(slots=True)
class HeadFile:
    path: str
    chain: str
    key: bytes = field(repr=False)
    _turns: int = 0

    def begin(self) -> None:
        """For a chain that is made now. What speaks of records is left, whosever they are: it
        tells that this chain took the place of another. Raises OSError."""
        if not self.speaks_of_records():
            self.note(Head(0, GENESIS, 0, "").text(self.chain, self.key))

    def note(self, head: str) -> None:
        """`head` with its seal, as the database has it. Raises OSError."""
        text = head.encode("ascii").ljust(_PLACE_BYTES - 1) + b"\n"
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | _FLAGS, 0o600)
        try:
            if self._turns:
                os.pwrite(descriptor, text, self._turns % 2 * _PLACE_BYTES)
            else:
                # What another one left there may be of a longer chain that was given up.
                os.pwrite(descriptor, text * 2, 0)
        finally:
            os.close(descriptor)
        self._turns += 1

    def sighting(self) -> HeadFileState:
        try:
            found = self._read()
        except OSError:
            return HeadFileState(doubt=GONE)
        heads = [head for place in _places(found) if (head := self._believed(place)) is not None]
        if not heads:
            return HeadFileState(doubt=FOREIGN)
        return HeadFileState(max(heads, key=lambda head: head.seq))

    def speaks_of_records(self) -> bool:
        """Of any chain and without a look at the seal: a beginning that was cut short does not."""
        try:
            found = self._read()
        except OSError:
            return False
        heads = (head_from(place.decode("ascii", "replace")) for place in _places(found))
        return any(head is not None and head[0].seq > 0 for head in heads)

    def _read(self) -> bytes:
        descriptor = os.open(self.path, os.O_RDONLY | _FLAGS)
        try:
            return os.read(descriptor, 2 * _PLACE_BYTES)
        finally:
            os.close(descriptor)

    def _believed(self, place: bytes) -> Head | None:
        text = place.decode("ascii", "replace").rstrip()
        read = head_from(text)
        if read is None or not same(text, read[0].text(self.chain, self.key)):
            return None
        return read[0]


def _places(found: bytes) -> tuple[bytes, bytes]:
    return found[:_PLACE_BYTES], found[_PLACE_BYTES:]


def head_file_of(folder: StateFolder, chain: str, key: bytes) -> HeadFile:
    return HeadFile(folder.head_file, chain, key)


def read_head_file(folder: StateFolder) -> HeadFileState:
    """For who only looks: it makes no file. To be asked before the database, because a writer
    notes after it wrote. Raises BadFolder."""
    # Before the look for the id: who begins a chain makes that first, and notes records later.
    recorded = head_file_of(folder, "", b"").speaks_of_records()
    if not os.path.lexists(folder.chain):
        return HeadFileState(doubt=NAMELESS if recorded else "", missing=folder.chain)
    key = known_secret(folder.signing_key)
    if key is None:
        return HeadFileState()
    return head_file_of(folder, made_once(folder.chain, str), key).sighting()


def noted(one: HeadFile, head: str) -> None:
    """A note that cannot be made leaves the head file behind the chain, where it accuses nobody."""
    with suppress(OSError):
        one.note(head)


_ASKED_AT_ONCE = 512  # placeholders in one statement
_INSERT = (
    "INSERT INTO decision"
    " (chain, seq, id, at, host, session, verdict, source, body, previous, hash)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_END = (
    "SELECT (SELECT value FROM meta WHERE name = ?),"
    " (SELECT max(seq) FROM decision WHERE chain = ? AND seq <= ?),"
    " (SELECT max(seq) FROM checkpoint WHERE chain = ? AND seq <= ?)"
)
KEEP = (
    "INSERT INTO meta (name, value) VALUES (?, ?)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)


@dataclass(slots=True)
class Chain:
    """The chain that one writer extends. Everything here runs inside a transaction of `db`."""

    id: str
    key: bytes = field(repr=False)
    written: Head | None = None
    remembered: Head | None = None  # what was surely committed
    head_file: HeadFile | None = None
    others: int = 0  # how often another process was found to have written
    _text: str = ""  # of the head that was written
    _remembered_text: str = ""
    _looked: bool = False

    @classmethod
    def of(cls, folder: StateFolder) -> "Chain":
        """The chain of this state folder, made on the first call. Raises BadFolder."""
        key = secret(folder.signing_key)
        begun = os.path.lexists(folder.chain)
        name = made_once(folder.chain, partial(_begun, folder, key))
        own = head_file_of(folder, name, key)
        if not begun and own.sighting().doubt:  # another process was the one that made it
            with suppress(OSError):
                own.begin()
        return cls(name, key, head_file=own)

    def append(self, db: Database, records: Sequence[Record]) -> int:
        """Adds the records that are not there yet, by id, and seals the new head. Returns how many
        were added."""
        new = unknown(db, records)
        if not new:
            return 0
        head = self.head(db, new[0].at)
        seq, previous = head.seq, head.hash
        rows: list[Sequence[Value]] = []
        for record in new:
            seq += 1
            row = linked(record, self.id, seq, previous)
            previous = row.hash
            columns = (row.seq, row.id, row.at, row.host, row.session, row.verdict, row.source)
            rows.append((self.id, *columns, row.body, row.previous, row.hash))
        db.many(_INSERT, rows)
        self.keep(db, Head(seq, previous, head.marks, head.mark))
        return len(rows)

    def kept(self) -> None:
        """To be called after each commit. From then on a head that has gone back is not believed:
        the chain goes on from here, and what was cut off shows as missing."""
        if self.written is self.remembered:
            return
        if self.head_file is not None:
            noted(self.head_file, self._text)
        self.remembered, self._remembered_text = self.written, self._text

    def look(self, db: Database) -> None:
        """Notices what other processes wrote since the first look."""
        found, first, self._looked = self.found_head(db), not self._looked, True
        if found is None or found == self.remembered or _gone_back(found, self.remembered):
            return
        self.others += not first
        self.remembered = self.written = found
        self._remembered_text = self._text = found.text(self.id, self.key)

    def doubt(self, db: Database) -> str:
        """Why this may not be the database that was left, as a sentence; empty for none. To be
        asked once, by who begins to write."""
        sighting = HeadFileState() if self.head_file is None else self.head_file.sighting()
        found = self.found_head(db)
        last = (self._last_row(db) or (0, ""))[0] if found is None else found.seq
        if sighting.head is not None and sighting.behind(last):
            return (
                f"the database ends with record {last}, but record {sighting.head.seq} was written"
            )
        if not self._traced(db) and (before := self._others(db)):
            names = ", ".join(f"`{name}`" for name in before)
            return f"`chain.id` was gone or replaced, and the chain {names} given up"
        return sighting.doubt

    def resumed(self, db: Database, now: float, why: str) -> None:
        """Goes on behind what was once written, with a mark that says why there is a gap."""
        head = self.head(db, now)
        seen = None if self.head_file is None else self.head_file.sighting().head
        if seen is not None and seen.seq > head.seq:
            head = replace(head, seq=seen.seq, hash=seen.hash)
        self.marked(db, head, Kind.RESUMED, now, why=why)

    def head(self, db: Database, now: float) -> Head:
        """Where the chain ends. One that was not left so by this key is gone on from, with a mark
        that says what was found."""
        if self.remembered is not None and self._as_left(db, self.remembered):
            return self.remembered
        found = self.found_head(db)
        if found is not None and not _gone_back(found, self.remembered):
            self.others += self._looked and found != self.written
            return self._before_strangers(db, found, now)
        if self.remembered is not None:
            return self._before_strangers(db, self.remembered, now)
        last, marks = self._last_row(db), self._last_checkpoint(db)
        if last is None and marks is None and self._head_text(db) is None:
            return self.marked(db, Head(0, GENESIS, 0, ""), Kind.BEGAN, now)
        seq, made = last or (0, GENESIS)
        number, seal = marks or (0, "")
        why = "the head was gone" if self._head_text(db) is None else "the head had another seal"
        return self.marked(db, Head(seq, made, number, seal), Kind.RESUMED, now, why=why)

    def marked(
        self, db: Database, head: Head, kind: Kind, now: float, *, count: int = 0, why: str = ""
    ) -> Head:
        """Adds a mark about what comes after `head`; returns and keeps the head with it."""
        mark = Checkpoint(head.marks + 1, kind, now, head.seq + 1, head.hash, count, why, head.mark)
        return self.add_checkpoint(db, head, mark)

    def add_checkpoint(self, db: Database, head: Head, mark: Checkpoint) -> Head:
        seal = mark.seal(self.id, self.key)
        db.execute(
            "INSERT INTO checkpoint (chain, seq, kind, body, signature) VALUES (?, ?, ?, ?, ?)",
            (self.id, mark.number, mark.kind.value, mark.body, seal),
        )
        return self.keep(db, replace(head, marks=mark.number, mark=seal))

    def keep(self, db: Database, head: Head) -> Head:
        self._text = head.text(self.id, self.key)
        db.execute(KEEP, (self._name, self._text))
        self.written = head
        return head

    def found_head(self, db: Database) -> Head | None:
        """The head in the database, if this key sealed it."""
        text = self._head_text(db)
        read = None if text is None else head_from(text)
        if text is None or read is None or not same(text, read[0].text(self.id, self.key)):
            return None
        return read[0]

    def _as_left(self, db: Database, head: Head) -> bool:
        """Whether the end is the very one that this writer committed last, with nothing behind it:
        then its seal need not be made again to be believed. One question, as every commit asks."""
        found = db.rows(_END, (self._name, self.id, HIGHEST, self.id, HIGHEST))
        match found:
            case [(str(text), int() | None as last, int() | None as marks)]:
                ends = (last or 0) <= head.seq and (marks or 0) <= head.marks
                return ends and same(text, self._remembered_text)
            case _:
                return False

    def _before_strangers(self, db: Database, head: Head, now: float) -> Head:
        """Rows and marks beyond the head were put there by somebody else. They keep their numbers,
        so that they are found, and the chain goes on behind them."""
        last, marks = self._last_row(db), self._last_checkpoint(db)
        strange = (last[0] if last else 0) - head.seq
        strange_marks = (marks[0] if marks else 0) - head.marks
        if strange <= 0 and strange_marks <= 0:
            return head
        seq, number = head.seq + max(strange, 0), head.marks + max(strange_marks, 0)
        moved = replace(head, seq=seq, marks=number)
        why = f"{max(strange, 0)} records and {max(strange_marks, 0)} marks stood behind the end"
        return self.marked(db, moved, Kind.RESUMED, now, count=max(strange, 0), why=why)

    def _traced(self, db: Database) -> bool:
        """Whether anything of this chain is in the database."""
        parts = (self._head_text(db), self._last_row(db), self._last_checkpoint(db))
        return any(part is not None for part in parts)

    def _others(self, db: Database) -> list[str]:
        """Chains that this key sealed. A folder has one chain; other machines have other keys."""
        found = db.rows("SELECT name, value FROM meta WHERE name LIKE ?", (f"{HEAD_NAME}%",))
        heads = {str(name).removeprefix(HEAD_NAME): str(text) for name, text in found}
        return sorted(
            name
            for name, text in heads.items()
            if name != self.id
            and (read := head_from(text)) is not None
            and same(text, read[0].text(name, self.key))
        )

    @property
    def _name(self) -> str:
        return HEAD_NAME + self.id

    def _head_text(self, db: Database) -> str | None:
        found = db.rows("SELECT value FROM meta WHERE name = ?", (self._name,))
        return str(found[0][0]) if found else None

    def _last_row(self, db: Database) -> tuple[int, str] | None:
        sql = (
            "SELECT seq, hash FROM decision WHERE chain = ? AND seq <= ? ORDER BY seq DESC LIMIT 1"
        )
        return _numbered(db.rows(sql, (self.id, HIGHEST)))

    def _last_checkpoint(self, db: Database) -> tuple[int, str] | None:
        sql = (
            "SELECT seq, signature FROM checkpoint WHERE chain = ? AND seq <= ?"
            " ORDER BY seq DESC LIMIT 1"
        )
        return _numbered(db.rows(sql, (self.id, HIGHEST)))


def _begun(folder: StateFolder, key: bytes) -> str:
    """A new chain's id. Its head file is there first: an id without one has lost it."""
    name = secrets.token_hex(8)
    head_file_of(folder, name, key).begin()
    return name


def _numbered(rows: Sequence[Sequence[object]]) -> tuple[int, str] | None:
    match rows:
        case [(int(number), str(text))]:
            return number, text
        case _:
            return None


def _gone_back(found: Head, remembered: Head | None) -> bool:
    if remembered is None or found.seq > remembered.seq:
        return False
    return found.seq < remembered.seq or found.hash != remembered.hash


def unknown(db: Database, records: Iterable[Record]) -> list[Record]:
    """Those that are not kept yet, each once: a change may be handed in again."""
    wanted = {storable(record.id): record for record in records}
    ids = list(wanted)
    for start in range(0, len(ids), _ASKED_AT_ONCE):
        some = ids[start : start + _ASKED_AT_ONCE]
        for (known,) in db.rows(*_which_of(some)):
            wanted.pop(str(known), None)
    return list(wanted.values())


def _which_of(ids: list[str]) -> tuple[str, list[str]]:
    """A statement for as many ids as the next power of two: few different ones, so that the
    database has seen each before. What is left over names the last id again."""
    places = 1 << (len(ids) - 1).bit_length()
    sql = f"SELECT id FROM decision WHERE id IN ({', '.join('?' * places)})"  # noqa: S608 - only placeholders
    return sql, [*ids, *ids[-1:] * (places - len(ids))]
