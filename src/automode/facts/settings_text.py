"""Reads an agent's settings file, whoever wrote it: bounded, and as an agent might read it.

Objects come as tuples of pairs, so that a key that stands twice counts twice.
"""

import json
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Iterator

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
    """Raises OSError. Waits for nobody: a pipe in the place of a file is opened and not read."""
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
    return _paired(tomllib.loads(data.decode("utf-8-sig")))


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
        plain = _LAST_COMMAS.sub(_kept, _COMMENTS.sub(_kept, text))
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


def _kept(found: re.Match[str]) -> str:
    return found[1] or " "


def _json(text: str) -> object:
    found: object = json.loads(text, object_pairs_hook=tuple)
    return found


def _paired(value: object) -> object:
    match value:
        case dict():
            return tuple((key, _paired(one)) for key, one in value.items())
        case list():
            return [_paired(one) for one in value]
        case _:
            return value
