"""The names in a git index that stand for other repositories, listed in `.gitmodules` or not."""

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
