"""Goes through a chain and names the first thing that is not as it was written, then stops.

It looks at the database or at an exported file. An export is lines of JSON: first the chain with
its sealed head, then its marks, then its records in their order, each with the hashes around it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isfinite

from automode.core.errors import AutomodeError
from automode.store.chain import HeadFileState
from automode.store.changes import canonical, storable
from automode.store.database import Database, Engine
from automode.store.links import (
    HEAD_NAME,
    HIGHEST,
    Checkpoint,
    Head,
    Kind,
    Row,
    Tombstone,
    body_fields,
    checkpoint_from,
    checkpoint_seal,
    head_from,
    row_hash,
    same,
    text_digest,
    tombstone_from,
)

FORMAT = "automode-audit-1"
HEAD = "head"
HEAD_FILE = "head file"
_PAGE = 1000
_LONGEST_SHOWN = 60
_BEGIN = {
    Engine.SQLITE: "BEGIN",
    Engine.POSTGRESQL: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
}
_ROWS = (
    "SELECT seq, id, at, host, session, verdict, source, body, previous, hash"
    " FROM decision WHERE chain = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
)
_MARKS = "SELECT seq, kind, body, signature FROM checkpoint WHERE chain = ? ORDER BY seq"
_UNNUMBERED = "SELECT count(*) FROM decision WHERE chain = ? AND NOT (seq > 0 AND seq <= ?)"
_ALTERED_SEAL = "it was altered, or sealed with another key"


class BadExport(AutomodeError):
    """A file that is no export, or has a line that is none of its lines."""


class Wrong(StrEnum):
    """What happened to a record, a mark or the head."""

    REMOVED = "removed"
    ALTERED = "altered"
    ADDED = "added"
    UNSEALED = "unsealed"  # this key did not seal it
    RESUMED = "resumed"  # the chain was found broken once, and went on


@dataclass(frozen=True, slots=True)
class Fault:
    wrong: Wrong
    place: str  # `record 7`, `records 9 to 12`, `mark 3`, `head`
    text: str  # a sentence about that place
    id: str = ""  # of the record, where there is one

    def __str__(self) -> str:
        name = f"{self.place} (`{self.id}`)" if self.id else self.place
        return f"{name}: {self.text}"


@dataclass(frozen=True, slots=True)
class Findings:
    """`since`: when what is left of the chain begins. `fault`: the first one; the rest was not
    checked."""

    chain: str
    records: int
    purged: int  # of them, whose content was taken out
    since: float | None
    until: float | None
    last: int  # the number of the last record there ever was
    marks: tuple[Checkpoint, ...]
    fault: Fault | None = None

    @property
    def sound(self) -> bool:
        return self.fault is None


@dataclass(frozen=True, slots=True)
class FoundCheckpoint:
    """One line of the table `checkpoint`, as it is found."""

    number: int
    kind: str
    body: str
    seal: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that verification looks at. `rows` can be read once, while their source is open."""

    chain: str
    head: str | None  # as it is kept, with its seal
    marks: tuple[FoundCheckpoint, ...]
    rows: Iterable[Row]
    unnumbered: int = 0  # rows that no place in the chain can be given to


def verify(evidence: Evidence, key: bytes | None) -> Findings:
    """The first fault of the chain. Without a key seals are not checked: the chain may hang
    together and still not be the whole one."""
    walk = _Walk(evidence, key)
    fault = next(walk.faults(), None)
    start = walk.start
    return Findings(
        chain=evidence.chain,
        records=walk.records,
        purged=walk.purged,
        since=start.at if start is not None and start.count == 0 else walk.since,
        until=walk.last.at if walk.last is not None else None,
        last=max(walk.expected - 1, walk.head.seq if walk.head else 0),
        marks=walk.marks,
        fault=fault,
    )


def compare_with_head_file(findings: Findings, state: HeadFileState) -> Findings:
    """What the head file beside the database adds to a chain that is sound in itself."""
    if findings.fault is not None and findings.fault.wrong is not Wrong.RESUMED:
        return findings
    if state.doubt:
        text = f"{state.doubt}; without it a replaced database is not noticed"
        return replace(findings, fault=Fault(Wrong.REMOVED, HEAD_FILE, text))
    if state.head is not None and state.behind(findings.last):
        place = _place("record", findings.last + 1, state.head.seq)
        text = "they were written, and the database is not there or older than that"
        return replace(findings, fault=Fault(Wrong.REMOVED, place, text))
    return findings


