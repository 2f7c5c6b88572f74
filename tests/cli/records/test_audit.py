"""`automode audit` and `purge`: what was decided, looked at, taken along, checked and deleted."""

import csv
import json
import os
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from conformance.terminal import Terminal

from automode.cli.records.audit import note_waiting
from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import Decided
from automode.store.folder import StateFolder
from automode.store.retention import purge_session
from automode.store.writer import StoreWriter
from tests.cli.conftest import Run, words_of
from tests.cli.stored import keep, record, spent, writable
from tests.rows import each_row

OTHER = SessionKey("codex", "7f00")


@pytest.fixture
def store(state: StateFolder) -> StateFolder:
    keep(
        state,
        record(1),
        record(2, verdict=Verdict.DENY, source="floor.delete-root", action="rm -rf /"),
        record(3, verdict=Verdict.ASK, source="classifier.fast", session=OTHER),
        record(4, verdict=Verdict.DENY, source="classifier.deliberate", stages=(spent("0.5"),)),
    )
    return state


@each_row(
    "words, ids",
    [
        ((), "4321"),
        (("--verdict", "deny"), "42"),
        (("--verdict", "deny", "--verdict", "ask"), "432"),
        (("--source", "floor"), "2"),
        (("--source", "classifier.fast"), "3"),
        (("--session", "7f00"), "3"),
        (("--session", "codex/7f00"), "3"),
        (("--session", "0123"), "421"),
        (("--limit", "2"), "43"),
        (("--since", "2027-01-15T07:00:00+00:00"), "4321"),
        (("--since", "2027-01-15T08:00:03+00:00"), "43"),
    ],
)
def test_records_are_listed_newest_first(
    automode: Run, store: StateFolder, words: tuple[str, ...], ids: str
) -> None:
    found = automode("audit", "list", "--json", *words)

    assert "".join(one["id"][-1] for one in json.loads(found.stdout)) == ids


def test_a_line_says_when_who_and_what_and_whether_there_are_more(
    automode: Run, store: StateFolder
) -> None:
    text = automode("audit", "list", "--verdict", "deny").stdout

    assert len(text.splitlines()) == 2
    assert "r00000002  deny   floor.delete-root  Bash  rm -rf /" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "older ones are there" in automode("audit", "list", "--limit", "1").stdout
    assert "older" not in automode("audit", "list", "--limit", "4").stdout
    assert automode("audit", "list", "--source", "none").stdout == "no record fits\n"


def test_where_nothing_is_recorded_nothing_is_wrong_and_looking_makes_no_key(
    automode: Run, state: StateFolder
) -> None:
    listed, verified = automode("audit", "list"), automode("audit", "verify")
    automode("audit", "export")

    assert listed.stdout == "nothing is recorded\n"
    assert verified.exit_code == 0
    assert "sound: 0 records" in verified.stdout
    assert not os.path.exists(state.signing_key)


def test_everything_of_one_record_is_shown(automode: Run, store: StateFolder) -> None:
    text = automode("audit", "show", "r00000004").stdout
    found = json.loads(automode("audit", "show", "r00000001", "--json").stdout)

    for part in ("deny", "classifier.deliberate", "0123456789abcdef", "usd 0.5", "seq        4"):
        assert part in text
    assert (found["id"], found["seq"], found["purged"]) == ("r00000001", 1, False)
    assert len(found["hash"]) == 64


def test_a_purged_record_shows_its_place_alone_and_the_chain_is_sound(
    automode: Run, store: StateFolder
) -> None:
    with writable(store) as db, db.transaction():
        purge_session(db, Chain.of(store), OTHER, 1_800_000_100.0)

    found = json.loads(automode("audit", "show", "r00000003", "--json").stdout)
    result = automode("audit", "verify")
    data = json.loads(automode("audit", "verify", "--json").stdout)

    assert "purged" in automode("audit", "list", "--limit", "2").stdout.splitlines()[1]
    assert "purged     yes" in automode("audit", "show", "r00000003").stdout
    assert found["purged"] is True
    assert "action" not in found
    assert result.exit_code == 0
    assert "sound: 4 records since 2027-01-1" in result.stdout
    assert "the contents of 1 records were removed" in words_of(result.stdout)
    [chain] = data["chains"]
    assert (data["sound"], chain["records"], chain["purged"], chain["faults"]) == (True, 4, 1, [])
    assert [mark["kind"] for mark in chain["marks"]] == ["began", "purged"]


def test_a_fault_is_named_and_ends_in_another_exit_code(automode: Run, store: StateFolder) -> None:
    with writable(store) as db:
        db.execute("DELETE FROM decision WHERE seq = 2")
        db.execute("UPDATE decision SET verdict = 'allow' WHERE seq = 4")

    result = automode("audit", "verify")
    data = json.loads(automode("audit", "verify", "--json").stdout)

    assert result.exit_code == 1
    assert "not sound: the first fault came after 2 records" in result.stdout
    assert "removed record 2: it is gone" in words_of(result.stdout)
    faults = data["chains"][0]["faults"]
    assert [(one["wrong"], one["place"]) for one in faults] == [("removed", "record 2")]


def test_a_chain_of_somebody_else_in_our_own_file_is_a_fault(
    automode: Run, store: StateFolder
) -> None:
    with writable(store) as db, db.transaction():
        Chain("stranger", b"another key").append(db, [record(9)])

    result = automode("audit", "verify")

    assert result.exit_code == 1
    assert "stranger" in result.stdout


