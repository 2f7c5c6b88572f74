"""One thing that takes the gate out of an agent's way, and the files it stands for."""

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from automode.facts.settings_text import file_bytes

MOST_NAMES = 20_000  # in one place: nothing must hide behind many others
MOST_FILES = 1024  # of one folder
MOST_BYTES = 16 << 20
MISSING = "-"

Trusts: TypeAlias = Callable[[str, str], bool]
"""Whether a person has looked at the path with exactly what this digest stands for."""


@dataclass(frozen=True, slots=True)
class Switch:
    """`blinds`: hooks still seem to work, but something else may answer in their place, so not even
    a person who is there would notice. `asks`: a person is asked about every call while it stands.
    `digest`: of what a person may trust; empty where no trust helps."""

    agent: str
    path: str
    what: str
    fix: str
    blinds: bool = False
    asks: bool = False
    digest: str = ""

    @property
    def real(self) -> str:
        return os.path.realpath(self.path)


class TooMuch(Exception):
    """More than anybody looks at."""


def too_much(agent: str, place: str) -> Switch:
    what = "it holds more than anybody looks at, and may lead around automode"
    return Switch(agent, place, what, "remove what is not needed", blinds=True)


def nobody_trusts(path: str, digest: str) -> bool:
    return False


def untrusted(found: Sequence[Switch], trusts: Trusts) -> tuple[Switch, ...]:
    return tuple(one for one in found if not (one.digest and trusts(one.real, one.digest)))


def file_stamp(path: str) -> str:
    """Another text as soon as the file may be another."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return MISSING
    return f"{found.st_mtime_ns}.{found.st_ctime_ns}.{found.st_ino}.{found.st_size}"


def tree_digest(folder: str) -> str:
    """Of all files below it; empty where they are too many, or cannot be read."""
    whole, left = hashlib.sha256(), MOST_BYTES
    real = os.path.realpath(folder)
    try:
        for path in files_below(folder):
            data = file_bytes(path)
            left -= len(data)
            if left < 0:
                return ""
            whole.update(f"{os.path.relpath(path, real)}\0{len(data)}\0".encode())
            whole.update(data)
    except (OSError, ValueError, TooMuch):
        return ""
    return whole.hexdigest()


def tree_stamp(folder: str) -> str:
    try:
        return " ".join(f"{path} {file_stamp(path)}" for path in files_below(folder))
    except (OSError, TooMuch):
        return file_stamp(folder)


def names_in(folder: str) -> list[str]:
    """None where it cannot be looked into: agents cannot, either. Raises TooMuch."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    if len(names) > MOST_NAMES:
        raise TooMuch
    return names


def files_below(folder: str) -> list[str]:
    """All that may be loaded from it, links to files followed. Raises TooMuch."""
    found: list[str] = []
    for inner, folders, names in os.walk(os.path.realpath(folder)):
        if any(os.path.islink(os.path.join(inner, one)) for one in folders):
            raise TooMuch  # what lies behind may be anything
        found += [os.path.join(inner, one) for one in names]
        if len(found) > MOST_FILES:
            raise TooMuch
    return sorted(found)
