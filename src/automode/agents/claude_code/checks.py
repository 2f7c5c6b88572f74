"""What the doctor looks at in Claude Code alone: its plugin, and modes that never ask a person."""

import os
from collections.abc import Iterator

from automode.agents.claude_code.settings import claude_folder, claude_settings
from automode.agents.installing.json_files import settings_in
from automode.agents.installing.plan import Scope
from automode.doctor.finding import AgentChecks, Case, Finding, warning

PLUGIN = "automode"
_NEVER_PROMPTS = "dontAsk"


def switched_on(case: Case) -> bool:
    names = ("settings.json", "settings.local.json")
    folders = (claude_folder(case.site), os.path.join(case.site.project, ".claude"))
    files = (os.path.join(folder, name) for folder in folders for name in names)
    return any(_enables(path) for path in files)


def _enables(path: str) -> bool:
    """Nothing of files that cannot be read: those are told elsewhere."""
    plugins = settings_in(path).get("enabledPlugins")
    names = plugins.items() if isinstance(plugins, dict) else ()
    return any(name.partition("@")[0] == PLUGIN and value is True for name, value in names)


def check_modes(case: Case) -> list[Finding]:
    """Settings under which its own dialog never opens: then what automode asks about is denied.
    Measured in its terminal. Nothing of files that cannot be read: those are told elsewhere."""
    own = [claude_settings(case.site, scope) for scope in (Scope.USER, Scope.MANAGED)]
    names = ("settings.json", "settings.local.json")
    project = [os.path.join(case.start, ".claude", name) for name in names]
    return [
        warning(
            "claude-code: modes",
            f"{path}: {what}: what automode asks about is denied without a dialog",
            "say yes with `automode approve`, or remove it",
        )
        for path in dict.fromkeys((*own, *project))
        for what in _settings_without_dialog(path, own=path in own)
    ]


def _settings_without_dialog(path: str, *, own: bool) -> Iterator[str]:
    """Measured on 2.1.325: of a project the mode counts, and the other setting does not."""
    found = settings_in(path).get("permissions")
    permissions = found if isinstance(found, dict) else {}
    if own and permissions.get("denyInsteadOfPrompting") is True:
        yield "`permissions.denyInsteadOfPrompting`"
    if permissions.get("defaultMode") == _NEVER_PROMPTS:
        yield f"`permissions.defaultMode: {_NEVER_PROMPTS}`"


CHECKS = AgentChecks(switched_on, modes=check_modes)
