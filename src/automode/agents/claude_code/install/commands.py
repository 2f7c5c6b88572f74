"""The commands `/automode` and `/auto-mode` of Claude Code: files that make it take the words.

Without them its terminal answers `Unknown command`. With them the words come to automode's hook as
they were typed, before any model reads them, and automode answers there. So what stands in the file
is read by a model only where that did not happen.
"""

import os
import re
from collections.abc import Iterator

from automode.agents.claude_code.install.transport import claude_folder
from automode.agents.installing.apply import present
from automode.agents.installing.claude_hooks import HOST
from automode.agents.installing.plan import CannotInstall, Change, Placed, Scope, Transport
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site

NAMES = ("automode", "auto-mode")
_TEXT = """\
---
description: "automode: status, denials, approve ID, on, off, reset, config, defaults, usage"
argument-hint: "[status | denials | approve ID | on | off | reset | …]"
disable-model-invocation: true
---

automode did not answer this command, so it was not carried out. Say exactly that, and that the same
words work in a terminal, as in `automode status`. Run nothing, and do nothing else.

<!-- automode {version} -->
"""
_SIGNATURE = re.compile(rb"^<!-- automode \S+ -->\s*\Z", re.MULTILINE)


def command_text(program: Program) -> bytes:
    return _TEXT.format(version=program.version).encode()


def is_our_command(data: bytes) -> bool:
    """Also one of another version."""
    return _SIGNATURE.search(data) is not None


def plan_commands(site: Site, program: Program) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """What has to change, and what to know: a command of the person's own stays."""
    changes: list[Change] = []
    notes: list[str] = []
    after = command_text(program)
    for name, wanted in _places(site):
        try:
            path, before = present(wanted)
        except CannotInstall as error:
            notes.append(f"no /{name} in Claude Code: {error}")
            continue
        if before is not None and not is_our_command(before):
            notes.append(f"your own /{name} stays, and so automode's does not work there: {path}")
        elif not _has_room(path):
            notes.append(f"no /{name} in Claude Code: there is no folder for `{path}`")
        elif before != after:
            placed = Placed(HOST, Scope.USER, wanted, path, before)
            changes.append(placed.change(after, program.version, Transport.COMMAND))
    return tuple(changes), tuple(notes)


def plan_no_commands(site: Site, receipts: Receipts) -> tuple[Change, ...]:
    """What is ours goes; what cannot be looked at is not."""
    changes: list[Change] = []
    for _, wanted in _places(site):
        try:
            path, before = present(wanted)
        except CannotInstall:
            continue
        if before is not None and is_our_command(before):
            changes.append(Change(path, before, None))
        elif receipts.find(HOST, path) is not None:
            changes.append(Change(path, before, before))
    return tuple(changes)


def _places(site: Site) -> Iterator[tuple[str, str]]:
    for name in NAMES:
        yield name, os.path.join(claude_folder(site), "commands", f"{name}.md")


def _has_room(path: str) -> bool:
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return os.path.isdir(folder)
