"""Text as databases can hold it comes back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.store.changes import restored, storable

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


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
