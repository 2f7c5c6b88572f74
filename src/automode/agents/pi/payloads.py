"""Pi: what its extension `automode.ts` says, and what it is answered."""

from dataclasses import dataclass

from automode.agents.events import Abilities
from automode.agents.shared.extension import ALL_CLOSE, ExtensionAdapter

INSPECTING = "The tool `automode_inspect` shows what was denied in this session and why."

_ABILITIES = Abilities(
    asks=True,
    stops=True,
    deadline_ms=55_000,
    markers=("PI_CODING_AGENT",),
    rewrites=True,
    itself=True,
    prompts="the event `input`; its `source` is `extension` where a machine wrote the text",
    failures=ALL_CLOSE,
    tested="0.87.1, 0.73.1",
)


@dataclass(frozen=True, slots=True)
class Pi(ExtensionAdapter):
    """`attended` is what the extension says with the host's name: whether Pi can show a dialog."""

    name = "pi"
    abilities = _ABILITIES
    title = "Pi"
    inspecting = INSPECTING
