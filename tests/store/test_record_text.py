"""Records become text and records again."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Failure, Remark, Verdict
from automode.core.record import Record, SessionKey, StageSpent
from automode.store.record_text import canonical, record_fields, record_from
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
    "id": (3, "`id` is no text"),
    "at": (True, "`at` is no number"),
    "parent": (1, "`parent` is no text"),
    "verdict": ("perhaps", "`verdict` is no verdict: `perhaps`"),
    "error": ("tired", "'tired' is not a valid Failure"),
    "clearable": (1, "`clearable` is neither true nor false"),
    "micros": (1.5, "`micros` is no whole number"),
    "trail": ([["one"]], "`trail` holds no remark"),
    "stages": (["fast"], "`stages` holds no stage"),
}


@each_row("name, value, said", [(n, *v) for n, v in BAD.items()])
def test_what_is_no_record_is_refused_by_the_name_of_the_field(
    name: str, value: object, said: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        record_from(record_fields(RECORD) | {name: value})


@each_row("name", list(record_fields(RECORD)))
def test_no_field_may_be_missing_unless_it_may_be_empty(name: str) -> None:
    fields = record_fields(RECORD)
    del fields[name]

    if name in ("parent", "error"):
        assert record_from(fields) == RECORD
    else:
        with pytest.raises(ValueError, match=name):
            record_from(fields)


def test_a_number_that_is_none_is_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical({"at": float("nan")})
