"""Hidden places: what a person does not see when the text is shown."""

import pytest

from automode.probe.folding import folded
from automode.probe.hidden import hidden_spans
from automode.probe.windows import Places
from tests.rows import each_row


def hidden(text: str) -> list[str]:
    plain = folded(text).text
    return [plain[start:end] for start, end in hidden_spans(Places(plain))]


UNSEEN = {
    "a comment": ("a <!-- psst --> b", [" psst "]),
    "two comments": ("<!--a--> x <!--b-->", ["a", "b"]),
    "a comment of Markdown": ("[//]: # (psst)\nb", [" (psst)"]),
    "no display": ('<div style="display: none">psst</div>', ["psst"]),
    "no size": ('<span style="font-size:0">psst</span>', ["psst"]),
    "no ink": ('<p style="opacity:0">psst</p>', ["psst"]),
    "white on white": ('<p style="x:1;color:#fff">psst</p>', ["psst"]),
    "hidden from readers": ('<span aria-hidden="true">psst</span>', ["psst"]),
}


@each_row("text, found", UNSEEN.values())
def test_a_hidden_place_is_found(text: str, found: list[str]) -> None:
    assert hidden(text) == found


SEEN = {
    "a comment that never ends": "a <!-- b",
    "shown": '<div style="display: block">a</div>',
    "half seen": '<p style="opacity:0.8">a</p>',
    "small": '<p style="font-size:0.9em">a</p>',
    "a white background": '<p style="background-color:white">a</p>',
}


@pytest.mark.parametrize("text", SEEN.values(), ids=SEEN)
def test_what_is_seen_is_not_hidden(text: str) -> None:
    assert hidden(text) == []
