"""The disk answers, whatever is on it."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.workspace import Kind, Search
from automode.facts.files import MOST_KEPT, Disk, Names, OneLook

NAMED = (
    *("@/real/deep", "@/link", "@/link/deep/new", "@/link/../x", "@/loop/x", "@/lost", "@/lost/y"),
    *("@//real", "//usr", "/usr", "usr", "", "/", "@/none/below/it", "@/a\0b"),
)


def test_links_are_followed_and_loops_are_said_to_be_unknown(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    assert Disk().resolve(str(tmp_path / "link" / "new")) == str(tmp_path.resolve() / "real/new")
    assert Disk().resolve(str(tmp_path / "loop" / "x")) is None
    assert Disk().resolve("a\0b") is None
    assert Disk().resolve("/" + "a/" * 3000) is None


@given(st.permutations(NAMED))
def test_a_look_follows_links_as_the_disk_does_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, paths: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("links")
    (folder / "real/deep").mkdir(parents=True)
    (folder / "link").symlink_to("real")
    (folder / "loop").symlink_to("loop")
    (folder / "lost").symlink_to("nowhere/x")
    look, disk = OneLook(), Disk()
    for path in (one.replace("@", str(folder)) for one in paths):
        assert look.resolve(path) == disk.resolve(path), path
        assert look.kind(path) is disk.kind(path), path


def test_pipes_and_folders_have_no_text(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"abc\xff")

    assert Disk().text(str(tmp_path / "pipe"), 10) is None
    assert Disk().text(str(tmp_path), 10) is None
    assert Disk().text(str(tmp_path / "file"), 3) == "abc"
    assert Disk().text(str(tmp_path / "file"), 10) == "abc\ufffd"
    assert Disk().kind(str(tmp_path / "pipe")) is Kind.OTHER
    assert Disk().kind(str(tmp_path / "none")) is Kind.MISSING
    assert Disk().kind("a\0b") is Kind.OTHER


def test_one_file_by_two_names_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    os.link(tmp_path / "a", tmp_path / "b")

    assert Disk().same(str(tmp_path / "a"), str(tmp_path / "b"))
    assert not Disk().same(str(tmp_path / "a"), str(tmp_path / "missing"))
    assert Disk().names(str(tmp_path), 1) in (("a",), ("b",))
    assert Disk().names(str(tmp_path / "missing"), 5) == ()


def test_by_names_alone_only_the_project_exists() -> None:
    names = Names("C:\\Users\\dev\\proj")

    assert names.resolve("C:\\Users\\dev\\proj\\a\\..\\b") == "/c/Users/dev/proj/b"
    assert names.kind("/c/Users/dev") is Kind.FOLDER
    assert names.kind("/c/Users/dev/proj/a") is Kind.MISSING
    assert names.text("/c/Users/dev/proj/a", 5) is None
    assert names.same("/A/b", "/a/B")


def test_links_are_found_in_a_folder_and_below_it(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "one").symlink_to("/")
    (tmp_path / "a/b/two").symlink_to(tmp_path)

    assert Disk().links(str(tmp_path), 10) == ("one",)
    assert Disk().links(str(tmp_path), 1) is None
    assert sorted(Disk().below(Search(str(tmp_path), 10)) or ()) == [
        str(tmp_path / "a/b/two"),
        str(tmp_path / "one"),
    ]
    assert Disk().below(Search(str(tmp_path), 2)) is None
    assert Disk().below(Search(str(tmp_path / "none"), 2)) == ()
    assert Names("/w").links("/w", 1) == Names("/w").below(Search("/w", 1)) == ()


def test_a_look_sees_each_file_once_and_keeps_no_more_than_fits(tmp_path: Path) -> None:
    """A session holds on to its last look, and there may be hundreds of sessions."""
    files = [tmp_path / str(number) for number in range(100)]
    for file in files:
        file.write_text("a" * 1_000)
    look = OneLook()
    first = [look.text(str(file), 2_000) for file in files]
    for file in files:
        file.write_text("b")

    again = [look.text(str(file), 2_000) for file in files]

    kept = [one for one, before in zip(again, first, strict=True) if one == before]
    assert again[0] == first[0]
    assert 0 < sum(map(len, (one or "" for one in kept))) <= MOST_KEPT
    assert again[-1] == "b"


def _link(to: Path, path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(to)


CHANGES: Mapping[str, Callable[[Path], object]] = {
    "content": lambda folder: (folder / "file").write_text("other"),
    "gone": lambda folder: (folder / "file").unlink(),
    "a link now": lambda folder: _link(folder / "elsewhere", folder / "file"),
    "there now": lambda folder: (folder / "missing").mkdir(),
    "one name more": lambda folder: (folder / "below/new").write_text(""),
    "the folder is a link now": lambda folder: _link(
        (folder / "below").rename(folder / "moved"), folder / "below"
    ),
}


@pytest.mark.parametrize("change", [None, *CHANGES])
def test_a_snapshot_matches_until_something_changes_that_was_looked_at(
    tmp_path: Path, change: str | None
) -> None:
    folder = tmp_path
    (folder / "below").mkdir()
    (folder / "file").write_text("text")
    look = OneLook()
    look.text(str(folder / "file"), 100)
    look.kind(str(folder / "file"))
    look.kind(str(folder / "missing"))
    look.resolve(str(folder / "below"))
    look.names(str(folder / "below"), 10)
    snapshot = look.snapshot()
    assert snapshot is not None

    (folder / "not looked at").write_text("anything")
    if change is not None:
        CHANGES[change](folder)

    assert OneLook().matches(snapshot) is (change is None)
    assert not OneLook().matches(None)


def test_a_snapshot_is_refused_where_not_every_look_was_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a" * (MOST_KEPT + 1))
    look = OneLook()

    look.text(str(tmp_path / "file"), MOST_KEPT + 1)

    assert look.snapshot() is None
