"""The hash chain of audit records: each row holds the hash of the one before; the end is sealed.

Any number of processes extend it, one transaction after the other. The tables `decision` and
`checkpoint`, and `head …` in `meta`, are written here and in `store.retention`, and nowhere else:

    decision    chain, seq (from 1), id, at, host, session, verdict (its word), source, body,
                previous, hash
    checkpoint  chain, seq (the mark's own number, from 1), kind, body, signature
    meta        name, value (the sealed head of a chain: name `head <chain>`)

The hash of a row is made of the digest of its body, so that a body can be taken out later and the
chain still holds: see `store.links`. A chain that was tampered with is never repaired silently: a
writer that finds another end than it left adds a permanent mark that says so.

A database that was deleted, or replaced by an older copy of itself, is sound in itself. So a small
sealed file beside it, the head file, says how far the chain has come. It is written after each
commit, so it never knows more than was committed.
"""

import os
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

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
    link,
    same,
)

_PLACE_BYTES = 512
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # opening a pipe in its place must not block
_ANY_CHAIN = ""  # in the seal of a head file: it counts without the chain's id, too
_TRIES = 3
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
_LAST_HASH = "SELECT hash FROM decision WHERE chain = ? AND seq = ?"
_LAST_SEAL = "SELECT signature FROM checkpoint WHERE chain = ? AND seq = ?"
_KEEP = (
    "INSERT INTO meta (name, value) VALUES (?, ?)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
GONE = "the head file was gone, or had another seal"


@dataclass(frozen=True, slots=True)
class HeadFileState:
    """What the head file says. `doubt`: why it cannot be read. Neither: nothing was ever begun."""

    head: Head | None = None
    doubt: str = ""

    def behind(self, last: int) -> bool:
        """Whether a chain whose last record is number `last` once was longer."""
        return self.head is not None and last < self.head.seq


@dataclass(slots=True)
class HeadFile:
    path: str
    key: bytes = field(repr=False)
    chain: str = _ANY_CHAIN  # for a file of version 0.1, which was sealed for one chain
    _noted: bool = False

    def note(self, head: Head) -> None:
        """A head file that cannot be written stays behind the chain, which is no fault."""
        text = head.text(_ANY_CHAIN, self.key).encode("ascii").ljust(_PLACE_BYTES - 1) + b"\n"
        with suppress(OSError):
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | _FLAGS, 0o600)
            try:
                os.pwrite(descriptor, text, 0)
                if not self._noted:
                    os.ftruncate(descriptor, _PLACE_BYTES)  # version 0.1 used a second place
            finally:
                os.close(descriptor)
            self._noted = True

    def state(self) -> HeadFileState:
        for _ in range(_TRIES):  # one that is just being written may be half a one
            heads = [
                head for place in self._places() if (head := self._check_seal(place)) is not None
            ]
            if heads:
                return HeadFileState(max(heads, key=lambda head: head.seq))
        return HeadFileState(doubt=GONE)

    def _places(self) -> tuple[str, ...]:
        with suppress(OSError):
            descriptor = os.open(self.path, os.O_RDONLY | _FLAGS)
            try:
                text = os.read(descriptor, 2 * _PLACE_BYTES).decode("ascii", "replace")
            finally:
                os.close(descriptor)
            return text[:_PLACE_BYTES].rstrip(), text[_PLACE_BYTES:].rstrip()
        return ()

    def _check_seal(self, text: str) -> Head | None:
        head = head_from(text)
        chains = (_ANY_CHAIN, self.chain)
        if head is None or not any(same(text, head.text(chain, self.key)) for chain in chains):
            return None
        return head


def read_head_file(folder: StateFolder) -> HeadFileState:
    """Makes no file. Read it before the database: a writer notes after it wrote. Raises
    BadFolder."""
    begun, key = os.path.lexists(folder.chain), known_secret(folder.signing_key)
    if key is None:
        return HeadFileState()
    chain = made_once(folder.chain, str) if begun else _ANY_CHAIN
    state = HeadFile(folder.head_file, key, chain).state()
    return state if begun or state.head is not None else HeadFileState()


