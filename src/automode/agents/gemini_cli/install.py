"""How automode's hooks stand in the settings of Gemini CLI."""

import os
from collections.abc import Mapping

from automode.agents.installing.hooks import HooksInstaller, named_group
from automode.agents.installing.plan import Scope
from automode.agents.installing.site import Site


def gemini_settings(site: Site, scope: Scope) -> str:
    own = os.path.join(site.folder_in("GEMINI_CLI_HOME") or site.home, ".gemini")
    folder = own if scope is Scope.USER else os.path.join(site.system, "gemini-cli")
    return os.path.join(folder, "settings.json")


def _off(settings: Mapping[str, object]) -> bool:
    match settings:
        case {"hooksConfig": {"enabled": False}}:
            return True
        case _:
            return False


INSTALLER = HooksInstaller(
    agent="gemini-cli",
    scopes=(Scope.USER, Scope.MANAGED),
    file=gemini_settings,
    hook=lambda program, _, moment: named_group("gemini-cli", program, moment),
    off=_off,
)
