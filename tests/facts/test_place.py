"""Where a call would run, the files automode was installed into, and instruction files."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import Instructions
from automode.core.errors import BadCall
from automode.facts.files import Disk, Names
from automode.facts.place import (
    LONGEST_READ,
    MOST_RECEIPTS,
    NAMES,
    all_names,
    installed_files,
    instruction_files,
    live_workspace,
    recorded_workspace,
    workspace_for,
)


def test_the_project_is_the_nearest_folder_with_a_repository(tmp_path: Path) -> None:
    (tmp_path / "p" / ".git").mkdir(parents=True)
    (tmp_path / "p" / "a" / "b").mkdir(parents=True)

    workspace = live_workspace(str(tmp_path / "p" / "a" / "b"))

    assert workspace.root == str(tmp_path / "p")
    assert workspace.cwd == str(tmp_path / "p/a/b")
    assert isinstance(workspace.files, Disk)


def test_a_missing_folder_is_an_error_with_a_way_out() -> None:
    with pytest.raises(BadCall, match="no such folder: `/no/such`") as caught:
        live_workspace("/no/such")

    assert caught.value.hint


@pytest.mark.parametrize(
    ("folder", "cwd", "home"),
    [
        ("/Users/dev/Code/app", "/Users/dev/Code/app", "/Users/dev"),
        ("C:\\Users\\dev\\app", "/c/Users/dev/app", "/c/Users/dev"),
        ("D:/app", "/d/app", None),
        ("/home/x/y", "/home/x/y", "/home/x"),
    ],
)
def test_a_recorded_folder_brings_its_home(folder: str, cwd: str, home: str | None) -> None:
    workspace = workspace_for(folder)

    assert workspace.cwd == cwd
    assert isinstance(workspace.files, Names)
    if home:
        assert workspace.home == home


def test_a_recorded_folder_may_be_empty() -> None:
    assert recorded_workspace("").cwd == "/workspace"


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
    *(b"", b"\xff", b"{", b"[]", b"{}", b'{"path": 1}', b'{"path": "relative", "named": ""}'),
    *(b'{"path": "/a\\u0000b"}', b"[" * 100_000, b'{"path": "/x"}' + b" " * (1 << 21)),
]


def test_a_receipt_that_cannot_be_read_tells_of_none(folder: Path) -> None:
    os.mkfifo(folder / "pipe.json")
    (folder / "folder.json").mkdir()
    for data in RUBBISH:
        (folder / "a.json").write_bytes(data)
        assert installed_files(state(folder)) == (), data


@given(data=st.binary(max_size=60) | st.text('{}[]":,path/\\u0', max_size=40).map(str.encode))
def test_whatever_lies_there_it_never_raises(folder: Path, data: bytes) -> None:
    (folder / "a.json").write_bytes(data)

    assert all(os.path.isabs(path) for path in installed_files(state(folder)))


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


def test_every_known_name_is_found_in_its_order(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    for name in NAMES:
        (tmp_path / name).write_text(f"rules of {name}")

    expected = tuple(Instructions(str(tmp_path / name), f"rules of {name}") for name in NAMES)
    assert instruction_files(str(tmp_path)) == expected


def test_a_project_without_any_has_none(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("  \n")

    assert instruction_files(str(tmp_path)) == ()
    assert instruction_files(str(tmp_path / "nowhere")) == ()
    assert instruction_files("bad\0name") == ()


def test_a_file_with_two_names_counts_once(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("rules")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")

    assert [one.text for one in instruction_files(str(tmp_path))] == ["rules"]


def test_what_a_link_leads_to_elsewhere_is_not_read(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "key").write_text("secret")
    (project / "CLAUDE.md").symlink_to(tmp_path / "key")

    assert instruction_files(str(project)) == ()


ODD = ("folder", "pipe", "loop", "unreadable bytes")


@pytest.mark.parametrize("kind", ODD)
def test_whatever_stands_there_nothing_raises_or_waits(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "CLAUDE.md"
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "loop":
            path.symlink_to("CLAUDE.md")
        case _:
            path.write_bytes(b"\xff\xfe rules")

    found = instruction_files(str(tmp_path))
    assert [one.text for one in found] == (["�� rules"] if kind == "unreadable bytes" else [])


def test_only_the_beginning_of_a_large_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("x" * (LONGEST_READ + 10))

    [found] = instruction_files(str(tmp_path))
    assert len(found.text) == LONGEST_READ