@dataclass(slots=True)
class Chain:
    """The chain that one writer extends. Everything here runs inside a transaction of `db`."""

    id: str
    key: bytes = field(repr=False)
    head_file: HeadFile | None = None
    others: int = 0  # how often another process was found to have written
    _left: Head | None = None  # as it was surely committed
    _written: Head | None = None  # in the transaction that is open
    _text: tuple[str, Head] | None = None  # the last text that this process sealed
    _looked: bool = False

    @classmethod
    def of(cls, folder: StateFolder) -> "Chain":
        """The chain of this state folder, made on the first call. Raises BadFolder."""
        key = secret(folder.signing_key)
        if not os.path.lexists(folder.chain) and not os.path.lexists(folder.head_file):
            # Before the id: an id without a head file has lost it.
            HeadFile(folder.head_file, key).note(Head(0, GENESIS, 0, ""))
        name = made_once(folder.chain, lambda: secrets.token_hex(8))
        return cls(name, key, HeadFile(folder.head_file, key, name))

    def append(self, db: Database, records: Sequence[Record]) -> int:
        """Adds the records whose ids are new and seals the new head. Returns how many it added."""
        new = unknown(db, records)
        if not new:
            return 0
        head = self.head(db, new[0].at)
        seq, previous = head.seq, head.hash
        rows: list[Sequence[Value]] = []
        for record in new:
            seq += 1
            row = link(record, self.id, seq, previous)
            previous = row.hash
            columns = (row.seq, row.id, row.at, row.host, row.session, row.verdict, row.source)
            rows.append((self.id, *columns, row.body, row.previous, row.hash))
        db.many(_INSERT, rows)
        self._keep(db, Head(seq, previous, head.marks, head.mark))
        return len(rows)

    def note_commit(self) -> None:
        """Call it after each commit: from then on a head that has gone back is not believed."""
        if self._written is not None and self._written is not self._left:
            self._left = self._written
            if self.head_file is not None:
                self.head_file.note(self._left)

    def note_rollback(self) -> None:
        self._written = self._left

    def look(self, db: Database) -> None:
        """Notices what other processes wrote since the first look."""
        found, first, self._looked = self._check_seal(self._end(db)[0]), not self._looked, True
        if found is None or found == self._left or _gone_back(found, self._left):
            return
        self.others += not first
        self._left = self._written = found

    def doubt(self, db: Database) -> str:
        """Why this may not be the database that was written last; empty for none. To be asked
        before the first write."""
        state = HeadFileState() if self.head_file is None else self.head_file.state()
        text, last, _ = self._end(db)
        found = self._check_seal(text)
        last = last if found is None else found.seq
        if state.head is not None and state.behind(last):
            return f"the database ends with record {last}, but record {state.head.seq} was written"
        return state.doubt

    def resume(self, db: Database, now: float, why: str) -> None:
        """Continues after the last number ever written, with a mark that says why there is a
        gap."""
        head = self.head(db, now)
        seen = None if self.head_file is None else self.head_file.state().head
        if seen is not None and seen.seq > head.seq:
            head = replace(head, seq=seen.seq, hash=seen.hash)
        self.mark(db, head, Kind.RESUMED, now, why=why)

    def head(self, db: Database, now: float) -> Head:
        """Where the chain ends. An end that this key did not leave so gets a mark that says what
        was found. Rows and marks beyond it keep their numbers, and the chain goes on behind
        them."""
        text, last, marks = self._end(db)
        head = self._check_seal(text)
        if head is None or _gone_back(head, self._left):
            head = self._left
        elif self._looked and head not in (self._left, self._written):
            self.others += 1
        if head is None:
            if text is None and not last and not marks:
                return self.mark(db, Head(0, GENESIS, 0, ""), Kind.BEGAN, now)
            ends = [
                str((rows or [("",)])[0][0])
                for rows in (
                    db.rows(_LAST_HASH, (self.id, last)),
                    db.rows(_LAST_SEAL, (self.id, marks)),
                )
            ]
            why = "the head was gone" if text is None else "the head had another seal"
            return self.mark(db, Head(last, ends[0], marks, ends[1]), Kind.RESUMED, now, why=why)
        strange, strange_marks = max(last - head.seq, 0), max(marks - head.marks, 0)
        if not strange and not strange_marks:
            return head
        moved = replace(head, seq=head.seq + strange, marks=head.marks + strange_marks)
        why = f"{strange} records and {strange_marks} marks were behind the end"
        return self.mark(db, moved, Kind.RESUMED, now, count=strange, why=why)

    def mark(
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
        return self._keep(db, replace(head, marks=mark.number, mark=seal))

    def _keep(self, db: Database, head: Head) -> Head:
        text = head.text(self.id, self.key)
        db.execute(_KEEP, (HEAD_NAME + self.id, text))
        self._written, self._text = head, (text, head)
        return head

    def _check_seal(self, text: str | None) -> Head | None:
        """The head that a text in the database says, if this key sealed it."""
        if text is None:
            return None
        if self._text is not None and self._text[0] == text:
            return self._text[1]
        head = head_from(text)
        if head is None or not same(text, head.text(self.id, self.key)):
            return None
        self._text = text, head
        return head

    def _end(self, db: Database) -> tuple[str | None, int, int]:
        """The text of the head, and the numbers of the last record and of the last mark."""
        values = (HEAD_NAME + self.id, self.id, HIGHEST, self.id, HIGHEST)
        [(text, last, marks)] = db.rows(_END, values)
        return (
            None if text is None else str(text),
            last if isinstance(last, int) else 0,
            marks if isinstance(marks, int) else 0,
        )


def _gone_back(found: Head, left: Head | None) -> bool:
    if left is None or found.seq > left.seq:
        return False
    return found.seq < left.seq or found.hash != left.hash


def unknown(db: Database, records: Iterable[Record]) -> list[Record]:
    """Those that are not kept yet, each once: a change may be handed in again."""
    wanted = {storable(record.id): record for record in records}
    ids = list(wanted)
    for start in range(0, len(ids), _ASKED_AT_ONCE):
        some = ids[start : start + _ASKED_AT_ONCE]
        # As many places as the next power of two: few different statements, each seen before.
        places = 1 << (len(some) - 1).bit_length()
        sql = f"SELECT id FROM decision WHERE id IN ({', '.join('?' * places)})"  # noqa: S608 - only placeholders
        for (known,) in db.rows(sql, [*some, *some[-1:] * (places - len(some))]):
            wanted.pop(str(known), None)
    return list(wanted.values())
