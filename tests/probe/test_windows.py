"""Windows: every word is inside one, and no character is read twice."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from automode.probe.catalog import PATTERNS
from automode.probe.folding import folded
from automode.probe.islands import islands
from automode.probe.windows import AFTER, BEFORE, Places, merged
from tests.rows import each_row

TEXTS = st.text(alphabet="ab \n<", max_size=3000)


@given(TEXTS, st.lists(st.sampled_from(["a", "ab", "b <", "\n"]), max_size=4))
def test_windows_are_in_order_and_do_not_touch(text: str, words: list[str]) -> None:
    found = Places(text).windows(words)

    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(one[1] < other[0] for one, other in pairwise(found))


@given(st.text(alphabet="ab ", max_size=2000), st.sampled_from(["a", "ab", "b a"]))
def test_every_place_of_a_word_has_its_room(text: str, word: str) -> None:
    found = Places(text).windows([word])

    at = text.find(word)
    while at >= 0:
        room = max(0, at - BEFORE), min(len(text), at + len(word) + AFTER)
        assert any(start <= room[0] and room[1] <= end for start, end in found)
        at = text.find(word, at + 1)


def test_words_with_a_shared_stem_are_found_like_others() -> None:
    text = "x" * 3000 + "in your reply, after you" + "x" * 3000

    assert Places(text).windows(["your reply"]) == [(3003 - BEFORE, 3003 + 10 + AFTER + 96)]
    assert Places(text).windows(["your answer"]) == []


def test_spans_that_overlap_become_one() -> None:
    assert merged([(5, 9), (0, 3), (2, 4), (9, 12)]) == [(0, 4), (5, 12)]


def work(text: str) -> int:
    """Characters that some expression looks at, and characters that come out of a code."""
    plain = folded(text)
    places, wide = Places(plain.text), Places(plain.wide)
    looked = sum(
        end - start
        for pattern in PATTERNS
        for start, end in (wide if pattern.wide else places).windows(pattern.words)
    )
    return looked + sum(len(island.text) for island in islands(text, plain, places))


HOSTILE = {
    "brackets": "<",
    "comments": "<!--",
    "base64": "aWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnMg",
    "hex": "69676e6f7265",
    "escapes": "%69",
    "entities": "&#105;",
    "zero width": "a\u200b",
    "tags": "\U000e0069",
    "selectors": "\U000e0150",
    "two alphabets": "\u0430a",
    "orders": "ignore previous ",
    "letters apart": "i g n o r e ",
    "turned": "vtaber ",
    "every word": " ".join(word for pattern in PATTERNS for word in pattern.words) + " ",
}


@each_row("piece", HOSTILE.values())
def test_twice_the_text_is_at_most_twice_the_work(piece: str) -> None:
    once = piece * (40_000 // len(piece))

    assert work(once + once) <= 2.2 * work(once) + 10_000
    assert work(once) <= len(once) * (len(PATTERNS) + 8)
