"""What binds audit records to each other: hashes from one to the next, and seals that need a key.

Nothing here reads or writes a database. Every hash and seal names what it is made for, so that one
can never stand in the place of another.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from automode.core.record import Record, SessionKey
from automode.store.changes import (
    Approved,
    Taught,
    canonical,
    record_fields,
    record_from,
    storable,
)

GENESIS = ""
"""What the first record has in place of the hash before it."""

HEAD_NAME = "head "
"""What the name of a head in the table `meta` begins with; the chain's id follows."""

HIGHEST = 2**60
"""No chain gets so long: a higher number was put there."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table `decision`, as found: nothing in it is believed. Texts are
    `storable`."""

    seq: int
    id: str
    at: float
    host: str
    session: str
    verdict: str
    source: str
    body: str
    previous: str
    hash: str


class Kind(StrEnum):
    """Why a mark was made."""

    BEGAN = "began"
    PRUNED = "pruned"  # every record before `first` was removed
    PURGED = "purged"  # the contents of `count` records were taken out, their places kept
    RESUMED = "resumed"  # the end of the chain was not as it was left


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signed note about the chain. For all kinds but PURGED the next record is number `first`,
    and the hash before it `before`."""

    number: int  # from 1
    kind: Kind
    at: float
    first: int
    before: str
    count: int  # of records that it is about
    why: str
    previous: str  # the seal of the mark before

    @property
    def body(self) -> str:
        return canonical(
            {
                "at": self.at,
                "first": self.first,
                "before": self.before,
                "count": self.count,
                "why": self.why,
                "previous": self.previous,
            }
        )

    def seal(self, chain: str, key: bytes) -> str:
        return checkpoint_seal(key, chain, self.number, self.kind.value, self.body)


@dataclass(frozen=True, slots=True)
class Head:
    """Where the chain ends: the last record, and the last mark."""

    seq: int
    hash: str
    marks: int
    mark: str  # the seal of the last mark

    def text(self, chain: str, key: bytes) -> str:
        """What is kept: the head with its seal."""
        return canonical(
            {
                "seq": self.seq,
                "hash": self.hash,
                "marks": self.marks,
                "mark": self.mark,
                "seal": self.seal(chain, key),
            }
        )

    def seal(self, chain: str, key: bytes) -> str:
        return seal_of(key, "head", chain, self.seq, self.hash, self.marks, self.mark)


def seal_of(key: bytes, *parts: object) -> str:
    return hmac.digest(key, canonical(parts).encode(), "sha256").hex()


def checkpoint_seal(key: bytes, chain: str, number: int, kind: str, body: str) -> str:
    return seal_of(key, "mark", chain, number, kind, body)


def mode_seal(key: bytes, session: SessionKey, mode: str) -> str:
    """On a person's switch: other programs can write the file, and have no key. Empty for no
    mode."""
    return seal_of(key, "mode", session.host, session.id, mode) if mode else ""


def approval_seal(key: bytes, yes: Approved) -> str:
    expires = None if yes.expires is None else float(yes.expires)
    whose = (yes.session.host, yes.session.id, yes.record, yes.digest)
    return seal_of(key, "approval", yes.id, float(yes.at), *whose, bool(yes.once), expires)


def precedent_seal(key: bytes, yes: Taught) -> str:
    whose = (yes.session.host, yes.session.id, yes.root, yes.covers, yes.told)
    return seal_of(key, "precedent", yes.id, float(yes.at), *whose)


def same(one: str, other: str) -> bool:
    """Compared without telling by its time how much of a guess is right."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def link(record: Record, chain: str, seq: int, previous: str) -> Row:
    """The record as the next row. The salt keeps a digest from being guessed back; the number in
    the body tells where a moved one came from."""
    fields = record_fields(record)
    body = canonical({**fields, "salt": secrets.token_hex(16), "seq": seq})
    name, at = storable(record.id), float(record.at)
    return Row(
        seq=seq,
        id=name,
        at=at,
        host=storable(record.session.host),
        session=storable(record.session.id),
        verdict=record.verdict.word,
        source=storable(record.source),
        body=body,
        previous=previous,
        hash=row_hash(chain, seq, name, at, previous, text_digest(body)),
    )


def text_digest(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def row_hash(chain: str, seq: int, record: str, at: float, previous: str, digest: str) -> str:
    material = canonical(("record", chain, seq, record, at, previous, digest))
    return hashlib.sha256(material.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Takes the place of a purged body: the chain holds by its digest, and only the key can make
    it."""

    digest: str
    mark: int
    seal: str
    seq: int

    @classmethod
    def of(cls, chain: str, seq: int, made: str, digest: str, mark: int, key: bytes) -> "Tombstone":
        return cls(digest, mark, seal_of(key, "purged", chain, seq, made, mark), seq)

    @property
    def body(self) -> str:
        return canonical(
            {"digest": self.digest, "purged": self.mark, "seal": self.seal, "seq": self.seq}
        )

    def holds(self, row: Row, chain: str, key: bytes) -> bool:
        return same(
            row.body, Tombstone.of(chain, row.seq, row.hash, self.digest, self.mark, key).body
        )


def tombstone_from(fields: Mapping[str, object]) -> Tombstone | None:
    match fields:
        case {"digest": str(digest), "purged": int(mark), "seal": str(seal), "seq": int(seq)}:
            return Tombstone(digest, mark, seal, seq)
        case _:
            return None


def body_fields(body: str) -> Mapping[str, object] | None:
    """What a body says; None when it is no JSON object."""
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, Mapping) else None


def record_of(body: str) -> Record | None:
    """The record that a body holds; None for one that was purged or is none."""
    fields = body_fields(body)
    if fields is None or tombstone_from(fields) is not None:
        return None
    try:
        return record_from(fields)
    except ValueError:
        return None


def head_from(text: str) -> Head | None:
    """The head in a text; its seal is not checked. None for a text that is no head."""
    match body_fields(text):
        case {"seq": int(seq), "hash": str(made), "marks": int(marks), "mark": str(mark)}:
            return Head(seq, made, marks, mark)
        case _:
            return None


def checkpoint_from(number: int, kind: str, body: str) -> Checkpoint | None:
    if kind not in set(Kind):
        return None
    match body_fields(body):
        case {
            "at": int(at) | float(at),
            "first": int(first),
            "before": str(before),
            "count": int(count),
            "why": str(why),
            "previous": str(previous),
        }:
            return Checkpoint(number, Kind(kind), at, first, before, count, why, previous)
        case _:
            return None
