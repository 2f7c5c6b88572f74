"""One session in memory, how it is kept, and its past as a fold over its records."""

import asyncio
import json
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from automode.agents.events import Variables
from automode.classifier.events import Event
from automode.classifier.transcript import MOST_ENTRIES, Recorder
from automode.core.decision import Decision, Verdict, allow
from automode.core.errors import AutomodeError, BadCall
from automode.core.recent import Recent
from automode.core.record import Record, SessionKey
from automode.core.session import NOTHING_YET, Denial, History, Session, add_denial
from automode.core.workspace import Files, Workspace
from automode.facts.files import Names
from automode.gate.breaker import Limits, after, after_below, restore_decision, resume
from automode.sessions.layers import open_digests
from automode.sessions.transcript_text import LASTING, Clean, PromptOrigin, encode, event_text
from automode.store import tables
from automode.store.changes import Heard, RecordQuery, SessionRow
from automode.store.database import Database
from automode.store.links import Kind, checkpoint_from, checkpoint_seal, same
from automode.store.tables import Allowed

MOST_EVENTS_READ = 20_000
MOST_RECORDS_READ = 10_000
DOUBTED_SECONDS = 86_400.0
"""Whatever was running when the store was lost has ended by then, has begun anew, or was told."""

EVERY_SESSION = SessionKey("automode", "every session")
"""Stands in the record of a reset that is for those as well that nobody has seen yet."""

RESUMED = "person.resume"
"""The source of the record that a person said yes to a call which the breaker asked about."""

DECLINED = "person.decline"
"""The source of the record that a person said no to a call which the gate had not denied."""

NOT_RECORDED = "gate.not-recorded"
"""The source of the second record of a call whose first may not have been written."""

_GAPS = "SELECT chain, seq, body, signature FROM checkpoint WHERE kind = ?"
_LAST_BEFORE = "SELECT max(seq) FROM decision WHERE chain = ? AND seq < ?"


class PastUnknown(AutomodeError):
    """It is unknown whether the session was stopped."""

    def __init__(self) -> None:
        super().__init__(
            "the store was damaged or put back, so it is unknown whether this session was"
            " stopped before",
            "start the agent again, or run `automode reset` for this session"
            " (`--all` for every one)",
        )


@dataclass(frozen=True, slots=True)
class Past:
    row: SessionRow | None
    heard: Sequence[str]
    approvable: Sequence[str]  # digests of calls that were approved
    records: Sequence[Record | Allowed]


def read_past(db: Database, key: SessionKey, now: float) -> Past:
    heard = tables.events(db, key, newest=MOST_EVENTS_READ)
    old, new = heard[:-MOST_ENTRIES], heard[-MOST_ENTRIES:]
    # Of what is long ago only words are remembered: see `classifier.transcript`.
    texts = [*(one for one in old if one.startswith(LASTING)), *new]
    approvable = open_digests(tables.approvals(db, key), now)
    records = tables.past_records(db, key, newest=MOST_RECORDS_READ)
    return Past(tables.session(db, key), texts, approvable, records)


def fold_history(key: SessionKey, records: Iterable[Record | Allowed], limits: Limits) -> History:
    """What the records of a session, and of those below it, amount to."""
    history = NOTHING_YET
    for one in records:
        history = _step(history, one, limits, below=one.session != key)
    return history


def _step(history: History, record: Record | Allowed, limits: Limits, *, below: bool) -> History:
    step = after_below if below else after
    if record.source == RESUMED:
        return resume(history, limits)
    if record.source == DECLINED and isinstance(record, Record):
        return history if below else decline(history, record)
    if record.source.startswith("person."):
        return history
    if isinstance(record, Allowed):
        return step(history, allow(record.source, ""), limits)
    if record.tool == "automode":  # a notice about the gate itself, and no call: see `deeds`
        return history
    if record.source != NOT_RECORDED:
        history = step(history, _decision(record), limits)
    shown = record.enforced and record.denied and not below
    return add_denial(history, denial(record)) if shown else history


