"""Reads an agent's settings file as the agent might, and names what in it switches the gate off."""

import hashlib
import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

LARGEST_BYTES = 1 << 20
_LARGEST_TOML = 1 << 18
_MOST_DOTS = 200  # in one line
_LONGEST_SHOWN = 120  # characters
_TEXT = r'("(?:[^"\\]++|\\.)*\\?(?:"|\Z))'
_COMMENTS = re.compile(rf"{_TEXT}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_VARIABLE = re.compile(r"^\s*(?:export\s+)?([\w.-]+)\s*[=:]([^\r\n]*)", re.MULTILINE)
_FROM_ENVIRONMENT = re.compile(r"\{env:[^}]*\}")
_UNUSUAL = re.compile("\r(?!\n)|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""What ends a line for one reader and not for another."""
_HEAD_KEY = re.compile(r"([\w-]+):(?:\s|$)(.*)", re.DOTALL)
_HEAD_START = re.compile(r"---[ \t]*\w*[ \t\r]*(?:\n|\Z)")
_LAST_COMMAS = re.compile(rf"{_TEXT}|,(?=\s*+[}}\]])", re.DOTALL)


def file_bytes(path: str) -> bytes:
    """Raises OSError. Never blocks: a pipe in the place of a file is opened and not read."""
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError("no ordinary file")
        with open(opened, "rb", closefd=False) as file:
            data = file.read(LARGEST_BYTES + 1)
    finally:
        os.close(opened)
    if len(data) > LARGEST_BYTES:
        raise OSError(f"more than {LARGEST_BYTES} bytes")
    return data


def toml_settings(data: bytes) -> object:
    """Raises ValueError or RecursionError."""
    # The parser takes the cube of a key's parts, so a hostile file could hold it up for hours.
    if len(data) > _LARGEST_TOML or any(
        line.count(b".") > _MOST_DOTS for line in re.split(rb"[\r\n]", data)
    ):
        raise ValueError("too large, or a line with too many dots")
    return _as_pairs(tomllib.loads(data.decode("utf-8-sig")))


def json_settings(data: bytes) -> object:
    """Raises ValueError or RecursionError. One agent fills in `{env:NAME}` before it reads, across
    quotes and comments, so both readings count."""
    text = _usual(data.decode("utf-8-sig"))
    filled = _FROM_ENVIRONMENT.sub("", text)
    found = _json_with_comments(text)
    if filled == text or not isinstance(found, tuple):
        return found
    other = _json_with_comments(filled)
    return (*found, *other) if isinstance(other, tuple) else other


def _json_with_comments(text: str) -> object:
    try:
        return _json(text)
    except ValueError:
        # Some agents take comments and last commas, so what is behind them counts.
        plain = _LAST_COMMAS.sub(_keep_text, _COMMENTS.sub(_keep_text, text))
        return _json(plain) if plain.strip() else ()


def env_settings(data: bytes) -> object:
    """The variables of a `.env`: more lines are taken for one than the agents take. Raises
    ValueError."""
    text = _usual(data.decode("utf-8-sig", "replace"))
    if "\xa0" in text:
        raise ValueError("it holds blanks that agents read differently")
    return tuple((found[1], found[2].strip()) for found in _VARIABLE.finditer(text))


def front_matter(data: bytes) -> object:
    """The keys at the head of a Markdown text, with their lines. What is no plain `key: value` is
    taken for a key as a whole, so more is one than an agent may see. Raises ValueError."""
    text = data.decode("utf-8-sig", "replace").lstrip()
    if not text.startswith("---"):
        return ()
    end = text.find("\n---", 3)
    if end < 0 and not _HEAD_START.match(text):
        return ()
    if end < 0:
        raise ValueError("its head has no end")
    first, *lines = _usual(text[:end].rstrip("\r").replace("\r\n", "\n")).split("\n")
    found: list[tuple[str, str]] = [(one, "") for one in (first.strip("- \t"),) if one]
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if found and line.startswith((" ", "\t", "- ")):
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line}")
            continue
        key = _HEAD_KEY.fullmatch(line)
        found.append((key[1], key[2]) if key else (line, ""))
    return tuple(found)


def values(settings: object, *names: str) -> Iterator[object]:
    """Every value that stands under the names, one object inside the other."""
    if not names:
        yield settings
        return
    for key, value in pairs([settings]):
        if key == names[0]:
            yield from values(value, *names[1:])


def pairs(objects: Iterable[object]) -> Iterator[tuple[str, object]]:
    """The keys and values of those that are objects."""
    for one in objects:
        yield from one if isinstance(one, tuple) else ()


def items(lists: Iterable[object]) -> Iterator[object]:
    """What stands in those that are lists."""
    for one in lists:
        yield from one if isinstance(one, list) else ()


def short(text: str) -> str:
    """A piece of a foreign file for a sentence: one line, nothing that moves a cursor."""
    line = "".join(letter if letter.isprintable() else " " for letter in text[: 2 * _LONGEST_SHOWN])
    line = " ".join(line.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"


def _usual(text: str) -> str:
    if _UNUSUAL.search(text):
        raise ValueError("it holds line breaks that agents read differently")
    return text


def _keep_text(found: re.Match[str]) -> str:
    return found[1] or " "


def _json(text: str) -> object:
    found: object = json.loads(text, object_pairs_hook=tuple)
    return found


def _as_pairs(value: object) -> object:
    match value:
        case dict():
            return tuple((key, _as_pairs(one)) for key, one in value.items())
        case list():
            return [_as_pairs(one) for one in value]
        case _:
            return value


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


def without_trusted(found: Sequence[Switch], trusts: Trusts) -> tuple[Switch, ...]:
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
