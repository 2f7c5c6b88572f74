"""Places in a text that a person does not see when it is shown: comments and hidden elements."""

import re
from collections.abc import Iterator

from automode.probe.windows import Places, Span

_LONGEST_ELEMENT = 2000
_STYLES = ("style=", "aria-hidden", "sr-only")
_ELEMENT = re.compile(
    r"<(?:div|span|p|font|a|section|td|li|h[1-6]|details|label)\b[^<>]{0,400}?(?:display:\s?none"
    r"|visibility:\s?hidden|(?:font-size|opacity):\s?0(?![.0-9]*[1-9])|font-size:\s?1px"
    r"|[^-]color:\s?(?:white|#fff)|left:\s?-9|sr-only|aria-hidden=.?true)[^<>]{0,400}>"
)


def hidden_spans(places: Places) -> Iterator[Span]:
    """Of folded text."""
    yield from _between(places.text, "<!--", "-->")
    yield from _between(places.text, "[//]: #", "\n")
    for start, end in places.windows(_STYLES):
        for element in _ELEMENT.finditer(places.text, start, end):
            last = element.end() + _LONGEST_ELEMENT
            close = places.text.find("</", element.end(), last)
            yield element.end(), last if close < 0 else close


def _between(text: str, opening: str, closing: str) -> Iterator[Span]:
    """What never closes hides nothing; and nobody looks for its end twice."""
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start)
        if end < 0:
            return
        yield start + len(opening), end
        start = text.find(opening, end)
