"""Which files a call names, and what state they are in: a decision must not outlive either."""

import os
import re
import stat
from collections.abc import Iterable, Iterator

from automode.core.call import Shell, ToolCall
from automode.core.session import Session
from automode.core.tool_input import input_texts
from automode.core.tools import meant_paths
from automode.core.workspace import Workspace

MOST_NAMES = 200
_LONGEST_NAME = 1024

_WORD = re.compile(r"[^\s'\";|&<>()=,]+")
# What is known only when the script runs: variables, substitutions, patterns, braces.
_DYNAMIC = re.compile(r"[$`*?\[{\\]")


def disk_stamp(path: str) -> str | None:
    """Which file it is and when it changed; None for what a stamp says too little about."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return "missing"
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None  # a folder's stamp says nothing about what is in it
    return status_stamp(found)


def status_stamp(found: os.stat_result) -> str:
    """With the time of the last change of any kind: every program can set the other one back."""
    times = f"{found.st_mtime_ns}:{found.st_ctime_ns}"
    return f"{found.st_dev}:{found.st_ino}:{found.st_size}:{times}:{found.st_mode}"


def file_state(call: ToolCall, session: Session) -> str | None:
    """The stamps of all that the call could name; None when that cannot be told."""
    if isinstance(call.action, Shell) and _DYNAMIC.search(call.action.command):
        return None
    names: dict[str, None] = {}
    for text in input_texts(call.input, keys=True):
        names.update(dict.fromkeys([text, *_WORD.findall(text)]))
        if len(names) > MOST_NAMES:
            return None
    stamps: list[str] = []
    for path in _meant(names, session.workspace):
        one = disk_stamp(path)
        if one is None:
            return None
        stamps.append(f"{path}\t{one}")
    return "\n".join(stamps)


def named_paths(text: str, workspace: Workspace) -> tuple[str, ...] | None:
    """The absolute path of every name that a text can be, or hold; None when there are too many."""
    words = _WORD.findall(text)
    names = dict.fromkeys([text, *words, *_joined(words)])
    return None if len(names) > MOST_NAMES else tuple(_meant(names, workspace))


def _joined(words: Iterable[str]) -> Iterator[str]:
    """`-v ./data:/data`, `PATH=./bin:/bin`."""
    for word in words:
        if ":" in word and "://" not in word:
            yield from filter(None, word.split(":"))


def _meant(names: Iterable[str], workspace: Workspace) -> Iterator[str]:
    for name in names:
        if name.strip() and len(name) <= _LONGEST_NAME and "\0" not in name:
            yield from meant_paths(name, workspace)
