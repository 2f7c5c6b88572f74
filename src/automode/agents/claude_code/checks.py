"""What the doctor looks at in Claude Code alone: its plugin, and modes that never ask a person."""

import os
from collections.abc import Iterator

from automode.agents.claude_code.settings import claude_folder, claude_settings
from automode.agents.installing.json_files import settings_in
from automode.agents.installing.plan import Scope
from automode.doctor.finding import AgentChecks, Case, Finding, fine, problem, warning

PLUGIN = "automode"
_NEVER_PROMPTS = "dontAsk"
SYSTEM_PROGRAMS = (
    "/opt/homebrew/bin/automode",
    "/usr/local/bin/automode",
    "/usr/bin/automode",
)
"""Where the plugin looks after `~/.local/bin/automode`; its script has the same list."""


def switched_on(case: Case) -> bool:
    names = ("settings.json", "settings.local.json")
    folders = (claude_folder(case.site), os.path.join(case.site.project, ".claude"))
    files = (os.path.join(folder, name) for folder in folders for name in names)
    return any(_enables(path) for path in files)


def check_plugin(case: Case, hooks: bool) -> list[Finding]:  # noqa: FBT001 - as AgentChecks says
    """`hooks`: automode is in Claude Code's settings as well. The plugin looks in the account's
    home."""
    check, folder = "claude-code: plugin", f"{case.account_home}/.local/bin"
    found = _found(folder)
    if found is None:
        make = f"mkdir -p {folder} && ln -s {case.program} {folder}/automode"
        says = "it is on, but finds no automode where it looks: every call is denied"
        return [problem(check, says, make if case.program else "pipx install FOLDER_OF_AUTOMODE")]
    both = "in the settings and by the plugin: every call is decided twice"
    twice = [warning(check, both, "automode uninstall claude-code")] if hooks else []
    return [fine(check, f"on; it finds {found}"), *twice]


def _found(folder: str) -> str | None:
    places = (f"{folder}/automode", *SYSTEM_PROGRAMS)
    return next((one for one in places if os.path.isfile(one) and os.access(one, os.X_OK)), None)


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
        for what in _unasked(path, own=path in own)
    ]


def _unasked(path: str, *, own: bool) -> Iterator[str]:
    """Measured on 2.1.325: of a project the mode counts, and the other setting does not."""
    found = settings_in(path).get("permissions")
    permissions = found if isinstance(found, dict) else {}
    if own and permissions.get("denyInsteadOfPrompting") is True:
        yield "`permissions.denyInsteadOfPrompting`"
    if permissions.get("defaultMode") == _NEVER_PROMPTS:
        yield f"`permissions.defaultMode: {_NEVER_PROMPTS}`"


CHECKS = AgentChecks(switched_on, check_plugin, check_modes)
