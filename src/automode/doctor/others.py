"""What else answers when an agent proposes a call: hooks and extensions that are not ours."""

import os
import shlex
from collections.abc import Iterator

from automode.agents.installing.claude_hooks import is_our_command, is_ours
from automode.agents.installing.installer import installer_of
from automode.agents.installing.own_hooks import CLIENT
from automode.config.json_edit import parsed
from automode.config.json_tree import content
from automode.core.errors import BadSettings
from automode.doctor.case import Case
from automode.doctor.finding import Finding, fine, warning

LARGEST_BYTES = 1 << 20
MOST_SHOWN = 10
_EVENTS = {
    "PreToolUse": "can rewrite a call after it was decided",
    "PermissionRequest": "can answer in the person's place what automode asks them",
    "preToolUse": "can rewrite a call after it was decided",
    "BeforeTool": "can rewrite a call after it was decided",
}


def check_others(agent: str, case: Case) -> list[Finding]:
    check = f"{agent}: others"
    installer = installer_of(agent)
    path = installer.hooks_file(case.site)
    found = list(_hooks(path) if path else _files(installer.hooks_folder(case.site)))
    if not found:
        return [fine(check, "nobody else answers in this account")]
    left = len(found) - MOST_SHOWN
    more = [warning(check, f"and {left} more", "")] if left > 0 else []
    return [warning(check, says, fix) for says, fix in found[:MOST_SHOWN]] + more


def _hooks(path: str) -> Iterator[tuple[str, str]]:
    """The project's own are found with the switches."""
    look = f"${{EDITOR:-vi}} {shlex.quote(path)}"
    try:
        with open(path, "rb") as file:
            settings = content(parsed(file.read(LARGEST_BYTES).decode() or "{}"))
    except FileNotFoundError:
        return
    except (OSError, ValueError, BadSettings):
        yield f"{path} cannot be read, so nobody can say who else answers", look
        return
    for event, does in _EVENTS.items():
        for handler in _handlers(settings, event):
            if not _is_ours(handler):
                yield f"{path}: another hook at {event} ({_named(handler)}) {does}", look


def _handlers(settings: object, event: str) -> Iterator[object]:
    match settings:
        case {"hooks": {**events}}:
            groups = events.get(event)
        case _:
            return
    for group in groups if isinstance(groups, list) else ():
        match group:
            case {"hooks": [*handlers]}:
                yield from handlers
            case {"command": _}:  # Cursor has no groups
                yield group
            case _:
                continue


def _is_ours(handler: object) -> bool:
    match handler:
        case {"command": str(command)}:
            return is_our_command(command)
        case _:
            return is_ours(handler)


def _named(handler: object) -> str:
    match handler:
        case {"command": str(text)} | {"url": str(text)}:
            line = " ".join(text.split())
            return line if len(line) <= 60 else f"{line[:59]}…"
        case _:
            return "of an unknown kind"


def _files(folder: str) -> Iterator[tuple[str, str]]:
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return
    except OSError as error:
        yield f"{folder} cannot be read ({error.strerror})", f"ls -ld {shlex.quote(folder)}"
        return
    for name in names:
        path = os.path.join(folder, name)
        if not name.startswith((".", "automode.")) and not _calls_automode(path):
            says = f"{path} is another extension: it can rewrite a call after it was decided"
            yield says, f"${{EDITOR:-vi}} {shlex.quote(path)}"


def _calls_automode(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return CLIENT in file.read(LARGEST_BYTES)
    except OSError:
        return False
