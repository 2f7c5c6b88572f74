"""Claude Code's settings: where they are, how hooks in them reach the daemon, and which hosts no
proxy may stand before."""

import os
import re
from collections.abc import Mapping

from automode.agents.installing.installer import InstallRequest
from automode.agents.installing.json_files import settings_in
from automode.agents.installing.plan import CannotInstall, Scope, Transport
from automode.agents.installing.site import AgentProgram, Site

HOST = "claude-code"
FIRST_WITH_ON_FAILURE = (2, 1, 325)
"""The first version in which `onFailure` was measured to work; 2.1.197 ignores it. With an older
one a hook over HTTP that cannot be reached would let the call run."""
ENVIRONMENT = "env"
NAMES = ("NO_PROXY", "no_proxy")
"""Both: programs differ in which of them they prefer."""
OURS = "127.0.0.1,localhost,automode.invalid"
"""The last one exists nowhere: it tells that automode wrote the list."""
_LOOPBACK = frozenset({"127.0.0.1", "*"})


def claude_folder(site: Site) -> str:
    return site.folder("CLAUDE_CONFIG_DIR", ".claude")


def claude_settings(site: Site, scope: Scope) -> str:
    match scope:
        case Scope.USER:
            return os.path.join(claude_folder(site), "settings.json")
        case Scope.PROJECT:
            # The file that is checked in would carry this machine's paths to others.
            return os.path.join(site.project, ".claude", "settings.local.json")
        case Scope.MANAGED:
            return site.managed_file(HOST, "managed-settings.json")


def closes_by_itself(found: AgentProgram | None) -> bool:
    """Whether the agent is known to take a hook that fails for a no."""
    return found is not None and found.version >= FIRST_WITH_ON_FAILURE


def chosen_transport(order: InstallRequest) -> tuple[Transport, str]:
    """How hooks will reach the daemon, and why; raises CannotInstall for what would not close."""
    against = _against_http(order)
    if order.transport is Transport.HTTP:
        if against:
            raise CannotInstall(f"no hooks over HTTP: {against}", "use --transport command")
        return Transport.HTTP, "as you asked for"
    if order.transport is not None:
        return order.transport, "as you asked for"
    if against:
        return Transport.COMMAND, against
    return Transport.HTTP, "the fastest that this Claude Code can be trusted with"


def _against_http(order: InstallRequest) -> str:
    if not closes_by_itself(order.found):
        known = ".".join(map(str, FIRST_WITH_ON_FAILURE))
        if order.found is None:
            return "no `claude` was found on the PATH"
        return f"Claude Code {order.found.says} is older than {known}"
    asked_for = order.scope is Scope.PROJECT and order.transport is Transport.HTTP
    if order.scope is not Scope.USER and not asked_for:
        return "no token belongs into a file that others read"
    own = claude_settings(order.site, Scope.USER)
    for file in (own, claude_settings(order.site, Scope.MANAGED)):
        if "allowedHttpHookUrls" in settings_in(file):
            return f"`allowedHttpHookUrls` in `{file}` limits hooks over HTTP"
    for name, value in listed_hosts(settings_in(own)).items():
        if not spares_loopback(value):
            return f"`env.{name}` in `{own}` does not name 127.0.0.1: a proxy could answer"
    return ""


def spares_loopback(value: object) -> bool:
    return isinstance(value, str) and not _LOOPBACK.isdisjoint(_hosts(value))


def listed_hosts(settings: Mapping[str, object]) -> dict[str, object]:
    """What settings say about hosts that no proxy may stand before."""
    known = settings.get(ENVIRONMENT)
    return {name: known[name] for name in NAMES if isinstance(known, dict) and name in known}


def usual_hosts(environment: Mapping[str, str]) -> str:
    """What the person's own environment keeps from proxies."""
    return environment.get("no_proxy") or environment.get("NO_PROXY") or ""


def whole_list(hosts: str) -> str:
    known = OURS.split(",")
    return ",".join((*known, *(host for host in _hosts(hosts) if host not in known)))


def is_our_list(value: object) -> bool:
    """Whether all of it was written by us."""
    return isinstance(value, str) and (value == OURS or value.startswith(f"{OURS},"))


def _hosts(value: str) -> list[str]:
    return [host for host in re.split(r"[,\s]+", value) if host]
