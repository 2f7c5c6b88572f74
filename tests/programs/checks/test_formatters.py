"""Formatters: the files they read, and those they rewrite."""

import shlex

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.call_facts import CommandFacts
from automode.programs.row import Kind
from automode.shell.script import Command, Word
from tests.rows import each_row

ROOT = "/home/ada/project"


@each_row(
    "line, kind",
    [
        ("gofmt -l a.go", Kind.TREE),
        ("gofmt -w a.go", Kind.WRITES),
        ("goimports -w a.go", Kind.WRITES),
        ("black a.py", Kind.WRITES),
        ("black --check a.py", Kind.TREE),
        ("ruff check a.py", Kind.TREE),
        ("ruff check --fix a.py", Kind.WRITES),
        ("ruff format a.py", Kind.WRITES),
        ("rustfmt a.rs", Kind.WRITES),
        ("clang-format -i a.c", Kind.WRITES),
        ("prettier --write a.ts", Kind.WRITES),
        ("eslint a.ts", Kind.TREE),
    ],
)
def test_a_formatter_rewrites_the_files_that_it_is_given(line: str, kind: Kind) -> None:
    command = Command(tuple(Word(word) for word in shlex.split(line)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    touched = list(CommandFacts(command, workspace).touches)

    assert [(one.kind, one.word.text) for one in touched] == [(kind, command.args[-1].text)]
