"""Which files a script reads, writes, moves or removes, as far as the reading tells."""

from collections.abc import Iterator

from automode.core.workspace import Workspace
from automode.guards.guard import bare_name
from automode.guards.inline_code import inside
from automode.guards.targets import edited_in_place
from automode.programs.builtins import PROGRAMS as BUILTINS
from automode.programs.catalog import PROGRAMS
from automode.programs.program import Program
from automode.programs.row import Kind
from automode.programs.touch import TouchedFile
from automode.programs.use import Invocation
from automode.shell.reader import Reader
from automode.shell.script import Command, Script

_SOURCES = frozenset(("source", ".", "history", "bind", "enable"))
"""Builtins of the shell that read a file they are given. The others touch none."""

NESTING = 3
"""How deep code inside code inside a command is followed."""


def touched_files(
    script: Script, workspace: Workspace, reader: Reader, depth: int = 0
) -> Iterator[TouchedFile]:
    for command in script.commands:
        if command.remote:
            continue
        yield from _redirected(command)
        if command.words and not command.transparent:
            yield from _by_program(command, workspace)
        for inner in inside(command, workspace) if depth < NESTING else ():
            known = reader.first(inner, workspace) if isinstance(inner, str) else inner
            yield from touched_files(known, workspace, reader, depth + 1)


def _redirected(command: Command) -> Iterator[TouchedFile]:
    for redirect in command.redirects:
        if redirect.writes:
            yield TouchedFile(Kind.WRITES, redirect.target, command.cwd)
        if redirect.op in ("<", "<>"):
            yield TouchedFile(Kind.READS, redirect.target, command.cwd)


def _by_program(command: Command, workspace: Workspace) -> Iterator[TouchedFile]:
    """By its row. Of a program without a row every word may be a file, and anything may happen to
    it."""
    if command.program in BUILTINS:
        sources = command.args if command.program in _SOURCES else ()
        yield from (TouchedFile(Kind.READS, word, command.cwd) for word in sources)
        return
    program = PROGRAMS.get(command.program)
    if not isinstance(program, Program):
        for word in edited_in_place(bare_name(command), command.args):
            yield TouchedFile(Kind.WRITES, word, command.cwd)
        yield from (TouchedFile(None, word, command.cwd) for word in command.args)
        return
    invocation = Invocation(command.program, command.args, command, workspace)
    if program.given(invocation) is None:
        yield from (TouchedFile(None, word, command.cwd) for word in command.args)
    for touch in program.touches(invocation):
        yield TouchedFile(touch.kind, touch.word, command.cwd)
