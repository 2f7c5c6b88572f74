"""A call that was once made: what replay decides again, and what became of it then."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from automode.core.transcript import Transcript

NOTHING_SAID = Transcript()


class Then(StrEnum):
    """What became of a call. An agent's own file only says whether it ran."""

    RAN = "ran"
    REFUSED = "refused"  # by a rule, a hook, or the agent itself
    REJECTED = "rejected by user"
    ALLOWED = "allow"
    ASKED = "ask"
    DENIED = "deny"
    HALTED = "halt"
    UNKNOWN = "unknown"  # the file ends before, or a person or the breaker had the last word


RAN = (Then.RAN, Then.ALLOWED)
STOPPED = (Then.REFUSED, Then.REJECTED, Then.DENIED, Then.HALTED)


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """`root` is the folder that its session began in. `then` of a shadow record is what automode
    said, not what happened: `shadow` tells. `source` is empty where automode did not decide."""

    host: str
    session: str
    id: str
    tool: str
    input: Mapping[str, object]
    cwd: str
    root: str = ""
    at: float = 0.0  # seconds since the epoch; 0 for unknown
    parent: str | None = None
    then: Then = Then.UNKNOWN
    source: str = ""
    shadow: bool = False
    transcript: Transcript = field(default=NOTHING_SAID, repr=False)

    @property
    def ran(self) -> bool | None:
        """Whether it ran; None where nobody knows. In shadow mode automode stopped nothing."""
        if self.shadow or self.then in RAN:
            return True
        return False if self.then in STOPPED else None
