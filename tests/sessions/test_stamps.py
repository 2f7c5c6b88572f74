"""What a file looks like: another state of it has another stamp, and too many names have none."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.session import Session
from automode.facts.files import OneLook
from automode.facts.place import live_workspace
from automode.sessions.stamps import MISSING, MOST_TEXTS, Stamps, TooManyNames


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "file").write_text("one")
    return tmp_path


def stamps(folder: Path) -> Stamps:
    workspace = replace(live_workspace(str(folder)), files=OneLook())
    return Stamps(Session("plain/s", workspace))


def written(folder: Path) -> None:
    (folder / "file").write_text("two")


def removed(folder: Path) -> None:
    (folder / "file").unlink()


def made_a_folder(folder: Path) -> None:
    removed(folder)
    (folder / "file").mkdir()


def made_a_link(folder: Path) -> None:
    (folder / "file").rename(folder / "other")
    (folder / "file").symlink_to("other")


@pytest.mark.parametrize("change", [written, removed, made_a_folder, made_a_link])
def test_every_change_of_a_file_shows(folder: Path, change: Callable[[Path], None]) -> None:
    path = str(folder / "file")
    before = stamps(folder).looked(path)
    same = stamps(folder).looked(path)
    change(folder)

    assert before == same
    assert stamps(folder).looked(path) != before


@pytest.mark.parametrize(
    ("name", "misses"),
    [("nothing", True), ("x" * 300, True), ("file", False), ("gone", False), ("", False)],
)
def test_missing_is_what_is_neither_there_nor_behind_a_link(
    folder: Path, name: str, misses: bool
) -> None:
    (folder / "gone").symlink_to("nowhere")
    seen = stamps(folder)
    path = f"{folder}/{name}".rstrip("/")

    assert seen.misses(path) is misses
    assert (seen.looked(path) == MISSING + path) is misses


def test_a_text_of_too_many_names_stands_for_none_of_them(folder: Path) -> None:
    with pytest.raises(TooManyNames):
        stamps(folder).text(" ".join(f"n{number}" for number in range(50 * MOST_TEXTS)), "/")
