"""Layer: a person's yes to an exact retry of one call. It stands after the walls.

What exact means, `retries` says.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from automode.core.clearance import clearance
from automode.core.decision import Decision, allow
from automode.core.errors import BadCall
from automode.core.record import Record, SessionKey
from automode.core.session import Session
from automode.gate.breaker import APPROVAL
from automode.gate.layer import Trail
from automode.programs.call_facts import CallFacts
from automode.sessions.retries import Retries, canonical
from automode.sessions.store_access import StoreAccess
from automode.store.changes import Approval, Approved

ONCE_SECONDS = 600.0
MOST_OPEN = 64  # per session


def approved(record: Record, identity: str, now: float, *, session_long: bool) -> Approved:
    """A yes to an exact retry of the recorded call. BadCall for what no person's yes lifts."""
    found = clearance(record)
    if not found.possible:
        refusal = f"record `{record.id}` cannot be approved: {found.refusal}"
        raise BadCall(refusal, found.instead)
    expires = None if session_long else now + ONCE_SECONDS
    once = not session_long
    return Approved(identity, now, record.session, record.id, record.digest, once, expires)


@dataclass(slots=True)
class Approvals:
    """Knows which calls could be approved, so that most calls cost nothing here; whether one is,
    the keeper says."""

    name: ClassVar[str] = APPROVAL

    keeper: StoreAccess
    retries: Retries
    clock: Callable[[], float] = time.time
    _open: dict[str, dict[str, None]] = field(default_factory=dict)

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Decision | None:
        waiting = self._open.get(session.id)
        if not waiting:
            return None
        call = facts.call
        digest = self.retries.exact(call, session, canonical(call.input))
        if digest not in waiting:
            return None
        own = session.id.removeprefix(f"{session.host}/")
        found = await self.keeper.consume(SessionKey(session.host, own), digest, self.clock())
        if found is None:
            return None
        if found.once:
            waiting.pop(digest, None)
        return allow(APPROVAL, f"a person approved exactly this call (`{found.record}`)")

    def expect(self, key: SessionKey, digests: Iterable[str]) -> None:
        """From now on these calls of a session may have been approved. An approval for the rest of
        a session counts also when the session has ended and is taken up again."""
        waiting = self._open.setdefault(str(key), {})
        for digest in digests:
            waiting[digest] = None
        while len(waiting) > MOST_OPEN:
            del waiting[next(iter(waiting))]

    def forget(self, key: SessionKey) -> None:
        self._open.pop(str(key), None)


def open_digests(approvals: Iterable[Approval], now: float) -> list[str]:
    """Of approvals that may still count."""
    return [
        one.digest
        for one in approvals
        if one.consumed is None and (one.expires is None or one.expires > now)
    ]
