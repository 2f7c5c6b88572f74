"""All that verification looks at, from the database or from an exported file.

An export is lines of JSON: first the chain with its sealed head, then its marks, then its records
in their order, each with the hashes around it. What verifies in the database verifies in the file.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite

from automode.core.errors import AutomodeError
from automode.store.changes import canonical
from automode.store.database import Database, Engine
from automode.store.links import HEAD_NAME, HIGHEST, Row, body_fields

FORMAT = "automode-audit-1"
_PAGE = 1000
_LONGEST_SHOWN = 60
_BEGIN = {
    Engine.SQLITE: "BEGIN",
    Engine.POSTGRESQL: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
}


class BadExport(AutomodeError):
    """A file that is no export, or has a line that is none of its lines."""


@dataclass(frozen=True, slots=True)
class FoundCheckpoint:
    """One line of the table `checkpoint`, as it is found."""

    number: int
    kind: str
    body: str
    seal: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """`rows` can be gone through once, while whatever they come from is open."""

    chain: str
    head: str | None  # as it is kept, with its seal
    marks: tuple[FoundCheckpoint, ...]
    rows: Iterable[Row]
    unnumbered: int = 0  # rows that no place in the chain can be given to


@contextmanager
def snapshot(db: Database) -> Iterator[None]:
    """Everything read inside is of one moment, whoever writes meanwhile."""
    db.execute(_BEGIN[db.engine])
    try:
        yield
    finally:
        db.execute("ROLLBACK")


def from_database(db: Database, chain: str) -> Evidence:
    """To be used inside a `snapshot`, or in a transaction."""
    head = db.rows("SELECT value FROM meta WHERE name = ?", (HEAD_NAME + chain,))
    marks = db.rows(
        "SELECT seq, kind, body, signature FROM checkpoint WHERE chain = ? ORDER BY seq", (chain,)
    )
    return Evidence(
        chain,
        str(head[0][0]) if head else None,
        tuple(FoundCheckpoint(_whole(one[0]), *map(str, one[1:])) for one in marks),
        chain_rows(db, chain),
        unnumbered(db, chain),
    )


def chain_rows(db: Database, chain: str, *, after: float = 0) -> Iterator[Row]:
    """The rows of a chain by their numbers, a page at a time."""
    sql = (
        "SELECT seq, id, at, host, session, verdict, source, body, previous, hash, number"
        " FROM decision WHERE chain = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
    )
    while page := db.rows(sql, (chain, after, HIGHEST, _PAGE)):
        yield from (_row(found) for found in page)
        after = _number(page[-1][0])


def unnumbered(db: Database, chain: str) -> int:
    """How many rows have no number that a chain could give."""
    sql = "SELECT count(*) FROM decision WHERE chain = ? AND NOT (seq > 0 AND seq <= ?)"
    ((count,),) = db.rows(sql, (chain, HIGHEST))
    return _whole(count)


def chains(db: Database) -> list[str]:
    """Every chain of which there is a trace."""
    found = db.rows("SELECT chain FROM decision UNION SELECT chain FROM checkpoint")
    heads = db.rows("SELECT name FROM meta WHERE name LIKE ?", (f"{HEAD_NAME}%",))
    names = {str(name) for (name,) in found}
    return sorted(names | {str(name).removeprefix(HEAD_NAME) for (name,) in heads})


def export_lines(evidence: Evidence) -> Iterator[str]:
    yield _line(format=FORMAT, chain=evidence.chain, head=_told(evidence.head))
    for mark in evidence.marks:
        yield _line(mark=mark.number, kind=mark.kind, body=_told(mark.body), seal=mark.seal)
    for row in evidence.rows:
        yield _line(
            seq=row.seq,
            id=row.id,
            at=row.at,
            host=row.host,
            session=row.session,
            verdict=row.verdict,
            source=row.source,
            record=_told(row.body),
            previous=row.previous,
            hash=row.hash,
        )


def from_lines(lines: Iterable[str]) -> Evidence:
    """The evidence in an export. Raises BadExport, also later, when `rows` is gone through."""
    numbered = ((number, _fields(number, line)) for number, line in enumerate(lines, start=1))
    first = next(numbered, (1, {}))[1]
    match first:
        case {"format": "automode-audit-1", "chain": str(chain), "head": head}:
            pass
        case _:
            raise BadExport("no export of the audit chain", "make one with `automode audit export`")
    marks: list[FoundCheckpoint] = []
    pending: list[tuple[int, Mapping[str, object]]] = []
    for number, fields in numbered:
        mark = _read_checkpoint(fields)
        if mark is None:
            pending.append((number, fields))
            break
        marks.append(mark)

    def rows() -> Iterator[Row]:
        for number, fields in pending:
            yield _read_row(number, fields)
        for number, fields in numbered:
            yield _read_row(number, fields)

    return Evidence(chain, None if head is None else _untold(head), tuple(marks), rows())


def _line(**fields: object) -> str:
    return json.dumps(fields, separators=(",", ":"))


def _told(text: str | None) -> object:
    """JSON as JSON, for whoever reads the file, where that gives back the very same text."""
    fields = None if text is None else body_fields(text)
    return fields if fields is not None and _again(fields) == text else text


def _again(fields: Mapping[str, object]) -> str | None:
    try:
        return canonical(fields)
    except (ValueError, RecursionError):
        return None


def _untold(value: object) -> str:
    if isinstance(value, str):
        return value
    return _again(value) or "" if isinstance(value, Mapping) else ""


def _fields(number: int, line: str) -> Mapping[str, object]:
    fields = body_fields(line)
    if fields is None:
        shown = line.strip()[:_LONGEST_SHOWN]
        raise BadExport(f"line {number} is no JSON object: `{shown}`", "export the chain again")
    return fields


def _read_checkpoint(fields: Mapping[str, object]) -> FoundCheckpoint | None:
    match fields:
        case {"mark": int(number), "kind": str(kind), "body": body, "seal": str(seal)}:
            return FoundCheckpoint(number, kind, _untold(body), seal)
        case _:
            return None


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
            texts = (host, session, verdict, source, _untold(body), previous, made)
            return Row(seq, record, _number(float(at)), *texts)
        case _:
            raise BadExport(f"line {number} is neither a mark nor a record", "export it again")


def _row(found: tuple[object, ...]) -> Row:
    """SQLite lets a column hold anything: what is no number becomes one that no row can have."""
    seq, record, at, host, session, verdict, source, body, previous, made, number = found
    return Row(
        seq=_whole(seq),
        id=str(record),
        at=_number(at),
        host=str(host),
        session=str(session),
        verdict=str(verdict),
        source=str(source),
        body=str(body),
        previous=str(previous),
        hash=str(made),
        number=_whole(number),
    )


def _whole(value: object) -> int:
    return value if isinstance(value, int) else -1


def _number(value: object) -> float:
    return value if isinstance(value, int | float) and isfinite(value) else -1.0
