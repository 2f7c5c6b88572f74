"""Whose hook it really is: Copilot and Cursor also run the hooks of Claude Code's settings.

They tell such a hook what they tell their own, in other words. Read as what it is, a call has the
session and the id that it has in the agent's own hook: it is decided once, whoever asks first.
"""

from collections.abc import Mapping

from automode.agents.catalog import UNATTENDED
from automode.agents.copilot_cli.guest import is_copilot
from automode.agents.copilot_cli.payloads import CopilotCli
from automode.agents.cursor.payloads import Cursor, is_cursor
from automode.agents.events import Adapter

_ALSO_RUN_BY_OTHERS = "claude-code"


def speaking(adapter: Adapter, host: str, payload: Mapping[str, object]) -> Adapter:
    """The adapter of the agent that called the hook; `host` is what the hook calls itself. Only the
    payload tells: it is the agent's own, and a project may set any variable."""
    if adapter.name != _ALSO_RUN_BY_OTHERS:
        return adapter
    attended = not host.endswith(UNATTENDED)
    if is_cursor(payload):
        return Cursor(attended)
    if is_copilot(payload):
        return CopilotCli(attended, guest=True)
    return adapter
