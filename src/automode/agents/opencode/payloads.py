"""OpenCode: what its plugin `automode.ts` says, and what it is answered."""

from dataclasses import dataclass

from automode.agents.agent import load
from automode.agents.shared.adapter import Fields
from automode.agents.shared.extension import ExtensionAdapter


@dataclass(frozen=True, slots=True)
class OpenCode(ExtensionAdapter):
    """`attended` is what the plugin says with the host's name: whether automode's part in the
    terminal has answered it."""

    agent = load("opencode")
    fields = Fields.of(agent, "extension")


ADAPTER = OpenCode
