"""What a person types to automode inside an agent (`/automode off` and its kin), and the reply.

An agent can find ways to put words into its own prompt. So nothing here is taken from words that
nobody vouches for, and what loosens needs a confirmation code that is shown to the person alone.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from automode.agents.events import PersonSaid
from automode.core.errors import AutomodeError, BadCall
from automode.core.recent import Recent
from automode.core.record import SessionKey
from automode.core.session import Denial, History, Mode
from automode.llm.ledger import Ledger
from automode.sessions.gate_run import GateRun, agents_words, mode, overridden
from automode.sessions.live_session import LiveSession, Override
from automode.sessions.person import Person
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.registry import SessionRegistry
from automode.sessions.transcript_text import ECHO_SECONDS

CODE_SECONDS = 60.0
MOST_TRIES = 3
LOCKED_SECONDS = 600.0
DIGITS = 6
MOST_KNOWN = 512


def drawn() -> str:
    return f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"


@dataclass(slots=True)
class _Offer:
    what: tuple[str, str]  # the verb and what it is about
    code: str
    until: float


@dataclass(slots=True)
class ConfirmationCodes:
    """For each session at most one that is open, good for its very next event."""

    clock: Callable[[], float] = time.time
    draw: Callable[[], str] = drawn
    _open: Recent[SessionKey, _Offer] = field(default_factory=lambda: Recent(MOST_KNOWN))
    _wrong: Recent[SessionKey, int] = field(default_factory=lambda: Recent(MOST_KNOWN))
    _locked: Recent[SessionKey, float] = field(default_factory=lambda: Recent(MOST_KNOWN))

    def offered(self, key: SessionKey, verb: str, about: str) -> str:
        """The code to type; it takes the place of any other."""
        made = _Offer((verb, about), self.draw(), self.clock() + CODE_SECONDS)
        self._open[key] = made
        return made.code

    def confirmed(self, key: SessionKey, verb: str, about: str, code: str) -> bool:
        """Whether exactly this was asked for before, in time and with this code. Good once; a code
        that confirms nothing counts as a wrong one."""
        offer = self._open.pop(key, None)
        asked = offer is not None and offer.what == (verb, about) and self.clock() <= offer.until
        if offer is not None and asked and secrets.compare_digest(offer.code, code):
            self._wrong.pop(key, None)
            return True
        self._wrong[key] = self._wrong.get(key, 0) + 1
        if self._wrong[key] >= MOST_TRIES:
            del self._wrong[key]
            self._locked[key] = self.clock() + LOCKED_SECONDS
        return False

    def locked(self, key: SessionKey) -> bool:
        """After too many wrong ones nothing is taken for a while."""
        until = self._locked.get(key)
        if until is not None and self.clock() >= until:
            del self._locked[key]
            until = None
        return until is not None

    def void(self, key: SessionKey) -> None:
        """Something else happened in the session."""
        self._open.pop(key, None)

    @property
    def none_open(self) -> bool:
        return not self._open


LONGEST_REASON = 160  # characters

_MODES = {
    Mode.ENFORCE: "auto mode is on for this session",
    Mode.SHADOW: "auto mode is in shadow: it decides and records, and enforces nothing",
    Mode.OFF: "auto mode is off for this session",
}


def status_text(history: History, mode: Mode, usd: str) -> str:
    lines = [
        _MODES[mode],
        f"checked {history.checked}, denied {history.blocked}; the classifier allowed"
        f" {history.classifier_allowed} and denied {history.classifier_denied}, for {usd} USD",
    ]
    if history.last_verdict is not None:
        reason = _short(history.last_reason)
        lines.append(f"last: {history.last_verdict.word} ({history.last_source}): {reason}")
    if history.denials:
        lines.append("`/automode denials` lists what was denied")
    return "\n".join(lines)


def denials_text(denials: Sequence[Denial]) -> str:
    if not denials:
        return "nothing was denied in this session"
    lines = [f"{one.record}  {one.tool}: {_short(one.reason)}" for one in reversed(denials)]
    last = "`/automode approve ID` lets one through that a person may permit"
    return "\n".join(("denied in this session, the newest first", *lines, last))


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST_REASON else f"{plain[: LONGEST_REASON - 1]}…"


log = logging.getLogger(__name__)

LOOSENING = ("off", "reset", "approve")
_FOR_PEOPLE = "it is for a person, and this was not typed by one as far as automode can see"


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    at: float
    reply: str


@dataclass(slots=True)
class ChatCommands:
    registry: SessionRegistry
    gate_run: GateRun
    person: Person
    builder: RecordBuilder
    ledger: Ledger
    codes: ConfirmationCodes
    _last: dict[SessionKey, _Said] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def reply(self, live: LiveSession, event: PersonSaid) -> str:
        """For the person's screen. What goes wrong is told there as well."""
        async with self._turn:
            last, now = self._last.get(live.key), self.codes.clock()
            if last and last.text == event.text and 0.0 <= now - last.at <= ECHO_SECONDS:
                return last.reply
            try:
                said = await self._reply(live, event)
            except AutomodeError as error:
                self.codes.void(live.key)
                said = f"{error} ({error.hint})" if error.hint else str(error)
            self._last.clear()  # of another session nothing has to be remembered
            self._last[live.key] = _Said(event.text, now, said)
            return said

    def heard(self, live: LiveSession) -> None:
        """Something else happens in a session, or below it: a code is good for the next event."""
        if self.codes.none_open and not self._last:
            return
        for one in (live, *self.registry.ancestors(live)):
            self.codes.void(one.key)
            self._last.pop(one.key, None)

    async def _reply(self, live: LiveSession, event: PersonSaid) -> str:
        async with live.turn:
            await self.gate_run.ready(live, event.speaker)
        if not event.believed or live.parent is not None or await self._by_agent(live, event):
            self.codes.void(live.key)
            log.warning("session %s: refused `/automode %s`: nobody typed it", live.key, event.verb)
            return f"`/automode {event.verb}` was not done: {_FOR_PEOPLE}; {_terminal(live, event)}"
        if event.verb in LOOSENING:
            return await self._loosened(live, event)
        self.codes.void(live.key)
        if event.argument or event.code:
            raise BadCall(f"`/automode {event.verb}` takes nothing more", "type just that")
        match event.verb:
            case "on":
                await self.person.set_mode(live.key, Override.ON)
                return "auto mode is on for this session"
            case "denials":
                return denials_text(live.session.history.denials)
            case "status":
                spent = str(self.ledger.spent(live.session.id).money)
                return status_text(live.session.history, self._mode(live, event), spent)
            case _:
                raise BadCall(f"no such word: `{event.verb[:40]}`", "see docs/concepts/sessions.md")

    async def _by_agent(self, live: LiveSession, event: PersonSaid) -> bool:
        return await agents_words(self.registry, self.builder, live, event.text)

    async def _loosened(self, live: LiveSession, event: PersonSaid) -> str:
        if not (live.session.attended and event.speaker.attended):
            self.codes.void(live.key)
            return f"nobody is there to confirm `/automode {event.verb}`; {_terminal(live, event)}"
        if self.codes.locked(live.key):
            return f"too many wrong codes: wait ten minutes, or {_terminal(live, event)}"
        denial = _meant(live, event)
        about = "" if denial is None else denial.record
        if event.code and self.codes.confirmed(live.key, event.verb, about, event.code):
            return await self._done(live, event.verb, about)
        if self.codes.locked(live.key):
            return f"too many wrong codes: wait ten minutes, or {_terminal(live, event)}"
        code = self.codes.offered(live.key, event.verb, about)
        wrong = "that code does not hold; " if event.code else ""
        words = " ".join(word for word in ("/automode", event.verb, about, code) if word)
        # On a line of its own, so that no terminal breaks it.
        return f"{wrong}{_meaning(event.verb, denial)}\ntype `{words}` next, to confirm"

    async def _done(self, live: LiveSession, verb: str, about: str) -> str:
        match verb:
            case "off":
                await self.person.set_mode(live.key, Override.OFF)
                return "auto mode is off for this session; `/automode on` switches it on again"
            case "reset":
                await self.person.reset(live.key)
                return "counters, recent denials and approvals of this session begin anew"
            case _:
                made = await self.person.approve(about, session_long=False)
                return f"an exact retry of the call of `{made.record}` is approved for ten minutes"

    def _mode(self, live: LiveSession, event: PersonSaid) -> Mode:
        project = self.gate_run.project(live, event.speaker)
        if project is None:
            return live.session.mode
        return mode(project.settings, overridden(live, self.registry.ancestors(live)))


