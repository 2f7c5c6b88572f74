"""Settings of this session that lead a tool out of the workspace: where it writes, and what it
loads."""

import json
from collections.abc import Container, Iterator
from posixpath import join

from automode.core.paths import absolute, exactly_within
from automode.core.workspace import Workspace
from automode.judge.calls.packages import Need
from automode.judge.places import where
from automode.judge.runs.inside import UNREAD
from automode.judge.runs.package_lists import Put
from automode.judge.runs.written_code import lines_with
from automode.judge.words import patterns
from automode.shell.script import Command

_P = patterns("settings_places")
WRITES = "writes-outside"
HOME = "~"


def are_settings(path: str) -> bool:
    return bool(_P.files.search(path) or _P.python.search(path))


def led_outside(
    path: str, text: str, put: Put, made: Container[str], place: Workspace
) -> Iterator[Need]:
    """What the lines that were put in lead to. `made`: modules of Python of this session."""
    there = put.pieces is not None and all(one in text for one in put.pieces)
    new = "\n".join(lines_with(put.pieces or (), text)) if there else text
    if _P.python.search(path):
        yield from _plugins(path, new, made)
        return
    folder = path.rpartition("/")[0]
    root = _P.root.search(text)
    inner = _texts(root["value"])[-1:] if root else []
    base = absolute(inner[0], folder) if inner else folder
    for found in _P.writes.finditer(new):
        for value in _places(found["value"], text):
            if value == HOME or _is_outside(value, base, place):
                yield Need(WRITES, value)
    for found in _P.loads.finditer(new):
        for value in _places(found["value"], text):
            full = absolute(value, folder)
            if value == HOME or not any(exactly_within(full, one) for one in place.folders):
                yield Need(UNREAD, path, why=f"loads `{value}`")


def _is_outside(value: str, folder: str, place: Workspace) -> bool:
    return value[:1] == HOME or where(value, Command((), cwd=folder), place) in ("near", "outside")


def _places(value: str, text: str) -> Iterator[str]:
    """The places that a value names and that may lie outside: written there, or behind a name."""
    bare = value.strip().rstrip(";")
    value = (_bound(bare, text) if bare.isidentifier() else "") or value
    if _P.home.search(value):
        yield HOME
        return
    texts = _texts(value)
    if _P.beside.search(value):
        texts = [one.lstrip("/") for one in texts]
    if _P.joins.search(value) and texts:
        texts = [join(*texts)]
    yield from filter(_P.outer.match, texts)


def _texts(value: str) -> list[str]:
    return [_read(one[1] or one[2] or one[3] or "") for one in _P.literal.finditer(value)]


def _bound(name: str, text: str) -> str:
    """What a name of the file stands for, as far as one line tells."""
    for line in text.splitlines():
        before, equals, after = line.partition("=")
        if equals and before.split()[-1:] == [name]:
            return after
    return ""


def _read(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def _plugins(path: str, new: str, made: Container[str]) -> Iterator[Need]:
    for found in _P.hook.finditer(new):
        yield Need(UNREAD, path, why=f"has a checker run `{found[1][:40]}`")
    for found in _P.plugins.finditer(new):
        for one in _P.plugin.findall(found[1]):
            if "/" in one or one.endswith(".py") or one.partition(".")[0] in made:
                yield Need(UNREAD, path, why=f"has a checker load `{one}`")
