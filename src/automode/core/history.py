"""What a session's past decisions amount to: a fold over them, so that it survives restarts.

`gate.breaker` says how a decision changes it; only denials are noted here.
"""

from dataclasses import dataclass, replace

from automode.core.decision import Verdict

MOST_DENIALS = 12


@dataclass(frozen=True, slots=True)
class Denial:
    at: float
    tool: str
    reason: str
    action: str  # redacted, at most 6000 characters
    kind: str  # permissions.deny, permissions.ask, hard-deny, classifier, setup
    record: str  # the id of the audit record


@dataclass(frozen=True, slots=True)
class History:
    checked: int = 0
    blocked: int = 0
    classifier_allowed: int = 0
    classifier_denied: int = 0
    last_verdict: Verdict | None = None
    last_reason: str = ""
    last_source: str = ""
    last_denial: str = ""  # the reason of the last denial that counted
    row: int = 0  # policy denials since the last allowed call or the person's approval
    total: int = 0  # policy denials since the total's own limit last tripped
    unavailable: int = 0  # outages in a row
    denials: tuple[Denial, ...] = ()  # the newest last, at most MOST_DENIALS


NOTHING_YET = History()


def noted(history: History, denial: Denial) -> History:
    """The history with one more denial to show, and the oldest beyond the most left out."""
    return replace(history, denials=(*history.denials, denial)[-MOST_DENIALS:])
