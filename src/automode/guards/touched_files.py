"""Which files a script reads, writes, moves or removes, as far as the reading tells."""

from collections.abc import Iterator

from automode.core.workspace import Workspace
from automode.guards.inline_code import inside
from automode.programs.catalog import PROGRAMS
from automode.programs.program import Program
from automode.programs.row import Kind
from automode.programs.touch import TouchedFile
from automode.programs.use import Invocation
from automode.shell.reader import Reader
from automode.shell.script import Command, Script

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
    program = PROGRAMS.get(command.program)
    if not isinstance(program, Program):
        yield from (TouchedFile(None, word, command.cwd) for word in command.args)
        return
    invocation = Invocation(command.program, command.args, command, workspace)
    if program.given(invocation) is None:
        yield from (TouchedFile(None, word, command.cwd) for word in command.args)
    for touch in program.touches(invocation):
        kind = None if touch.kind is Kind.ANY else touch.kind
        yield TouchedFile(kind, touch.word, command.cwd)
