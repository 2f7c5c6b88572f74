"""A session's past, as the store tells it. Counters and denials are a fold over its records."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from automode.classifier.memory import MOST_ENTRIES
from automode.core.decision import Decision, allow
from automode.core.errors import AutomodeError
from automode.core.record import Record, SessionKey
from automode.core.session import NOTHING_YET, Denial, History, noted
from automode.gate.breaker import Limits, after, after_below, recorded, resumed
from automode.sessions.layers import open_digests
from automode.sessions.transcript_text import (
    ANSWER_START,
    DISOWNED_START,
    INSTRUCTIONS_START,
    PROMPT_START,
    Clean,
    encode,
)
from automode.store import tables
from automode.store.changes import RecordQuery, SessionRow
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

NOT_RECORDED = "gate.not-recorded"
"""The source of the second record of a call whose first may not have been written."""

# Of what is long ago only words are remembered: see `classifier.memory`.
_LASTING = (PROMPT_START, ANSWER_START, INSTRUCTIONS_START, DISOWNED_START)
_GAPS = "SELECT chain, seq, body, signature FROM checkpoint WHERE kind = ?"
_LAST_BEFORE = "SELECT max(seq) FROM decision WHERE chain = ? AND seq < ?"


class PastUnknown(AutomodeError):
    """Nobody can know whether the session was stopped."""

    def __init__(self) -> None:
        super().__init__(
            "the store was damaged or put back, so nobody can know whether this session was"
            " stopped before",
            "Ask the person to start the agent anew, or to run `automode reset` for this session"
            " (`--all` for every one).",
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
    texts = [one.event for one in old if one.event.startswith(_LASTING)]
    texts += [one.event for one in new]
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
        return resumed(history, limits)
    if record.source.startswith("person."):
        return history
    if isinstance(record, Allowed):
        return step(history, allow(record.source, ""), limits)
    if record.tool == "automode":  # a notice about the gate itself, and no call: see `deeds`
        return history
    if record.source != NOT_RECORDED:
        history = step(history, _decision(record), limits)
    shown = record.enforced and record.denied and not below
    return noted(history, denial(record)) if shown else history


def _decision(record: Record) -> Decision:
    return recorded(
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


def require_past(db: Database, key: SessionKey, row: SessionRow | None, now: float) -> None:
    """Raises PastUnknown for a session of which the store may have lost something: the chain says
    that it could not go on where it was left, and the session may have lived before that. A
    person's reset since then makes up for it."""
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


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds of a session until something ends it; kept in its row. `asked` are calls that the
    breaker asked about, by the host's id of the call. The others: see `live.Live`."""

    asked: Mapping[str, str] = field(default_factory=dict)
    unattended: bool = False
    switched: str = ""
    suspect: str = ""
    silent: str = ""

    def text(self, clean: Clean) -> str:
        """As JSON; `clean` takes secrets out."""
        words = [clean(one) if one else "" for one in (self.switched, self.suspect, self.silent)]
        return _standing_text(tuple(self.asked.items()), self.unattended, *words)

    @staticmethod
    def of(text: str) -> "Standing":
        """What cannot be read counts as nothing: the store is for its owner alone."""
        try:
            value = json.loads(text or "{}")
        except (ValueError, RecursionError):
            return Standing()
        if not isinstance(value, Mapping):
            return Standing()
        asked = value.get("asked")
        pairs = asked.items() if isinstance(asked, Mapping) else ()
        return Standing(
            {str(call): own for call, own in pairs if isinstance(own, str)},
            value.get("unattended") is True,
            *(_word(value.get(name)) for name in ("switched", "suspect", "silent")),
        )


@lru_cache(maxsize=256)
def _standing_text(
    asked: tuple[tuple[str, str], ...],
    unattended: bool,  # noqa: FBT001 - a cache compares its arguments by their places
    switched: str,
    suspect: str,
    silent: str,
) -> str:
    """Most sessions have nothing to be written, and most decisions change nothing of it."""
    words = {"switched": switched, "suspect": suspect, "silent": silent}
    standing = {"asked": dict(asked), "unattended": unattended, **words}
    return encode({name: value for name, value in standing.items() if value})


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
