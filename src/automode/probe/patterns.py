"""Patterns of text that tries to take over its reader (`patterns.toml`), and where they are tried.

An expensive look is worth it only near a few cheap words. Every window is wide enough for any match
around its word, and windows that touch become one: a pattern reads no character twice.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]

BEFORE = 200
AFTER = 480
# After a word was found, the next is looked for this much later: a text of nothing but such words
# costs no more than others. The window is longer by as much.
_STRIDE = 96
# Pieces that many of the words share: where they do not stand, neither do the words.
_STEMS = ("you", "code", "task", "oper", "pass", "messag", "</")
_WIDEST_GAP = 30


class Places:
    """The places of words in one text; each word is looked for once, whoever asks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._known: dict[str, list[Span]] = {}

    def windows(self, words: Iterable[str]) -> list[Span]:
        """Disjoint windows, in order, around every place where one of `words` stands."""
        return merge_spans(span for word in words for span in self._around(word))

    def _around(self, word: str) -> list[Span]:
        known = self._known.get(word)
        if known is None:
            stem = next((one for one in _STEMS if one in word and one != word), "")
            ground = self.windows((stem,)) if stem else [(0, len(self.text))]
            known = [span for start, end in ground for span in self._near(word, start, end)]
            self._known[word] = known
        return known

    def _near(self, word: str, start: int, end: int) -> Iterator[Span]:
        find, length = self.text.find, len(self.text)
        at = find(word, start, end)
        while at >= 0:
            yield max(0, at - BEFORE), min(length, at + len(word) + AFTER + _STRIDE)
            at = find(word, at + _STRIDE, end)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """The same ground, each piece once."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row of `patterns.toml`, which says what each value means."""

    kind: str
    what: str
    points: float
    words: tuple[str, ...]
    expression: re.Pattern[str]
    finds: tuple[str, ...]
    passes: tuple[str, ...]
    wide: bool  # whether its letters are others than Latin ones

    def spans(self, places: Places) -> Iterator[Span]:
        for start, end in places.windows(self.words):
            for match in self.expression.finditer(places.text, start, end):
                yield match.span()


@cache
def patterns() -> tuple[Pattern, ...]:
    """Every pattern of the probe."""
    data = tomllib.loads(files("automode.probe").joinpath("patterns.toml").read_text("utf-8"))
    parts: dict[str, str] = {}
    for name, text in data["parts"].items():
        parts[name] = _expand(text, parts)
    return tuple(
        Pattern(
            kind=row["kind"],
            what=row["what"],
            points=row["points"],
            words=tuple(row["words"]),
            expression=_compile(_expand(row["expression"], parts), row.get("gap", _WIDEST_GAP)),
            finds=tuple(row["finds"]),
            passes=tuple(row["passes"]),
            wide=row.get("wide", False),
        )
        for row in data["patterns"]
    )


def _expand(text: str, parts: dict[str, str]) -> str:
    """Without its line breaks, and each `%name%` as the part of that name."""
    return re.sub(r"%(\w+)%", lambda name: parts[name[1]], re.sub(r"(?:^|\n) {2}", "", text))


def _compile(expression: str, gap: int) -> re.Pattern[str]:
    return re.compile(expression.replace(" ", f"(?:[^a-z]{{1,{gap}}}+)") if gap else expression)
