"""Paths as text: absolute forms, inside or outside. Only `located` asks what the disk says.

Windows paths (`C:\\Users\\x`, `/c/Users/x`) are brought to one form, `/c/Users/x`, because rows and
sessions recorded on Windows are decided here too.
"""

import posixpath
import re

from automode.core.files import Files

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


def located(path: str, base: str, files: Files) -> str:
    """`path` as the system finds it from the folder `base`: a link is followed before the `..`
    behind it leads up. Where no link stands before a `..` this is `absolute`."""
    if ".." not in path and ".." not in base:
        return absolute(path, base)
    whole = path if path.startswith("/") else f"{base}/{path}"
    if _DRIVE.match(path) or len(whole) > _LONGEST:
        return absolute(path, base)
    found = ""
    for part in whole.split("/"):
        if part == "..":
            found = _above(found, files)
        elif part not in ("", "."):
            found = f"{found}/{part}"
    return found or "/"


def _above(path: str, files: Files) -> str:
    """The folder above, under the name it was reached by where that is the same folder."""
    typed = posixpath.dirname(path)
    real = files.resolve(path or "/")
    if real is None or real == path:
        return typed.rstrip("/")
    above = posixpath.dirname(real)
    return (typed if files.resolve(typed or "/") == above else above).rstrip("/")


_LONGEST = 4_096  # characters of what the system opens


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
