"""Layer: while a prohibition cannot be read, it could mean any call."""

from automode.core.decision import Failure, ask
from automode.core.session import Session
from automode.gate.layer import Answer, Trail
from automode.programs.call_facts import CallFacts

SOURCE = "rules.malformed"


class Malformed:
    """`faults` are the settings that may have held a prohibition, one line each."""

    name = "rules.malformed"

    def __init__(self, faults: tuple[str, ...]) -> None:
        self.faults = faults

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        if not self.faults:
            return None
        more = f" (and {len(self.faults) - 1} more)" if len(self.faults) > 1 else ""
        return ask(
            SOURCE,
            f"a rule that may forbid this call cannot be read: {self.faults[0]}{more}",
            "tell the person to correct the configuration; `automode config` shows where",
            clearable=False,
            error=Failure.UNREADABLE,
        )
