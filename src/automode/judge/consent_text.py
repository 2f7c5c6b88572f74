"""What the model of consent reads: the user's words, the call, and what the call does, as pieces of
words. `tools/training/consent` writes its training rows with the same functions."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from automode.judge.asked import Asked
from automode.judge.deeds import deeds

MOST_SAID = 176  # pieces of the user's words
MOST_DONE = 128  # pieces of the call
MOST_TOLD = 64  # pieces of what it does
LONGEST_LATEST = 128  # pieces of the latest message; of a longer one its beginning and its end
LONGEST_PART = 64  # signs of a word
_SEPARATOR = "[SEP]"
_FIRST = "[CLS]"
_UNKNOWN = "[UNK]"
_NEXT = "[unused0]"  # between two messages
_GAP = "[unused1]"  # where a message was cut
_CAPITAL = "[unused2]"  # before an option of one capital letter: `-D` is not `-d`
MARKS = frozenset({"[PAD]", _SEPARATOR, _FIRST, _UNKNOWN, _NEXT, _GAP, _CAPITAL})
_PARTS = re.compile(r"\w+|[^\w\s]", re.UNICODE)
_IDEOGRAPH = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff])")
_OPTION = re.compile(r"(?<![\w-])-(\w*[A-Z]\w*)")
_STATES = {
    Asked.LATEST: "asked",
    Asked.EARLIER: "earlier",
    Asked.AFFIRMED: "yes",
    Asked.NO: "not asked",
    Asked.FORBIDDEN: "forbidden",
}


SAID, DONE, SAID_TOO, DONE_TOO = range(4)
"""Of a piece: whose it is, and whether its word stands in the other's text as well."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """`kinds`: of each piece. `whole`: whether all of the call is in it."""

    ids: tuple[int, ...]
    kinds: tuple[int, ...]
    whole: bool


class _Piece(NamedTuple):
    number: int
    word: str  # that it is a part of; empty for a mark


class Vocabulary:
    """Splits words into the longest pieces that are listed."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self.numbers: Mapping[str, int] = {piece: at for at, piece in enumerate(pieces)}
        self._kept: dict[str, list[int]] = {}

    def pieces(self, text: str) -> list[_Piece]:
        return [_Piece(number, part) for part in _parts(text) for number in self._word(part)]

    def mark(self, name: str) -> _Piece:
        return _Piece(self.numbers[name], "")

    def _word(self, word: str) -> list[int]:
        found = self._kept.get(word)
        if found is None:
            if len(self._kept) > 20_000:
                self._kept.clear()
            found = self._kept[word] = self._split(word)
        return found

    def _split(self, word: str) -> list[int]:
        found: list[int] = []
        start = 0
        while start < len(word):
            end = len(word)
            while end > start:
                piece = word[start:end] if start == 0 else f"##{word[start:end]}"
                if piece in self.numbers:
                    found.append(self.numbers[piece])
                    break
                end -= 1
            else:
                return [self.numbers[_UNKNOWN]]
            start = end
        return found


def _parts(text: str) -> Iterator[str]:
    text = unicodedata.normalize("NFD", text.casefold())
    text = "".join(sign for sign in text if unicodedata.category(sign) != "Mn")
    text = _IDEOGRAPH.sub(r" \1 ", unicodedata.normalize("NFC", text))
    for word in text.split():
        for part in _PARTS.findall(word):
            for piece in part.replace("_", " _ ").split():
                for at in range(0, len(piece), LONGEST_PART):
                    yield piece[at : at + LONGEST_PART]


def told_text(states: Mapping[str, Asked]) -> str:
    """What the call does, and what the reading of the user's words by rules says of it."""
    return " ; ".join(f"{deeds()[name].told} {_STATES[state]}" for name, state in states.items())


def pieces(
    words: Vocabulary, messages: Sequence[str], text: str, states: Mapping[str, Asked]
) -> Pieces:
    said = _said(words, messages)
    done = list(_done(words, text))
    whole = len(done) <= MOST_DONE
    done = done[:MOST_DONE]
    told = words.pieces(told_text(states))[:MOST_TOLD]
    end = words.mark(_SEPARATOR)
    by_call, by_user = ({one.word for one in part if one.word} for part in (done, said))
    kinds = [SAID, *(SAID_TOO if one.word in by_call else SAID for one in said), SAID]
    kinds += [DONE_TOO if one.word in by_user else DONE for one in done]
    kinds += [DONE] * (len(told) + 2)
    every = (words.mark(_FIRST), *said, end, *done, end, *told, end)
    return Pieces(tuple(one.number for one in every), tuple(kinds), whole)


def _done(words: Vocabulary, text: str) -> Iterator[_Piece]:
    start = 0
    for found in _OPTION.finditer(text):
        yield from words.pieces(text[start : found.start()])
        yield words.mark(_CAPITAL)
        start = found.start()
    yield from words.pieces(text[start:])


def _said(words: Vocabulary, messages: Sequence[str]) -> list[_Piece]:
    """The latest message first, so that what does not fit is old."""
    found: list[_Piece] = []
    for place, message in enumerate(reversed(messages)):
        own = words.pieces(message)
        most = LONGEST_LATEST if place == 0 else LONGEST_LATEST // 2
        if len(own) > most:
            own = [*own[: most // 2], words.mark(_GAP), *own[-(most // 2) :]]
        found += [*([words.mark(_NEXT)] if place else []), *own]
        if len(found) >= MOST_SAID:
            break
    return found[:MOST_SAID]
