"""Plans how automode's hooks go into Cursor's `hooks.json` and out of it again.

From Cursor's documentation, never run here. One event that Cursor does not know, or no `version`,
and it takes nothing from the file.
"""

import re
import shlex
from collections.abc import Iterator

from automode.agents.installing.apply import present
from automode.agents.installing.found import Registration, misled_words
from automode.agents.installing.json_entry import (
    Entry,
    EntryFile,
    found_entries,
    plan_entries,
    plan_no_entries,
)
from automode.agents.installing.launching import Launch
from automode.agents.installing.own_hooks import PROPOSED, TIMEOUT_SECONDS
from automode.agents.installing.plan import CannotInstall, Plan, Scope, Transport, need_account
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site
from automode.core.errors import BadSettings

HOST = "cursor"
ALONE = ("-p", "--print")
MOMENTS = {
    "preToolUse": PROPOSED,
    "postToolUse": "finished",
    "postToolUseFailure": "finished",
    "beforeSubmitPrompt": "prompt",
    "sessionStart": "session",
    "sessionEnd": "session",
    "stop": "session",
}
NOT_RUN = (
    "written after Cursor's documentation, and never seen at work: try it before you rely on it"
)
_COMMAND = re.compile(
    r"/automode/hook/client\.py'? .* cursor (?:proposed|finished|prompt|session)\b"
)
_VERSION = re.compile(r"# automode (\S+)$")


def plan_install(scope: Scope, site: Site, program: Program, receipts: Receipts) -> Plan:
    """Raises CannotInstall."""
    need_account(scope, "Cursor", HOST)
    return Plan(HOST, scope, plan_entries(_file(site, program), program, receipts), (NOT_RUN,))


def plan_uninstall(scope: Scope, site: Site, receipts: Receipts) -> Plan:
    """Nothing to change: nothing of ours is there. Raises CannotInstall."""
    need_account(scope, "Cursor", HOST)
    return Plan(HOST, scope, plan_no_entries(_file(site, Program.here("/", "/")), receipts))


def registered(site: Site, program: Program) -> tuple[Registration, ...]:
    path = site.cursor_hooks
    try:
        data = present(path)[1] or b""
        found = {one.box[-1]: found_entries(data, one) for one in _entries(program)}
    except (CannotInstall, BadSettings, UnicodeDecodeError) as error:
        return (Registration(HOST, Scope.USER, path, wrong=(f"cannot be read: {error}",)),)
    if not any(found.values()):
        return ()
    wrong = tuple(dict.fromkeys(_wrong(found, program)))
    return (Registration(HOST, Scope.USER, path, _version(found), wrong=wrong),)


def launch(arguments: tuple[str, ...], site: Site, program: Program) -> Launch:
    """Raises CannotInstall."""
    places = registered(site, program)
    if not places or places[0].wrong:
        raise CannotInstall(
            "automode is not in Cursor's hooks, or not as a whole, and no option brings it there",
            "run: automode install cursor",
        )
    return Launch(arguments)


def _handler(program: Program, moment: str) -> dict[str, object]:
    waits = moment == PROPOSED
    command = program.signed(program.hook_words(HOST, moment), " || exit 2" if waits else "")
    closing = {"failClosed": True} if waits else {}
    return {"command": command, "timeout": TIMEOUT_SECONDS, **closing}


def _entries(program: Program) -> tuple[Entry, ...]:
    return tuple(
        Entry(("hooks", event), _handler(program, moment), is_ours=is_ours)
        for event, moment in MOMENTS.items()
    )


def _file(site: Site, program: Program) -> EntryFile:
    return EntryFile(
        HOST,
        Scope.USER,
        site.cursor_hooks,
        _entries(program),
        needed={"version": 1},
        transport=Transport.COMMAND,
    )


def is_ours(handler: object) -> bool:
    match handler:
        case {"command": str(command)}:
            return _COMMAND.search(command) is not None
        case _:
            return False


def _wrong(found: dict[str, list[object]], program: Program) -> Iterator[str]:
    for event, handlers in found.items():
        if len(handlers) != 1:
            many = f"{len(handlers)} hooks for {event}: each call is decided as often"
            yield many if handlers else f"no hook for {event}"
        for handler in handlers:
            yield from _misled(event, handler, program)


def _misled(event: str, handler: object, program: Program) -> Iterator[str]:
    if handler == _handler(program, MOMENTS[event]):
        return
    match handler:
        case {"command": str(command)}:
            yield from misled_words(shlex.split(command, comments=True), program)
        case _:
            pass
    closes = isinstance(handler, dict) and handler.get("failClosed") is True
    if MOMENTS[event] == PROPOSED and not closes:
        yield f"{event} lets the call run when the hook fails: no `failClosed`"


def _version(found: dict[str, list[object]]) -> str:
    for handler in (one for handlers in found.values() for one in handlers):
        match handler:
            case {"command": str(command)} if named := _VERSION.search(command):
                return named[1]
            case _:
                continue
    return ""
