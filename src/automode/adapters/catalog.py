"""Every host that has an adapter, under the names that hooks carry in their command line."""

from collections.abc import Mapping

from automode.adapters.claude_code import ClaudeCode
from automode.adapters.pi import Pi
from automode.adapters.plain import Plain
from automode.adapters.seam import Adapter

UNATTENDED = "+unattended"
"""Behind a host's name: whoever started the hook knows that nobody can answer an `ask`."""

ADAPTERS: Mapping[str, Adapter] = {
    "claude-code": ClaudeCode(),
    f"claude-code{UNATTENDED}": ClaudeCode(attended=False),
    "pi": Pi(),
    f"pi{UNATTENDED}": Pi(attended=False),
    "plain": Plain(),
    f"plain{UNATTENDED}": Plain(attended=False),
}
"""A session belongs to `adapter.name`, attended or not."""
