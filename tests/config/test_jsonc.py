"""Reading JSON with comments: what is accepted, what is refused, and where things stand."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.config.jsonc import (
    DEEPEST,
    LARGEST_BYTES,
    MOST_VALUES,
    Array,
    BadJson,
    Duplicate,
    Leaf,
    Member,
    Node,
    Object,
    content,
    read,
)
from tests.rows import each_row, rows

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_all_json_is_read_as_the_standard_library_reads_it(value: object) -> None:
    text = json.dumps(value).replace("\\u0000", "")

    assert content(read(text.encode()).root) == json.loads(text)


@given(
    st.binary(max_size=200) | st.text("[]{},:\"\\/*u0d81eE.-+ntf \n'", max_size=80).map(str.encode)
)
def test_any_bytes_are_a_document_or_a_clear_refusal(data: bytes) -> None:
    outcome: Node | str
    try:
        outcome = read(data).root
    except BadJson as error:
        outcome = str(error)

    assert outcome != ""


@each_row("text, plain", rows("config", "json-accepted"))
def test_comments_and_trailing_commas_are_accepted(text: str, plain: str) -> None:
    assert content(read(text.encode()).root) == json.loads(plain)


LONG = (f"[{'1' * 65}]", 1, "expected a number of at most 64 characters, found: a longer one")


@each_row("text, line, says", [*rows("config", "json-refused"), LONG])
def test_what_is_no_json_is_refused_with_its_place(text: str, line: int, says: str) -> None:
    with pytest.raises(BadJson) as refusal:
        read(text.encode())

    assert (refusal.value.line, str(refusal.value)) == (line, says)


def test_bytes_that_are_no_utf8_are_refused_with_their_line() -> None:
    with pytest.raises(BadJson, match="not valid UTF-8") as refusal:
        read(b'{\n"a": "\xff"}')

    assert refusal.value.line == 2


TOO_MUCH = [
    (b"[" * 100_000, f"at most {DEEPEST} levels"),  # without overflowing the stack
    (b'{"a":' * 100_000, f"at most {DEEPEST} levels"),
    (b" " * (LARGEST_BYTES + 1), f"larger than {LARGEST_BYTES} bytes"),
    (b"[" + b"1," * MOST_VALUES + b"]", f"at most {MOST_VALUES} values"),
]


@each_row("data, says", TOO_MUCH)
def test_depth_size_and_number_of_values_are_bounded(data: bytes, says: str) -> None:
    with pytest.raises(BadJson, match=says):
        read(data)


def test_the_deepest_allowed_nesting_is_read() -> None:
    data = b"[" * DEEPEST + b"1" + b"]" * DEEPEST

    assert isinstance(read(data).root, Array)


LARGE = {
    "spaces": b"[" + b" " * (LARGEST_BYTES - 2) + b"]",
    "comments": b"[" + b"/**/" * 260_000 + b"]",
    "slashes": b"[" + b"//\n" * 340_000 + b"]",
    "text": b'["' + b"a" * 1_000_000 + b'"]',
    "escapes": b'["' + b"\\n" * 500_000 + b'"]',
    "numbers": b"[" + b"1," * (MOST_VALUES - 1) + b"]",
    "duplicates": b'{"' + b"k" * 500_000 + b'":{' + b'"":0,' * (MOST_VALUES - 2) + b"}}",
}


@pytest.mark.parametrize("name", LARGE)
def test_the_largest_texts_are_read(name: str) -> None:
    assert isinstance(read(LARGE[name]).root, Array | Object)


TEXT = '\ufeff{ // "no"\n "a": [1, {"b": "]}"},\n /* , */ null,], "a": -0.5e3 }\n'


def test_every_key_and_value_keeps_its_place() -> None:
    root = read(TEXT.encode()).root

    assert isinstance(root, Object)
    first, second = root.children
    assert isinstance(first.value, Array)
    texts = [(TEXT[one.start : one.end], one.line) for one in first.value.children]
    assert texts == [("1", 2), ('{"b": "]}"}', 2), ("null", 3)]
    assert (TEXT[second.start : second.end], second.line) == ('"a": -0.5e3', 3)


def test_values_are_equal_wherever_they_stand_and_of_a_key_twice_programs_see_the_last() -> None:
    root = read(TEXT.encode()).root

    inner = Object((Member("b", Leaf("]}")),))
    whole = Member("a", Array((Leaf(1), inner, Leaf(None))))
    assert root == Object((whole, Member("a", Leaf(-500.0))))
    assert content(root) == {"a": -500.0}


def test_duplicate_keys_are_reported_and_both_values_kept() -> None:
    document = read(b'{"a": [{"b": 1,\n"b": 2}],\n"a": 3}')

    assert document.duplicates == (Duplicate("a[0].b", 2, 1), Duplicate("a", 3, 1))
    assert isinstance(document.root, Object)
    assert [member.key for member in document.root.children] == ["a", "a"]
