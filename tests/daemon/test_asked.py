"""The JSON of a request: what is read of it, and what is too much or means two things."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.errors import BadCall
from automode.daemon.json_requests import MOST_VALUES, json_object


def written(values: int) -> list[bytes]:
    """So many values in as few bytes as there can be: one after the other, and each its own."""
    return [b'{"":[' + b",".join([one] * (values - 2)) + b"]}" for one in (b"0", b"[]")]


@pytest.mark.parametrize("shape", range(2))
def test_the_last_value_that_is_too_many_is_counted_however_short_it_is_written(shape: int) -> None:
    most, more = written(MOST_VALUES)[shape], written(MOST_VALUES + 1)[shape]

    assert len(json_object(most)) == 1
    with pytest.raises(BadCall, match="more than 10000 values"):
        json_object(more)


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=1), inner),
    max_leaves=30,
)


def counted(value: object) -> int:
    match value:
        case dict():
            return 1 + sum(counted(one) for one in value.values())
        case list():
            return 1 + sum(counted(one) for one in value)
        case _:
            return 1


@given(NESTED)
def test_no_writing_holds_more_values_than_half_its_bytes(value: object) -> None:
    """Why a short payload need not be counted through."""
    shortest = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()

    assert 2 * counted(value) <= len(shortest) + 1
