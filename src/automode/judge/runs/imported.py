"""Packages that come in because code imports them, and no list has to name them."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from automode.core.paths import exactly_within, parents
from automode.core.workspace import Kind, Workspace
from automode.judge.calls.code_deeds import code_of
from automode.judge.runs.package_lists import Put
from automode.judge.runs.written_code import lines_with
from automode.judge.words import patterns, word_lists
from automode.shell.script import Command

_P = patterns("imported")
_W = word_lists("imported")
LONGEST_KEPT = 200_000
FETCHING = _W.fetching


def adds_imports(command: Command) -> bool:
    """Whether Go brings in what sources import: `go mod tidy`, `go get ./...`, `-mod=mod`."""
    words = [word.text for word in command.args] if command.program == "go" else []
    if re.search(r"(?:^| )--?mod[= ]mod(?: |$)", " ".join(words)):
        return True
    plain = [one for one in words if one[:1] != "-"]
    if "get" in plain:
        return all(one[:1] == "." for one in plain[plain.index("get") + 1 :])
    return ("mod", "tidy") in pairwise(plain)


def go_imports(text: str, put: Put) -> frozenset[str]:
    """Of the lines that were put in: what comes from another module, by its address."""
    return frozenset(one[1] for one in _P.go.finditer(_new(text, put)))


def _new(text: str, put: Put) -> str:
    there = put.pieces is not None and all(one in text for one in put.pieces)
    return "\n".join(lines_with(put.pieces or (), text)) if there else text


def modules_of(path: str) -> tuple[str, ...]:
    """The module that an import may belong to, the longest first."""
    parts = path.split("/")
    return tuple("/".join(parts[:count]) for count in range(len(parts), 0, -1))


def own_modules(paths: Sequence[str], place: Workspace) -> frozenset[str]:
    """The modules of the project: of the folders around its sources."""
    folders = {one for path in paths for one in parents(path) if exactly_within(one, place.root)}
    files = {*(f"{one}/go.mod" for one in folders), *(one for one in paths if "go.mod" in one)}
    texts = (place.files.text(one, LONGEST_KEPT) or "" for one in files)
    return frozenset(one[1] for text in texts for one in _P.go_module.finditer(text))


def fetched_by_code(command: Command, place: Workspace) -> Iterator[str]:
    """The packages that deno and bun fetch for the code that they are given on the command line.
    Bun does so only where no folder of packages is."""
    if command.program not in FETCHING:
        return
    at = command.cwd or place.cwd
    kinds = (place.files.kind(f"{one}/node_modules") for one in (at, *parents(at)))
    bare = command.program == "bun" and all(one is Kind.MISSING for one in kinds)
    for found in _P.script.finditer(code_of(command) or ""):
        name = found["name"]
        if found["registry"] or (bare and name not in _W.built_in and name[:4] != "bun:"):
            yield name


def fetched_by_file(path: str, text: str, put: Put) -> Iterator[str]:
    """The same of a file that deno reads: names, and addresses of anything else."""
    maps = path.rpartition("/")[2] in _W.maps
    for found in (_P.mapped if maps else _P.script).finditer(_new(text, put)):
        address = found["address"] if maps else None
        if found["registry"]:
            yield found["name"]
        elif address and not _P.own_address.match(address):
            yield address
