"""A value goes into a JSON text and out of it; every other byte stays."""

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.config.json_edit import (
    add_entries,
    insert,
    parse_json,
    piece_behind,
    piece_for,
    set_text,
    with_entries,
    with_text,
    without,
)
from automode.config.jsonc import Array, Object
from automode.core.errors import BadSettings
from tests.rows import each_row, rows


@each_row("before, after", rows("config", "json-members"))
def test_a_member_is_put_first_and_the_rest_stays(before: str, after: str) -> None:
    """The member is `"k": [1]`."""
    box = parse_json(before)
    assert isinstance(box, Object)

    piece = piece_for(before, box, [1], "k")

    assert insert(before, box.start + 1, piece) == after
    assert after.replace(piece, "", 1) == before


@each_row("before, number, after", rows("config", "json-removals"))
def test_a_child_goes_with_its_comma_and_comments_stay(
    before: str, number: int, after: str
) -> None:
    box = parse_json(before)
    assert isinstance(box, Array)

    left = without(before, box, box.children[number])

    assert left == after
    parse_json(left)


@each_row("before, after", rows("config", "json-behind"))
def test_a_value_is_put_behind_the_others_and_lifted_out_again(before: str, after: str) -> None:
    root = parse_json(before)
    assert isinstance(root, Object)
    box = root.members("a")[0].value
    assert isinstance(box, Array)

    piece = piece_behind(before, box, {"b": 3})
    text = insert(before, box.children[-1].end, piece)

    assert text == after
    assert text.replace(piece, "") == before


KEY, MODEL = "autoMode.classifierModel", "openai/gpt-5-mini"


@each_row("before, after", rows("config", "json-edits"))
def test_the_value_is_set_and_the_rest_is_left_alone(before: str, after: str) -> None:
    assert with_text(before.encode(), KEY, "M") == after


UNCLEAR = {
    "no JSON": ("{", "expected"),
    "a list": ("[1]", "expected an object"),
    "a section that is none": ('{"autoMode": 3}', "expected an object for `autoMode`"),
    "a value that is an object": ('{"autoMode": {"classifierModel": {}}}', "expected a text"),
    "a key twice": ('{"autoMode": {}, "autoMode": {}}', "more than once"),
    "no UTF-8": ("\udcff", "UTF-8"),
}


@pytest.mark.parametrize(("text", "said"), UNCLEAR.values(), ids=UNCLEAR.keys())
def test_a_file_that_leaves_open_what_to_change_is_not_changed(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "config.json"
    data = text.encode(errors="surrogateescape")
    file.write_bytes(data)

    with pytest.raises(BadSettings, match=said):
        set_text(str(file), KEY, MODEL)

    assert file.read_bytes() == data


def test_a_missing_file_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.json"

    set_text(str(file), KEY, MODEL)

    assert json.loads(file.read_text()) == {"autoMode": {"classifierModel": MODEL}}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "real.json", tmp_path / "config.json"
    file.write_text("{}")
    link.symlink_to(file)

    set_text(str(link), KEY, MODEL)

    assert os.path.islink(link)
    assert MODEL in file.read_text()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(
    st.sampled_from(["a", "store", "permissions"]) | st.text("xyz", min_size=1), VALUES, max_size=4
)


@given(
    top=OBJECTS,
    section=st.none() | OBJECTS,
    old=st.none() | st.text() | st.integers(),
    has_old=st.booleans(),
    indent=st.sampled_from([None, 0, 2, 4, "\t"]),
)
def test_whatever_else_a_file_says_it_says_it_still(
    top: dict[str, object],
    section: dict[str, object] | None,
    old: str | int | None,
    has_old: bool,
    indent: int | str | None,
) -> None:
    if section is not None:
        inner = section | ({"classifierModel": old} if has_old else {})
        top = top | {"autoMode": inner}

    edited = json.loads(with_text(json.dumps(top, indent=indent).encode(), KEY, MODEL))

    assert edited == top | {"autoMode": (section or {}) | {"classifierModel": MODEL}}


LIST = "permissions.allow"


@each_row("before, after", rows("config", "json-added"))
def test_entries_join_a_list_and_the_rest_is_left_alone(before: str, after: str) -> None:
    assert with_entries(before.encode() or None, LIST, ["A", "B"]) == after


def test_a_list_that_is_made_begins_as_it_is_told() -> None:
    made = with_entries(b"{}", "autoMode.allow", ["A"], fresh=["$defaults"])
    there = with_entries(
        b'{"autoMode": {"allow": []}}', "autoMode.allow", ["A"], fresh=["$defaults"]
    )

    assert json.loads(made) == {"autoMode": {"allow": ["$defaults", "A"]}}
    assert json.loads(there) == {"autoMode": {"allow": ["A"]}}


def test_the_line_of_the_first_entry_is_told(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text('{\n  "permissions": {\n    "allow": [\n      "x"\n    ]\n  }\n}\n')

    line = add_entries(str(file), LIST, ["A", "B"])

    assert file.read_text().splitlines()[line - 1].strip() == '"A",'


@pytest.mark.parametrize("value", ['"text"', "3", "{}", "null"])
def test_what_is_no_list_is_not_changed(tmp_path: Path, value: str) -> None:
    file = tmp_path / "config.json"
    file.write_text(f'{{"permissions": {{"allow": {value}}}}}')
    before = file.read_bytes()

    with pytest.raises(BadSettings, match="expected a list"):
        add_entries(str(file), LIST, ["A"])

    assert file.read_bytes() == before


@given(
    entries=st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=3, unique=True),
    known=st.lists(st.text(max_size=8), max_size=3),
    indent=st.none() | st.integers(0, 4),
)
def test_whatever_is_added_is_read_back(
    entries: list[str], known: list[str], indent: int | None
) -> None:
    data = json.dumps({"permissions": {"allow": known}, "store": "sqlite"}, indent=indent)

    found = json.loads(with_entries(data.encode(), LIST, entries))

    assert found["store"] == "sqlite"
    assert set(found["permissions"]["allow"]) == {*entries, *known}
    assert found["permissions"]["allow"][-len(known) or len(entries) :] == known