def _meant(live: LiveSession, event: PersonSaid) -> Denial | None:
    """The one denial of this very session that is to be approved; None for the other verbs."""
    if event.verb != "approve":
        if event.argument:
            raise BadCall(f"`/automode {event.verb}` takes nothing but its code", "type just that")
        return None
    known = live.session.history.denials
    found = [one for one in known if one.record == event.argument] or [
        one for one in known if event.argument and one.record.startswith(event.argument)
    ]
    if len(found) != 1:
        named = f"`{event.argument[:40]}`" if event.argument else "nothing"
        raise BadCall(
            f"no single denial of this session is meant by {named}",
            "type `/automode approve ID`; `/automode denials` lists them",
        )
    return found[0]


def _meaning(verb: str, denial: Denial | None) -> str:
    if denial is not None:
        action = " ".join(denial.action.split())
        return f"this lets exactly this call through once, if it is tried again: {action[:300]}"
    if verb == "off":
        return "nothing will be decided or recorded for this session any more"
    return "what was denied in this session no longer counts, and its approvals are gone"


def _terminal(live: LiveSession, event: PersonSaid) -> str:
    about = event.argument or "ID" if event.verb == "approve" else f"--session {live.key}"
    return f"in a terminal of your own, type `automode {event.verb} {about}`"
