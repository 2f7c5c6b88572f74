"""The names in a git index: those that stand for other repositories, and those of files."""

from collections.abc import Iterator
from itertools import repeat

from automode.core.files import Search

_MODE = b"\x00\x00\xe0\x00"  # of an entry that is another repository's commit
# Owner, group, size, object name (two lengths) and flags (two lengths) stand before the name.
_BEFORE_NAME = (34, 36, 46, 48)
_LONGEST_PATH = 4_096
_LONGEST_NAME = 255


def gitlinks(index: bytes) -> tuple[str, ...] | None:
    """All of them, and perhaps what only looks like one; None when names are not written out."""
    if not index.startswith(b"DIRC"):
        return None
    found: dict[str, None] = {}
    at = index.find(_MODE)
    while at >= 0:
        if index[4:8] > b"\x00\x00\x00\x03":
            return None  # names are shortened by what the one before has
        for skipped in _BEFORE_NAME:
            start = at + len(_MODE) + skipped
            name = index[start : start + _LONGEST_PATH].partition(b"\0")[0]
            if name and all(len(part) <= _LONGEST_NAME for part in name.split(b"/")):
                found[name.decode("utf-8", "surrogateescape")] = None
        at = index.find(_MODE, at + 1)
    return tuple(found)


_MODE_AT, _FLAGS_AT, _HEADER, _CHECKSUM = 24, 60, 12, 20
_LONG_NAME = 0xFFF  # and more: the name ends at the first zero
_EXTENDED = 0x4000
_FOLDER_MODE = 0o040000
_ELSEWHERE = (b"link", b"sdir")  # extensions: names stand in another file, or as a whole folder


class _Unreadable(Exception):
    """No index, or one whose names are not all written down in it."""


def tracked(index: bytes, search: Search) -> tuple[str, ...] | None:
    """The names with a part that begins or ends as it is looked for; None when that is not sure."""
    try:
        return tuple(_sought(index, search))
    except (_Unreadable, IndexError, ValueError):
        return None


def _sought(index: bytes, search: Search) -> Iterator[str]:
    starts = tuple(one.encode() for one in search.starts)
    ends = tuple(one.encode() for one in search.ends)
    folders: dict[bytes, bool] = {b"": False}
    # Two letters settle nearly all.
    heads = {one[:2] for one in starts}
    tails = {one[-2:] for one in ends}
    short = any(len(one) < 2 for one in (*starts, *ends))

    def fits(part: bytes) -> bool:
        begins = (short or part[:2] in heads) and part.startswith(starts)
        return begins or ((short or part[-2:] in tails) and part.endswith(ends))

    def folder_fits(folder: bytes) -> bool:
        if folder not in folders:
            above, _, part = folder.rpartition(b"/")
            folders[folder] = fits(part) or folder_fits(above)
        return folders[folder]

    for name in _names(index, search.limit):
        folder, _, last = name.lower().rpartition(b"/")
        if fits(last) or folder_fits(folder):
            yield name.decode("utf-8", "surrogateescape")


def _names(index: bytes, limit: int) -> Iterator[bytes]:
    version, count = int.from_bytes(index[4:8], "big"), int.from_bytes(index[8:12], "big")
    if not index.startswith(b"DIRC") or version not in (2, 3, 4) or count > limit:
        raise _Unreadable
    at, name = _HEADER, b""
    for _ in repeat(None, count):
        flags = index[at + _FLAGS_AT] << 8 | index[at + _FLAGS_AT + 1]
        if int.from_bytes(index[at + _MODE_AT : at + _MODE_AT + 4], "big") == _FOLDER_MODE:
            raise _Unreadable
        start = at + _FLAGS_AT + (4 if flags & _EXTENDED else 2)
        if version == 4:
            cut, start = _number(index, start)
            end = index.index(b"\0", start)
            name, at = name[: len(name) - cut] + index[start:end], end + 1
        else:
            length = flags & _LONG_NAME
            end = start + length if length < _LONG_NAME else index.find(b"\0", start)
            if index[end] or b"\0" in index[start:end]:
                raise _Unreadable  # another length of object names, for example
            name, at = index[start:end], at + (end - at + 8) // 8 * 8
        yield name
    while at < len(index) - _CHECKSUM:
        if index[at : at + 4] in _ELSEWHERE:
            raise _Unreadable
        at += 8 + int.from_bytes(index[at + 4 : at + 8], "big")


def _number(index: bytes, at: int) -> tuple[int, int]:
    """A number of git's variable length, and where it ends."""
    value = index[at] & 127
    while index[at] & 128:
        at += 1
        value = (value + 1 << 7) + (index[at] & 127)
    return value, at + 1
