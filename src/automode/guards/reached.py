"""What a path in a word may lead to: through links, through a pattern, through a part not known.

Texts and lists of names are compared; what the links of a disk say comes from `Files`.
"""

import posixpath
import re

from automode.core.paths import LONGEST, may_match
from automode.core.workspace import Files
from automode.shell.script import HOLE

_MOST_NAMES = 10_000  # in one folder
_MOST_FOLDERS = 256  # looked into for one pattern
_WILD = re.compile(r"[*?\[\0]|[@!+]\(")


def wild(path: str) -> bool:
    """Whether the path is a pattern, or holds a part that is not known."""
    return _WILD.search(path) is not None


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
    return [name for name in names if may_match(part, name)]
