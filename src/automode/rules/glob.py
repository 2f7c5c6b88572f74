"""Wildcards matched in bounded time: no regular expressions, no recursion, no backtracking twice.

Two dialects. In plain text (commands, URLs, JSON) `*` stands for anything. In paths `*` stops at
`/` and `**` does not. `?` is one character in both.
"""

from dataclasses import dataclass
from functools import lru_cache

from automode.shell.script import HOLE

STEPS_LIMIT = 50_000_000
"""Characters of pattern times characters of text past which `could_match` just says yes."""

_WALK_LIMIT = 1_000_000  # past this the automaton, slower on short texts, is the faster one


def matches(glob: str, text: str) -> bool:
    """Whether plain-text `glob` covers the whole of `text`. A HOLE in the text is a character that
    only `*` covers: then the answer holds whatever stands there."""
    prefix, pieces = _literals(glob)
    if len(prefix) == len(glob):
        return glob == text
    if not text.startswith(prefix) or any(piece not in text for piece in pieces):
        return False
    if len(glob) * len(text) > _WALK_LIMIT:
        return _compiled(glob, paths=False).accepts(text, holes=False)
    return _walk(glob, text)


@lru_cache(maxsize=4096)
def _literals(glob: str) -> tuple[str, tuple[str, ...]]:
    """What stands before the first wildcard, and every other piece that must occur somewhere."""
    prefix, *pieces = glob.replace("?", "*").split("*")
    return prefix, tuple(piece for piece in pieces if piece)


def _walk(glob: str, text: str) -> bool:
    """Two pointers; after a mismatch only the last `*` takes one character more. At worst this
    costs pattern times text, which is why long texts go another way."""
    at = place = 0
    star = resume = -1
    while place < len(text):
        wanted = glob[at] if at < len(glob) else ""
        found = text[place]
        if wanted == "*":
            star, resume = at, place
            at += 1
        elif wanted and (wanted == found or (wanted == "?" and found != HOLE)):
            at += 1
            place += 1
        elif star >= 0:
            resume += 1
            at, place = star + 1, resume
        else:
            return False
    return not glob[at:].strip("*")


def could_match(glob: str, text: str) -> bool:
    """Whether some text in place of each HOLE would make plain-text `glob` cover `text`."""
    if HOLE not in text:
        return matches(glob, text)
    if len(glob) * len(text) > STEPS_LIMIT:
        return True
    return _compiled(glob, paths=False).accepts(text, holes=True)


def matches_path(glob: str, path: str) -> bool:
    """Whether the path-dialect `glob` covers the whole of `path`."""
    if len(glob) * len(path) > STEPS_LIMIT:
        return False
    return _compiled(glob, paths=True).accepts(path, holes=False)


@dataclass(frozen=True, slots=True)
class _Automaton:
    """A set of places in the pattern as the bits of one number, so that one step costs a few
    machine operations whatever the pattern is."""

    letters: dict[str, int]  # where each literal character stands
    anything: int  # places of `?`
    stars: int  # places that stay where they are on any character but `/`
    globstars: int  # places that stay where they are on any character
    skips: int  # places of `**/`, which may also stand for no folder at all
    end: int
    slash_is_special: bool

    def accepts(self, text: str, *, holes: bool) -> bool:
        """With `holes`, a HOLE is any text; without, something that only a star covers."""
        places = self.entered(1)
        for letter in text:
            places = self.skip(places, holes=holes) if letter == HOLE else self.step(places, letter)
            if not places:
                return False
        return bool(places & self.end)

    def skip(self, places: int, *, holes: bool) -> int:
        if not holes:
            return self.closed(places & (self.stars | self.globstars))
        lowest = places & -places
        return ((self.end << 1) - 1) & ~(lowest - 1)  # every later place can be reached

    def step(self, places: int, letter: str) -> int:
        slash = self.slash_is_special and letter == "/"
        staying = places & (self.globstars if slash else self.globstars | self.stars)
        moving = places & (self.letters.get(letter, 0) | (0 if slash else self.anything))
        return self.closed(staying) | self.entered(moving << 1)

    def entered(self, places: int) -> int:
        return self.closed(places | (places & self.skips) << 2)

    def closed(self, places: int) -> int:
        """Stars may stand for nothing. Neighbouring stars were merged, so one round is enough."""
        return places | (places & (self.stars | self.globstars)) << 1


@lru_cache(maxsize=4096)
def _compiled(glob: str, *, paths: bool) -> _Automaton:
    pieces = _path_pieces(glob) if paths else _plain_pieces(glob)
    letters: dict[str, int] = {}
    anything = stars = globstars = skips = 0
    for index, piece in enumerate(pieces):
        bit = 1 << index
        if piece == "**":
            globstars |= bit
            before = pieces[index - 1] if index else "/"
            if before == "/" and pieces[index + 1 : index + 2] == ["/"]:
                skips |= bit
        elif piece == "*":
            stars |= bit
        elif piece == "?":
            anything |= bit
        else:
            letters[piece] = letters.get(piece, 0) | bit
    return _Automaton(letters, anything, stars, globstars, skips, 1 << len(pieces), paths)


def _plain_pieces(glob: str) -> list[str]:
    return [piece for at, piece in enumerate(glob) if piece != "*" or glob[at - 1 : at] != "*"]


def _path_pieces(glob: str) -> list[str]:
    while "**/**/" in glob:
        glob = glob.replace("**/**/", "**/")
    pieces: list[str] = []
    for letter in glob:
        if letter == "*" and pieces and pieces[-1] in ("*", "**"):
            pieces[-1] = "**"
        else:
            pieces.append(letter)
    return pieces
