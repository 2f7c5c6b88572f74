"""Every host that has an adapter, under the names that hooks carry in their command line."""

from collections.abc import Mapping

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

ADAPTERS: Mapping[str, Adapter] = {
    "claude-code": ClaudeCode(),
    f"claude-code{UNATTENDED}": ClaudeCode(attended=False),
    "cline": Cline(),
    f"cline{UNATTENDED}": Cline(attended=False),
    "codex": Codex(),
    f"codex{UNATTENDED}": Codex(attended=False),
    "copilot-cli": CopilotCli(),
    f"copilot-cli{UNATTENDED}": CopilotCli(attended=False),
    "cursor": Cursor(),
    f"cursor{UNATTENDED}": Cursor(attended=False),
    "gemini-cli": GeminiCli(),
    f"gemini-cli{UNATTENDED}": GeminiCli(attended=False),
    "opencode": OpenCode(),
    f"opencode{UNATTENDED}": OpenCode(attended=False),
    "pi": Pi(),
    f"pi{UNATTENDED}": Pi(attended=False),
    "plain": Plain(),
    f"plain{UNATTENDED}": Plain(attended=False),
    "qwen-code": QwenCode(),
    f"qwen-code{UNATTENDED}": QwenCode(attended=False),
}
"""A session belongs to `adapter.name`, attended or not."""
