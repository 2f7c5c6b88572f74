"""What only a person may do: with a daemon, without one, and never for an agent."""

import os
import sqlite3
from dataclasses import replace
from pathlib import Path

from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.store import tables
from automode.store.open import reading
from tests.cli.daemons import Place
from tests.cli.stored import keep, kept_session, record, stored_records

KEY = SessionKey("plain", "s1")
DENIED = replace(
    record(7, verdict=Verdict.DENY, source="classifier.fast"),
    clearable=True,
    input='{"command": "npm publish"}',
)
FOR_PEOPLE = (
    *(("on", "--all"), ("off", "--all"), ("reset", "--all"), ("purge", "--all", "--yes")),
    *(("daemon", "start"), ("daemon", "stop"), ("daemon", "restart")),
    *(("trust", "--yes"), ("trust", "--revoke"), ("model", "ollama/qwen3")),
    *(("approve", DENIED.id), ("denials", "--propose", DENIED.id, "--write", "--choice", "1")),
    *(("install", "pi", "--yes"), ("uninstall", "pi", "--yes"), ("run", "claude")),
    *(("ui",), ("ui", "--read-only")),
)


def mode(place: Place) -> str:
    with reading(place.state) as db:
        row = tables.session(db, KEY)
    assert row is not None
    return row.mode


def let_through(place: Place, *commands: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The commands that an agent may call."""
    ended = place.below_an_agent(*commands)
    refused = "only a person may do this"
    return [
        words
        for words, (status, error) in zip(commands, ended, strict=True)
        if status != 2 or refused not in error
    ]


def files(place: Place) -> dict[str, bytes]:
    folders = (place.config, place.project)
    found = (path for folder in folders for path in Path(folder).rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in found}


def test_below_an_agent_it_is_refused_without_a_daemon(place: Place) -> None:
    keep(place.state, kept_session(KEY), DENIED)
    before = files(place)

    assert let_through(place, *FOR_PEOPLE, ("denials",)) == [("denials",)]
    assert files(place) == before
    assert (mode(place), len(stored_records(place.state))) == ("", 1)


def test_it_is_done_on_the_store_and_holds_for_the_next_daemon(
    place: Place, a_person: None
) -> None:
    keep(place.state, kept_session(KEY))

    result = place.run("off", "--session", "s1")
    alone = mode(place)
    place.run("daemon", "start")

    assert (result.stdout, alone) == ("auto mode is off for plain/s1\n", "off")
    assert place.proposed("rm -rf /")["verdict"] is None
    assert place.proposed("rm -rf /", "another")["verdict"] == "deny"


def test_where_the_store_cannot_be_written_it_is_an_error_and_waits_nowhere(
    place: Place, a_person: None
) -> None:
    keep(place.state, kept_session(KEY))
    other = sqlite3.connect(place.state.database, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    result = place.run("off", "--session", "s1")
    other.close()

    assert result.returncode == 2
    assert "locked" in result.stderr
    assert not os.path.exists(place.state.outage)
    assert mode(place) == ""
