"""What else answers when an agent proposes a call: hooks and extensions that are not ours."""

import json
import os
import shlex
from collections.abc import Iterator

from automode.doctor.case import Case
from automode.doctor.finding import Finding, fine, warning
from automode.install.claude_hooks import is_ours
from automode.install.plan import Scope

LARGEST_BYTES = 1 << 20
MOST_SHOWN = 10
_EVENTS = {
    "PreToolUse": "can rewrite a call after it was decided",
    "PermissionRequest": "can answer in the person's place what automode asks them",
}


def check_others(agent: str, case: Case) -> list[Finding]:
    check = f"{agent}: others"
    found = list(_claude(case) if agent == "claude-code" else _pi(case))
    if not found:
        return [fine(check, "nobody else answers in this account")]
    left = len(found) - MOST_SHOWN
    more = [warning(check, f"and {left} more", "")] if left > 0 else []
    return [warning(check, says, fix) for says, fix in found[:MOST_SHOWN]] + more


def _claude(case: Case) -> Iterator[tuple[str, str]]:
    """The project's own are found with the switches."""
    path = case.site.claude_settings(Scope.USER)
    look = f"${{EDITOR:-vi}} {shlex.quote(path)}"
    try:
        with open(path, "rb") as file:
            settings: object = json.loads(file.read(LARGEST_BYTES) or b"{}")
    except FileNotFoundError:
        return
    except (OSError, ValueError):
        yield f"{path} cannot be read, so nobody can say who else answers", look
        return
    for event, does in _EVENTS.items():
        for handler in _handlers(settings, event):
            if not is_ours(handler):
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
            case _:
                continue


def _named(handler: object) -> str:
    match handler:
        case {"command": str(text)} | {"url": str(text)}:
            line = " ".join(text.split())
            return line if len(line) <= 60 else f"{line[:59]}…"
        case _:
            return "of an unknown kind"


def _pi(case: Case) -> Iterator[tuple[str, str]]:
    folder = case.pi_extensions
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return
    except OSError as error:
        yield f"{folder} cannot be read ({error.strerror})", f"ls -ld {shlex.quote(folder)}"
        return
    for name in names:
        if not name.startswith((".", "automode.")):
            path = os.path.join(folder, name)
            says = f"{path} is another extension: it can rewrite a call after it was decided"
            yield says, f"${{EDITOR:-vi}} {shlex.quote(path)}"