def _place(what: str, first: int, upto: int | None = None) -> str:
    return f"{what} {first}" if upto in (None, first) else f"{what}s {first} to {upto}"


class _Walk:
    def __init__(self, evidence: Evidence, key: bytes | None) -> None:
        self.evidence = evidence
        self.key = key
        genuine = [self._genuine(found) for found in evidence.marks]
        self.marks = tuple(mark for mark in genuine if mark is not None)
        self.head = self._sealed_head()
        # Where the records begin now: after what was pruned last, or at the beginning.
        starts = [mark for mark in self.marks if mark.kind in (Kind.BEGAN, Kind.PRUNED)]
        self.start = starts[-1] if starts else None
        # By the number of a record, what it must have as the hash before it.
        self.anchors = {one.first: one.before for one in self.marks if one.kind is not Kind.PURGED}
        self.first = self.expected = self.start.first if self.start else 1
        self.records = self.purged = 0
        self.since: float | None = None
        self.last: Row | None = None

    def faults(self) -> Iterator[Fault]:
        yield from self._checkpoint_faults()
        yield from self._head_faults()
        for row in self.evidence.rows:
            self.records += 1
            self.since = row.at if self.since is None else self.since
            fault = self._place_fault(row) or self._content_fault(row) or self._link_fault(row)
            if fault is not None:
                yield fault
            self.expected, self.last = row.seq + 1, row
        yield from self._end_faults()
        if self.evidence.unnumbered:
            text = f"{self.evidence.unnumbered} of them have no place in the chain"
            yield Fault(Wrong.ADDED, "records", text)
        yield from self._resume_faults()

    def _genuine(self, found: FoundCheckpoint) -> Checkpoint | None:
        parts = (self.evidence.chain, found.number, found.kind, found.body)
        if self.key is not None and not same(found.seal, checkpoint_seal(self.key, *parts)):
            return None
        return checkpoint_from(found.number, found.kind, found.body)

    def _sealed_head(self) -> Head | None:
        text = self.evidence.head
        head = None if text is None else head_from(text)
        if text is None or head is None or self.key is None:
            return head
        return head if same(text, head.text(self.evidence.chain, self.key)) else None

    def _checkpoint_faults(self) -> Iterator[Fault]:
        expected, seal = 1, ""
        for found in self.evidence.marks:
            if found.number > expected:
                yield Fault(Wrong.REMOVED, _place("mark", expected, found.number - 1), "it is gone")
            mark = self._genuine(found)
            if mark is None:
                yield Fault(Wrong.ALTERED, _place("mark", found.number), _ALTERED_SEAL)
            elif found.number < expected or mark.previous != seal:
                yield Fault(Wrong.ALTERED, _place("mark", found.number), "it follows another mark")
            expected, seal = found.number + 1, found.seal
        if self.head is None:
            return
        if expected <= self.head.marks:
            yield Fault(Wrong.REMOVED, _place("mark", expected, self.head.marks), "it is gone")
        elif expected > self.head.marks + 1:
            yield Fault(Wrong.ADDED, _place("mark", expected - 1), "the head does not know of it")
        elif not same(seal, self.head.mark):
            yield Fault(Wrong.ALTERED, _place("mark", expected - 1), "the head knows another one")

    def _head_faults(self) -> Iterator[Fault]:
        if self.evidence.head is not None and self.head is None:
            yield Fault(Wrong.UNSEALED, HEAD, _ALTERED_SEAL)
        elif self.evidence.head is None and self.evidence.marks:
            yield _headless()

    def _end_faults(self) -> Iterator[Fault]:
        if self.records and self.evidence.head is None:
            yield _headless()
        if self.head is None:
            return
        if self.expected <= self.head.seq:
            yield _removal(self.expected, self.head.seq)
            return
        made = self.anchors.get(self.expected, "") if self.last is None else self.last.hash
        if self.expected == self.head.seq + 1 and made != self.head.hash:
            place, name = _place("record", self.head.seq), self.last.id if self.last else ""
            yield Fault(Wrong.ALTERED, place, "the head was made after another record", name)

    def _place_fault(self, row: Row) -> Fault | None:
        place = _place("record", row.seq)
        if row.seq < self.first:
            return Fault(Wrong.ADDED, place, "it was removed once, and is there again", row.id)
        if row.seq < self.expected:
            return Fault(Wrong.ALTERED, place, "it is not in its place", row.id)
        if self.head is not None and self.expected > self.head.seq:
            return Fault(Wrong.ADDED, place, "the head does not know of it", row.id)
        return _removal(self.expected, row.seq - 1) if row.seq > self.expected else None

    def _content_fault(self, row: Row) -> Fault | None:
        """What is wrong with a row by itself."""
        fields = body_fields(row.body)
        tombstone = None if fields is None else tombstone_from(fields)
        digest = text_digest(row.body) if tombstone is None else tombstone.digest
        made = row_hash(self.evidence.chain, row.seq, row.id, row.at, row.previous, digest)
        text = ""
        if fields is None or made != row.hash:
            text = "it is not what was written"
        elif tombstone is not None:
            self.purged += 1
            if not self._is_purged(row, tombstone):
                text = "its content was taken out, but not by `automode purge`"
        elif (column := next(_differences(row, fields), None)) is not None:
            text = f"its column `{column}` does not say what the record says"
        return Fault(Wrong.ALTERED, _place("record", row.seq), text, row.id) if text else None

    def _is_purged(self, row: Row, tombstone: Tombstone) -> bool:
        blank = not (row.host or row.session or row.verdict or row.source)
        return blank and (self.key is None or tombstone.holds(row, self.evidence.chain, self.key))

    def _link_fault(self, row: Row) -> Fault | None:
        """Whether a row that is sound in itself follows the one before it."""
        before, place = self.last, _place("record", row.seq)
        anchor = self.anchors.get(row.seq)
        if anchor is not None and row.previous != anchor:
            text = "it does not follow what the mark before it says"
            return Fault(Wrong.ALTERED, place, text, row.id)
        if anchor is None and before is not None and row.previous != before.hash:
            text = "the next record was made after another one in its place"
            return Fault(Wrong.ALTERED, _place("record", before.seq), text, before.id)
        return None

    def _resume_faults(self) -> Iterator[Fault]:
        """Until all earlier records are pruned, it is unknown whether they are complete."""
        start = self.start
        for mark in self.marks:
            settled = start is not None and mark.number < start.number and mark.first <= start.first
            if mark.kind is Kind.RESUMED and not settled:
                text = f"{mark.why}: of what came before record {mark.first}, some may be missing"
                yield Fault(Wrong.RESUMED, _place("mark", mark.number), text)


