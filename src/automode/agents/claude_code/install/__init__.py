"""Plans how automode goes into the settings of Claude Code and out of them again."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from automode.agents.claude_code.install.commands import plan_commands, plan_no_commands
from automode.agents.claude_code.install.launch import claude_launch
from automode.agents.claude_code.install.registered import in_claude
from automode.agents.claude_code.install.transport import Wish, chosen_transport, claude_settings
from automode.agents.installing.agent_programs import AgentProgram, found_program
from automode.agents.installing.apply import present
from automode.agents.installing.claude_hooks import (
    FIRST_WITH_ON_FAILURE,
    HOST,
    Http,
    hooks,
    is_our_status_line,
    status_line,
)
from automode.agents.installing.claude_settings import STATUS_LINE, Entries
from automode.agents.installing.found import Registration
from automode.agents.installing.hooks_file import (
    HooksFile,
    base_of,
    plan_hooks,
    plan_no_hooks,
    settings_in,
)
from automode.agents.installing.installer import Installer, Order
from automode.agents.installing.launching import Launch
from automode.agents.installing.no_proxy import usual_hosts
from automode.agents.installing.plan import (
    CannotInstall,
    Plan,
    Scope,
    Transport,
)
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site
from automode.config.json_edit import root_of
from automode.config.jsonc import content


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
        changes = plan_no_hooks(HooksFile(HOST, scope, claude_settings(site, scope)), receipts)
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
    base = base_of(path, before, receipts.find(HOST, path))
    entries = Entries(
        hooks(program, http, fails_closed=wish.fails_closed),
        None if _foreign_status_line(base) else status_line(program),
        None if http is None else usual_hosts(site.environment),
    )
    transport = Transport.COMMAND if http is None else Transport.HTTP
    file = HooksFile(HOST, wish.scope, named, transport=transport)
    changes = plan_hooks(file, entries, program, receipts)
    notes = _notes(path, base, wish.scope, entries, program)
    if wish.scope is Scope.USER:
        commands, said = plan_commands(site, program)
        changes += commands
        notes += said
    secrets = () if http is None else (http.token,)
    return Plan(HOST, wish.scope, changes, tuple(notes), secrets)


def _foreign_status_line(base: bytes | None) -> bool:
    return any(not is_our_status_line(line) for line in _values(base, STATUS_LINE))


def _values(data: bytes | None, key: str) -> list[object]:
    if data is None or not data.strip():
        return []
    return [content(member.value) for member in root_of(data.decode()).named(key)]


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


def _notes(
    path: str, base: bytes | None, scope: Scope, entries: Entries, program: Program
) -> list[str]:
    notes: list[str] = []
    if _foreign_status_line(base):
        notes.append("your own status line stays; `automode status-line` prints ours for it")
    if scope is Scope.PROJECT:
        notes.append("the file names paths of this machine: keep it out of version control")
    if scope is Scope.MANAGED:
        notes += _notes_for_all(program)
    if entries.spared is not None:
        notes.append("`NO_PROXY` keeps a project's proxy from answering in the daemon's place")
        if entries.spared:
            notes.append(
                "it holds the hosts of your shell's `NO_PROXY`, which counts no more there"
            )
        if _others_read(path):
            notes.append(f"other accounts can read the token in it; close it: chmod 600 {path}")
    return notes


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
