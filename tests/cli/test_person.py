"""What only a person may do: with a daemon, without one, and never for an agent."""

import json
import os
import signal
import sqlite3

import pytest

from automode.adapters.catalog import ADAPTERS
from automode.core.record import SessionKey
from automode.daemon.agents import markers_of
from automode.daemon.client import running
from automode.store import tables
from automode.store.open import reading
from tests.cli.daemons import Place
from tests.cli.records import keep, kept_session

MARKERS = sorted(markers_of(ADAPTERS.values()))
KEY = SessionKey("plain", "s1")
PERSON_S = {
    "on": ("on", "--all"),
    "off": ("off", "--all"),
    "reset": ("reset", "--all"),
    "daemon start": ("daemon", "start"),
    "daemon stop": ("daemon", "stop"),
    "daemon restart": ("daemon", "restart"),
    "purge": ("purge", "--all", "--yes"),
    "trust": ("trust", "--yes"),
    "trust no longer": ("trust", "--revoke"),
    "model": ("model", "ollama/qwen3"),
}


def mode(place: Place) -> str:
    with reading(place.state) as db:
        row = tables.session(db, KEY)
    assert row is not None
    return row.mode


@pytest.mark.parametrize("words", PERSON_S.values(), ids=PERSON_S.keys())
def test_below_an_agent_it_is_refused_without_a_daemon(
    place: Place, words: tuple[str, ...]
) -> None:
    keep(place.state, kept_session(KEY))

    result = place.run(*words, variables={MARKERS[0]: "1"})

    assert result.returncode == 2
    assert "only a person may do this" in result.stderr
    assert mode(place) == ""


def test_below_an_agent_it_is_refused_with_a_daemon(served: Place) -> None:
    served.proposed("ls")
    before = running(served.state)

    results = {
        name: served.run(*words, variables={MARKERS[0]: "1"})
        for name, words in {**PERSON_S, "reload": ("reload",)}.items()
    }

    let_through = [
        name
        for name, result in results.items()
        if result.returncode != 2 or "only a person may do this" not in result.stderr
    ]
    assert let_through == []
    assert running(served.state) == before
    assert mode(served) == ""


def test_with_a_daemon_the_daemon_does_it(served: Place) -> None:
    served.proposed("ls")

    result = served.run("off", "--session", "s1")

    assert result.stdout == "auto mode is off for plain/s1\n"
    assert served.proposed("rm -rf /")["verdict"] is None


def test_without_a_daemon_it_is_done_on_the_store(place: Place, a_person: None) -> None:
    keep(place.state, kept_session(KEY))

    result = place.run("off", "--session", "s1")

    assert result.stdout == "auto mode is off for plain/s1\n"
    assert mode(place) == "off"


def test_what_was_done_without_a_daemon_holds_for_the_next_one(
    place: Place, a_person: None
) -> None:
    keep(place.state, kept_session(KEY))
    place.run("off", "--session", "s1")
    place.run("daemon", "start")

    assert place.proposed("rm -rf /")["verdict"] is None
    assert place.proposed("rm -rf /", "another")["verdict"] == "deny"


def test_a_daemon_that_does_not_answer_is_not_bypassed(served: Place) -> None:
    served.proposed("ls")
    status = running(served.state)
    assert status is not None
    os.kill(status.pid, signal.SIGSTOP)
    try:
        result = served.run("off", "--session", "s1")
    finally:
        os.kill(status.pid, signal.SIGCONT)

    assert result.returncode == 2
    assert served.proposed("rm -rf /")["verdict"] == "deny"


def test_with_json_a_refusal_is_an_object(place: Place) -> None:
    result = place.run("off", "--all", "--json", variables={MARKERS[0]: "1"})

    data = json.loads(result.stdout)
    assert "only a person" in data["error"]
    assert data["hint"] == "type it in a terminal of your own"


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
