"""Runs small harmless scripts in real bash: whatever ran must be among the commands we listed.

Programs are stubs that write their arguments and folder to a log; nothing else is on `PATH` but a
few wrappers. Where our reading is complete, each logged call must match a listed command.
"""

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.shell.script import HOLE, Command, Origin, Word
from tests.reading import READER

ROWS = tomllib.loads(Path(__file__).with_name("rows.toml").read_text("utf-8"))

pytestmark = pytest.mark.real

STUBS = ("a", "b", "c", "d", "say")
REAL = ("env", "xargs", "bash", "sh", "timeout", "nice", "cat", "find")
LOGGING = """#!/bin/sh
[ "${0##*/}" = say ] && printf '%s\\n' "$*"
printf '%s\\0' "$#" "$PWD" "${0##*/}" "$@" >> "$LOG"
"""
SEPARATOR = "\x1f"


class Place:
    """A folder with stubs, a home, and a working folder with a few files."""

    def __init__(self, base: Path) -> None:
        self.log = base / "log"
        self.bin = base / "bin"
        self.home = base / "home"
        self.work = base / "deep" / "er" / "work"
        for folder in (self.bin, self.home, self.work / "sub/sub/sub/sub/sub/sub/sub"):
            folder.mkdir(parents=True)
        for name in ("f1", "f2", "-n"):
            (self.work / name).touch()
        for name in STUBS:
            (self.bin / name).write_text(LOGGING)
            (self.bin / name).chmod(0o755)
        for name in REAL:
            (self.bin / name).symlink_to(shutil.which(name) or f"/bin/{name}")

    def run(self, script: str) -> list[tuple[str, tuple[str, ...]]]:
        """Folder and words of every stub that ran."""
        self.log.write_bytes(b"")
        environment = {"PATH": str(self.bin), "HOME": str(self.home), "LOG": str(self.log)}
        try:
            subprocess.run(
                [os.path.realpath(self.bin / "bash"), "--norc", "--noprofile", "-c", script],
                cwd=self.work,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=5,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return []
        return list(self.logged())

    def logged(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        items = self.log.read_bytes().decode().split("\0")
        at = 0
        while at + 2 < len(items):
            count = int(items[at])
            yield items[at + 1], tuple(items[at + 2 : at + 3 + count])
            at += 3 + count


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("behaviour").resolve())


def pattern(words: tuple[Word, ...]) -> str:
    """What the arguments may be, each behind a SEPARATOR."""
    return "".join(_one(word) for word in words)


def _one(word: Word) -> str:
    anything = f"[^{SEPARATOR}]*"
    if word.value is not None:
        return SEPARATOR + re.escape(word.text)
    if word.origin is Origin.GLOB or word.splits:
        return f"(?:{SEPARATOR}{anything})*"
    text = word.text
    if text.endswith("/" + HOLE) and word.plain:  # what `find` found: the start folder or below
        return f"{SEPARATOR}{re.escape(text[:-2])}(?:/{anything})?"
    return SEPARATOR + anything.join(re.escape(piece) for piece in text.split(HOLE))


def listed(folder: str, words: tuple[str, ...], commands: tuple[Command, ...]) -> bool:
    line = "".join(SEPARATOR + word for word in words)
    return any(
        re.fullmatch(pattern(command.words), line, re.DOTALL)
        for command in commands
        if command.words and command.cwd in (None, folder)
    )


def unlisted(place: Place, script: str) -> list[str]:
    """What ran although a complete reading does not list it."""
    workspace = Workspace(str(place.work), str(place.work), str(place.home), Names(str(place.work)))
    reading = READER.full(script, workspace)
    if not reading.complete:
        return []
    return [
        f"{words} in {folder}"
        for folder, words in place.run(script)
        if not listed(folder, words, reading.commands)
    ]


PIECES = st.sampled_from(ROWS["bash-pieces"].split()).map(lambda text: text.replace("·", " "))


@st.composite
def scripts(draw: st.DrawFn, depth: int = 3) -> str:
    """A script of up to a few commands."""
    lines = draw(st.lists(statements(depth), min_size=1, max_size=4))
    joins = [draw(st.sampled_from(("\n", "\n", "; ", " && ", " || "))) for _ in lines]
    text = ""
    for line, join in zip(lines, joins, strict=True):
        text += line + ("\n" if "<<E" in line else join)
    return text.rstrip("&|; \n") + "\n"


@st.composite
def calls(draw: st.DrawFn) -> str:
    words = draw(st.lists(PIECES, max_size=4))
    before = draw(st.sampled_from(("", "", "", "x=o ", "command ", "env x=o ", "time ", "! ")))
    wrapped = draw(st.sampled_from(("", "", "", "nice ", "timeout 5 ", "env ")))
    program = draw(st.sampled_from((*STUBS, "fn", "gn")))
    after = draw(st.sampled_from(("", "", "", " > o1", " 2>&1", " < f1", " <<< $x", " | cat")))
    return before + wrapped + " ".join((program, *words)) + after


@st.composite
def assignments(draw: st.DrawFn) -> str:
    name, piece = draw(st.sampled_from("xxyz")), draw(PIECES)
    shape = draw(st.sampled_from(re.split(r";|\n *", ROWS["bash-assignments"].strip())))
    return _filled(shape, name, piece)


def _filled(shape: str, name: str, piece: str) -> str:
    text = shape.replace("{{", "\1").replace("}}", "\2")
    text = text.replace("{n}", name).replace("{p}", piece)
    return text.replace("\1", "{").replace("\2", "}").strip() or "true"


def statements(depth: int) -> st.SearchStrategy[str]:
    simple = st.one_of(calls(), calls(), assignments())
    return simple if depth == 0 else st.one_of(simple, simple, simple, compounds(depth - 1))


@st.composite
def compounds(draw: st.DrawFn, depth: int) -> str:
    one = draw(scripts(depth)).strip()
    two = draw(scripts(depth)).strip()
    piece, other = draw(PIECES), draw(PIECES)
    shape = draw(st.sampled_from(ROWS["bash-compounds"]))
    clash = ("'{one}'" in shape and re.search("[E']", one)) or (
        "\nE" in shape and "\nE" in one + piece
    )
    for name, text in {"one": one, "two": two, "piece": piece, "other": other}.items():
        shape = shape.replace(f"{{{name}}}", text)
    return one if clash else shape


@given(script=scripts())
def test_whatever_bash_runs_is_listed(place: Place, script: str) -> None:
    assert unlisted(place, script) == [], script
