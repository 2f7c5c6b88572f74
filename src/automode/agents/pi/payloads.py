"""Pi: what its extension `automode.ts` says, and what it is answered."""

from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.events import NO_REMARKS, Abilities, Answer, HostEvent, Moment, Remarks
from automode.agents.shared.extension import ALL_CLOSE, Dialect, closed
from automode.core.decision import Decision

INSPECTING = "The tool `automode_inspect` shows what was denied in this session and why."
_DIALECT = Dialect("Pi", "pi", INSPECTING)

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
class Pi:
    """`attended` is what the extension says with the host's name: whether Pi can show a dialog."""

    attended: bool = True

    @property
    def name(self) -> str:
        return "pi"

    @property
    def abilities(self) -> Abilities:
        return _ABILITIES

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        return _DIALECT.parse(payload, attended=self.attended)

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        return _DIALECT.render(event, decision, remarks)

    def closed(self, moment: Moment, reason: str) -> Answer:
        return closed(moment, reason)
