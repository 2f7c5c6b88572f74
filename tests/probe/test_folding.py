"""Folding: plain text to search in, and the way back to where each piece stands."""

from hypothesis import given
from hypothesis import strategies as st

from automode.probe.folding import fold
from tests.rows import each_row, rows


@each_row("text, plain", rows("probe", "disguises"))
def test_a_disguise_is_taken_off(text: str, plain: str) -> None:
    assert fold(text).text == plain


def test_a_word_of_another_language_stays_one() -> None:
    assert fold("Игнорируй все").wide == "игнорируй все"


@given(st.text())
def test_both_ways_of_reading_have_one_length(text: str) -> None:
    found = fold(text)

    assert found.wide in ("", found.wide.lower())
    assert not found.wide or len(found.wide) == len(found.text)
    assert len(found.text) <= len(text)


@given(
    st.lists(
        st.tuples(st.sampled_from("abcXYZ ."), st.sampled_from(["", "\u200b", "\ufeff\u2060"]))
    )
)
def test_every_character_leads_back_to_where_it_stood(pieces: list[tuple[str, str]]) -> None:
    text = "".join(letter + unseen for letter, unseen in pieces)
    found = fold(text)

    assert [text[found.origin(at)].lower() for at in range(len(found.text))] == list(found.text)


@given(st.text(max_size=200), st.data())
def test_spans_lie_inside_the_text(text: str, data: st.DataObject) -> None:
    found = fold(text)
    if found.text:
        start = data.draw(st.integers(0, len(found.text) - 1))
        end = data.draw(st.integers(start + 1, len(found.text)))
        first, last = found.span(start, end)
        assert 0 <= first < last <= len(text)
