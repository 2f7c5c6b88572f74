"""What a path in a word may lead to: through links, through a pattern, through a part not known.

Texts and lists of names are compared; what the links of a disk say comes from `Files`.
"""

import posixpath
import re
from fnmatch import fnmatchcase
from functools import lru_cache

from automode.core.files import Files
from automode.shell.script import HOLE

LONGEST = 4_096  # characters of a word that can be a path
_MOST_NAMES = 10_000  # in one folder
_MOST_FOLDERS = 256  # looked into for one pattern
_WILD = re.compile(r"[*?\[\0]|[@!+]\(")
_PIECES = re.compile(r"[@!+?*]\([^()/]*\)|\*\*+|\*|\?|\[[^\]/]*\]|\0|[^*?\[\0@!+]+|.", re.DOTALL)
_PLAIN = re.compile(r"[^*?\[\0@!+]+")
_SPECIAL = re.compile(r"[*?\[\]]")  # to `fnmatch`
_ONE, _STAR, _DEEP = "one", "star", "deep"


def wild(path: str) -> bool:
    """Whether the path is a pattern, or holds a part that is not known."""
    return _WILD.search(path) is not None


def written_out(pattern: str) -> str:
    """What the pattern begins with, up to the first letter that may stand for something else."""
    plain = _PLAIN.match(pattern)
    return "" if plain is None else plain[0]


def known_folder(path: str) -> str:
    """The folder of a wild path before the first part that is not known to the letter."""
    found = _WILD.search(path)
    return path if found is None else path[: path.rfind("/", 0, found.start())] or "/"


def followed(path: str, files: Files) -> str:
    """The absolute path with links followed, as far as it is written out."""
    if len(path) > LONGEST:
        return path
    folder = known_folder(path)
    resolved = files.resolve(folder)
    return path if resolved is None else resolved + path[len(folder.rstrip("/")) :]


def through_links(pattern: str, files: Files) -> tuple[str, ...] | None:
    """What the pattern becomes behind each link that one of its folders or names may match; None
    when there is too much to look at."""
    found: list[str] = []
    places = [followed(pattern, files)]
    for looked, place in enumerate(places):  # grows while it is walked
        folder = known_folder(place)
        if looked > _MOST_FOLDERS:
            return None
        if HOLE in place or len(place) > LONGEST or folder == place:
            continue
        part, _, rest = place[len(folder.rstrip("/")) + 1 :].partition("/")
        links = files.links(folder, _MOST_NAMES)
        if links is None:
            return None
        found += (
            posixpath.join(files.resolve(f"{folder}/{name}") or folder, rest).rstrip("/")
            for name in _matched(links, part)
        )
        if rest:
            names = _matched(files.names(folder, _MOST_NAMES), part)
            for inner in [f"{folder.rstrip('/')}/{name}/{rest}" for name in names]:
                real = followed(inner, files)
                if wild(rest):
                    places.append(real)
                if real != inner:
                    found.append(real)
    return tuple(dict.fromkeys(found))


def expanded(pattern: str, files: Files) -> tuple[str, ...] | None:
    """The paths that a shell puts in the place of an absolute pattern, hidden ones only where a dot
    is written; None when they cannot be told, or are too many."""
    places = [""]
    for part in pattern.split("/")[1:]:
        if HOLE in part or "**" in part or len(places) > _MOST_FOLDERS:
            return None
        if not wild(part):
            places = [f"{place}/{part}" for place in places]
            continue
        found: list[str] = []
        for place in places:
            names = files.names(place or "/", _MOST_NAMES)
            if len(names) >= _MOST_NAMES:
                return None
            seen = tuple(name for name in names if name[0] != "." or part[0] == ".")
            found += (f"{place}/{name}" for name in _matched(seen, part))
        places = found
    return tuple(places)


def _matched(names: tuple[str, ...], part: str) -> list[str]:
    """Those of the names that one part of a pattern may stand for."""
    if "(" in part:
        return [name for name in names if may_match(part, name)]
    plain = _SPECIAL.split(part)
    # What is written out goes first: it settles nearly all, and no pattern is compiled for them.
    return [
        name
        for name in names
        if name.startswith(plain[0]) and name.endswith(plain[-1]) and fnmatchcase(name, part)
    ]


def may_match(pattern: str, path: str) -> bool:
    """Whether the pattern may stand for the path. Settings of a shell may let `*` take a leading
    dot and `**` any number of folders, so they do."""
    if len(pattern) > LONGEST:
        return False
    pattern, path = pattern.casefold(), path.casefold()
    if not path.startswith(written_out(pattern)):
        return False  # nearly always: what is written out leads elsewhere
    pieces = _pieces(pattern)
    # All places in the pattern at once: trying one after the other could take for ever.
    places = _skipping({0}, pieces)
    for letter in path:
        moved = set[int]()
        for place in places:
            piece = pieces[place] if place < len(pieces) else ""
            if piece == _DEEP or (piece == _STAR and letter != "/"):
                moved.add(place)
            elif piece == letter or (piece == _ONE and letter != "/"):
                moved.add(place + 1)
        places = _skipping(moved, pieces)
        if not places:
            return False
    return len(pieces) in places


def _skipping(places: set[int], pieces: tuple[str, ...]) -> set[int]:
    """The places, and those behind pieces that may stand for nothing."""
    found = set(places)
    for place in places:
        while place < len(pieces) and pieces[place] in (_STAR, _DEEP):
            place += 1
            found.add(place)
    return found


@lru_cache(maxsize=1024)
def _pieces(pattern: str) -> tuple[str, ...]:
    found: list[str] = []
    for piece in _PIECES.findall(pattern):
        if piece == HOLE or piece.startswith("**") or piece[1:2] == "(":
            found.append(_DEEP)
        elif piece == "*":
            found.append(_STAR)
        elif piece == "?" or (len(piece) > 1 and piece[0] == "["):
            found.append(_ONE)
        else:
            found += piece
    return tuple(found)
