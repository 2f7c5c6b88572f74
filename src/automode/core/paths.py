"""Paths as text: absolute forms, inside or outside, and what a pattern may stand for.

Only `located` asks what the disk says. Windows paths (`C:\\Users\\x`, `/c/Users/x`) are brought to
one form, `/c/Users/x`, because rows and sessions recorded on Windows are decided here too. Programs
read patterns differently: what may be read differently stands for anything here, so the answer `no`
holds for all of them.
"""

import posixpath
import re
from functools import lru_cache
from typing import TypeAlias

from automode.core.workspace import Files

_NUL = "\ufdd1"  # never a character of real text
_DRIVE = re.compile(r"^([A-Za-z]):(?=[\\/]|$)")


def normal(path: str) -> str:
    """`path` without `.`, `..` and doubled slashes; Windows drives as `/c/…`."""
    if path[:1] == "/" and path[-1] != "/" and "//" not in path and "/." not in path:
        return path  # nearly all of them
    drive = _DRIVE.match(path)
    if drive:
        path = f"/{drive[1].lower()}" + path[2:].replace("\\", "/")
    # Python 3.11.0 to 3.11.4 would end the path at its first NUL, which stands for a hole.
    clean = posixpath.normpath(path.replace("\0", _NUL)).replace(_NUL, "\0") if path else "."
    return clean[1:] if clean.startswith("//") else clean


def absolute(path: str, base: str) -> str:
    """`path` as seen from the absolute folder `base`."""
    if path.startswith("/") or _DRIVE.match(path):
        return normal(path)
    return normal(f"{normal(base)}/{path}")


def locate(path: str, base: str, files: Files) -> str:
    """`path` as the system finds it from the folder `base`: a link is followed before the `..`
    behind it leads up. Where no link stands before a `..` this is `absolute`."""
    if ".." not in path and ".." not in base:
        return absolute(path, base)
    whole = path if path.startswith("/") else f"{base}/{path}"
    if _DRIVE.match(path) or len(whole) > LONGEST:
        return absolute(path, base)
    found = ""
    for part in whole.split("/"):
        if part == "..":
            found = _parent_folder(found, files)
        elif part not in ("", "."):
            found = f"{found}/{part}"
    return found or "/"


def _parent_folder(path: str, files: Files) -> str:
    """The folder above, under the name it was reached by where that is the same folder."""
    typed = posixpath.dirname(path)
    real = files.resolve(path or "/")
    if real is None or real == path:
        return typed.rstrip("/")
    above = posixpath.dirname(real)
    return (typed if files.resolve(typed or "/") == above else above).rstrip("/")


def within(path: str, folder: str) -> bool:
    """Whether the absolute `path` is `folder` or below it. Case counts only where it must:
    two names that differ in case alone are one file on many disks, so they are taken as one."""
    one, other = path.casefold(), folder.casefold()
    return one == other or one.startswith(other.rstrip("/") + "/")


