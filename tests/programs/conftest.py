"""How tests of program knowledge ask what a command line does."""

import shlex
from collections.abc import Callable, Mapping

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.use import Invocation, Judge, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def judged(programs: Mapping[str, Judge], line: str | tuple[Word, ...]) -> Use:
    """What the table says about a line, or about ready words."""
    split = tuple(Word(w) for w in shlex.split(line)) if isinstance(line, str) else line
    command = Command(split, cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return programs[command.program](Invocation(command.program, command.args, command, workspace))


@pytest.fixture
def use_of() -> Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]:
    """`use_of(PROGRAMS, "ls -l")`."""
    return judged
