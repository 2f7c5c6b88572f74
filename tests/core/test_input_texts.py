"""Every text in an input is found, however deep it lies."""

import pytest

from automode.core.tool_input import input_texts

NESTED = {"a": "one", "b": ["two", ("three", {"c": "four"}), 5, None]}


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        (False, ["four", "one", "three", "two"]),
        (True, ["a", "b", "c", "four", "one", "three", "two"]),
    ],
)
def test_every_text_is_found(keys: bool, found: list[str]) -> None:
    assert sorted(input_texts(NESTED, keys=keys)) == found


def test_depth_is_no_limit() -> None:
    deep: object = "text"
    for _ in range(100_000):
        deep = [deep]

    assert list(input_texts(deep)) == ["text"]
