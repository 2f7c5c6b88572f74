"""People name a session by its id, with its host, or by how it begins."""

import pytest

from automode.core.errors import BadCall
from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import Decided, SessionKept
from automode.store.database import Database
from automode.store.tables import apply, recorded_session
from tests.store.examples import KEY, OTHER_KEY, ROW, record

ONLY = SessionKey("codex", "7a/b")
ODD = SessionKey("plain", "a\0\ud800")


@pytest.fixture
def filled(db: Database) -> Database:
    keys = (KEY, OTHER_KEY, ONLY, ODD)
    changes = [Decided(record(at, session=key)) for at, key in enumerate(keys, start=1)]
    with db.transaction():
        apply(db, [*changes, SessionKept(ROW)], Chain("c", b"k"))
    return db


MEANT = {
    "claude-code/5f0c-1": KEY,
    "codex/5f0c-1": OTHER_KEY,
    "claude-code/5": KEY,
    "7a/b": ONLY,
    "7": ONLY,
    "codex/7a": ONLY,
    "a\0\ud800": ODD,
}


@pytest.mark.parametrize("name", MEANT)
def test_a_session_is_found_by_name(filled: Database, name: str) -> None:
    assert recorded_session(filled, name) == MEANT[name]


UNCLEAR = {
    "": "no session",
    "5f0c": "may be several sessions: claude-code/5f0c-1, codex/5f0c-1",
    "5f0c-1": "may be several sessions",
    "nobody": "no session `nobody`",
    "pi/5f0c-1": "no session",
}


@pytest.mark.parametrize("name", UNCLEAR)
def test_a_name_that_is_not_clear_is_refused(filled: Database, name: str) -> None:
    with pytest.raises(BadCall, match=UNCLEAR[name]) as caught:
        recorded_session(filled, name)

    assert caught.value.hint


def test_a_purged_record_has_no_session(filled: Database) -> None:
    filled.execute("UPDATE decision SET host = '', session = '', verdict = ''")

    with pytest.raises(BadCall):
        recorded_session(filled, "7a/b")
