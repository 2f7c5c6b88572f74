"""What else answers when an agent proposes a call: hooks and extensions that are not ours."""

import os
import shlex
from collections.abc import Callable, Iterator, Mapping

from automode.agents.cursor.install import is_ours as is_cursors
from automode.agents.installing.claude_hooks import is_ours
from automode.agents.installing.own_hooks import CLIENT
from automode.agents.installing.plan import Scope
from automode.agents.installing.site import Site
from automode.agents.installing.spans import content, parsed
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
_SETTINGS: Mapping[str, Callable[[Site, Scope], str]] = {
    "claude-code": Site.claude_settings,
    "codex": Site.codex_hooks,
    "gemini-cli": Site.gemini_settings,
    "qwen-code": Site.qwen_settings,
    "cursor": lambda site, _: site.cursor_hooks,
    "antigravity": lambda site, _: site.antigravity_hooks,
}
_FOLDERS: Mapping[str, Callable[[Case], str]] = {
    "pi": lambda case: case.pi_extensions,
    "opencode": lambda case: os.path.dirname(case.site.opencode_plugin),
    "copilot-cli": lambda case: os.path.dirname(case.site.copilot_hooks),
    "cline": lambda case: case.site.cline_hooks,
}
"""Where whatever lies answers too."""


def check_others(agent: str, case: Case) -> list[Finding]:
    check = f"{agent}: others"
    look = _SETTINGS.get(agent)
    if look is None:
        found = list(_files(_FOLDERS[agent](case)))
    else:
        found = list(_hooks(look(case.site, Scope.USER)))
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
            if not is_ours(handler) and not is_cursors(handler):
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
