"""The folders that commands may run in: a `cd` that fails leaves the rest where it was."""

from collections.abc import Iterator
from dataclasses import replace

from automode.core.files import Kind
from automode.core.paths import normal
from automode.core.workspace import Workspace
from automode.shell.script import Command, Script

LIMIT = 4
"""Folders that one command is judged in."""


def possible_worlds(script: Script, workspace: Workspace) -> Iterator[Script]:
    """The script as it runs where every `cd` succeeds, then with its commands in the other folders
    that they may run in; then incomplete where one may run in too many."""
    yield script
    if not any(command.elsewhere for command in script.commands):
        return
    folders = [_others(command, workspace) for command in script.commands]
    if any(len(found) >= LIMIT for found in folders):
        yield replace(script, gaps=("a command may run in too many folders",))
        return
    for number in range(max(map(len, folders))):
        moved = zip(script.commands, folders, strict=True)
        yield replace(script, commands=tuple(_placed(c, found, number) for c, found in moved))


def _placed(command: Command, folders: tuple[str | None, ...], number: int) -> Command:
    return replace(command, cwd=folders[min(number, len(folders) - 1)]) if folders else command


def _others(command: Command, workspace: Workspace) -> tuple[str | None, ...]:
    found = dict.fromkeys(
        one.folder
        for one in command.elsewhere
        if not any(_exists(folder, workspace) for folder in one.missing)
    )
    found.pop(command.cwd, None)
    return tuple(found)


def _exists(folder: str, workspace: Workspace) -> bool:
    """Whether going there succeeds, as it is written and with its dots taken out."""
    kinds = {workspace.files.kind(one) for one in (folder, normal(folder))}
    return kinds == {Kind.FOLDER}
