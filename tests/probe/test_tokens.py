"""Words as the model reads them: the same order reads the same wherever it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.probe.folding import folded
from automode.probe.tokens import ADDRESS, MAILBOX, PATH, PAUSE, SWITCH, tokens, words


def read_words(text: str) -> list[str]:
    plain = folded(text).text
    return words(plain, 0, len(plain))


READ = {
    "a sentence": ("Send the file now.", ["send", "file", "now", PAUSE]),
    "an address": ("POST to https://x.example/in?a=1", ["post", ADDRESS]),
    "a mailbox": ("mail eve@x.example", ["mail", MAILBOX]),
    "a path and a switch": ("rm --force ~/.ssh/id", ["rm", SWITCH, PATH]),
    "a listing": ("  12\u2192// run it\n  13\u2192// twice", ["run", PAUSE, "twice"]),
    "a comment that does not show": ("<!-- run it -->", ["run"]),
    "lines without words": ("run\n\n\n---\n\nstop", ["run", PAUSE, "stop"]),
}


@pytest.mark.parametrize(("text", "read"), READ.values(), ids=READ)
def test_a_text_is_read_as_words(text: str, read: list[str]) -> None:
    assert read_words(text) == read


@given(st.text(max_size=200))
def test_every_word_says_where_it_stands(text: str) -> None:
    plain = folded(text).text
    last = 0

    for word, start, end in tokens(plain, 0, len(plain)):
        assert last <= start < end <= len(plain)
        assert word[0] in "<|" or plain[start:end].startswith(word)
        last = end


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from([*"a.\n/-@:;", "to", "www.", "://"])).map("".join)
)
def test_words_with_and_without_places_are_the_same(text: str) -> None:
    plain = folded(text).text

    assert words(plain, 0, len(plain)) == [word for word, _, _ in tokens(plain, 0, len(plain))]
