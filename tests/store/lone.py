"""What is decided beside a store, and the store that it comes to, as tests use them."""

import json
from dataclasses import dataclass, field, replace

from automode.core.decision import Verdict
from automode.core.history import History
from automode.core.record import Record
from automode.gate.breaker import Limits
from automode.sessions.history_text import Remembered, remembered, remembered_text
from automode.store.applying import apply
from automode.store.chain import Chain
from automode.store.changes import Change, Decided, SessionKept, SessionRow
from automode.store.database import Database
from automode.store.migrations import migrate
from automode.store.sqlite import Sqlite
from automode.store.tables import session
from automode.store.tally import uncounted
from tests.store.examples import KEY, ROW, record

LIMITS = Limits()
PLAIN = replace(ROW, parent=None, mode="", history="{}")
WORDS = {"a": Verdict.ALLOW, "q": Verdict.ASK, "d": Verdict.DENY}


def text(history: History, **more: object) -> str:
    whole = json.loads(remembered_text(Remembered(history, {}), str))
    return json.dumps({**whole, **more})


def made(number: int, word: str) -> Record:
    return record(number, WORDS[word], source={"d": "floor.delete-root"}.get(word, "read-only"))


def alone(one: Record, row: SessionRow = PLAIN) -> list[Change]:
    """As it is spooled by who decided without a daemon."""
    return [SessionKept(uncounted(replace(row, key=one.session, seen=one.at))), Decided(one)]


@dataclass
class Store:
    db: Database
    chain: Chain = field(default_factory=lambda: Chain("c1", b"k" * 32))

    def write(self, *changes: Change, late: bool = False) -> None:
        with self.db.transaction():
            apply(self.db, changes, self.chain, late=late)
        self.chain.kept()

    @property
    def text(self) -> str:
        row = session(self.db, KEY)
        return "{}" if row is None else row.history

    @property
    def history(self) -> History:
        return remembered(self.text).history


def empty() -> Store:
    db = Sqlite.empty()
    migrate(db)
    return Store(db)
