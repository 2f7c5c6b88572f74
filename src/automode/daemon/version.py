"""Which automode this is, and whether another one is newer."""

import os
import re
from importlib.metadata import PackageNotFoundError, version
from typing import TypeAlias

import automode

UNKNOWN = "unknown"
CodeState: TypeAlias = tuple[int, int, int] | None


def own_version() -> str:
    """As installed now: a package may be replaced under a running process. Of a source tree that
    was not installed nobody knows, nor of a package that is being replaced."""
    try:
        found: object = version("automode")
    except PackageNotFoundError:
        return UNKNOWN
    return found if isinstance(found, str) else UNKNOWN  # empty metadata name none


def newer(one: str, other: str) -> bool:
    """Whether release `one` came after `other`. Of what is no release nobody can say."""
    known = _release(one), _release(other)
    return all(known) and known[0] > known[1]


def _release(text: str) -> tuple[int, ...]:
    found = re.match(r"\d+(?:\.\d+)*", text)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def code_state() -> CodeState:
    """What changes when the package on disk is replaced or removed."""
    try:
        found = os.stat(automode.__file__)
    except OSError:
        return None
    return (found.st_dev, found.st_ino, found.st_mtime_ns)