def decline(history: History, record: Record) -> History:
    """A call that was counted before turned out to be denied by the person. That is no policy
    denial: the breaker does not count it."""
    told = replace(
        history,
        blocked=history.blocked + 1,
        last_verdict=record.verdict,
        last_reason=record.reason,
        last_source=record.source,
    )
    return add_denial(told, denial(record))


def _decision(record: Record) -> Decision:
    return restore_decision(
        Decision(
            record.verdict,
            record.source,
            record.reason,
            error=record.error,
            trail=record.trail,
            enforced=record.enforced,
        )
    )


def denial(record: Record) -> Denial:
    """As the session's recent denials keep it."""
    return Denial(record.at, record.tool, record.reason, record.action, record.kind, record.id)


def denial_named(denials: Iterable[Denial], begun: str) -> Denial:
    """The one of a session's denials whose record has this id, or whose id begins so."""
    known = list(denials)
    found = [one for one in known if one.record == begun] or [
        one for one in known if begun and one.record.startswith(begun)
    ]
    if len(found) != 1:
        named = f"`{begun[:40]}`" if begun else "nothing"
        raise BadCall(
            f"no single denial of this session is meant by {named}",
            "type `/automode approve ID`; `/automode denials` lists them",
        )
    return found[0]


def require_past(db: Database, key: SessionKey, row: SessionRow | None, now: float) -> None:
    """Raises PastUnknown where the store may have lost something of a session: the chain could not
    go on where it was left, and the session may have lived before. A later reset by a person makes
    up for it."""
    for chain, number, body, seal in db.rows(_GAPS, (Kind.RESUMED.value,)):
        gap = checkpoint_from(int(str(number)), Kind.RESUMED.value, str(body))
        if gap is None or now - gap.at > DOUBTED_SECONDS:
            continue
        # Only marks of this installation: another machine's chain says nothing of sessions here.
        made = checkpoint_seal(
            db.signing_key, str(chain), gap.number, Kind.RESUMED.value, str(body)
        )
        if not same(str(seal), made):
            continue
        [(last,)] = db.rows(_LAST_BEFORE, (str(chain), gap.first))
        complete = isinstance(last, int) and last >= gap.first - 1
        if row is not None and (row.seen >= gap.at or complete):
            continue
        if not any(_reset_since(db, one, gap.at) for one in (key, EVERY_SESSION)):
            raise PastUnknown


def _reset_since(db: Database, key: SessionKey, at: float) -> bool:
    query = RecordQuery(session=key, source=tables.RESET, since=at, limit=1)
    return bool(tables.records(db, query))


MOST_ASKED = 32


@dataclass(slots=True)
class Standing:
    """What holds of a session until something ends it; kept in its row."""

    # Calls that the breaker asked about: the host's id → the digest of tool and input.
    asked: Recent[str, str] = field(default_factory=lambda: Recent(MOST_ASKED))
    unattended: bool = False  # as it began: not every hook can tell that nobody is there
    switched: str = ""  # the folder in which it must not go on, or is asked: see `bypasses`
    suspect: str = ""  # what a suspect result asked for, until a person who was told of it goes on
    told: str = ""  # the same, once a person was told of it by a question
    silent: str = ""  # which calls nobody decided about, until a person lets it begin anew
    run: str = ""  # of `automode run`, where that started its agent
    doubted: int = 0  # prompts that did not count as the person's: see `PromptTyped`

    def begin(self, *, attended: bool, doubted: bool) -> None:
        """The agent says that the session begins; a doubted word can only make it unattended."""
        self.unattended = not attended or (doubted and self.unattended)

    def begin_anew(self) -> None:
        """A person reset the session. Whether somebody is there stays what it is."""
        self.asked.clear()
        self.suspect = self.told = self.silent = ""
        self.doubted = 0

    def go_on(self) -> None:
        """A person writes the next message."""
        if self.told:
            self.suspect = self.told = ""

    def text(self, clean: Clean) -> str:
        """As JSON; `clean` takes secrets out."""
        known: dict[str, object] = {"asked": dict(self.asked), "unattended": self.unattended}
        known |= {"doubted": self.doubted}
        known |= {name: clean(getattr(self, name)) for name in _WORDS}
        return encode({name: value for name, value in known.items() if value})

    @staticmethod
    def of(text: str) -> "Standing":
        """What cannot be read counts as nothing: the store is for its owner alone."""
        try:
            value = json.loads(text or "{}")
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, Mapping):
            return Standing()
        asked, doubted = value.get("asked"), value.get("doubted")
        pairs = asked.items() if isinstance(asked, Mapping) else ()
        return Standing(
            Recent(MOST_ASKED, ((str(call), own) for call, own in pairs if isinstance(own, str))),
            value.get("unattended") is True,
            **{name: _word(value.get(name)) for name in _WORDS},
            doubted=doubted if isinstance(doubted, int) else 0,
        )


