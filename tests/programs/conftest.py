"""How tests of program knowledge ask what a command line does."""

import tomllib
from dataclasses import replace
from pathlib import Path

from automode.core.workspace import Files, Workspace
from automode.facts.files import Disk, Names
from automode.programs.call_facts import CommandFacts
from automode.programs.use import Use
from automode.shell.script import Command, Word
from tests.reading import READER

ROOT = "/home/ada/project"
ROWS = tomllib.loads(Path(__file__).with_name("rows.toml").read_text("utf-8"))


def command_facts(
    line: str | tuple[Word, ...],
    root: Path | str = ROOT,
    *,
    cwd: Path | str | None = "",
    files: Files | None = None,
) -> CommandFacts:
    """What is known of the command that a line of shell begins with, or of ready words; on the
    disk, where `root` is a path."""
    known = files or (Disk() if isinstance(root, Path) else Names(root))
    workspace = Workspace(str(root), str(root), "/home/ada", known)
    command = Command(line) if isinstance(line, tuple) else _first(line, workspace)
    folder = None if cwd is None else str(cwd or root)
    return CommandFacts(replace(command, cwd=folder), workspace)


def _first(line: str, workspace: Workspace) -> Command:
    """Where the line has wrappers and substitutions, other commands stand in the list, too."""
    name = line.split()[0]
    found = READER.first(line, workspace).commands
    return next(one for one in found if one.words and one.words[0].text == name)


def use_of(
    line: str | tuple[Word, ...], root: Path | str = ROOT, *, cwd: Path | str | None = ""
) -> Use:
    return command_facts(line, root, cwd=cwd).use