def exactly_within(path: str, folder: str) -> bool:
    """The same to the letter, for what being inside permits: where case counts, `/TMP` is not
    `/tmp`."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def parents(path: str) -> tuple[str, ...]:
    """Every folder above the absolute `path`, nearest first, ending with `/`."""
    found: list[str] = []
    while (above := posixpath.dirname(path)) not in (path, ""):
        found.append(above)
        path = above
    return tuple(found)


HOLE = "\0"  # a part that is not known
LONGEST = 4_096  # characters of a word that can be a path
MOST_ALTERNATIVES = 64
_BRACES = re.compile(r"\{([^{}]*)\}")
_PLAIN = re.compile(r"[^*?\[\0@!+\\]+")
_MOST_STARS = 2
_GROUP = re.compile(r"[@!+?*]\([^/]*\)")
_SET = re.compile(r"\[([!^]?)([^\[\]\\/\0]+)\]")
_ODD_SET = re.compile(r"\[[^/]*\]")  # it may end at any of its brackets
_MEMBER = re.compile(r"[0-9]-[0-9]|[a-z]-[a-z]|[a-z0-9_.,~ ]|-\Z|\A-")

Piece: TypeAlias = str | frozenset[str]
"""One letter, some letters, or one of the marks below."""

_ONE, _STAR, _DEEP = "one", "star", "deep"


def written_out(pattern: str) -> str:
    """What the pattern begins with, up to the first letter that may stand for something else."""
    plain = _PLAIN.match(pattern)
    return "" if plain is None else plain[0]


def alternatives(pattern: str) -> tuple[str, ...]:
    """`*.{py,env}` as the patterns it stands for; past a limit one that stands for anything."""
    found = [pattern]
    while any(_BRACES.search(one) for one in found):
        spread: list[str] = []
        for one in found:
            braces = _BRACES.search(one)
            if braces is None:
                spread.append(one)
            else:
                start, end = one[: braces.start()], one[braces.end() :]
                spread += [start + word + end for word in braces[1].split(",")]
        found = spread
        if len(found) > MOST_ALTERNATIVES:
            return ("**",)
    return tuple(one if "{" not in one else one.partition("{")[0] + "**" for one in found)


def may_match(pattern: str, path: str) -> bool:
    """Whether the pattern may stand for the path. Settings of a shell may let `*` take a leading
    dot and `**` any number of folders, and small letters stand for large ones, so they do."""
    if len(pattern) > LONGEST:
        return False
    pattern, path = pattern.casefold(), path.casefold()
    if not path.startswith(written_out(pattern)):
        return False  # nearly always: what is written out leads elsewhere
    simple = _simple(pattern)
    return (
        _meet(_pieces(pattern), tuple(path)) if simple is None else simple.match(path) is not None
    )


@lru_cache(maxsize=512)
def _simple(pattern: str) -> re.Pattern[str] | None:
    """The same as an expression, which is faster, for a pattern with few stars."""
    pieces = _pieces(pattern)
    if sum(piece in (_STAR, _DEEP) for piece in pieces) > _MOST_STARS:
        return None
    return re.compile("".join(map(_expression, pieces)) + r"\Z", re.DOTALL)


def _expression(piece: Piece) -> str:
    if isinstance(piece, frozenset):
        return f"[{re.escape(''.join(sorted(piece)))}]"
    marks = {_ONE: "[^/]", _STAR: "[^/]*", _DEEP: ".*", "\\": r"\\?"}
    return marks.get(piece, re.escape(piece))


def may_meet(one: str, other: str) -> bool:
    """Whether some path may be matched by both patterns, in small letters."""
    return _meet(_pieces(one), _pieces(other))


def _meet(first: tuple[Piece, ...], second: tuple[Piece, ...]) -> bool:
    # All places in both at once: trying one after the other could take for ever.
    places = _skip({(0, 0)}, first, second)
    seen = set(places)
    while places:
        if (len(first), len(second)) in places:
            return True
        moved = {place for at in places for place in _moves(at, first, second)}
        places = _skip(moved, first, second) - seen
        seen |= places
    return False


def _moves(
    at: tuple[int, int], first: tuple[Piece, ...], second: tuple[Piece, ...]
) -> tuple[tuple[int, int], ...]:
    """Where one more letter leads, which both must take."""
    if at[0] == len(first) or at[1] == len(second):
        return ()
    left, right = first[at[0]], second[at[1]]
    if not _share(left, right):
        return ()
    return ((at[0] + (left not in (_STAR, _DEEP)), at[1] + (right not in (_STAR, _DEEP))),)


def _share(left: Piece, right: Piece) -> bool:
    """Whether there is a letter that both pieces take."""
    marks = [piece for piece in (left, right) if piece in (_ONE, _STAR, _DEEP)]
    if len(marks) == 2 or _DEEP in marks:
        return True
    if marks:
        return right != "/" and left != "/"
    return bool(set(left) & set(right))


def _skip(
    places: set[tuple[int, int]], first: tuple[Piece, ...], second: tuple[Piece, ...]
) -> set[tuple[int, int]]:
    """The places, and those behind pieces that may stand for nothing."""
    found, waiting = set(places), list(places)
    while waiting:
        left, right = waiting.pop()
        for at, pieces, after in (
            (left, first, (left + 1, right)),
            (right, second, (left, right + 1)),
        ):
            skips = at < len(pieces) and pieces[at] in (_STAR, _DEEP, "\\")
            if skips and after not in found:
                found.add(after)
                waiting.append(after)
    return found


@lru_cache(maxsize=2048)
def _pieces(pattern: str) -> tuple[Piece, ...]:
    found: list[Piece] = []
    at = 0
    while at < len(pattern):
        plain = _PLAIN.match(pattern, at)
        if plain is not None:
            found += plain[0]
            at = plain.end()
            continue
        piece, at = _special(pattern, at)
        found.append(piece)
    return tuple(found)


def _special(pattern: str, at: int) -> tuple[Piece, int]:
    """The piece that begins here, and where it ends. A backslash may stand for itself or not."""
    group = _GROUP.match(pattern, at)
    if group is not None:
        return _DEEP, group.end()
    letter = pattern[at]
    if letter == "[":
        return _set(pattern, at)
    if letter == HOLE:
        return _DEEP, at + 1
    if letter == "*":
        end = at + len(pattern[at:]) - len(pattern[at:].lstrip("*"))
        return (_STAR if end - at == 1 else _DEEP), end
    return (_ONE if letter == "?" else letter), at + 1


def _set(pattern: str, at: int) -> tuple[Piece, int]:
    simple = _SET.match(pattern, at)
    if simple is None:
        odd = _ODD_SET.match(pattern, at)
        if odd is None:  # never closed: it stands for itself, unless what is not known closes it
            return (_DEEP if HOLE in pattern[at:] else "["), at + 1
        return (_DEEP if HOLE in odd[0] else _STAR), odd.end()
    members = _MEMBER.findall(simple[2])
    if simple[1] or "".join(members) != simple[2]:
        return _ONE, simple.end()
    letters = (chr(code) for one in members for code in range(ord(one[0]), ord(one[-1]) + 1))
    return frozenset(letters), simple.end()
