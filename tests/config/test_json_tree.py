"""Every value of a JSON text is found where it stands."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.config.json_edit import parsed
from automode.config.jsonc import Array, Object, content, plain
from automode.core.errors import BadSettings

TEXT = '\ufeff{ // "no"\n "a": [1, {"b": "]}"}, /* , */ null,], "a": -0.5e3 }\n'


def test_each_value_knows_its_own_text() -> None:
    root = parsed(TEXT)

    assert isinstance(root, Object)
    first, second = root.children
    assert isinstance(first.value, Array)
    texts = [TEXT[one.start : one.end] for one in first.value.children]
    assert texts == ["1", '{"b": "]}"}', "null"]
    assert TEXT[second.start : second.end] == '"a": -0.5e3'


def test_of_a_key_that_stands_twice_programs_see_the_last() -> None:
    root = parsed(TEXT)

    assert content(root) == {"a": -500.0}
    assert plain(root) == (("a", [1, (("b", "]}"),), None]), ("a", -500.0))


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('ab"\\/*', max_size=3), inner)
    ),
    max_leaves=8,
)


@given(_json, st.sampled_from([None, 1, 3]))
def test_it_reads_what_others_write(value: object, indent: int | None) -> None:
    assert content(parsed(json.dumps(value, indent=indent))) == value


@pytest.mark.parametrize("text", ["", "{", '{"a" 1}', "[1 2]", "{'a': 1}", "{} {}", "/*"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(BadSettings):
        parsed(text)
