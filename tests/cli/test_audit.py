"""`automode audit`: what was decided, looked at, taken along and checked."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import Decided
from automode.store.folder import StateFolder
from automode.store.retention import purge_session
from automode.store.writer import StoreWriter
from tests.cli.records import keep, record, spent, state_folder, writable

Run = Callable[..., Result]
OTHER = SessionKey("codex", "7f00")


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    folder = state_folder(tmp_path)
    keep(
        folder,
        record(1),
        record(2, verdict=Verdict.DENY, source="floor.delete-root", action="rm -rf /"),
        record(3, verdict=Verdict.ASK, source="classifier.fast", session=OTHER),
        record(4, verdict=Verdict.DENY, source="classifier.deliberate", stages=(spent("0.5"),)),
    )
    return folder


def ids(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return [one["id"][-1] for one in json.loads(result.stdout)]


NARROWED = {
    (): "4321",
    ("--verdict", "deny"): "42",
    ("--verdict", "deny", "--verdict", "ask"): "432",
    ("--source", "floor"): "2",
    ("--source", "classifier.fast"): "3",
    ("--session", "7f00"): "3",
    ("--session", "codex/7f00"): "3",
    ("--session", "0123"): "421",
    ("--limit", "2"): "43",
    ("--since", "2027-01-15T07:00:00+00:00"): "4321",
    ("--since", "2027-01-15T08:00:03+00:00"): "43",
}


@pytest.mark.parametrize("words", NARROWED)
def test_records_are_listed_newest_first(
    automode: Run, state: StateFolder, words: tuple[str, ...]
) -> None:
    found = automode("audit", "list", "--json", *words)

    assert ids(found) == list(NARROWED[words])


def test_a_line_says_when_who_and_what(automode: Run, state: StateFolder) -> None:
    text = automode("audit", "list", "--verdict", "deny").stdout

    assert len(text.splitlines()) == 2
    assert "r00000002  deny   floor.delete-root  Bash  rm -rf /" in text
    assert max(map(len, text.splitlines())) <= 80


def test_more_records_than_asked_for_are_said_to_be_there(
    automode: Run, state: StateFolder
) -> None:
    assert "older ones are there" in automode("audit", "list", "--limit", "1").stdout
    assert "older" not in automode("audit", "list", "--limit", "4").stdout


def test_nothing_is_listed_in_words(automode: Run, tmp_path: Path) -> None:
    assert automode("audit", "list").stdout == "nothing is recorded\n"
    keep(state_folder(tmp_path), record(1))
    assert automode("audit", "list", "--source", "none").stdout == "no record fits\n"


def test_everything_of_one_record_is_shown(automode: Run, state: StateFolder) -> None:
    text = automode("audit", "show", "r00000004").stdout

    for part in ("deny", "classifier.deliberate", "0123456789abcdef", "0.1 ms", "$0.5", "number 4"):
        assert part in text


def test_a_record_is_found_by_how_its_id_begins(automode: Run, tmp_path: Path) -> None:
    keep(state_folder(tmp_path), record(1))

    found = json.loads(automode("audit", "show", "r0", "--json").stdout)

    assert (found["id"], found["seq"], found["purged"]) == ("r00000001", 1, False)
    assert len(found["hash"]) == 64


def test_a_purged_record_shows_its_place_alone(automode: Run, state: StateFolder) -> None:
    purge(state, OTHER)

    assert "purged" in automode("audit", "list", "--limit", "2").stdout.splitlines()[1]
    assert "deleted by a person" in automode("audit", "show", "r00000003").stdout
    found = json.loads(automode("audit", "show", "r00000003", "--json").stdout)
    assert found["purged"] is True
    assert "action" not in found


def purge(state: StateFolder, key: SessionKey) -> None:
    with writable(state) as db, db.transaction():
        purge_session(db, Chain.of(state), key, 1_800_000_100.0)


def test_an_untouched_chain_is_sound(automode: Run, state: StateFolder) -> None:
    purge(state, OTHER)

    result = automode("audit", "verify")
    data = json.loads(automode("audit", "verify", "--json").stdout)

    assert result.exit_code == 0
    assert "sound: 4 records since 2027-01-1" in result.stdout
    assert "the contents of 1 records were removed" in " ".join(result.stdout.split())
    [chain] = data["chains"]
    assert (data["sound"], chain["records"], chain["purged"], chain["faults"]) == (True, 4, 1, [])
    assert [mark["kind"] for mark in chain["marks"]] == ["began", "purged"]


def test_a_fault_is_named_and_ends_in_another_exit_code(automode: Run, state: StateFolder) -> None:
    with writable(state) as db:
        db.execute("DELETE FROM decision WHERE seq = 2")
        db.execute("UPDATE decision SET verdict = 'allow' WHERE seq = 4")

    result = automode("audit", "verify")
    data = json.loads(automode("audit", "verify", "--json").stdout)

    assert result.exit_code == 1
    assert "not sound: the first fault came after 2 records" in result.stdout
    said = " ".join(result.stdout.split())
    assert "removed record 2: it is gone" in said
    faults = data["chains"][0]["faults"]
    assert [(one["wrong"], one["place"]) for one in faults] == [("removed", "record 2")]


def test_a_chain_of_somebody_else_in_our_own_file_is_a_fault(
    automode: Run, state: StateFolder
) -> None:
    with writable(state) as db, db.transaction():
        Chain("stranger", b"another key").append(db, [record(9)])

    result = automode("audit", "verify")

    assert result.exit_code == 1
    assert "stranger" in result.stdout


def test_with_nothing_recorded_there_is_nothing_wrong(automode: Run) -> None:
    result = automode("audit", "verify")

    assert result.exit_code == 0
    assert "sound: 0 records" in result.stdout


def test_looking_makes_no_key(automode: Run, tmp_path: Path) -> None:
    for words in (["list"], ["verify"], ["export"]):
        automode("audit", *words)

    assert not (tmp_path / "state" / "automode" / "signing.key").exists()


def test_a_lost_key_is_said_and_the_rest_can_still_be_checked(
    automode: Run, state: StateFolder
) -> None:
    os.unlink(state.signing_key)

    lost = automode("audit", "verify")
    rest = automode("audit", "verify", "--no-seals")

    assert lost.exit_code == 2
    assert "--no-seals" in lost.stderr
    assert not os.path.exists(state.signing_key)
    assert rest.exit_code == 0
    assert "seals were not checked" in rest.stdout


def test_an_export_can_be_checked_anywhere(
    automode: Run, state: StateFolder, tmp_path: Path
) -> None:
    file = tmp_path / "chain.jsonl"

    exported = automode("audit", "export", str(file))
    sound = automode("audit", "verify", "--file", str(file))
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:3], *lines[4:]]))
    cut = automode("audit", "verify", "--file", str(file))

    assert exported.stderr == f"6 lines in {file}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (sound.exit_code, cut.exit_code) == (0, 1)
    assert "record 2: it is gone" in cut.stdout


def test_an_export_goes_to_standard_output_unless_told_otherwise(
    automode: Run, state: StateFolder
) -> None:
    lines = automode("audit", "export").stdout

    assert [len(json.loads(line)) for line in lines.splitlines()] == [3, 4, 10, 10, 10, 10]
    checked = automode("audit", "verify", "--file", "-", stdin=lines)
    assert checked.exit_code == 0


def test_a_database_that_is_gone_does_not_verify(automode: Run, tmp_path: Path) -> None:
    folder = state_folder(tmp_path)
    store = StoreWriter(folder)
    store.keep([[Decided(record(1)), Decided(record(2))]])
    store.close()
    assert automode("audit", "verify").exit_code == 0
    os.unlink(folder.database)

    result = automode("audit", "verify")

    assert result.exit_code == 1
    assert "records 1 to 2" in result.stdout
