"""What a person said yes to in a project, and covers later calls of the same class.

Only two things teach: the very call that the gate asked about ran, as the agent's own hook says,
and a person's `approve`. The store is the one memory: what it did not keep was not said.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from automode.core.decision import taught_by
from automode.core.recent import Recent
from automode.core.record import Record, SessionKey
from automode.sessions.live_session import LiveSession
from automode.sessions.record_builder import Ids, RecordBuilder
from automode.store import tables
from automode.store.changes import PrecedentsForgotten, Taught
from automode.store.writer import Writer

DAYS = 30
DAY_SECONDS = 86_400.0
MOST_READ = 500  # of a project, the newest
MOST_PROJECTS = 64
LONGEST_TOLD = 120  # characters
FRESH_SECONDS = 2.0  # another session may have read what is just being changed


@dataclass(slots=True)
class Precedents:
    store: Writer
    builder: RecordBuilder
    ids: Ids
    clock: Callable[[], float] = time.time
    _read: Recent[str, tuple[float, Sequence[Taught]]] = field(
        default_factory=lambda: Recent(MOST_PROJECTS)
    )
    _late: int = 0

    async def around(
        self, live: LiveSession, above: Iterable[LiveSession], where: str
    ) -> Mapping[str, str] | None:
        """By class the call that the person said yes to, and when. `where`: `autoMode.local.learn`.
        A yes of somebody who watched is none for a run where nobody is there. Raises what the store
        raises."""
        if where == "off" or not live.session.attended:
            return None
        family = {one.key for one in (live, *above)}
        now, found = self.clock(), dict[str, str]()
        for one in await self._of(self.builder.brief(live.root), now):
            recent = now - DAYS * DAY_SECONDS <= one.at <= now
            if recent and (where == "project" or one.session in family):
                found.setdefault(one.covers, _told(one))
        return found

    async def _of(self, root: str, now: float) -> Sequence[Taught]:
        if self._late != (late := self.store.late()):
            self._late = late
            self._read.clear()
        looked, known = self._read.get(root, (0.0, ()))
        if not 0.0 <= now - looked < FRESH_SECONDS:
            since = now - DAYS * DAY_SECONDS
            known = await self.store.read(lambda db: tables.precedents(db, root, since, MOST_READ))
            self._read[root] = (now, known)
        return known

    def said_yes(
        self, root: str, session: SessionKey, covers: Iterable[str], action: str
    ) -> list[Taught]:
        """To a call that was asked about. A class with a secret in it is not kept."""
        clean = self.builder.brief
        self._read.pop(clean(root), None)
        short = f"{action[:LONGEST_TOLD]}…" if len(action) > LONGEST_TOLD else action
        return [
            Taught(self.ids.new(), self.clock(), session, clean(root), one, clean(short))
            for one in covers
            if clean(one) == one
        ]

    def approved(self, asked: Record) -> list[Taught]:
        """From elsewhere, by the record of the ask."""
        return self.said_yes(asked.root, asked.session, taught_by(asked.trail), asked.action)

    def said_no(self, asked: Record) -> list[PrecedentsForgotten]:
        """A later no to a class ends it."""
        self._read.pop(asked.root, None)
        return [PrecedentsForgotten(asked.root, one) for one in taught_by(asked.trail)]

    def forget(self, root: str | None) -> PrecedentsForgotten:
        """A person lets a project begin anew, or all."""
        self._read.clear()
        return PrecedentsForgotten(root)


def _told(yes: Taught) -> str:
    when = time.strftime("%Y-%m-%d at %H:%M", time.localtime(yes.at))
    return f"`{' '.join(yes.told.split())}` on {when}"
