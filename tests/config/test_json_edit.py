"""A value goes into a text and out of it, in the layout that is there."""

import pytest

from automode.config.json_edit import (
    inserted,
    parsed,
    piece_behind,
    piece_for,
    without,
)
from automode.config.jsonc import Array, Object
from tests.rows import each_row

MEMBERS = {
    # before, after `"k": [1]` was put in
    "{}": '{\n  "k": [\n    1\n  ]\n}',
    "{}\n": '{\n  "k": [\n    1\n  ]\n}\n',
    '{"a": 1}': '{"k": [1], "a": 1}',
    '{ "a": 1 }': '{ "k": [1], "a": 1 }',
    '{\n\t"a": 1\n}': '{\n\t"k": [\n\t\t1\n\t],\n\t"a": 1\n}',
    '{\r\n "a": 1\r\n}': '{\r\n "k": [\r\n  1\r\n ],\r\n "a": 1\r\n}',
    '{ // mine\n  "a": 1\n}': '{\n  "k": [\n    1\n  ], // mine\n  "a": 1\n}',
    "{\n}": '{\n  "k": [\n    1\n  ]\n}',
    "{ /* c */ }\n": '{\n  "k": [\n    1\n  ] /* c */ }\n',
}

REMOVALS = {
    # before, which child goes, after
    "[1, 2, 3]": (0, "[ 2, 3]"),
    "[1, 2, 3] ": (1, "[1, 3] "),
    "[1, 2]": (1, "[1]"),
    "[1]": (0, "[]"),
    "[\n  1\n]": (0, "[]"),
    "[1,]": (0, "[]"),
    "[1, 2,]": (1, "[1,]"),
    "[ // one\n  1, 2]": (0, "[ // one\n   2]"),
    "[ // one\n  1\n]": (0, "[ // one\n  \n]"),
    "[1 /* one */, 2]": (0, "[ /* one */ 2]"),
    "[1, /* two */ 2]": (1, "[1 /* two */]"),
    "[1, // two\n 2]": (1, "[1 // two\n ]"),
}


@each_row("before, after", MEMBERS.items())
def test_a_member_is_put_first_and_the_rest_stays(before: str, after: str) -> None:
    box = parsed(before)
    assert isinstance(box, Object)

    piece = piece_for(before, box, [1], "k")

    assert inserted(before, box.start + 1, piece) == after
    assert after.replace(piece, "", 1) == before


@each_row("before, change", REMOVALS.items())
def test_a_child_goes_with_its_comma_and_comments_stay(
    before: str, change: tuple[int, str]
) -> None:
    number, after = change
    box = parsed(before)
    assert isinstance(box, Array)

    left = without(before, box, box.children[number])

    assert left == after
    parsed(left)


BEHIND = {
    "on one line": ('{"a": [1, 2]}', '{"a": [1, 2, {"b": 3}]}'),
    "one below the other": (
        '{\n  "a": [\n    1,\n    2\n  ]\n}\n',
        '{\n  "a": [\n    1,\n    2,\n    {\n      "b": 3\n    }\n  ]\n}\n',
    ),
    "with other ends of lines": (
        '{\r\n\t"a": [\r\n\t\t1\r\n\t]\r\n}',
        '{\r\n\t"a": [\r\n\t\t1,\r\n\t\t{\r\n\t\t\t"b": 3\r\n\t\t}\r\n\t]\r\n}',
    ),
    "before a last comma": ('{"a": [1,]}', '{"a": [1, {"b": 3},]}'),
}


@pytest.mark.parametrize("name", BEHIND)
def test_a_value_is_put_behind_the_others_and_lifted_out_again(name: str) -> None:
    before, after = BEHIND[name]
    root = parsed(before)
    assert isinstance(root, Object)
    box = root.named("a")[0].value
    assert isinstance(box, Array)

    piece = piece_behind(before, box, {"b": 3})
    text = inserted(before, box.children[-1].end, piece)

    assert text == after
    assert text.replace(piece, "") == before
