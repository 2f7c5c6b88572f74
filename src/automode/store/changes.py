"""What can happen to the store, as data. Writing a change again changes nothing, except events."""

from dataclasses import dataclass
from typing import TypeAlias

from automode.core.record import Record, SessionKey


@dataclass(frozen=True, slots=True)
class SessionRow:
    """What is true of a session now; the last write wins. What it did is in its records. `standing`
    is a JSON object: see `sessions.past`. `mode` is the override that a person typed (`on`, `off`),
    empty for none: it is written by `ModeSet` alone."""

    key: SessionKey
    parent: str | None
    root: str
    cwd: str
    attended: bool
    mode: str
    created: float
    seen: float
    ended: float | None
    standing: str


@dataclass(frozen=True, slots=True)
class Decided:
    """One audit record; it joins the hash chain in the order in which it is written."""

    record: Record


@dataclass(frozen=True, slots=True)
class SessionKept:
    row: SessionRow


@dataclass(frozen=True, slots=True)
class Heard:
    """One event of a session's transcript, redacted, as JSON. The store numbers events as they
    arrive: `position` is of those that were read from it."""

    session: SessionKey
    position: int
    event: str


@dataclass(frozen=True, slots=True)
class Used:
    """One request to a model, for `automode usage` and the budget. `id` makes it idempotent."""

    id: str
    at: float
    session: SessionKey
    parent: str | None
    stage: str
    model: str
    input: int
    output: int
    cache_read: int
    cache_write: int
    millis: int
    usd: str | None


@dataclass(frozen=True, slots=True)
class Approved:
    """A person's yes to an exact retry of a denied call."""

    id: str
    at: float
    session: SessionKey
    record: str  # the id of the denied record
    digest: str
    once: bool  # else for the rest of the session
    expires: float | None  # None: with the session


@dataclass(frozen=True, slots=True)
class ModeSet:
    """A person switched auto mode for a session that has a row."""

    session: SessionKey
    mode: str


@dataclass(frozen=True, slots=True)
class ApprovalsForgotten:
    """`reset`: what a person approved in this session before counts no longer."""

    session: SessionKey


Change: TypeAlias = Decided | SessionKept | Heard | Used | Approved | ModeSet | ApprovalsForgotten


@dataclass(frozen=True, slots=True)
class Approval:
    """An approval as it is found in the store."""

    id: str
    session: SessionKey
    record: str
    digest: str
    once: bool
    expires: float | None
    consumed: float | None = None


@dataclass(frozen=True, slots=True)
class RecordQuery:
    """Which records, newest first. Empty fields do not narrow."""

    session: SessionKey | None = None
    verdicts: tuple[str, ...] = ()  # words: allow, ask, deny, halt
    source: str = ""  # a whole source, or a room of them: `floor`
    since: float | None = None
    until: float | None = None
    before: int | None = None  # sequence number, for paging
    limit: int = 100


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of changes: written and committed, or `reason` is a sentence that says why not.
    An allow whose record is lost must become an ask."""

    reason: str = ""

    @property
    def lost(self) -> bool:
        return bool(self.reason)


WRITTEN = Kept()
