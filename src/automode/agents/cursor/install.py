"""How automode's hooks stand in Cursor's `hooks.json`.

From Cursor's documentation, never run here. One event that Cursor does not know, or no `version`,
and it takes nothing from the file.
"""

from automode.agents.installing.hooks import PROPOSED, TIMEOUT_SECONDS, EntryHooks
from automode.agents.installing.site import Program


def _handler(program: Program, moment: str) -> dict[str, object]:
    waits = moment == PROPOSED
    command = program.signed(program.hook_words("cursor", moment), " || exit 2" if waits else "")
    closing = {"failClosed": True} if waits else {}
    return {"command": command, "timeout": TIMEOUT_SECONDS, **closing}


def _command(handler: object) -> str:
    match handler:
        case {"command": str(command)}:
            return command
        case _:
            return ""


def _open(event: str, moment: str, handler: object) -> str:
    closes = isinstance(handler, dict) and handler.get("failClosed") is True
    if moment != PROPOSED or closes:
        return ""
    return f"{event} lets the call run when the hook fails: no `failClosed`"


INSTALLER = EntryHooks(
    "cursor",
    ".cursor/hooks.json",
    lambda event: ("hooks", event),
    _handler,
    _command,
    _open,
    "written after Cursor's documentation, and never seen at work: try it before you rely on it",
    {"version": 1},
)
