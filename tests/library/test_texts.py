"""Inputs as JSON and results as text, whatever a program hands over."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.errors import BadCall
from automode.library.texts import plain, text_of
from tests.rows import each_row


@dataclass(frozen=True, slots=True)
class Page:
    title: str
    body: object


class Model:
    """As pydantic's models are."""

    def __init__(self) -> None:
        self.text = "a field"
        self.__pydantic_extra__ = {"more": "a further one"}

    def model_dump(self) -> None:
        raise AssertionError("what a model makes of itself is its own code")


SHAPES: dict[str, tuple[object, str]] = {
    "text": ("a text", "a text"),
    "nothing": (None, ""),
    "a number": (7, ""),
    "an object": ({"a": "one", "b": {"c": "two"}}, "one\ntwo"),
    "a key that is a sentence": ({"read this": 1}, "read this"),
    "a list": (["one", ("two", ["three"])], "one\ntwo\nthree"),
    "a dataclass": (Page("one", {"x": "two"}), "one\ntwo"),
    "a model": (Model(), "a field\na further one"),
    "something else": (ValueError("odd"), "odd"),
    "JSON as text stays JSON": ({"a": '{"b":"c"}'}, '{"b":"c"}'),
}


@each_row("shape", SHAPES)
def test_all_texts_of_a_result_are_found_in_their_order(shape: str) -> None:
    result, text = SHAPES[shape]

    assert text_of(result) == text


def test_a_deep_result_is_read_to_its_end() -> None:
    deep: object = "the end"
    for _ in range(20_000):
        deep = [deep]

    assert text_of(deep) == "the end"


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=10,
)


@given(VALUES, st.text(min_size=1))
def test_no_shape_hides_a_text(beside: object, text: str) -> None:
    assert text in text_of({"a": [beside, {"b": text}], "c": beside})


BAD: dict[str, object] = {"no object": None, "a text": "abc", "a pair too few": [1]}


@pytest.mark.parametrize("name", BAD)
def test_an_input_that_is_no_object_is_a_bad_call(name: str) -> None:
    with pytest.raises(BadCall, match="cannot be written as JSON"):
        plain(BAD[name])  # type: ignore[arg-type]  # what a program hands over may be anything
