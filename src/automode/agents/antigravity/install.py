"""Plans how automode's hook goes into Antigravity's `hooks.json` and out of it again.

After what others say of it, never run here. The file maps names of hooks to events, and an event to
groups of handlers; what it does not know of an event makes it take nothing from the file. So one
event alone is asked for.
"""

import shlex
from collections.abc import Iterator, Sequence

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
from automode.agents.installing.own_hooks import PROPOSED, version_in
from automode.agents.installing.plan import CannotInstall, Plan, Scope, Transport, need_account
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site
from automode.core.errors import BadSettings

HOST = "antigravity"
ALONE = ("-p", "--print", "--prompt")
EVENT = "PreToolUse"
TIMEOUT_SECONDS = 30
"""More than the 25 seconds after which the hook itself says no."""
NOT_RUN = (
    "written after what others say of Antigravity, and never seen at work:"
    " try it before you rely on it"
)
_CLIENT = "/automode/hook/client.py"


def plan_install(scope: Scope, site: Site, program: Program, receipts: Receipts) -> Plan:
    """Raises CannotInstall."""
    need_account(scope, "Antigravity", HOST)
    return Plan(HOST, scope, plan_entries(_file(site, program), program, receipts), (NOT_RUN,))


def plan_uninstall(scope: Scope, site: Site, receipts: Receipts) -> Plan:
    """Nothing to change: nothing of ours is there. Raises CannotInstall."""
    need_account(scope, "Antigravity", HOST)
    return Plan(HOST, scope, plan_no_entries(_file(site, Program.here("/", "/")), receipts))


def registered(site: Site, program: Program) -> tuple[Registration, ...]:
    path = site.antigravity_hooks
    try:
        found = found_entries(present(path)[1] or b"", _entry(program))
    except (CannotInstall, BadSettings, UnicodeDecodeError) as error:
        return (Registration(HOST, Scope.USER, path, wrong=(f"cannot be read: {error}",)),)
    if not found:
        return ()
    wrong = tuple(dict.fromkeys(_wrong(found, program)))
    return (Registration(HOST, Scope.USER, path, version_in(repr(found)), wrong=wrong),)


def launch(arguments: Sequence[str], site: Site, program: Program) -> Launch:
    """Raises CannotInstall."""
    places = registered(site, program)
    if not places or places[0].wrong:
        raise CannotInstall(
            "automode is not in Antigravity's hooks, or not as a whole; no option brings it there",
            "run: automode install antigravity",
        )
    return Launch(tuple(arguments))


def is_ours(group: object) -> bool:
    return _CLIENT in _command(group)


def _command(group: object) -> str:
    match group:
        case {"hooks": [{"command": str(command)}, *_]}:
            return command
        case _:
            return ""


def _group(program: Program) -> dict[str, object]:
    command = program.signed(program.hook_words(HOST, PROPOSED), " || exit 2")
    handler = {"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}
    return {"matcher": "", "hooks": [handler]}


def _entry(program: Program) -> Entry:
    return Entry(("automode", EVENT), _group(program), is_ours=is_ours)


def _file(site: Site, program: Program) -> EntryFile:
    entries = (_entry(program),)
    return EntryFile(HOST, Scope.USER, site.antigravity_hooks, entries, transport=Transport.COMMAND)


def _wrong(found: Sequence[object], program: Program) -> Iterator[str]:
    if len(found) != 1:
        yield f"{len(found)} hooks for {EVENT}: each call is decided as often"
    for group in found:
        if group != _group(program):
            yield from misled_words(shlex.split(_command(group), comments=True), program)
            yield f"{EVENT} is not as automode writes it"
