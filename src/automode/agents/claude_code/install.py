"""Plans how automode goes into Claude Code and out again: its hooks, and the commands `/automode`.

Without the files of the commands its terminal answers `Unknown command`. With them the words come
to automode's hook as they were typed, before any model reads them, and automode answers there. So
what stands in such a file is read by a model only where that did not happen.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from automode.agents.claude_code.settings import (
    Wish,
    chosen_transport,
    claude_folder,
    claude_launch,
    claude_settings,
    in_claude,
)
from automode.agents.installing.hooks import FIRST_WITH_ON_FAILURE, HOST, hooks, status_line
from automode.agents.installing.installer import Installer, Launch, Order
from automode.agents.installing.json_files import (
    STATUS_LINE,
    HooksFile,
    settings_in,
    usual_hosts,
)
from automode.agents.installing.plan import (
    CannotInstall,
    Change,
    Placed,
    Plan,
    Receipts,
    Scope,
    Transport,
    present,
)
from automode.agents.installing.site import (
    AgentProgram,
    Http,
    Program,
    Registration,
    Site,
    found_program,
)
from automode.config.json_edit import root_of

COMMANDS = ("automode", "auto-mode")
_COMMAND_TEXT = """\
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
    return _COMMAND_TEXT.format(version=program.version).encode()


def is_our_command_file(data: bytes) -> bool:
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
        if before is not None and not is_our_command_file(before):
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
        if before is not None and is_our_command_file(before):
            changes.append(Change(path, before, None))
        elif receipts.find(HOST, path) is not None:
            changes.append(Change(path, before, before))
    return tuple(changes)


def _places(site: Site) -> Iterator[tuple[str, str]]:
    for name in COMMANDS:
        yield name, os.path.join(claude_folder(site), "commands", f"{name}.md")


def _has_room(path: str) -> bool:
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return os.path.isdir(folder)


@dataclass(frozen=True, slots=True)
class ClaudeInstaller(Installer):
    """Hooks in its settings, and for an account the commands `/automode` and `/auto-mode`."""

    def install(self, order: Order) -> Plan:
        site = order.site
        wish = Wish(order.scope, order.transport, found_program(HOST, site.environment))
        chosen, why = chosen_transport(wish, site)
        http = order.http() if chosen is Transport.HTTP else None
        plan = plan_install(wish, site, order.program, http, order.receipts)
        said = [f"hooks by {chosen}: {why}"]
        if http is not None and not http.known:
            said.append("the port is chosen when it is installed")
        return replace(plan, notes=(*said, *plan.notes))

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        changes = HooksFile(HOST, scope, claude_settings(site, scope)).plan_out(receipts)
        if scope is Scope.USER:
            changes += plan_no_commands(site, receipts)
        return Plan(HOST, scope, changes)

    def registered(
        self, site: Site, program: Program, http: Http | None = None
    ) -> tuple[Registration, ...]:
        return in_claude(site, program, http)

    def launch(
        self,
        arguments: Sequence[str],
        site: Site,
        program: Program,
        found: AgentProgram | None = None,
    ) -> Launch:
        closes = found is not None and found.version >= FIRST_WITH_ON_FAILURE
        self.refuse_disarmed(arguments, site)
        return claude_launch(arguments, site, program, closes=closes)

    def hooks_file(self, site: Site) -> str:
        return claude_settings(site, Scope.USER)


def plan_install(
    wish: Wish, site: Site, program: Program, http: Http | None, receipts: Receipts
) -> Plan:
    """`http` None: command hooks. Raises CannotInstall."""
    named = claude_settings(site, wish.scope)
    path, before = present(named)
    _need_hooks_to_count(wish.scope, site)
    file = HooksFile(
        HOST,
        wish.scope,
        named,
        Transport.COMMAND if http is None else Transport.HTTP,
        comments=False,
        hooks=hooks(program, http, fails_closed=wish.fails_closed),
        spared=None if http is None else usual_hosts(site.environment),
    )
    foreign = _has_status_line(file.base(path, before, receipts))
    shown = file if foreign else replace(file, status_line=status_line(program))
    changes = shown.plan(program, receipts)
    notes = ["your own status line stays; `automode status-line` prints ours for it"] * foreign
    notes += _notes(path, wish.scope, file.spared, program)
    if wish.scope is Scope.USER:
        commands, said = plan_commands(site, program)
        changes += commands
        notes += said
    secrets = () if http is None else (http.token,)
    return Plan(HOST, wish.scope, changes, tuple(notes), secrets)


def _has_status_line(base: bytes | None) -> bool:
    text = (base or b"").decode()
    return bool(text.strip()) and bool(root_of(text).named(STATUS_LINE))


def _need_hooks_to_count(scope: Scope, site: Site) -> None:
    path = claude_settings(site, scope)
    if settings_in(path).get("disableAllHooks"):
        raise CannotInstall(
            f"`{path}` says `disableAllHooks`: no hook in it would run",
            "take that line out if you want to be guarded, then install again",
        )
    above = claude_settings(site, Scope.MANAGED)
    managed = settings_in(above)
    if scope is not Scope.MANAGED and managed.get("allowManagedHooksOnly"):
        raise CannotInstall(
            f"`{above}` says `allowManagedHooksOnly`: hooks of yours do not run",
            "an administrator runs: automode install claude-code --managed",
        )


def _notes(path: str, scope: Scope, spared: str | None, program: Program) -> Iterator[str]:
    if scope is Scope.PROJECT:
        yield "the file names paths of this machine: keep it out of version control"
    if scope is Scope.MANAGED:
        yield from _notes_for_all(program)
    if spared is not None:
        yield "`NO_PROXY` keeps a project's proxy from answering in the daemon's place"
        if spared:
            yield "it holds the hosts of your shell's `NO_PROXY`, which counts no more there"
        if _others_read(path):
            yield f"other accounts can read the token in it; close it: chmod 600 {path}"


def _notes_for_all(program: Program) -> Iterator[str]:
    yield "each account is guarded from when it once ran: automode daemon start"
    for needed in (program.client, program.hook_python, program.python):
        if not _others_read(os.path.realpath(needed)):
            yield (
                f"other accounts cannot read `{needed}`: all their calls will be denied;"
                " install automode where everybody can read it"
            )
            return


def _others_read(path: str) -> bool:
    """Whether the file and all folders above it are open to others."""
    try:
        if not os.stat(path).st_mode & 0o044:
            return False
        while (folder := os.path.dirname(path)) != path:
            if not os.stat(folder).st_mode & 0o011:
                return False
            path = folder
    except OSError:
        return False
    return True


INSTALLER = ClaudeInstaller(HOST)
