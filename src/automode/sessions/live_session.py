"""One session in memory: what is known of it, and how it is kept."""

import asyncio
import sys
from collections import OrderedDict
from dataclasses import dataclass, field
from enum import StrEnum

from automode.classifier.events import Event
from automode.classifier.transcript import Recorder
from automode.core.decision import Verdict
from automode.core.files import Files
from automode.core.record import SessionKey
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.gate.breaker import Limits
from automode.sessions.past import Standing
from automode.sessions.prompt_origin import PromptOrigin
from automode.sessions.rulings import Rulings
from automode.sessions.transcript_text import Clean, event_text
from automode.store.changes import Heard, SessionRow

MOST_ASKED = 32
UNKNOWN_ROOT = "/"
NOWHERE: Files = Names("/")
UNKNOWN_LIMITS = Limits(sys.maxsize, sys.maxsize, sys.maxsize, Verdict.DENY)
"""Before the settings of its project are known, a session is neither asked about nor stopped for
what was denied before."""


class Override(StrEnum):
    """What a person typed for one session, against what is configured."""

    NONE = ""
    ON = "on"
    OFF = "off"


@dataclass(slots=True, eq=False)
class LiveSession:
    """One session in memory. Whoever changes it holds `turn`, but for its history: that is changed
    in one step, also by what is decided below it. Until it is `restored` nothing of it may be
    written: the store may know more."""

    key: SessionKey
    session: Session
    created: float
    seen: float
    parent: SessionKey | None = None
    recorder: Recorder = field(default_factory=Recorder)
    ended: float | None = None
    override: Override = Override.NONE
    restored: bool = False
    began: bool = False  # its agent has said so, whether or not the store could be read
    outdated: bool = False  # another process may have written of it: to be read anew
    doubted: bool = False  # the store may have lost what it knew: see `past.require_past`
    limits: Limits = UNKNOWN_LIMITS  # the breaker's, where it last worked
    model: str | None = None  # that the agent itself runs on
    orphan: bool = False  # nobody knows the session above it
    heard: int = 0  # events so far
    root: str = ""  # the project it began in: its rules hold wherever the session goes
    # Calls that the breaker asked about: the host's id → what stands for tool and input.
    asked: OrderedDict[str, str] = field(default_factory=OrderedDict)
    unattended: bool = False  # as it began: not every hook can tell that nobody is there
    switched: str = ""  # the folder in which it must not go on, or is asked: see `switched`
    looked: bool = False  # whether that was ever looked for
    stamp: str = ""  # of what was there then
    suspect: str = ""  # what a suspect result asked for, until a person says yes to a call
    silent: str = ""  # which calls nobody decided about, until a person lets it begin anew
    rulings: Rulings = field(default_factory=Rulings)
    words: PromptOrigin = field(default_factory=PromptOrigin)
    returned: list[SessionKey] = field(default_factory=list)  # ended below it, and not reviewed yet
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def belongs(self, parent: str) -> None:
        """To the session that started it. The first word counts."""
        if self.parent is None and parent != self.key.id:
            self.parent = SessionKey(self.key.host, parent)
            self.session.parent = str(self.parent)

    def hear(self, event: Event, clean: Clean) -> Heard:
        """Takes an event into the transcript; returns it as it is kept."""
        self.recorder.hear(event)
        return self.position(event_text(event, clean))

    def position(self, text: str) -> Heard:
        """One more line of what is kept of the transcript."""
        self.heard += 1
        return Heard(self.key, self.heard - 1, text)

    @property
    def whole(self) -> bool:
        """Whether what is in memory may be written down."""
        return self.restored and not self.doubted

    @property
    def current(self) -> bool:
        """Whether what the store knows is in memory."""
        return self.whole and not self.outdated

    @property
    def roots(self) -> tuple[str, ...]:
        """Projects of the session and of those above it."""
        return (self.root, *(one.workspace.root for one in self.session.above))

    def ask(self, call: str, own: str) -> None:
        """A person is being asked about a call, because too much was denied."""
        self.asked[call] = own
        if len(self.asked) > MOST_ASKED:
            self.asked.popitem(last=False)

    def row(self, clean: Clean) -> SessionRow:
        """As it is kept."""
        place = self.session.workspace
        return SessionRow(
            self.key,
            None if self.parent is None else self.parent.id,
            clean(self.root or place.root),
            clean(place.cwd),
            self.session.attended,
            self.override.value,
            self.created,
            self.seen,
            self.ended,
            self.standing.text(clean),
        )

    @property
    def standing(self) -> Standing:
        flags = (self.unattended, self.switched, self.suspect, self.silent)
        return Standing(self.asked, *flags)


def new_session(key: SessionKey, now: float) -> LiveSession:
    """Nothing is known of it but its name. Two hosts may give the same id: all that remembers a
    session by its name is given both."""
    session = Session(str(key), Workspace(UNKNOWN_ROOT, "/", "/", NOWHERE), host=key.host)
    return LiveSession(key, session, now, now)
