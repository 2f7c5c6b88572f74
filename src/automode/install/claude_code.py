"""Plans how automode goes into the settings of Claude Code and out of them again."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from automode.core.errors import BadSettings
from automode.install.agent_programs import AgentProgram
from automode.install.apply import present
from automode.install.claude_hooks import (
    FIRST_WITH_ON_FAILURE,
    HOST,
    Http,
    hooks,
    is_our_status_line,
    status_line,
)
from automode.install.claude_settings import (
    STATUS_LINE,
    Entries,
    ours,
    root_of,
    with_entries,
    without_entries,
)
from automode.install.plan import (
    OWNER_ONLY,
    CannotInstall,
    Change,
    Plan,
    Receipt,
    Scope,
    Transport,
)
from automode.install.receipts import Receipts
from automode.install.site import Program, Site
from automode.install.spans import MARK, content

EVERYBODY_READS = 0o644


@dataclass(frozen=True, slots=True)
class Wish:
    """`transport` None: the best that the found agent can be trusted with."""

    scope: Scope
    transport: Transport | None = None
    found: AgentProgram | None = None

    @property
    def fails_closed(self) -> bool:
        """Whether the agent is known to take a hook that fails for a no."""
        return self.found is not None and self.found.version >= FIRST_WITH_ON_FAILURE


def chosen_transport(wish: Wish, site: Site) -> tuple[Transport, str]:
    """How hooks will reach the daemon, and why; raises CannotInstall for what would not close."""
    if wish.transport is Transport.HTTP:
        _need_closing_http(wish)
        return Transport.HTTP, "as you asked for"
    if wish.transport is not None:
        return wish.transport, "as you asked for"
    if wish.scope is not Scope.USER:
        return Transport.COMMAND, "no token belongs into a file that others read"
    if not wish.fails_closed:
        return Transport.COMMAND, _why_not_http(wish)
    if _limits_http(site):
        return Transport.COMMAND, "`allowedHttpHookUrls` limits hooks over HTTP"
    return Transport.HTTP, "the fastest that this Claude Code can be trusted with"


def plan_install(
    wish: Wish, site: Site, program: Program, http: Http | None, receipts: Receipts
) -> Plan:
    """`http` None: command hooks. Raises CannotInstall."""
    path, before = present(site.claude_settings(wish.scope))
    _need_hooks_to_count(wish.scope, site)
    receipt = receipts.find(HOST, path)
    base = _base(path, before, receipt)
    entries = Entries(
        hooks(program, http, fails_closed=wish.fails_closed),
        None if _foreign_status_line(base) else status_line(program),
    )
    notes = [*_notes(path, base, wish.scope, http, program)]
    if before is not None and before.strip() and _is_there(before, entries):
        return Plan(HOST, wish.scope, (), tuple(notes))
    try:
        edited = with_entries(base, entries)
    except BadSettings as error:
        raise CannotInstall(f"`{path}` was left alone: {error}", error.hint) from error
    after = edited.text.encode()
    kept = Receipt(
        HOST,
        wish.scope,
        path,
        program.version,
        Transport.COMMAND if http is None else Transport.HTTP,
        base,
        hashlib.sha256(after).hexdigest(),
        edited.pieces,
        edited.made,
    )
    mode = EVERYBODY_READS if wish.scope is Scope.MANAGED else OWNER_ONLY
    secrets = () if http is None else (http.token,)
    change = Change(path, before, after, kept, mode)
    return Plan(HOST, wish.scope, (change,), tuple(notes), secrets)


def plan_uninstall(scope: Scope, site: Site, receipts: Receipts) -> Plan:
    """Nothing to change: nothing of ours is there. Raises CannotInstall."""
    path, before = present(site.claude_settings(scope))
    if before is None:
        return Plan(HOST, scope, ())
    receipt = receipts.find(HOST, path)
    try:
        after = without_entries(before, receipt)
    except (BadSettings, UnicodeDecodeError) as error:
        raise _left_alone(path, error) from error
    changes = () if after == before else (Change(path, before, after),)
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


def _is_there(before: bytes, entries: Entries) -> bool:
    """Whether exactly these entries stand there, however they are laid out."""
    root = root_of(before.decode())
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


def _settings(path: str) -> Mapping[str, object]:
    """What another settings file says; nothing where it says nothing that counts."""
    try:
        _, data = present(path)
        found = content(root_of((data or b"{}").decode()))
    except (CannotInstall, BadSettings, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def _need_hooks_to_count(scope: Scope, site: Site) -> None:
    path = site.claude_settings(scope)
    if _settings(path).get("disableAllHooks"):
        raise CannotInstall(
            f"`{path}` says `disableAllHooks`: no hook in it would run",
            "take that line out if you want to be guarded, then install again",
        )
    managed = _settings(site.managed)
    if scope is not Scope.MANAGED and managed.get("allowManagedHooksOnly"):
        raise CannotInstall(
            f"`{site.managed}` says `allowManagedHooksOnly`: hooks of yours do not run",
            "an administrator runs: automode install claude-code --managed",
        )


def _limits_http(site: Site) -> bool:
    files = (site.claude_settings(Scope.USER), site.managed)
    return any("allowedHttpHookUrls" in _settings(file) for file in files)


def _need_closing_http(wish: Wish) -> None:
    if wish.scope is Scope.MANAGED:
        raise CannotInstall(
            "hooks over HTTP carry a token, and every account reads the managed settings",
            "leave out --transport",
        )
    if not wish.fails_closed:
        raise CannotInstall(
            f"hooks over HTTP would let calls run while no daemon answers: {_why_not_http(wish)}",
            "use --transport command",
        )


def _why_not_http(wish: Wish) -> str:
    known = ".".join(map(str, FIRST_WITH_ON_FAILURE))
    if wish.found is None:
        return "no `claude` was found on the PATH"
    return f"Claude Code {wish.found.says} is older than {known}"


def _notes(
    path: str, base: bytes | None, scope: Scope, http: Http | None, program: Program
) -> list[str]:
    notes: list[str] = []
    if _foreign_status_line(base):
        notes.append("your own status line stays; `automode status-line` prints ours for it")
    if scope is Scope.PROJECT:
        notes.append("the file names paths of this machine: keep it out of version control")
    if scope is Scope.MANAGED:
        notes.append(f"it guards the account that owns {program.state}; others' calls are denied")
    if http is not None and _others_read(path):
        notes.append(f"other accounts can read the token in it; close it: chmod 600 {path}")
    return notes


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