def _headless() -> Fault:
    return Fault(Wrong.REMOVED, HEAD, "it is gone, so it is unknown where the chain ended")


def _removal(first: int, upto: int) -> Fault:
    text = "they are gone" if upto > first else "it is gone"
    return Fault(Wrong.REMOVED, _place("record", first, upto), text)


def _differences(row: Row, fields: Mapping[str, object]) -> Iterator[str]:
    """The columns that do not say what the record itself says."""
    for name in ("id", "at", "host", "session", "verdict", "source", "seq"):
        said = fields.get(name)
        if (storable(said) if isinstance(said, str) else said) != getattr(row, name):
            yield name


@contextmanager
def snapshot(db: Database) -> Iterator[None]:
    """All reads inside see one snapshot of the database."""
    db.execute(_BEGIN[db.engine])
    try:
        yield
    finally:
        db.execute("ROLLBACK")


def from_database(db: Database, chain: str) -> Evidence:
    """To be used inside a `snapshot`, or in a transaction."""
    head = db.rows("SELECT value FROM meta WHERE name = ?", (HEAD_NAME + chain,))
    marks = [
        FoundCheckpoint(_as_int(number), *map(str, texts))
        for number, *texts in db.rows(_MARKS, (chain,))
    ]
    ((unnumbered,),) = db.rows(_UNNUMBERED, (chain, HIGHEST))
    text = str(head[0][0]) if head else None
    return Evidence(chain, text, tuple(marks), chain_rows(db, chain), _as_int(unnumbered))


