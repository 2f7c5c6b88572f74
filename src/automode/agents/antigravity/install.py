"""automode's hook in Antigravity's `hooks.json`.

Written from reports of others; never run here. The file maps names of hooks to events, and an event
to groups of handlers; what it does not know of an event makes it take nothing from the file. So one
event alone is asked for.
"""

from automode.agents.installing.hooks import HooksInstaller
from automode.agents.installing.site import Program

TIMEOUT_SECONDS = 30
"""More than the 25 seconds after which the hook itself says no."""


def _group(program: Program, _: str, moment: str) -> dict[str, object]:
    command = program.hook_command("antigravity", moment)
    handler = {"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}
    return {"matcher": "", "hooks": [handler]}


INSTALLER = HooksInstaller(
    agent="antigravity",
    file=lambda site, _: f"{site.home}/.gemini/config/hooks.json",
    hook=_group,
    box="automode",
    note="written after what others say of Antigravity, and never seen at work:"
    " try it before you rely on it",
)
