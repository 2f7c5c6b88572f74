"""What a person types to automode inside an agent (`/automode off` and its kin), and the reply.

An agent can find ways to put words into its own prompt. So only prompts that are known to be typed
count here, and what loosens needs a confirmation code that is shown to the person alone.
"""

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from automode.agents.events import PersonSaid
from automode.config.keys import ROWS, Rules, entries_of
from automode.config.load import Loaded, rule_origin
from automode.config.model_choice import KEY
from automode.config.settings import Source
from automode.core.errors import AutomodeError, BadCall
from automode.core.recent import Recent
from automode.core.record import SessionKey
from automode.core.session import Denial, History, Mode
from automode.llm.ledger import Ledger
from automode.policy.defaults import default_rules
from automode.sessions.gate_run import GateRun, agents_words, mode, overridden
from automode.sessions.live_session import LiveSession, Override, denial_named
from automode.sessions.person import Person
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.registry import SessionRegistry
from automode.sessions.status import stand_in_text
from automode.sessions.transcript_text import ECHO_SECONDS

CODE_SECONDS = 60.0
MOST_TRIES = 3
LOCKED_SECONDS = 600.0
DIGITS = 6
MOST_KNOWN = 512


def draw_code() -> str:
    return f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"


@dataclass(slots=True)
class _Codes:
    """Of one session: the open code, its verb and what that is about, until when; wrong ones in a
    row."""

    open: tuple[str, tuple[str, str], float] | None = None
    wrong: int = 0
    locked_until: float = 0.0


@dataclass(slots=True)
class ConfirmationCodes:
    """For each session at most one that is open, good for its very next event."""

    clock: Callable[[], float] = time.time
    draw: Callable[[], str] = draw_code
    _codes: Recent[SessionKey, _Codes] = field(default_factory=lambda: Recent(MOST_KNOWN))

    def offer(self, key: SessionKey, verb: str, about: str) -> str:
        """The code to type; it takes the place of any other."""
        code = self.draw()
        self._of(key).open = (code, (verb, about), self.clock() + CODE_SECONDS)
        return code

    def confirm(self, key: SessionKey, verb: str, about: str, code: str) -> bool:
        """Whether exactly this was offered, in time and with this code. Good once; anything else
        counts as a wrong code."""
        codes = self._of(key)
        offer, codes.open = codes.open, None
        asked = offer is not None and offer[1] == (verb, about) and self.clock() <= offer[2]
        if offer is not None and asked and secrets.compare_digest(offer[0], code):
            codes.wrong = 0
            return True
        codes.wrong += 1
        if codes.wrong >= MOST_TRIES:
            codes.wrong, codes.locked_until = 0, self.clock() + LOCKED_SECONDS
        return False

    def is_locked(self, key: SessionKey) -> bool:
        """After too many wrong ones nothing is taken for a while."""
        return key in self._codes and self.clock() < self._codes[key].locked_until

    def void(self, key: SessionKey) -> None:
        """Something else happened in the session."""
        if key in self._codes:
            self._codes[key].open = None

    @property
    def none_open(self) -> bool:
        return all(one.open is None for one in self._codes.values())

    def _of(self, key: SessionKey) -> _Codes:
        if key not in self._codes:
            self._codes[key] = _Codes()
        return self._codes[key]


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
    if history.stood_in:
        lines.append(stand_in_text(history))
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


def config_text(loaded: Loaded) -> str:
    """What somebody wrote; the rest are built-in defaults."""
    values = [
        f"{key} = {json.dumps(one.value)} ({one.place})"
        for key, one in loaded.values.items()
        if one.file
    ]
    rules = [
        f"{row.key}: {rule.text} ({rule_origin(rule)})"
        for row in ROWS
        if isinstance(row.kind, Rules)
        for rule in entries_of(row, loaded.settings)
        if rule.source is not Source.BUILT_IN
    ]
    found = [f"finding: {one}" for one in loaded.diagnostics]
    head = "what was set" if values or rules else "nothing was set: built-in defaults"
    last = "`automode config` in a terminal prints all of it"
    return "\n".join([head, *values, *rules, *found, last])


def defaults_text() -> str:
    lists = (
        f"{section.value}: {', '.join(rule.name for rule in found)}"
        for section, found in default_rules().items()
    )
    last = "`automode defaults` in a terminal prints each rule in full"
    return "\n".join(["the built-in rules of the policy", *lists, last])


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST_REASON else f"{plain[: LONGEST_REASON - 1]}…"


log = logging.getLogger(__name__)

