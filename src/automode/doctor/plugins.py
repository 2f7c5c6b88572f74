"""Plugins and packages of agents that bring automode's hooks: which automode they find."""

import os

from automode.doctor.finding import Case, Finding, fine, problem, warning

SYSTEM_PROGRAMS = (
    "/opt/homebrew/bin/automode",
    "/usr/local/bin/automode",
    "/usr/bin/automode",
)
"""Where they look after `~/.local/bin/automode`; each has the same list. A project can move `PATH`
and `HOME`, so they look at neither."""


def check_plugin(agent: str, what: str, case: Case, *, hooks: bool) -> list[Finding]:
    """`what`: the agent's word for it. `hooks`: `automode install` put automode in as well. It
    looks in the account's home."""
    check, folder = f"{agent}: {what}", f"{case.account_home}/.local/bin"
    found = _find_command(folder)
    if found is None:
        make = f"mkdir -p {folder} && ln -s {case.program} {folder}/automode"
        says = "it is on, but finds no automode where it looks: every call is denied"
        return [problem(check, says, make if case.program else "pipx install FOLDER_OF_AUTOMODE")]
    both = f"by `automode install` and by the {what}: every call is decided twice"
    twice = [warning(check, both, f"automode uninstall {agent}")] if hooks else []
    return [fine(check, f"on; it finds {found}"), *twice]


def _find_command(folder: str) -> str | None:
    places = (f"{folder}/automode", *SYSTEM_PROGRAMS)
    return next((one for one in places if os.path.isfile(one) and os.access(one, os.X_OK)), None)
