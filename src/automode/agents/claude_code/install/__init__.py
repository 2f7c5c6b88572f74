"""Plans how automode goes into the settings of Claude Code and out of them again."""

import os
from collections.abc import Iterator

from automode.agents.claude_code.install.commands import plan_commands, plan_no_commands
from automode.agents.claude_code.install.transport import Wish
from automode.agents.installing.apply import present
from automode.agents.installing.claude_hooks import (
    HOST,
    Http,
    hooks,
    is_our_status_line,
    status_line,
)
from automode.agents.installing.claude_settings import (
    STATUS_LINE,
    Edited,
    Entries,
    root_of,
    variables,
    with_entries,
)
from automode.agents.installing.hooks_file import (
    EVERYBODY_READS,
    HooksFile,
    base_of,
    has_hooks,
    left_alone,
    plan_no_hooks,
    settings_in,
)
from automode.agents.installing.plan import (
    OWNER_ONLY,
    CannotInstall,
    Change,
    Plan,
    Receipt,
    Scope,
    Transport,
    digest,
)
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site
from automode.agents.installing.spans import content
from automode.agents.installing.sparing import usual_hosts
from automode.core.errors import BadSettings


def plan_install(
    wish: Wish, site: Site, program: Program, http: Http | None, receipts: Receipts
) -> Plan:
    """`http` None: command hooks. Raises CannotInstall."""
    path, before = present(site.claude_settings(wish.scope))
    _need_hooks_to_count(wish.scope, site)
    base = base_of(path, before, receipts.find(HOST, path))
    entries = Entries(
        hooks(program, http, fails_closed=wish.fails_closed),
        None if _foreign_status_line(base) else status_line(program),
        None if http is None else usual_hosts(site.environment),
    )
    try:
        edited = with_entries(base, entries)
    except BadSettings as error:
        raise left_alone(path, error) from error
    notes = _notes(path, base, wish.scope, entries, program)
    changes: list[Change] = []
    if before is None or not before.strip() or not _is_there(before, entries, edited):
        after = edited.text.encode()
        kept = Receipt(
            HOST,
            wish.scope,
            path,
            program.version,
            Transport.COMMAND if http is None else Transport.HTTP,
            base,
            digest(after),
            edited.pieces,
            edited.made,
            named=site.claude_settings(wish.scope),
            replaced=digest(before),
        )
        mode = EVERYBODY_READS if wish.scope is Scope.MANAGED else OWNER_ONLY
        changes.append(Change(path, before, after, kept, mode))
    if wish.scope is Scope.USER:
        commands, said = plan_commands(site, program)
        changes += commands
        notes += said
    secrets = () if http is None else (http.token,)
    return Plan(HOST, wish.scope, tuple(changes), tuple(notes), secrets)


def plan_uninstall(scope: Scope, site: Site, receipts: Receipts) -> Plan:
    """Nothing to change: nothing of ours is there. Raises CannotInstall."""
    changes = plan_no_hooks(HooksFile(HOST, scope, site.claude_settings(scope)), receipts)
    if scope is Scope.USER:
        changes += plan_no_commands(site, receipts)
    return Plan(HOST, scope, changes)


def _is_there(before: bytes, entries: Entries, edited: Edited) -> bool:
    """Whether exactly these entries stand there, however they are laid out."""
    root = root_of(before.decode())
    if variables(root) != variables(root_of(edited.text)):
        return False
    lines = [content(member.value) for member in root.named(STATUS_LINE)]
    status = entries.status_line is None or lines == [entries.status_line]
    return status and has_hooks(before, entries)


def _foreign_status_line(base: bytes | None) -> bool:
    return any(not is_our_status_line(line) for line in _values(base, STATUS_LINE))


def _values(data: bytes | None, key: str) -> list[object]:
    if data is None or not data.strip():
        return []
    return [content(member.value) for member in root_of(data.decode()).named(key)]


def _need_hooks_to_count(scope: Scope, site: Site) -> None:
    path = site.claude_settings(scope)
    if settings_in(path).get("disableAllHooks"):
        raise CannotInstall(
            f"`{path}` says `disableAllHooks`: no hook in it would run",
            "take that line out if you want to be guarded, then install again",
        )
    managed = settings_in(site.managed)
    if scope is not Scope.MANAGED and managed.get("allowManagedHooksOnly"):
        raise CannotInstall(
            f"`{site.managed}` says `allowManagedHooksOnly`: hooks of yours do not run",
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
