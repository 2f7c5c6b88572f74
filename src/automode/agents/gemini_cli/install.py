"""How automode's hooks stand in the settings of Gemini CLI."""

import os
from collections.abc import Mapping

from automode.agents.installing.hooks import SettingsHooks
from automode.agents.installing.plan import Scope
from automode.agents.installing.site import Site


def gemini_settings(site: Site, scope: Scope) -> str:
    folder = os.path.join(site.named("GEMINI_CLI_HOME") or site.home, ".gemini")
    return site.settings("gemini-cli", folder, scope)


def _off(settings: Mapping[str, object]) -> bool:
    match settings:
        case {"hooksConfig": {"enabled": False}}:
            return True
        case _:
            return False


INSTALLER = SettingsHooks(
    "gemini-cli",
    gemini_settings,
    _off,
)
