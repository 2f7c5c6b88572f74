"""What the decision service tells of itself and of its sessions, as data."""

import logging
from collections import OrderedDict
from dataclasses import dataclass, field

from automode.core.decision import Decision, Verdict
from automode.core.history import History
from automode.core.record import SessionKey
from automode.core.session import Mode
from automode.sessions.registry import LiveSession, Override
from automode.store.changes import Kept, SessionRow

log = logging.getLogger(__name__)

MOST_NOTICES = 20


@dataclass(slots=True)
class Notices:
    """One of a kind for each session: a newer one takes the place of the older."""

    _all: OrderedDict[tuple[SessionKey, str], str] = field(default_factory=OrderedDict)

    def tell(self, key: SessionKey, kind: str, sentence: str) -> None:
        """`sentence` quotes no call: it goes into the log as well."""
        log.warning("session %s: %s", key, sentence)
        self._all[key, kind] = f"{key}: {sentence}"
        self._all.move_to_end((key, kind))
        while len(self._all) > MOST_NOTICES:
            self._all.popitem(last=False)

    def drop(self, key: SessionKey | None, kind: str = "") -> None:
        """Of one session or of all, of one kind or of every kind."""
        for known in list(self._all):
            if key in (None, known[0]) and kind in ("", known[1]):
                del self._all[known]

    def all(self) -> tuple[str, ...]:
        return tuple(self._all.values())


@dataclass(frozen=True, slots=True)
class Ruling:
    """`decision` None: auto mode is off and the host's own flow goes on; nothing was recorded.
    `kept` None: no record was made."""

    decision: Decision | None
    record: str | None = None  # the id of the audit record
    kept: Kept | None = None
    micros: int = 0


@dataclass(frozen=True, slots=True)
class SessionState:
    """A session as `status` and `sessions` show it."""

    key: SessionKey
    parent: str | None
    root: str
    cwd: str
    attended: bool
    mode: str  # `enforce`, `shadow`, `off`: as far as the session itself knows; see `modes`
    override: Override
    halted: bool
    created: float
    seen: float
    ended: float | None
    history: History
    usd: str  # spent by the session and its sub-sessions


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    sessions: tuple[SessionState, ...]  # in memory, the last seen first
    decided: int  # since the decision service was built
    projects: tuple[str, ...]  # whose settings are loaded
    notices: tuple[str, ...]  # what a person should know, one sentence each


def live_state(live: LiveSession, usd: str) -> SessionState:
    place = live.session.workspace
    history = live.session.history
    return SessionState(
        live.key,
        None if live.parent is None else live.parent.id,
        live.root or place.root,
        place.cwd,
        live.session.attended,
        live.session.mode.value,
        live.override,
        halted(history),
        live.created,
        live.seen,
        live.ended,
        history,
        usd,
    )


def row_state(row: SessionRow, history: History, usd: str) -> SessionState:
    override = next((one for one in Override if one.value == row.mode), Override.NONE)
    mode = Mode.OFF if override is Override.OFF else Mode.ENFORCE
    return SessionState(
        row.key,
        row.parent,
        row.root,
        row.cwd,
        row.attended,
        mode.value,
        override,
        halted(history),
        row.created,
        row.seen,
        row.ended,
        history,
        usd,
    )


def halted(history: History) -> bool:
    """A stopped run stays stopped, so its last decision says it."""
    return history.last_verdict is Verdict.HALT
