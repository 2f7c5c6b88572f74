"""What can happen to the store, as data: a change can be written now, or spooled and written later.

Every change is idempotent, so that a spool which was drained half can be drained again.
"""

from dataclasses import dataclass
from typing import TypeAlias

from automode.core.record import Record, SessionKey


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as it is kept. `history` and `place` are JSON objects, `mode` the override that a
    person typed (`on`, `off`), empty for none."""

    key: SessionKey
    parent: str | None
    root: str
    cwd: str
    attended: bool
    mode: str
    created: float
    seen: float
    ended: float | None
    history: str


@dataclass(frozen=True, slots=True)
class Decided:
    """One audit record; it joins the hash chain in the order in which it is written."""

    record: Record


@dataclass(frozen=True, slots=True)
class SessionKept:
    row: SessionRow


@dataclass(frozen=True, slots=True)
class Heard:
    """One event of a session's transcript, redacted, as JSON. `position` counts from 0."""

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
class SessionForgotten:
    """`reset` and `purge`: counters, denials and approvals go; what was audited stays."""

    session: SessionKey
    history: str
    mode: str


Change: TypeAlias = Decided | SessionKept | Heard | Used | Approved | SessionForgotten


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
