"""Pi: what its extension `automode.ts` says, and what it is answered."""

from dataclasses import dataclass

from automode.agents.agent import load
from automode.agents.shared.adapter import Fields
from automode.agents.shared.extension import ExtensionAdapter


@dataclass(frozen=True, slots=True)
class Pi(ExtensionAdapter):
    """`attended` is what the extension says with the host's name: whether Pi can show a dialog."""

    agent = load("pi")
    fields = Fields.of(agent, "extension")


ADAPTER = Pi