_WORDS = ("switched", "suspect", "told", "silent", "run")


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


MOST_RULED = 64
"""A host asks about a call soon after it was decided, or never."""

MOST_PROPOSED = 4096

TWIN_SECONDS = 60.0
"""A host with two hooks for the same call calls both at once; each may wait for its answer."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """`own` is a digest of tool and input. `decision` None: auto mode was off. `record`: the id of
    its record."""

    own: str
    decision: Decision | None
    record: str | None = None
    cwd: str = ""
    at: float = 0.0


def binding(decision: Decision | None) -> Decision | None:
    """A decision that needs no person any more; None where the host's own dialog goes on."""
    if decision is None or not decision.enforced or decision.verdict is Verdict.ASK:
        return None
    return decision


@dataclass(slots=True)
class Rulings:
    """By the host's id of a call, or by the digest of tool and input where it gives none."""

    # Of each id eight bytes: a long session proposes thousands of calls.
    _proposed: "array[int]" = field(default_factory=lambda: array("q"))
    _oldest: int = 0
    _ruled: Recent[str, Ruled] = field(default_factory=lambda: Recent(MOST_RULED))
    # Calls that are over, and whether that is in doubt.
    _ended: Recent[str, bool] = field(default_factory=lambda: Recent(MOST_RULED))

    def note(self, call: str, ruled: Ruled) -> None:
        """The newest counts. `call` is the host's id, or again the digest of tool and input."""
        self._ended.pop(call, None)
        for name in dict.fromkeys((call, ruled.own)):
            self.note_proposed(
                name
            )  # some hosts name a call before it runs, and not when it is over
            self._ruled[name] = ruled

    def note_proposed(self, call: str) -> None:
        """A call reached automode, now or before a restart."""
        if len(self._proposed) < MOST_PROPOSED:
            self._proposed.append(hash(call))
        else:
            self._proposed[self._oldest] = hash(call)
            self._oldest = (self._oldest + 1) % MOST_PROPOSED

    def unknown(self, calls: Iterable[str]) -> list[str]:
        """Those of the calls that never reached automode, as far as anybody remembers."""
        known = set(self._proposed)
        return [call for call in calls if hash(call) not in known]

    def of(self, call: str, own: str) -> Ruled | None:
        """What holds for exactly this call: the same id with another input is another call."""
        found = self._ruled.get(call or own)
        return found if found is not None and found.own == own else None

    def ruling_of(self, call: str) -> Ruled | None:
        """What was decided about a call that the host calls so, or that has no other name."""
        return self._ruled.get(call)

    def has(self, call: str) -> bool:
        """Whether something is known of a call that the host calls so."""
        return bool(call) and call in self._ruled

    def twin(self, call: str, own: str, cwd: str, now: float) -> Ruled | None:
        """What was decided about the very call that is proposed once more, and has not run yet."""
        found = self.of(call, own) if call and call not in self._ended else None
        if found is None or found.cwd != cwd or not 0.0 <= now - found.at <= TWIN_SECONDS:
            return None
        return found

    def another(self, call: str, *own: str) -> bool:
        """Whether a call that the host calls so was decided, and it was none of these."""
        found = self._ruled.get(call) if call else None
        return found is not None and found.own not in own

    def asked(self, call: str) -> bool:
        """Whether a person was asked about this call."""
        ruled = self._ruled.get(call)
        decision = None if ruled is None else ruled.decision
        return decision is not None and decision.enforced and decision.verdict is Verdict.ASK

    def over(self, call: str) -> bool:
        """Whether anybody has said that this call is over."""
        return bool(call) and call in self._ended

    def ended_before(self, call: str, *, doubted: bool = False) -> bool:
        """Whether the host has said before that this call is over; from now on it has. A doubted
        word does not replace a sure one."""
        again = call in self._ended and (doubted or not self._ended[call])
        if call:
            self._ended[call] = doubted and self._ended.get(call, True)
        return again

    @property
    def unfinished(self) -> bool:
        """Whether a call was not denied, and nobody has said that it is over."""
        return any(map(self._is_open, self._ruled))

    def decline(self, call: str, own: str, at: float) -> str | None:
        """A person said no to a call, named by the host's id or by the digest `own`, that was
        decided before `at`. Returns the id of its record; the call is over. None where no such call
        is open."""
        name = call or own
        if not self._is_open(name) or (not call and self._ruled[name].at > at):
            return None
        ruled = self._ruled[name]
        self.ended_before(call)
        for known in [one for one, other in self._ruled.items() if other is ruled]:
            del self._ruled[known]
        return ruled.record

    def _is_open(self, name: str) -> bool:
        found = self._ruled.get(name)
        return (
            found is not None
            and found.record is not None
            and name not in self._ended
            and found.decision is not None
            and found.decision.enforced
            and found.decision.verdict < Verdict.DENY
        )

    def forget(self) -> None:
        """A person has changed what holds: no call is answered with what was decided before."""
        self._ruled.clear()

    def finish(self, call: str, own: str) -> Ruled | None:
        """A call has run: what was decided about it allows no other one."""
        found = self.of(call, own)
        for name in (call, own):
            ruled = self._ruled.get(name)
            if ruled is not None and ruled.own == own:
                del self._ruled[name]
        return found


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


