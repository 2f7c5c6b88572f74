"""Every host that has an adapter, under the names that hooks carry in their command line."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from automode.adapters.antigravity import Antigravity
from automode.adapters.claude_code import ClaudeCode
from automode.adapters.cline import Cline
from automode.adapters.codex import Codex
from automode.adapters.copilot_cli import CopilotCli
from automode.adapters.cursor import Cursor
from automode.adapters.gemini_cli import GeminiCli
from automode.adapters.opencode import OpenCode
from automode.adapters.pi import Pi
from automode.adapters.plain import Plain
from automode.adapters.qwen_code import QwenCode
from automode.adapters.seam import Adapter

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
