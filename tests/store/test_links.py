"""Hashes and seals: made for one purpose each, and hiding what was purged."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Failure, Remark, Verdict
from automode.core.record import Record, SessionKey, StageSpent
from automode.store.changes import canonical, record_fields, record_from, restore_text, storable
from automode.store.links import (
    Checkpoint,
    Head,
    Kind,
    Tombstone,
    checkpoint_from,
    head_from,
    link,
    record_of,
    seal_of,
    text_digest,
    tombstone_from,
)
from tests.rows import each_row
from tests.store.examples import RECORD

KEY = b"k" * 32
HEAD = Head(3, "h", 2, "m")
MARK = Checkpoint(2, Kind.PRUNED, 1.5, 4, "b", 3, "older", "p")


def test_a_row_says_what_the_record_says_and_is_of_one_place_in_one_chain() -> None:
    row = link(RECORD, "c", 7, "before")
    places = (("c", 7, "before"), ("d", 7, "before"), ("c", 8, "before"), ("c", 7, "x"))
    others = [link(RECORD, *place) for place in places]

    assert (row.seq, row.id, row.at, row.previous) == (7, RECORD.id, RECORD.at, "before")
    assert (row.host, row.session) == (RECORD.session.host, RECORD.session.id)
    assert (row.verdict, row.source) == ("allow", RECORD.source)
    assert record_of(row.body) == RECORD
    assert len({row.hash, *(other.hash for other in others)}) == 5  # each has a salt of its own
    assert len({text_digest(one.body) for one in (row, *others)}) == 5


def test_no_seal_is_good_for_anything_else() -> None:
    seals = [
        HEAD.seal("c", KEY),
        HEAD.seal("d", KEY),
        HEAD.seal("c", b"other"),
        MARK.seal("c", KEY),
        seal_of(KEY, "head", "c", 3, "h", 2, "m2"),
        Tombstone.of("c", 3, "h", "digest", 2, KEY).seal,
    ]

    assert len(set(seals)) == len(seals)


@each_row("text", ["", "{}", "[]", "3", "no JSON", '{"seq": "1"}', '{"id": 1}', "[" * 100_000])
def test_what_is_no_head_no_mark_and_no_record_is_none(text: str) -> None:
    assert head_from(text) is None
    assert checkpoint_from(1, "began", text) is None
    assert record_of(text) is None
    assert checkpoint_from(1, "other", MARK.body) is None


def test_a_head_and_a_mark_come_back_as_they_were() -> None:
    assert head_from(HEAD.text("c", KEY)) == HEAD
    for kind in Kind:
        mark = replace(MARK, kind=kind)
        assert checkpoint_from(mark.number, kind.value, mark.body) == mark


def test_a_tombstone_holds_for_one_record_and_one_key_and_tells_nothing() -> None:
    row = link(RECORD, "c", 7, "")
    tombstone = Tombstone.of("c", row.seq, row.hash, text_digest(row.body), 2, KEY)
    buried = replace(row, body=tombstone.body)

    assert tombstone_from(json.loads(tombstone.body)) == tombstone
    assert tombstone.holds(buried, "c", KEY)
    assert not tombstone.holds(buried, "c", b"other")
    assert not tombstone.holds(buried, "d", KEY)
    assert not tombstone.holds(replace(buried, seq=8), "c", KEY)
    assert not tombstone.holds(replace(buried, body=tombstone.body + " "), "c", KEY)
    assert RECORD.action not in tombstone.body
    assert RECORD.session.id not in tombstone.body
    assert record_of(tombstone.body) is None


TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)  # halves of surrogates too
NUMBERS = st.integers(0, 2**40)
RECORDS = st.builds(
    Record,
    id=TEXTS,
    at=st.floats(0, 4e9),
    session=st.builds(SessionKey, TEXTS, TEXTS),
    parent=st.none() | TEXTS,
    account=TEXTS,
    root=TEXTS,
    cwd=TEXTS,
    tool=TEXTS,
    action=TEXTS,
    input=TEXTS,
    digest=TEXTS,
    verdict=st.sampled_from(Verdict),
    source=TEXTS,
    reason=TEXTS,
    advice=TEXTS,
    clearable=st.booleans(),
    error=st.none() | st.sampled_from(Failure),
    enforced=st.booleans(),
    attended=st.booleans(),
    micros=NUMBERS,
    trail=st.lists(st.builds(Remark, TEXTS, TEXTS, TEXTS), max_size=3).map(tuple),
    stages=st.lists(
        st.builds(
            StageSpent,
            *(TEXTS, TEXTS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.none() | TEXTS),
        ),
        max_size=2,
    ).map(tuple),
)


@given(RECORDS)
def test_every_record_comes_back_as_it_was(record: Record) -> None:
    text = canonical(record_fields(record))

    assert text.isascii()
    assert record_from(json.loads(text)) == record
    assert canonical(json.loads(text)) == text


def test_what_the_breaker_of_version_0_1_noted_is_read_as_data() -> None:
    fields = record_fields(RECORD) | {"trail": [["breaker", "deny", "floor.x: deletes: all"]]}

    assert record_from(fields).trail == (Remark("floor.x", "deny", "deletes: all"),)


BAD = {
    "id": 3,
    "at": "now",
    "parent": 1,
    "verdict": "perhaps",
    "error": "tired",
    "clearable": 1,
    "micros": 1.5,
    "trail": [["one"]],
    "stages": ["fast"],
}


@each_row("name, value", BAD.items())
def test_what_is_no_record_is_refused(name: str, value: object) -> None:
    told = "tired" if name == "error" else f"`{name}`"
    with pytest.raises(ValueError, match=told):
        record_from(record_fields(RECORD) | {name: value})


@each_row("name", list(record_fields(RECORD)))
def test_no_field_may_be_missing(name: str) -> None:
    fields = record_fields(RECORD)
    del fields[name]

    with pytest.raises(ValueError, match=f"`{name}` is missing"):
        record_from(fields)


def test_a_number_that_is_none_is_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical({"at": float("nan")})


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


@given(ANY_TEXT)  # so different texts stay different
def test_storable_text_comes_back_and_holds_nothing_that_a_database_refuses(text: str) -> None:
    kept = storable(text)

    assert restore_text(kept) == text
    assert "\x00" not in kept
    assert kept.encode("utf-8").decode("utf-8") == kept


@given(st.one_of(ANY_TEXT, st.text("a\\\x00\ud800ü")))
def test_only_what_has_to_be_is_escaped_each_character_for_itself(text: str) -> None:
    escaped = {"\\": "\\\\", "\x00": "\\u0000"}
    halves = {half: f"\\u{ord(half):04x}" for half in text if "\ud800" <= half <= "\udfff"}

    assert storable(text) == "".join({**escaped, **halves}.get(one, one) for one in text)