LOOSENING = ("off", "reset", "approve", "model")
WORDS = {
    "status": "what automode did in this session",
    "denials": "what was denied, with ids",
    "approve ID": "lets one exact retry of a denied call through",
    "on": "switches auto mode on for this session",
    "off": "switches it off for this session",
    "reset": "clears counters, denials and approvals of this session",
    "model [PROVIDER/ID]": "shows or saves the classifier's model",
    "config": "shows which settings were set, and where",
    "defaults": "names the built-in rules of the policy",
    "reload": "reads the settings again",
    "help": "this list",
}
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

    def note_event(self, live: LiveSession) -> None:
        """Something else happens in a session, or below it: a code is good for the next event."""
        if self.codes.none_open and not self._last:
            return
        for one in (live, *self.registry.ancestors(live)):
            self.codes.void(one.key)
            self._last.pop(one.key, None)

    async def _reply(self, live: LiveSession, event: PersonSaid) -> str:
        async with live.turn:
            await self.gate_run.ready(live, event.ref)
        if not event.believed or live.parent is not None or await self._by_agent(live, event):
            self.codes.void(live.key)
            log.warning(
                "session %s: refused `/automode %s`: no person typed it", live.key, event.verb
            )
            return f"`/automode {event.verb}` was not done: {_FOR_PEOPLE}; {_terminal(live, event)}"
        if event.verb in LOOSENING and (event.verb != "model" or event.argument):
            return await self._loosen(live, event)
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
                return self._about_settings(live, event)

    def _about_settings(self, live: LiveSession, event: PersonSaid) -> str:
        match event.verb:
            case "reload":
                self.gate_run.projects.forget()
                return "the next call of each project reads its settings again"
            case "config":
                return config_text(self._load_settings(live, event))
            case "model":
                found = self._load_settings(live, event).values[KEY]
                chosen = f"{found.value} ({found.place})" if found.value else "none is chosen"
                return f"the classifier's model: {chosen}"
            case "defaults":
                return defaults_text()
            case "help":
                lines = (f"/automode {word}: {what}" for word, what in WORDS.items())
                return "\n".join(["what you can type", *lines])
            case _:
                raise BadCall(f"no such word: `{event.verb[:40]}`", "type `/automode help`")

    def _load_settings(self, live: LiveSession, event: PersonSaid) -> Loaded:
        project = self.gate_run.project(live, event.ref)
        if project is None:
            raise BadCall("the settings of this project cannot be read", "see `automode status`")
        return project.loaded

    async def _by_agent(self, live: LiveSession, event: PersonSaid) -> bool:
        return await agents_words(self.registry, self.builder, live, event.text)

    async def _loosen(self, live: LiveSession, event: PersonSaid) -> str:
        if not (live.session.attended and event.ref.attended):
            self.codes.void(live.key)
            return f"nobody is there to confirm `/automode {event.verb}`; {_terminal(live, event)}"
        if self.codes.is_locked(live.key):
            return f"too many wrong codes: wait ten minutes, or {_terminal(live, event)}"
        denial = _denial_to_approve(live, event)
        about = denial.record if denial is not None else event.argument
        if event.code and self.codes.confirm(live.key, event.verb, about, event.code):
            return await self._do(live, event.verb, about)
        if self.codes.is_locked(live.key):
            return f"too many wrong codes: wait ten minutes, or {_terminal(live, event)}"
        code = self.codes.offer(live.key, event.verb, about)
        wrong = "that code does not hold; " if event.code else ""
        words = " ".join(word for word in ("/automode", event.verb, about, code) if word)
        # On a line of its own, so that no terminal breaks it.
        return f"{wrong}{_explain(event.verb, denial)}\ntype `{words}` next, to confirm"

    async def _do(self, live: LiveSession, verb: str, about: str) -> str:
        match verb:
            case "off":
                await self.person.set_mode(live.key, Override.OFF)
                return "auto mode is off for this session; `/automode on` switches it on again"
            case "reset":
                await self.person.reset(live.key)
                return "counters, recent denials and approvals of this session begin anew"
            case "model":
                saved = await self.person.choose_model(about, live.root)
                other = f"; {saved['decides']} sets {saved['in_force']}, and that one counts here"
                return f"saved {about} in {saved['file']}{other if saved['decides'] else ''}"
            case _:
                made = await self.person.approve(about, session_long=False)
                return f"an exact retry of the call of `{made.record}` is approved for ten minutes"

    def _mode(self, live: LiveSession, event: PersonSaid) -> Mode:
        project = self.gate_run.project(live, event.ref)
        if project is None:
            return live.session.mode
        return mode(project.settings, overridden(live, self.registry.ancestors(live)))


def _denial_to_approve(live: LiveSession, event: PersonSaid) -> Denial | None:
    """The one denial of this very session that is to be approved; None for the other verbs."""
    if event.verb != "approve":
        if event.argument and event.verb != "model":
            raise BadCall(f"`/automode {event.verb}` takes nothing but its code", "type just that")
        return None
    return denial_named(live.session.history.denials, event.argument)


def _explain(verb: str, denial: Denial | None) -> str:
    if denial is not None:
        action = " ".join(denial.action.split())
        return f"this lets exactly this call through once, if it is tried again: {action[:300]}"
    if verb == "off":
        return "nothing will be decided or recorded for this session any more"
    if verb == "model":
        return "this model will judge what no rule decides, in every project of yours"
    return "what was denied in this session no longer counts, and its approvals are gone"


def _terminal(live: LiveSession, event: PersonSaid) -> str:
    about = event.argument or "ID" if event.verb == "approve" else f"--session {live.key}"
    if event.verb not in ("on", *LOOSENING[:2], "approve", "status", "denials"):
        about = event.argument
    return f"in a terminal of your own, type `automode {event.verb} {about}`"
