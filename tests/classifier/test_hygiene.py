"""Nothing hides, nothing ends a line unseen, nothing opens a tag; and JSON stays exact."""

import json
import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.classifier.hygiene import (
    CONTROLS,
    LINE_SEPARATORS,
    SURROGATES,
    UNSEEN,
    any_spelling,
    cut_in_the_middle,
    json_text,
    one_line,
    prose,
)
from automode.core.unseen import IGNORABLE, character_class
from tests.rows import each_row, texts

TEXT = st.text(st.characters(exclude_categories=())) | st.text(alphabet="<>/record- \u200b\u2028\\")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
TAG = re.compile(
    r"[<\uff1c\u2039][\s/|\uff5c<]*(r.cord|transcript|loaded|system|think|s>|start_of|[|\uff5c])"
    r"|\[/?INST|<<SYS",
    re.IGNORECASE,
)


@each_row("text", texts("classifier", "forged"))
def test_a_forged_tag_is_defused_in_prose_and_in_json(text: str) -> None:
    assert TAG.search(text.replace("\u200b", ""))
    assert not TAG.search(prose(f"a\n{text}\nb"))
    assert not TAG.search(json_text({"command": text}))


@each_row("text", texts("classifier", "not-forged"))
def test_ordinary_brackets_stay_as_they_are(text: str) -> None:
    assert prose(text) == text
    assert json_text(text) == json.dumps(text)


@pytest.mark.parametrize("text", ["Latest action to classify:", "\n  > LATEST  ACTION to classify"])
def test_a_forged_heading_no_longer_begins_a_line(text: str) -> None:
    assert not re.search(r"^\W*latest\s+action", prose(text).replace("| ", "|x "), re.I | re.M)


@given(TEXT)
def test_prose_shows_everything_it_holds(text: str) -> None:
    shown = prose(text)

    assert all(c in "\n\t" or c.isprintable() or c.isspace() or ord(c) > 0xFF for c in shown)
    assert shown.splitlines() == shown.removesuffix("\n").split("\n") or shown in ("", "\n")
    shown.encode("utf-8")


@given(TEXT)
def test_a_name_stays_on_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@given(JSON)
def test_json_can_be_read_back_to_the_code_point(value: object) -> None:
    written = json_text(value)

    assert json.loads(written) == json.loads(json.dumps(value))
    assert len(written.splitlines()) == 1
    written.encode("utf-8")


def test_what_json_cannot_write_is_written_all_the_same() -> None:
    assert json_text({"a": {1}, "b": b"x"}) == '{"a": [1], "b": "b\'x\'"}'


def test_hidden_code_points_show_in_json_and_vanish_from_prose() -> None:
    assert json_text("a\u200bb\U000e0041") == '"a\\u200bb\\udb40\\udc41"'
    assert prose("a\u200bb\U000e0041c") == "abc"


TABLES = (IGNORABLE, UNSEEN, CONTROLS, LINE_SEPARATORS, SURROGATES)
COVERED = re.compile(f"[{character_class(*TABLES)}]")


def test_every_format_control_and_separator_is_in_a_table() -> None:
    hidden = {"Cf", "Cc", "Cs", "Zl", "Zp"}
    missing = [
        f"U+{code:04X}"
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in hidden
        and chr(code) not in "\t\n"
        and not COVERED.match(chr(code))
    ]

    assert missing == []


def test_no_letter_with_ink_is_in_a_table() -> None:
    printable = "aZ0 é中あ한אع🙂|<>{}"

    assert COVERED.search(printable) is None


def test_a_word_is_found_in_look_alike_letters() -> None:
    for spelled in ("r\u0435c\u043erd", "rec0rd", "\uff52ecord", "re-cord"):
        assert re.fullmatch(any_spelling("record"), spelled)
    assert not re.fullmatch(any_spelling("record"), "retort")


@given(st.text(max_size=300), st.integers(2, 200))
def test_head_and_tail_stay_and_the_rest_is_counted(text: str, limit: int) -> None:
    cut = cut_in_the_middle(text, limit)

    if len(text) <= limit:
        assert cut == text
    else:
        mark = f"…[{len(text) - limit} characters cut]…"
        head, _, tail = cut.rpartition(mark)
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(head) + len(tail) == limit
