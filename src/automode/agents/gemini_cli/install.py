"""automode's hooks in the settings of Gemini CLI."""

import os
from collections.abc import Mapping

from automode.agents.installing.hooks import HooksInstaller, named_group
from automode.agents.installing.plan import Scope
from automode.agents.installing.site import Site


def gemini_settings(site: Site, scope: Scope) -> str:
    if scope is Scope.MANAGED:
        return site.managed_file("gemini-cli", "settings.json", "GEMINI_CLI_SYSTEM_SETTINGS_PATH")
    own = os.path.join(site.folder_in("GEMINI_CLI_HOME") or site.home, ".gemini")
    return os.path.join(own, "settings.json")


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