def override_of(row: SessionRow) -> Override:
    return next((one for one in Override if one.value == row.mode), Override.NONE)


@dataclass(slots=True, eq=False)
class LiveSession:
    """One session in memory. Who changes it holds `turn`; only its history is changed in one step,
    also from below. Until it is `restored` nothing of it may be written: the store may know
    more."""

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
    doubted: bool = False  # the store may have lost what it knew: see `require_past`
    limits: Limits = UNKNOWN_LIMITS  # the breaker's, where it last worked
    model: str | None = None  # that the agent itself runs on
    variables: Variables = ()  # of its agent's environment, those that hold settings
    orphan: bool = False  # nobody knows the session above it
    heard: int = 0  # events so far
    root: str = ""  # the project it began in: its rules hold wherever the session goes
    standing: Standing = field(default_factory=Standing)
    looked: bool = False  # whether `standing.switched` was ever looked for
    stamp: str = ""  # of what was there then
    rulings: Rulings = field(default_factory=Rulings)
    # How confined calls ended: those that met the guard, and those that failed otherwise.
    met_guard: Recent[str, str] = field(default_factory=lambda: Recent(MOST_ASKED))
    failed: Recent[str, str] = field(default_factory=lambda: Recent(MOST_ASKED))
    words: PromptOrigin = field(default_factory=PromptOrigin)
    # What was handed over to sub-agents, by the host's id of the call.
    tasks: Recent[str, str] = field(default_factory=lambda: Recent(MOST_ASKED))
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
        return self.add_line(event_text(event, clean))

    def add_line(self, text: str) -> Heard:
        """One more line of what is kept of the transcript."""
        self.heard += 1
        return Heard(self.key, text)

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


def new_session(key: SessionKey, now: float) -> LiveSession:
    """Only its name is known. Two hosts may give the same id, so names hold both."""
    session = Session(str(key), Workspace(UNKNOWN_ROOT, "/", "/", NOWHERE), host=key.host)
    return LiveSession(key, session, now, now)
