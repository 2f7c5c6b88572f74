"""Records become text and records again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Failure, Remark, Verdict
from automode.core.record import Record, SessionKey, StageSpent
from automode.store.changes import canonical, record_fields, record_from
from tests.rows import each_row
from tests.store.examples import RECORD

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
    with pytest.raises(ValueError, match=r"."):
        record_from(record_fields(RECORD) | {name: value})


@each_row("name", list(record_fields(RECORD)))
def test_no_field_may_be_missing(name: str) -> None:
    fields = record_fields(RECORD)
    del fields[name]

    with pytest.raises(ValueError, match="missing"):
        record_from(fields)


def test_a_number_that_is_none_is_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical({"at": float("nan")})
