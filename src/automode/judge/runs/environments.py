"""Environments of Python that a command makes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from automode.core.paths import absolute
from automode.shell.script import HOLE

_VALUED = ("-p", "--python", "--prompt")
_FLAGS = re.compile(r"-q|--(?:quiet|clear|upgrade|seed|copies|without-pip|upgrade-deps)")
_PLAIN_PROMPT = re.compile(r"[\w .-]*")
_PROMPT = "--prompt"


@dataclass(frozen=True, slots=True)
class Environment:
    """`spoilt`: files in them that may do more than to switch: the text of a prompt becomes a part
    of `activate`, as it is."""

    folders: frozenset[str] = frozenset()
    spoilt: frozenset[str] = frozenset()


def environment(name: str, words: list[str], at: str) -> Environment:
    """`python3 -m venv DIR`, `uv venv DIR`."""
    for before in (["-m", "venv"], ["-m", "virtualenv"], ["venv"], []):
        starts = {2: name.startswith("python"), 1: name == "uv", 0: name == "virtualenv"}
        if starts[len(before)] and words[: len(before)] == before:
            return _made(words[len(before) :], at)
    return Environment()


def _made(words: list[str], at: str) -> Environment:
    prompts = [value for option, value in pairwise(words) if option == _PROMPT]
    prompts += [one.partition("=")[2] for one in words if one.startswith(f"{_PROMPT}=")]
    if all(map(_PLAIN_PROMPT.fullmatch, prompts)):
        return Environment(frozenset(all_absolute(operands(words, _VALUED, _FLAGS)[:1], at)))
    named = all_absolute((".venv", *(one for one in words if one[:1] != "-")), at)
    return Environment(spoilt=frozenset(f"{one}/bin/activate" for one in named))


def operands(words: list[str], valued: tuple[str, ...], flags: re.Pattern[str]) -> list[str]:
    """The words that are neither options nor their values; none where an option is not known."""
    found: list[str] = []
    rest = iter(words)
    for text in rest:
        if text in valued:
            next(rest, "")
        elif text[:1] != "-":
            found.append(text)
        elif not flags.fullmatch(text):
            return []
    return found


def all_absolute(paths: Iterable[str], at: str) -> set[str]:
    return {absolute(path, at) for path in paths if path and HOLE not in path}
