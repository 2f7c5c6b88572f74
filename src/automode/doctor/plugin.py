"""The plugin for Claude Code: whether it is switched on, and which automode it would find."""

import json
import os

from automode.doctor.case import Case
from automode.doctor.finding import Finding, fine, problem, warning

PLUGIN = "automode"
LARGEST_BYTES = 1 << 20
SYSTEM_PROGRAMS = (
    "/opt/homebrew/bin/automode",
    "/usr/local/bin/automode",
    "/usr/bin/automode",
)
"""Where the plugin looks after `~/.local/bin/automode`; its script has the same list."""


def switched_on(case: Case) -> bool:
    names = ("settings.json", "settings.local.json")
    folders = (case.site.claude_folder, os.path.join(case.site.project, ".claude"))
    files = (os.path.join(folder, name) for folder in folders for name in names)
    return any(_enables(path) for path in files)


def check_plugin(own_program: str, *, account_home: str, hooks: bool) -> list[Finding]:
    """`hooks`: automode is in Claude Code's settings as well. `own_program` is the `automode` that
    somebody typed; empty where there is none. The plugin looks in the account's home."""
    check, found = "claude-code: plugin", _found(account_home)
    if found is None:
        link = f"{account_home}/.local/bin/automode"
        make = f"mkdir -p {account_home}/.local/bin && ln -s {own_program} {link}"
        says = "it is on, but finds no automode where it looks: every call is denied"
        return [problem(check, says, make if own_program else "pipx install automode")]
    both = "in the settings and by the plugin: every call is decided twice"
    twice = [warning(check, both, "automode uninstall claude-code")] if hooks else []
    return [fine(check, f"on; it finds {found}"), *twice]


def _found(home: str) -> str | None:
    places = (f"{home}/.local/bin/automode", *SYSTEM_PROGRAMS)
    return next((path for path in places if _runs(path)), None)


def _runs(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _enables(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            found: object = json.loads(file.read(LARGEST_BYTES))
    except (OSError, ValueError):  # whether it can be read is looked at elsewhere
        return False
    match found:
        case {"enabledPlugins": {**plugins}}:
            return any(
                str(name).partition("@")[0] == PLUGIN and value is True
                for name, value in plugins.items()
            )
        case _:
            return False
