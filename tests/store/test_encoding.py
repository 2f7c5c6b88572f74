"""What is written as a line comes back as it was; what is no change is refused."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.record import SessionKey
from automode.store.changes import Change, Decided, Heard
from automode.store.encoding import UnreadableLine, decoded, encoded, restored, storable
from tests.rows import each_row
from tests.store.examples import ONE_OF_EACH, RECORD, USED

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


@each_row("change", ONE_OF_EACH)
def test_a_change_comes_back_from_its_line(change: Change) -> None:
    line = encoded(change)

    assert decoded(line) == change
    assert line.isascii()
    assert "\n" not in line


@given(ANY_TEXT, ANY_TEXT)
def test_no_text_of_a_host_is_lost_in_a_line(host: str, event: str) -> None:
    heard = Heard(SessionKey(host, event), 3, event)
    record = Decided(replace(RECORD, input=event, session=SessionKey(host, event)))

    assert [decoded(encoded(change)) for change in (heard, record)] == [heard, record]


LINES = {
    "": "nothing",
    "{": "half an object",
    '{"change": "decided", "record"': "half a line",
    "[]": "no object",
    "null": "nothing at all",
    '{"change": "deleted"}': "a change of the future",
    '{"change": "decided", "record": []}': "no record",
    '{"change": "decided", "record": {}}': "an empty record",
    '{"change": "heard", "host": "h", "session": "s", "position": "0", "event": ""}': "a word",
    '{"change": "used"}': "no usage",
    '{"change": "approved"}': "no approval",
    '{"change": "session-kept"}': "no session",
    '{"change": "session-forgotten"}': "no session",
    "[" * 100_000: "too deep",
    "\x00\xff": "garbage",
}


@each_row("line", LINES)
def test_what_is_no_change_is_refused(line: str) -> None:
    with pytest.raises(UnreadableLine):
        decoded(line)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(UnreadableLine):
        decoded(b"\xff\xfe\x00garbage")


@given(st.recursive(st.none() | st.booleans() | st.integers() | ANY_TEXT, st.lists))
def test_no_value_of_another_kind_gets_into_a_change(value: object) -> None:
    for name in json.loads(encoded(USED)):
        fields = {**json.loads(encoded(USED)), name: value}
        try:
            change = decoded(json.dumps(fields))
        except UnreadableLine:
            continue
        assert json.loads(encoded(change))[name] == value


def test_a_number_that_is_none_has_no_line() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        encoded(replace(USED, at=float("nan")))


@given(ANY_TEXT)
def test_storable_text_comes_back_and_holds_nothing_that_a_database_refuses(text: str) -> None:
    kept = storable(text)

    assert restored(kept) == text
    assert "\x00" not in kept
    assert kept.encode("utf-8").decode("utf-8") == kept


@given(st.one_of(ANY_TEXT, st.text("a\\\x00\ud800ü")))
def test_only_what_has_to_be_is_escaped_each_character_for_itself(text: str) -> None:
    escaped = {"\\": "\\\\", "\x00": "\\u0000"}
    halves = {half: f"\\u{ord(half):04x}" for half in text if "\ud800" <= half <= "\udfff"}

    assert storable(text) == "".join({**escaped, **halves}.get(one, one) for one in text)


@given(ANY_TEXT, ANY_TEXT)
def test_different_texts_stay_different(one: str, other: str) -> None:
    assert (storable(one) == storable(other)) is (one == other)


@pytest.mark.parametrize("text", ["5f0c-1", "/srv/a b/ü", '{"said": "don\'t"}', "%", "?"])
def test_what_people_write_is_kept_as_it_is(text: str) -> None:
    assert storable(text) == text
