"""Texts of earlier calls: kept by identity, few of them, and those of the very input asked for."""

import gc
import weakref

import pytest

from automode.judge.earlier_texts import LONGEST_KEPT, MOST_KEPT, EarlierTexts

WRITTEN: list[tuple[dict[str, object], str]] = [
    ({"command": "Git Push"}, "git push"),
    ({"file_path": "A.md", "content": "É"}, '{"file_path": "a.md", "content": "é"}'),
    ({"command": "X" * (LONGEST_KEPT + 1)}, "x" * (LONGEST_KEPT + 1)),
    ({}, "{}"),
]


@pytest.mark.parametrize(("given", "text"), WRITTEN)
def test_an_input_reads_the_same_each_time(given: dict[str, object], text: str) -> None:
    texts = EarlierTexts()

    assert [texts.of(given), texts.of(given), texts.of(dict(given))] == [text] * 3


def test_an_input_that_takes_the_place_of_one_that_is_gone_is_not_taken_for_it() -> None:
    texts = EarlierTexts()

    # Each is dropped at once, so that its place in memory is free for the next one.
    found = [texts.of({"command": f"Command {number}"}) for number in range(MOST_KEPT + 50)]

    assert found == [f"command {number}" for number in range(MOST_KEPT + 50)]


def test_what_stands_beside_a_command_is_not_held_on_to() -> None:
    """Its text is the command alone, so nobody would count the rest."""

    class Content(str):
        """A text that can be watched."""

    texts, content = EarlierTexts(), Content("a file")
    gone = weakref.ref(content)
    texts.of({"command": "create", "file_text": content})
    del content
    gc.collect()

    assert gone() is None
