"""What is written down of one decision: the row that audit, denials, replay and statistics read."""

from dataclasses import dataclass

from automode.core.decision import Failure, Remark, Verdict

LONGEST_ACTION = 6000  # characters of the summary that people read
LONGEST_INPUT = 65_536  # characters of the input that replay reads
BREAKER = "breaker"
"""The layer whose remark, the last of a trail, says what was decided before the breaker."""

_DENYING = {verdict.word for verdict in Verdict if verdict >= Verdict.DENY}


@dataclass(frozen=True, slots=True)
class SessionKey:
    """A session id means something only to the host that gave it."""

    host: str
    id: str

    def __str__(self) -> str:
        return f"{self.host}/{self.id}"


@dataclass(frozen=True, slots=True)
class StageSpent:
    """One request to a model: what it used, took and cost. `usd` None: the price is not known."""

    stage: str
    model: str
    input: int
    output: int
    cache_read: int
    cache_write: int
    millis: int
    usd: str | None


@dataclass(frozen=True, slots=True)
class Record:
    """Every text in it is redacted before it is made; nothing here may hold a secret."""

    id: str  # unique, sorts by time, short enough to be typed
    at: float  # seconds since the epoch
    session: SessionKey
    parent: str | None
    account: str
    root: str
    cwd: str
    tool: str
    action: str  # what the call does, for people; at most LONGEST_ACTION
    input: str  # its input as JSON, for replay; cut where longer than LONGEST_INPUT
    digest: str  # what makes a retry exact: see `sessions.layers`
    verdict: Verdict
    source: str
    reason: str
    advice: str
    clearable: bool
    error: Failure | None
    enforced: bool
    attended: bool
    micros: int
    trail: tuple[Remark, ...] = ()
    stages: tuple[StageSpent, ...] = ()

    @property
    def denied(self) -> bool:
        return self.verdict >= Verdict.DENY

    @property
    def kind(self) -> str:
        """The word for who denied. The breaker stops what another has denied, and says who."""
        last = self.trail[-1] if self.trail else None
        if last is None or last.layer != BREAKER or last.mark not in _DENYING:
            return denial_kind(self.source)
        return denial_kind(last.text.partition(": ")[0])


def denial_kind(source: str) -> str:
    """The word for who denied, as hosts and state keep it."""
    head, _, rest = source.partition(".")
    if head == "rules":
        return f"permissions.{rest}"
    return {"floor": "hard-deny", "classifier": "classifier"}.get(head, "setup")
