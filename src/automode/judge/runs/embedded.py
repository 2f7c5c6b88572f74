"""Code of this session that stands in files of something else: lines for `go generate`, and
examples in texts."""

import re
from collections.abc import Callable, Iterable, Iterator

from automode.core.workspace import Workspace
from automode.judge.calls.packages import Need
from automode.judge.runs.inside import UNREAD, Inside
from automode.judge.runs.own import Own
from automode.judge.runs.package_lists import Put
from automode.judge.runs.written_code import Far, in_code, lines_with
from automode.judge.words import patterns
from automode.shell.script import Command

_P = patterns("running")
_EXAMPLE = re.compile(r"(?m)^[ \t]*(?:>>>|\.\.\.)(?: (.*))?$")
_COLLECTED = re.compile(r"(?:^|/)test[^/]*\.txt$")  # by pytest, whatever it is told
_TEXTS = (".txt", ".rst", ".md", ".py")
_SETTINGS = ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini")
LONGEST = 60_000
Texts = Callable[[str], Iterator[tuple[str | None, Put]]]


def generators(inside: Inside, written: Iterable[str], texts: Texts) -> Iterator[Need]:
    """Sources of Go with a line that `go generate` runs."""
    commands = inside.facts.script.commands
    runs = any(one.program == "go" and "generate" in one.text for one in commands)
    for path in (one for one in written if runs and one.endswith(".go")):
        for text, put in texts(path):
            found = _P.generates.findall(_new(text or "", put))
            folder = path.rpartition("/")[0]
            if not all(inside.of_text(one, folder).is_harmless() for one in found):
                yield Need(UNREAD, path, why="has `go generate` start what nobody knows")


def collected(
    running: Iterable[Command], written: Iterable[str], place: Workspace
) -> Iterator[str]:
    """Texts whose examples the tests run."""
    paths = [one for one in written if one.endswith(_TEXTS)]
    told = any("doctest" in one.text for one in running) or any(
        "doctest" in (place.files.text(f"{place.root}/{name}", LONGEST) or "")
        for name in (_SETTINGS if paths else ())
    )
    return (one for one in paths if told or _COLLECTED.search(one))


def against_examples(text: str, put: Put, own: Own, far: Far) -> str | None:
    """What speaks against the examples in a text; None for nothing. Those of a module know its
    names."""
    code = "\n".join(one[1] or "" for one in _EXAMPLE.finditer(_new(text, put)))
    if not code.strip():
        return None
    if own.path in own.written:  # a module
        return in_code(f"{text}\n{code}\n", [code], own, far, direct=True)
    return in_code(f"{code}\n", None, own, far, direct=True)


def _new(text: str, put: Put) -> str:
    there = put.pieces is not None and all(one in text for one in put.pieces)
    return "\n".join(lines_with(put.pieces or (), text)) if there else text
