"""Which instruction files of a project are read: its own, each once, within bounds."""

import os
from pathlib import Path

import pytest

from automode.agents.events import Instructions
from automode.facts.place import LONGEST_READ, NAMES, instruction_files


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
