"""Finding corpora: our own, a folder's, one by name."""

from pathlib import Path

import pytest

from automode.evaluation.cases import BadCases
from automode.evaluation.suites import suites
from tests.evaluation.written import action, file_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    file_of(tmp_path / "b.jsonl.gz", [action("b")])
    file_of(tmp_path / "a.jsonl", [action("a")])
    file_of(tmp_path / "other.jsonl", [{"command": "ls", "accept": ["allow"]}])
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "held-out.bin").write_bytes(b"\0")
    (tmp_path / "folder.jsonl").mkdir()
    return tmp_path


def test_a_folder_gives_every_file_of_cases_and_names_the_others(folder: Path) -> None:
    found = suites(folder)

    assert [corpus.name for corpus in found.corpora] == ["a", "b"]
    assert found.passed_over == ("other.jsonl",)


def test_suites_are_chosen_by_name(folder: Path) -> None:
    assert [one.name for one in suites(folder, ["b", "b"]).corpora] == ["b"]


def test_a_chosen_suite_must_be_there_and_hold_cases(folder: Path) -> None:
    with pytest.raises(BadCases, match="no suite `c`") as raised:
        suites(folder, ["c"])
    assert "a, b, other" in raised.value.hint
    with pytest.raises(BadCases, match="no `kind`"):
        suites(folder, ["other"])


def test_two_files_of_one_name_are_refused(folder: Path) -> None:
    file_of(folder / "a.jsonl.gz", [action("a")])

    with pytest.raises(BadCases, match=r"`a.jsonl` and `a.jsonl.gz` would be one suite"):
        suites(folder)


def test_a_folder_without_cases_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadCases, match="holds cases"):
        suites(tmp_path)
    with pytest.raises(BadCases, match="no such folder"):
        suites(tmp_path / "missing")


def test_a_broken_file_is_an_error_and_not_passed_over(folder: Path) -> None:
    (folder / "c.jsonl").write_text("{")

    with pytest.raises(BadCases, match=r"`c.jsonl` line 1 is not JSON"):
        suites(folder)
