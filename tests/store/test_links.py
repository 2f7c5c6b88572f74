"""Hashes and seals: made for one purpose each, and hiding what was purged."""

import json
from dataclasses import replace

import pytest

from automode.store.links import (
    Checkpoint,
    Head,
    Kind,
    Tombstone,
    body_fields,
    checkpoint_from,
    head_from,
    linked,
    record_of,
    sealed,
    text_digest,
    tombstone_from,
)
from tests.store.examples import RECORD

KEY = b"k" * 32
HEAD = Head(3, "h", 2, "m")
MARK = Checkpoint(2, Kind.PRUNED, 1.5, 4, "b", 3, "older", "p")


def test_a_row_says_what_the_record_says() -> None:
    row = linked(RECORD, "c", 7, "before")

    assert (row.seq, row.id, row.at, row.previous) == (7, RECORD.id, RECORD.at, "before")
    assert (row.host, row.session) == (RECORD.session.host, RECORD.session.id)
    assert (row.verdict, row.source) == ("allow", RECORD.source)
    assert record_of(row.body) == RECORD


def test_the_same_record_never_has_the_same_digest() -> None:
    one, other = (linked(RECORD, "c", 1, "") for _ in range(2))

    assert text_digest(one.body) != text_digest(other.body)


def test_a_hash_is_of_one_place_in_one_chain() -> None:
    row = linked(RECORD, "c", 1, "")
    others = [linked(RECORD, *place) for place in (("d", 1, ""), ("c", 2, ""), ("c", 1, "x"))]

    assert len({row.hash, *(other.hash for other in others)}) == 4


def test_no_seal_is_good_for_anything_else() -> None:
    seals = [
        HEAD.seal("c", KEY),
        HEAD.seal("d", KEY),
        HEAD.seal("c", b"other"),
        MARK.seal("c", KEY),
        sealed(KEY, "head", "c", 3, "h", 2, "m2"),
        Tombstone.of("c", 3, "h", "digest", 2, KEY).seal,
    ]

    assert len(set(seals)) == len(seals)


def test_a_head_comes_back_with_its_seal() -> None:
    text = HEAD.text("c", KEY)

    assert head_from(text) == HEAD


@pytest.mark.parametrize("text", ["", "{}", "[]", "no JSON", '{"seq": "1"}', "[" * 100_000])
def test_what_is_no_head_is_none(text: str) -> None:
    assert head_from(text) is None


@pytest.mark.parametrize("kind", list(Kind))
def test_a_mark_comes_back_as_it_was(kind: Kind) -> None:
    mark = replace(MARK, kind=kind)

    assert checkpoint_from(mark.number, kind.value, mark.body) == mark


@pytest.mark.parametrize(("kind", "body"), [("other", MARK.body), ("began", "{}"), ("began", "")])
def test_what_is_no_mark_is_none(kind: str, body: str) -> None:
    assert checkpoint_from(1, kind, body) is None


def test_a_grave_holds_for_one_record_and_one_key() -> None:
    row = linked(RECORD, "c", 7, "")
    tombstone = Tombstone.of("c", row.seq, row.hash, text_digest(row.body), 2, KEY)
    buried = replace(row, body=tombstone.body)

    assert tombstone_from(json.loads(tombstone.body)) == tombstone
    assert tombstone.holds(buried, "c", KEY)
    assert not tombstone.holds(buried, "c", b"other")
    assert not tombstone.holds(buried, "d", KEY)
    assert not tombstone.holds(replace(buried, seq=8), "c", KEY)
    assert not tombstone.holds(replace(buried, body=tombstone.body + " "), "c", KEY)


def test_a_grave_tells_nothing_about_the_record() -> None:
    row = linked(RECORD, "c", 7, "")
    tombstone = Tombstone.of("c", row.seq, row.hash, text_digest(row.body), 2, KEY)

    assert RECORD.action not in tombstone.body
    assert RECORD.session.id not in tombstone.body
    assert record_of(tombstone.body) is None


@pytest.mark.parametrize("body", ["", "3", "{", '{"id": 1}', "[]"])
def test_a_body_that_is_no_record_holds_none(body: str) -> None:
    assert record_of(body) is None


def test_only_an_object_has_fields() -> None:
    assert body_fields('{"a": 1}') == {"a": 1}
    assert body_fields("[1]") is None