def chain_rows(db: Database, chain: str, *, after: float = 0) -> Iterator[Row]:
    """The rows of a chain, page by page. SQLite columns hold anything: what is no number becomes
    one that no row can have."""
    while page := db.rows(_ROWS, (chain, after, HIGHEST, _PAGE)):
        for seq, record, at, *texts in page:
            host, session, verdict, source, body, previous, made = map(str, texts)
            columns = (_as_int(seq), str(record), _number(at), host, session, verdict, source)
            yield Row(*columns, body, previous, made)
        after = _number(page[-1][0])


def chains(db: Database) -> list[str]:
    """Every chain of which there is a trace."""
    found = db.rows("SELECT chain FROM decision UNION SELECT chain FROM checkpoint")
    heads = db.rows("SELECT name FROM meta WHERE name LIKE ?", (f"{HEAD_NAME}%",))
    names = {str(name) for (name,) in found}
    return sorted(names | {str(name).removeprefix(HEAD_NAME) for (name,) in heads})


def export_lines(evidence: Evidence) -> Iterator[str]:
    yield _line(format=FORMAT, chain=evidence.chain, head=_as_json(evidence.head))
    for mark in evidence.marks:
        yield _line(mark=mark.number, kind=mark.kind, body=_as_json(mark.body), seal=mark.seal)
    names = ("seq", "id", "at", "host", "session", "verdict", "source", "previous", "hash")
    for row in evidence.rows:
        columns: dict[str, object] = {name: getattr(row, name) for name in names}
        yield _line(**columns, record=_as_json(row.body))


def from_lines(lines: Iterable[str]) -> Evidence:
    """The evidence in an export. Raises BadExport, also later, when `rows` is gone through."""
    numbered = ((number, _fields(number, line)) for number, line in enumerate(lines, start=1))
    match next(numbered, (1, {}))[1]:
        case {"format": "automode-audit-1", "chain": str(chain), "head": head}:
            pass
        case _:
            raise BadExport("no export of the audit chain", "make one with `automode audit export`")
    marks: list[FoundCheckpoint] = []
    pending: list[tuple[int, Mapping[str, object]]] = []
    for number, fields in numbered:
        match fields:
            case {"mark": int(own), "kind": str(kind), "body": body, "seal": str(seal)}:
                marks.append(FoundCheckpoint(own, kind, _as_text(body), seal))
            case _:
                pending.append((number, fields))
                break

    def rows() -> Iterator[Row]:
        for several in (pending, numbered):
            for number, fields in several:
                yield _read_row(number, fields)

    return Evidence(chain, None if head is None else _as_text(head), tuple(marks), rows())


def _line(**fields: object) -> str:
    return json.dumps(fields, separators=(",", ":"))


def _as_json(text: str | None) -> object:
    """JSON as JSON, for whoever reads the file, where that gives back the very same text."""
    fields = None if text is None else body_fields(text)
    return fields if fields is not None and _canonical_again(fields) == text else text


def _canonical_again(fields: Mapping[str, object]) -> str | None:
    try:
        return canonical(fields)
    except (ValueError, RecursionError):
        return None


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    return _canonical_again(value) or "" if isinstance(value, Mapping) else ""


def _fields(number: int, line: str) -> Mapping[str, object]:
    fields = body_fields(line)
    if fields is None:
        shown = line.strip()[:_LONGEST_SHOWN]
        raise BadExport(f"line {number} is no JSON object: `{shown}`", "export the chain again")
    return fields


def _read_row(number: int, fields: Mapping[str, object]) -> Row:
    match fields:
        case {
            "seq": int(seq),
            "id": str(record),
            "at": int(at) | float(at),
            "host": str(host),
            "session": str(session),
            "verdict": str(verdict),
            "source": str(source),
            "record": body,
            "previous": str(previous),
            "hash": str(made),
        }:
            texts = (host, session, verdict, source, _as_text(body), previous, made)
            return Row(seq, record, _number(float(at)), *texts)
        case _:
            raise BadExport(f"line {number} is neither a mark nor a record", "export it again")


def _as_int(value: object) -> int:
    return value if isinstance(value, int) else -1


def _number(value: object) -> float:
    return value if isinstance(value, int | float) and isfinite(value) else -1.0
