"""How automode's hook stands in Antigravity's `hooks.json`.

After what others say of it, never run here. The file maps names of hooks to events, and an event to
groups of handlers; what it does not know of an event makes it take nothing from the file. So one
event alone is asked for.
"""

from automode.agents.installing.hooks import EntryHooks
from automode.agents.installing.site import Program

TIMEOUT_SECONDS = 30
"""More than the 25 seconds after which the hook itself says no."""


def _group(program: Program, moment: str) -> dict[str, object]:
    command = program.signed(program.hook_words("antigravity", moment), " || exit 2")
    handler = {"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}
    return {"matcher": "", "hooks": [handler]}


def _command(group: object) -> str:
    match group:
        case {"hooks": [{"command": str(command)}, *_]}:
            return command
        case _:
            return ""


INSTALLER = EntryHooks(
    "antigravity",
    ".gemini/config/hooks.json",
    lambda event: ("automode", event),
    _group,
    _command,
    lambda event, moment, group: f"{event} is not as automode writes it",
    "written after what others say of Antigravity, and never seen at work:"
    " try it before you rely on it",
    {},
)
