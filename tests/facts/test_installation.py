"""Files that automode was installed into are known from their receipts, and nothing else is."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.facts.place import MOST_RECEIPTS, all_names, installed_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "state" / "install"
    made.mkdir(parents=True)
    return made


def state(folder: Path) -> str:
    return str(folder.parent)


def test_each_receipt_tells_of_its_file_by_both_names(folder: Path) -> None:
    rows = [{"path": "/srv/c/settings.json", "named": "/srv/link.json"}, {"path": "/srv/p/a.ts"}]
    for number, row in enumerate(rows):
        (folder / f"{number}.json").write_text(json.dumps(row))
    (folder / "0.earlier").write_text('{"path": "/srv/no"}')

    found = installed_files(state(folder))

    assert found == ("/srv/c/settings.json", "/srv/link.json", "/srv/p/a.ts")


RUBBISH = [
    b"",
    b"\xff",
    b"{",
    b"[]",
    b"{}",
    b'{"path": 1}',
    b'{"path": "relative", "named": ""}',
    b'{"path": "/a\\u0000b"}',
    b"[" * 100_000,
    b'{"path": "/x"}' + b" " * (1 << 21),
]


@pytest.mark.parametrize("data", RUBBISH)
def test_a_receipt_that_cannot_be_read_tells_of_none(folder: Path, data: bytes) -> None:
    (folder / "a.json").write_bytes(data)

    assert installed_files(state(folder)) == ()


@given(data=st.binary(max_size=60) | st.text('{}[]":,path/\\u0', max_size=40).map(str.encode))
def test_whatever_lies_there_it_never_raises(folder: Path, data: bytes) -> None:
    (folder / "a.json").write_bytes(data)

    assert all(os.path.isabs(path) for path in installed_files(state(folder)))


def test_what_is_no_file_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe.json")
    (folder / "folder.json").mkdir()

    assert installed_files(state(folder)) == ()


def test_there_is_an_end_to_looking(folder: Path) -> None:
    for number in range(MOST_RECEIPTS + 5):
        (folder / f"{number}.json").write_text(f'{{"path": "/srv/{number}"}}')

    assert len(installed_files(state(folder))) == MOST_RECEIPTS


@pytest.mark.parametrize("nowhere", [None, "/nonexistent", "/dev/null", "bad\0name"])
def test_without_a_folder_there_is_nothing(nowhere: str | None) -> None:
    assert installed_files(nowhere) == ()


def test_a_folder_has_the_name_it_was_given_and_the_one_behind_links(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    found = all_names(str(tmp_path / "link"), None, "")

    assert found == (str(tmp_path / "link"), str(tmp_path / "real"))
