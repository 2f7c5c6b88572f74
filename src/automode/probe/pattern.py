"""One way in which text tries to take over its reader: what it looks like, and what only looks so.

The examples are the tests and the documentation of a pattern.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from automode.probe.windows import Places, Span


@dataclass(frozen=True, slots=True)
class Pattern:
    """`expression` is tried on folded text, only near one of `words`.

    It must not be able to backtrack far: bounded gaps, no repeat inside a repeat."""

    kind: str
    """The family it belongs to."""
    what: str
    """What the text does, as the rest of a sentence that starts with "it"."""
    points: float
    """How much it says for an attack, in log-odds."""
    words: tuple[str, ...]
    expression: re.Pattern[str]
    finds: tuple[str, ...]
    passes: tuple[str, ...] = ()
    wide: bool = False  # whether its letters are others than Latin ones

    def spans(self, places: Places) -> Iterator[Span]:
        for start, end in places.windows(self.words):
            for match in self.expression.finditer(places.text, start, end):
                yield match.span()


def written(*parts: str) -> re.Pattern[str]:
    """The parts as one expression, in which a blank stands for whatever may part two words: blanks,
    line ends, comment signs, the line numbers of a listing."""
    return re.compile("".join(parts).replace(" ", "(?:[^a-z]{1,30}+)"))


def soon(most: int, then: str) -> str:
    """`then`, where it first stands within `most` characters of the line. Taken or left: gaps that
    follow each other cannot multiply the work."""
    return rf"(?>[^\n]{{0,{most}}}?(?:{then}))"
