"""Every host that has an adapter, under the names that hooks carry in their command line."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from automode.agents.antigravity.payloads import Antigravity
from automode.agents.claude_code.payloads import ClaudeCode
from automode.agents.cline.payloads import Cline
from automode.agents.codex.payloads import Codex
from automode.agents.copilot_cli.payloads import CopilotCli
from automode.agents.cursor.payloads import Cursor
from automode.agents.events import Adapter
from automode.agents.gemini_cli.payloads import GeminiCli
from automode.agents.opencode.payloads import OpenCode
from automode.agents.pi.payloads import Pi
from automode.agents.plain.payloads import Plain
from automode.agents.qwen_code.payloads import QwenCode

UNATTENDED = "+unattended"
"""Behind a host's name: whoever started the hook knows that nobody can answer an `ask`."""


class Kind(Protocol):
    """An adapter's class."""

    def __call__(self, *, attended: bool) -> Adapter: ...


KINDS: tuple[Kind, ...] = (
    Antigravity,
    ClaudeCode,
    Cline,
    Codex,
    CopilotCli,
    Cursor,
    GeminiCli,
    OpenCode,
    Pi,
    Plain,
    QwenCode,
)


def named(kinds: Iterable[Kind]) -> dict[str, Adapter]:
    """Each kind twice: with somebody there, and with nobody."""
    adapters = [(kind(attended=attended), attended) for kind in kinds for attended in (True, False)]
    return {f"{one.name}{'' if attended else UNATTENDED}": one for one, attended in adapters}


ADAPTERS: Mapping[str, Adapter] = named(KINDS)
"""A session belongs to `adapter.name`, attended or not."""
