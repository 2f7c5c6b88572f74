"""Where Claude Code keeps its settings, and how it is to ask: over HTTP or by a command."""

import os
from dataclasses import dataclass

from automode.agents.installing.agent_programs import AgentProgram
from automode.agents.installing.claude_hooks import FIRST_WITH_ON_FAILURE
from automode.agents.installing.hooks_file import settings_in
from automode.agents.installing.plan import CannotInstall, Scope, Transport
from automode.agents.installing.site import Site


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
            return os.path.join(site.system, "claude-code", "managed-settings.json")


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


def _limits_http(site: Site) -> bool:
    files = tuple(claude_settings(site, scope) for scope in (Scope.USER, Scope.MANAGED))
    return any("allowedHttpHookUrls" in settings_in(file) for file in files)


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
