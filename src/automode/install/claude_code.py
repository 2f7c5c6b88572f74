"""Plans how automode goes into the settings of Claude Code and out of them again."""

import json
import os
from collections.abc import Iterator

from automode.core.errors import BadSettings
from automode.install.apply import present
from automode.install.claude_commands import plan_commands, plan_no_commands
from automode.install.claude_hooks import HOST, Http, hooks, is_our_status_line, status_line
from automode.install.claude_settings import (
    STATUS_LINE,
    Edited,
    Entries,
    ours,
    root_of,
    variables,
    with_entries,
    without_entries,
)
from automode.install.claude_transport import Wish, settings_in
from automode.install.plan import (
    OWNER_ONLY,
    CannotInstall,
    Change,
    Plan,
    Receipt,
    Scope,
    Transport,
    digest,
)
from automode.install.receipts import Receipts
from automode.install.site import Program, Site
from automode.install.spans import MARK, content
from automode.install.sparing import usual_hosts

EVERYBODY_READS = 0o644


def plan_install(
    wish: Wish, site: Site, program: Program, http: Http | None, receipts: Receipts
) -> Plan:
    """`http` None: command hooks. Raises CannotInstall."""
    path, before = present(site.claude_settings(wish.scope))
    _need_hooks_to_count(wish.scope, site)
    base = _base(path, before, receipts.find(HOST, path))
    entries = Entries(
        hooks(program, http, fails_closed=wish.fails_closed),
        None if _foreign_status_line(base) else status_line(program),
        None if http is None else usual_hosts(site.environment),
    )
    try:
        edited = with_entries(base, entries)
    except BadSettings as error:
        raise CannotInstall(f"`{path}` was left alone: {error}", error.hint) from error
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
    path, before = present(site.claude_settings(scope))
    receipt = receipts.find(HOST, path)
    try:
        blank = before is None or not before.strip()
        after = before if before is None or blank else without_entries(before, receipt)
    except (BadSettings, UnicodeDecodeError) as error:
        raise _left_alone(path, error) from error
    changes: tuple[Change, ...] = ()
    if after != before or receipt is not None:
        changes = (Change(path, before, after),)
    if scope is Scope.USER:
        changes += plan_no_commands(site, receipts)
    return Plan(HOST, scope, changes)


def _base(path: str, before: bytes | None, receipt: Receipt | None) -> bytes | None:
    """The settings without us, as the agent can read them."""
    if before is None:
        return None
    try:
        base = without_entries(before, receipt) if before.strip() else before
        need_strict_json(base or b"")
    except (BadSettings, UnicodeDecodeError) as error:
        raise _left_alone(path, error) from error
    return base


def need_strict_json(data: bytes) -> None:
    """One comment, and Claude Code takes nothing from the file: no hook either."""
    text = data.decode().removeprefix(MARK)
    if not text.strip():
        return
    root_of(text)
    try:
        json.loads(text)
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 0
        raise BadSettings(
            f"line {line}: a comment or a last comma, and so Claude Code ignores the whole file",
            "take it out, then install again",
        ) from error


def _left_alone(path: str, error: BadSettings | UnicodeDecodeError) -> CannotInstall:
    if isinstance(error, UnicodeDecodeError):
        return CannotInstall(f"`{path}` was left alone: it is not UTF-8", "mend it by hand")
    return CannotInstall(f"`{path}` was left alone: {error}", error.hint or "mend it by hand")


def _is_there(before: bytes, entries: Entries, edited: Edited) -> bool:
    """Whether exactly these entries stand there, however they are laid out."""
    root = root_of(before.decode())
    if variables(root) != variables(root_of(edited.text)):
        return False
    wanted = [(event, _handler(group)) for event, group in entries.hooks.items()]
    lines = [content(member.value) for member in root.named(STATUS_LINE)]
    status = [] if entries.status_line is None else [entries.status_line]
    found = sorted(ours(root), key=lambda row: row[0])
    return found == sorted(wanted, key=lambda row: row[0]) and (
        entries.status_line is None or lines == status
    )


def _handler(group: object) -> object:
    match group:
        case {"hooks": [handler]}:
            return handler
        case _:
            return None


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
