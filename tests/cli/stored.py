"""Records and sessions as tests need them, and a store with some of them in it."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from automode.agents.catalog import ADAPTERS
from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey, StageSpent
from automode.daemon.agents import refusal
from automode.llm.model import Usage
from automode.llm.prices import cost
from automode.sessions.record_builder import Ids
from automode.store import tables
from automode.store.chain import Chain
from automode.store.changes import Change, Decided, RecordQuery, SessionKept, SessionRow, Used
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.open import open_store, reading
from automode.store.tables import apply
from tests.store.examples import RECORD

ONE_TOKEN = Usage(1)


def record(
    number: int = 1,
    *,
    verdict: Verdict = Verdict.ALLOW,
    tool: str = "Bash",
    action: str = "git status",
    source: str = "read-only",
    reason: str = "it only reads",
    session: SessionKey | None = None,
    stages: tuple[StageSpent, ...] = (),
    at: float = 1_800_000_000.0,
) -> Record:
    return replace(
        RECORD,
        id=f"r{number:08}",
        at=at + number,
        session=session or SessionKey("claude-code", "0123456789abcdef"),
        root="/w",
        cwd="/w",
        tool=tool,
        action=action,
        input="{}",
        verdict=verdict,
        source=source,
        reason=reason,
        micros=120,
        trail=(),
        stages=stages,
    )


def spent(usd: str | None) -> StageSpent:
    return StageSpent("fast", "mine/m", 10, 1, 0, 0, 300, usd)


def state_folder(tmp_path: Path) -> StateFolder:
    """Where `XDG_STATE_HOME` of the tests leads."""
    return StateFolder(str(tmp_path / "state" / "automode")).prepared()


def keep(folder: StateFolder, *changes: Change | Record) -> None:
    """Writes them into the store, as a daemon would."""
    chain = Chain.of(folder.prepared())
    made = [Decided(one) if isinstance(one, Record) else one for one in changes]
    with writable(folder) as db, db.transaction():
        apply(db, made, chain)


@contextmanager
def writable(folder: StateFolder) -> Iterator[Database]:
    db = open_store(folder)
    yield db
    db.close()


def needs_a_person(folder: StateFolder) -> None:
    why = refusal(folder, os.getpid(), ADAPTERS)
    if why is not None:
        pytest.skip(f"NO PERSON: what only a person may do was not tested, because {why}")


def used(
    session: str,
    model: str = "mine/m",
    counts: Usage = ONE_TOKEN,
    *,
    parent: str | None = None,
    stage: str = "fast",
    millis: int = 1,
    at: float | None = None,
) -> Used:
    """A request to a model, priced as the running gate prices it. `session` is `host/id`."""
    host, _, own = session.partition("/")
    when = time.time() if at is None else at
    price = cost(model, counts, datetime.fromtimestamp(when, UTC))
    tokens = (counts.input, counts.output, counts.cache_read, counts.cache_write)
    usd = None if price is None else str(price)
    own_id = Ids().new()
    return Used(own_id, when, SessionKey(host, own), parent, stage, model, *tokens, millis, usd)


def stored_records(folder: StateFolder) -> list[Record]:
    """The oldest first."""
    with reading(folder) as db:
        found = [one.record for one in tables.records(db, RecordQuery(limit=100_000))]
    return [one for one in reversed(found) if one is not None]


def stored_usage(folder: StateFolder) -> list[Used]:
    with reading(folder) as db:
        return tables.usage_rows(db)


def kept_session(
    key: SessionKey,
    *,
    root: str = "/w",
    parent: str | None = None,
    seen: float | None = None,
    ended: float | None = None,
) -> SessionKept:
    now = time.time() if seen is None else seen
    return SessionKept(SessionRow(key, parent, root, root, True, "", now - 60, now, ended, "{}"))
