"""Asks that wait for a person's answer from elsewhere: an inbox, a terminal, a phone.

An answer is done first, and then the call that waits goes on: what is lost with this process is
only that a call waited, never what a person said.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from automode.core.errors import BadCall
from automode.core.record import Record, SessionKey
from automode.sessions.person import Person

MOST_WAITING = 32
"""Each holds a connection of the daemon; what comes then is asked or denied as without waiting."""
MOST_OF_SESSION = 8
"""So that one agent leaves places for others. Its sub-agents count with it."""


class AnswerKind(StrEnum):
    ONCE = "once"  # this call
    SESSION = "session"  # exactly this call, for the rest of the session
    ALWAYS = "always"  # what a rule in the person's own settings covers
    DENY = "deny"


class Via(StrEnum):
    """Where a person answered."""

    TERMINAL = "terminal"
    WINDOW = "window"
    PHONE = "phone"
    WEBHOOK = "webhook"
    AGENT = "agent"  # in the dialog of the session's own agent


@dataclass(frozen=True, slots=True)
class PersonsAnswer:
    """`reason`: for a no, what the agent reads. `rule`: for an always, the rule to save."""

    kind: AnswerKind
    by: Via
    reason: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class WaitingAsk:
    record: Record
    since: float  # seconds since the epoch
    until: float


class End(StrEnum):
    """How the waiting ended."""

    ANSWERED = "answered"
    EXPIRED = "expired"  # nobody answered in time
    GONE = "gone"  # the turn was cancelled, or whoever asked has hung up
    ELSEWHERE = "elsewhere"  # the agent's own dialog was answered, or the call is over
    SESSION_ENDED = "session-ended"
    STOPPED = "stopped"  # the daemon stops


@dataclass(frozen=True, slots=True)
class Ended:
    """`answer` and `told`, the record of a no, only where a person answered."""

    how: End
    answer: PersonsAnswer | None = None
    told: Record | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an answer. `in_time`: the call was still waiting when it was done. `record`:
    the id of the approval's or the refusal's record; `expires`: until when a yes counts; `saved`:
    the file and line of a rule."""

    in_time: bool
    record: str
    expires: float | None = None
    saved: str = ""


Listener: TypeAlias = Callable[[WaitingAsk, Ended | None], None]
"""Called with None when an ask begins to wait, and once more when it stops."""


@dataclass(slots=True)
class _Place:
    ask: WaitingAsk
    ended: "asyncio.Future[Ended]"
    waiters: int = 0


def _family(asked: Record) -> tuple[str, str]:
    """The session that started the one that asks, as far as the record knows, or itself."""
    return asked.session.host, asked.parent or asked.session.id


@dataclass(slots=True)
class WaitingAsks:
    """By the id of the ask's record. Two hooks of an agent may wait for the same one."""

    person: Person
    clock: Callable[[], float] = time.time
    revision: int = 0
    """Changes whenever an ask begins or stops to wait."""
    _places: dict[str, _Place] = field(default_factory=dict)
    _listeners: list[Listener] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _closed: bool = False

    def list(self) -> tuple[WaitingAsk, ...]:
        """The oldest first."""
        return tuple(place.ask for place in self._places.values())

    def find(self, record: str | None) -> WaitingAsk | None:
        place = None if record is None else self._places.get(record)
        return None if place is None else place.ask

    def listen(self, callback: Listener) -> Callable[[], None]:
        """From now on, until what is returned is called."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    async def changed(self, revision: int, seconds: float) -> None:
        """Returns when something began or stopped to wait since `revision`, or after `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                while self.revision == revision:
                    await self._news.wait()
        except TimeoutError:
            pass

    async def answer(self, record: str, given: PersonsAnswer) -> Taken:
        """Raises BadCall where the call does not wait any more, or nobody may say this to it."""
        place = self._places.pop(record, None)
        if place is None:
            raise BadCall(
                f"no ask `{record[:40]}` waits any more: it was answered, or its time is over",
                f"`automode approve {record[:40]}` lets an exact retry through",
            )
        try:
            taken, told = await self._do(place.ask.record, given)
        except BaseException:
            if not place.ended.done():  # it goes on waiting
                self._places[record] = place
            raise
        if place.ended.done():
            return taken
        self._finish(place, Ended(End.ANSWERED, given, told))
        return Taken(True, taken.record, taken.expires, taken.saved)

    def note_approved(self, record: str, kind: AnswerKind) -> None:
        """The call was approved in another way than by `answer`."""
        self._end(record, Ended(End.ANSWERED, PersonsAnswer(kind, Via.TERMINAL)))

    def end(self, how: End, session: SessionKey, record: str = "") -> None:
        """Ends the waiting of a session's calls, or of the one with this record."""
        for place in tuple(self._places.values()):
            asked = place.ask.record
            if asked.session == session and record in ("", asked.id):
                self._finish(place, Ended(how))

    def close(self) -> None:
        """Nothing waits any more, or will."""
        self._closed = True
        for record in tuple(self._places):
            self._end(record, Ended(End.STOPPED))

    def has_place(self, asked: Record) -> bool:
        """Whether the ask may wait, or does so already."""
        if asked.id in self._places:
            return True
        own = [one for one in self._places.values() if _family(one.ask.record) == _family(asked)]
        room = len(self._places) < MOST_WAITING and len(own) < MOST_OF_SESSION
        return room and not self._closed

    async def wait(self, record: Record, seconds: float) -> Ended:
        """Until a person has answered, something else ended it, or the time is over."""
        place = self._places.get(record.id) or self._begin(record, seconds)
        place.waiters += 1
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(place.ended)
        except TimeoutError:
            expired = Ended(End.EXPIRED)
            if place.waiters == 1:
                self._finish(place, expired)
            return expired
        finally:
            place.waiters -= 1
            if not place.waiters and not place.ended.done():
                self._finish(place, Ended(End.GONE))

    def _begin(self, record: Record, seconds: float) -> _Place:
        now = self.clock()
        ask = WaitingAsk(record, now, now + seconds)
        place = _Place(ask, asyncio.get_running_loop().create_future())
        self._places[record.id] = place
        self._tell(ask, None)
        return place

    def _end(self, record: str, ended: Ended) -> None:
        place = self._places.get(record)
        if place is not None:
            self._finish(place, ended)

    def _finish(self, place: _Place, ended: Ended) -> None:
        self._places.pop(place.ask.record.id, None)
        if not place.ended.done():
            place.ended.set_result(ended)
            self._tell(place.ask, ended)

    def _tell(self, ask: WaitingAsk, ended: Ended | None) -> None:
        self.revision += 1
        self._news.set()
        self._news.clear()  # whoever waits for it is woken all the same
        loop = asyncio.get_running_loop()
        for callback in self._listeners:
            loop.call_soon(callback, ask, ended)  # what it raises is not the decision's

    async def _do(self, asked: Record, given: PersonsAnswer) -> tuple[Taken, Record | None]:
        match given.kind:
            case AnswerKind.DENY:
                told = await self.person.decline(asked, given.reason, by=given.by)
                return Taken(False, told.id), told
            case AnswerKind.ALWAYS:
                saved = await self.person.always(asked, given.rule, by=given.by)
                return Taken(False, asked.id, saved=saved), None
            case AnswerKind.ONCE | AnswerKind.SESSION:
                long = given.kind is AnswerKind.SESSION
                yes = await self.person.approve(asked.id, session_long=long, by=given.by)
                return Taken(False, yes.record, yes.expires), None
