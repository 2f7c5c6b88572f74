"""automode's hooks in Cursor's `hooks.json`.

From Cursor's documentation, never run here. One event that Cursor does not know, or no `version`,
and it takes nothing from the file.
"""

from automode.agents.events import Moment
from automode.agents.installing.hooks import HooksInstaller
from automode.agents.installing.site import Program


def _hook(program: Program, _: str, moment: str) -> dict[str, object]:
    closing = {"failClosed": True} if moment == Moment.PROPOSED else {}
    command = program.hook_command("cursor", moment)
    return {"command": command, "timeout": program.hook_seconds("cursor", moment), **closing}


INSTALLER = HooksInstaller(
    agent="cursor",
    file=lambda site, _: f"{site.home}/.cursor/hooks.json",
    hook=_hook,
    needed={"version": 1},
    note="written after Cursor's documentation, and never seen at work:"
    " try it before you rely on it",
)