def test_a_lost_key_is_said_and_the_rest_can_still_be_checked(
    automode: Run, store: StateFolder
) -> None:
    os.unlink(store.signing_key)

    lost = automode("audit", "verify")
    rest = automode("audit", "verify", "--no-seals")

    assert (lost.exit_code, rest.exit_code) == (2, 0)
    assert "--no-seals" in lost.stderr
    assert not os.path.exists(store.signing_key)
    assert "seals were not checked" in rest.stdout


def test_an_export_can_be_checked_anywhere(
    automode: Run, store: StateFolder, tmp_path: Path
) -> None:
    file = tmp_path / "chain.jsonl"

    exported = automode("audit", "export", str(file))
    printed = automode("audit", "export").stdout
    sound = automode("audit", "verify", "--file", str(file))
    piped = automode("audit", "verify", "--file", "-", stdin=printed)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:3], *lines[4:]]))
    cut = automode("audit", "verify", "--file", str(file))

    assert exported.stderr == f"6 lines in {file}\n"
    assert [len(json.loads(line)) for line in printed.splitlines()] == [3, 4, 10, 10, 10, 10]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (sound.exit_code, piped.exit_code, cut.exit_code) == (0, 0, 1)
    assert "record 2: it is gone" in cut.stdout


def test_a_database_that_is_gone_does_not_verify(automode: Run, state: StateFolder) -> None:
    store = StoreWriter(state.prepared())
    store.keep([[Decided(record(1)), Decided(record(2))]])
    store.close()
    assert automode("audit", "verify").exit_code == 0
    os.unlink(state.database)

    result = automode("audit", "verify")

    assert result.exit_code == 1
    assert "records 1 to 2" in result.stdout


def test_decisions_of_an_outage_are_said_to_be_missing(
    state: StateFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    note_waiting(state.prepared())
    before = capsys.readouterr().err
    Path(state.outage).write_text("{}")

    note_waiting(state)

    assert before == ""
    assert "are not written yet" in capsys.readouterr().err


@pytest.fixture
def purgeable(state: StateFolder, a_person: None) -> StateFolder:
    old = replace(record(1), at=1_700_000_000.0)
    keep(state, old, record(2, session=OTHER, action="unmistakable"), record(3))
    return state


PURGES = {
    ("--session", "7f00"): ({"removed": 0, "emptied": 1, "sessions": 1}, 4),
    ("--before", "2024-01-01"): ({"removed": 1, "emptied": 0, "sessions": 0}, 3),
    ("--all",): ({"removed": 3, "emptied": 0, "sessions": 2}, 1),
}
"""What is told, and how many records are there afterwards: the purge itself is one."""


@pytest.mark.parametrize("words", PURGES)
def test_what_is_named_goes_and_the_chain_stays_sound(
    automode: Run, purgeable: StateFolder, words: tuple[str, ...]
) -> None:
    answer, left = PURGES[words]

    purged = automode("purge", *words, "--yes", "--json")
    verified = json.loads(automode("audit", "verify", "--json").stdout)

    assert purged.exit_code == 0, purged.output
    assert json.loads(purged.stdout) == answer
    assert (verified["sound"], verified["chains"][0]["records"]) == (True, left)
    assert "purged" in verified["chains"][0]["marks"][-1]["why"]


def test_databases_that_were_moved_aside_go_with_everything(
    automode: Run, purgeable: StateFolder
) -> None:
    aside = Path(f"{purgeable.database}.corrupt-2026")
    aside.write_text("unmistakable")

    text = automode("purge", "--session", "codex/7f00", "--yes").stdout
    kept = aside.exists()
    automode("purge", "--all", "--yes")

    assert "purged: session codex/7f00 and its sub-sessions" in text
    assert "0 records are gone, 1 emptied" in text
    assert (kept, aside.exists()) == (True, False)
    files = [path for path in Path(purgeable.path).rglob("*") if path.is_file()]
    assert not [path for path in files if b"unmistakable" in path.read_bytes()]


@pytest.mark.parametrize(("typed", "left"), [("y\r", 1), ("n\r", 3), ("\r", 3)])
def test_a_person_at_a_terminal_is_asked(
    automode: Run, purgeable: StateFolder, config: Path, project: Path, typed: str, left: int
) -> None:
    command = [sys.executable, "-m", "automode", "--config-folder", str(config)]
    command += ["--state-folder", purgeable.path, "purge", "--all"]

    with Terminal(command, os.environ | {"TERM": "xterm"}, ".") as terminal:
        terminal.wait_for("It cannot be undone. [y/N]")
        terminal.type(typed)
        terminal.wait_for("purged: everything", "nothing was deleted")

    assert len(json.loads(automode("audit", "list", "--json").stdout)) == left


def test_an_export_as_a_table_has_a_line_for_each_record(
    automode: Run, store: StateFolder, tmp_path: Path
) -> None:
    keep(store, record(5, action='a,"b"\nc'))
    file = tmp_path / "decisions.csv"

    assert automode("audit", "export", "--format", "csv", str(file)).exit_code == 0

    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [one["id"][-1] for one in rows] == [*"54321"]
    assert rows[0]["action"] == 'a,"b"\nc'


def test_parquet_is_not_written_to_a_terminal(automode: Run, store: StateFolder) -> None:
    assert "name a FILE" in automode("audit", "export", "--format", "parquet").stderr
