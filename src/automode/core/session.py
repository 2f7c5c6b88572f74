"""One run of one agent, and what its past decisions amount to."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from automode.core.decision import Verdict
from automode.core.recent import Recent
from automode.core.transcript import Transcript
from automode.core.workspace import Workspace

MOST_DENIALS = 12
MOST_APPROVABLE = 64


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
    stood_in: int = 0  # calls that the embedded judge decided in place of a model that failed
    stands_in: bool = False  # it did so when a judge was last asked


NOTHING_YET = History()


def add_denial(history: History, denial: Denial) -> History:
    """The history with one more denial to show, and the oldest beyond the most left out."""
    return replace(history, denials=(*history.denials, denial)[-MOST_DENIALS:])


class Mode(StrEnum):
    ENFORCE = "enforce"
    SHADOW = "shadow"  # decide and record everything, enforce nothing
    OFF = "off"  # no opinion at all; managed deny rules survive


@dataclass(slots=True)
class Session:
    id: str
    workspace: Workspace
    attended: bool = True  # whether a person is there to answer an ask
    mode: Mode = Mode.ENFORCE
    host: str = "cli"
    parent: str | None = None
    transcript: Transcript = field(default_factory=Transcript)
    history: History = NOTHING_YET
    above: tuple["Session", ...] = ()  # the ones that started it, the nearest first
    # Digests of calls that a person may have approved; the store says whether one is.
    approvable: Recent[str, None] = field(default_factory=lambda: Recent(MOST_APPROVABLE))
    instructions: tuple[tuple[str, str], ...] = ()  # files the agent began with: path and text
    # What any session of the project wrote: absolute paths without regard to case, each with the
    # path as people know it.
    written_around: Mapping[str, str] | None = None
    ran_around: str = ""  # which calls of the session ran around automode; empty: none is known
    not_looked_at: str = ""  # what the project tells the agent and nobody knows to be harmless
    confines: str = ""  # what is left of its shell where its call can be changed: see `Abilities`
    ran_confined: str = ""  # how this very call ended when it last ran confined, if not well
    suspect: str = ""  # what a result that the agent read seems to ask for, until a person says yes
    # What a person said yes to before, by its class: which call, and when, in words for people.
    # None: nothing is learnt from what they say.
    precedents: Mapping[str, str] | None = None
    answer_by: float | None = None  # on the monotonic clock, for a judge; None: nobody waits
    # Seconds that an ask waits for an answer from elsewhere; what comes of none is decided then.
    hold: float = 0.0
    # Looks up which prompts a person typed, before a judge is asked; None: nothing to look up.
    recheck: Callable[[], Awaitable[Transcript]] | None = None
