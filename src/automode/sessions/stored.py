"""What the store knows of a session: read once, when the session is restored."""

from collections.abc import Sequence
from dataclasses import dataclass

from automode.classifier.memory import MOST_ENTRIES
from automode.core.record import SessionKey
from automode.sessions.approvals import open_digests
from automode.sessions.event_text import ANSWER_START, PROMPT_START
from automode.sessions.instructions import INSTRUCTIONS_START
from automode.sessions.words import DISOWNED_START
from automode.store import tables
from automode.store.changes import SessionRow
from automode.store.database import Database

MOST_EVENTS_READ = 20_000

# Of what is long ago only words are remembered: see `classifier.memory`.
_LASTING = (PROMPT_START, ANSWER_START, INSTRUCTIONS_START, DISOWNED_START)


@dataclass(frozen=True, slots=True)
class Found:
    row: SessionRow | None
    heard: Sequence[str]
    positions: int
    approvable: Sequence[str]  # digests of calls that were approved


def found(db: Database, key: SessionKey, now: float) -> Found:
    row = tables.session(db, key)
    if row is None:
        return Found(None, (), 0, ())
    heard = tables.events(db, key, newest=MOST_EVENTS_READ)
    old, new = heard[:-MOST_ENTRIES], heard[-MOST_ENTRIES:]
    texts = [one.event for one in old if one.event.startswith(_LASTING)]
    texts += [one.event for one in new]
    positions = heard[-1].position + 1 if heard else 0
    return Found(row, texts, positions, open_digests(tables.approvals(db, key), now))
