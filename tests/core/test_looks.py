"""Remembered answers: they hold exactly as long as the disk looks the same."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.files import Files, Kind, Search
from automode.core.looks import LONGEST_FOUND, MOST_LOOKS, Looks, Remembered
from automode.facts.files import Disk

BASIS = object()


class Counted:
    """Finds out about one folder in every way there is, and counts how often it had to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked = 0

    def __call__(self, files: Files) -> tuple[object, ...]:
        self.asked += 1
        here = str(self.folder)
        return (
            files.resolve(f"{here}/link"),
            files.kind(f"{here}/file"),
            files.text(f"{here}/file", 100),
            sorted(files.names(here, 100)),
            sorted(files.links(here, 100) or ()),
            sorted(files.below(Search(here, 100)) or ()),
            files.same(f"{here}/file", f"{here}/link"),
        )


def change_link(folder: Path) -> None:
    (folder / "link").unlink()
    (folder / "link").symlink_to("/etc")


def change_kind(folder: Path) -> None:
    (folder / "file").unlink()
    (folder / "file").mkdir()


def change_text(folder: Path) -> None:
    (folder / "file").write_text("two")


def add_name(folder: Path) -> None:
    (folder / "more").write_text("")


def add_link_below(folder: Path) -> None:
    (folder / "below" / "link").symlink_to("/etc/passwd")


CHANGES = (change_link, change_kind, change_text, add_name, add_link_below)


def made(folder: Path) -> Path:
    folder.mkdir()
    (folder / "file").write_text("one")
    (folder / "link").symlink_to("file")
    (folder / "below").mkdir()
    return folder


def test_nothing_is_thought_twice_while_the_disk_looks_the_same(tmp_path: Path) -> None:
    asked, kept = Counted(made(tmp_path / "p")), Remembered[tuple[object, ...]](10)

    first = kept.of("key", BASIS, Disk(), asked)
    second = kept.of("key", BASIS, Disk(), asked)

    assert first == second
    assert asked.asked == 1


@pytest.mark.parametrize("change", CHANGES)
def test_every_kind_of_look_is_made_again(change: object, tmp_path: Path) -> None:
    assert callable(change)
    folder = made(tmp_path / "p")
    asked, kept = Counted(folder), Remembered[tuple[object, ...]](10)
    before = kept.of("key", BASIS, Disk(), asked)

    change(folder)
    after = kept.of("key", BASIS, Disk(), asked)

    assert asked.asked == 2
    assert after == Counted(folder)(Disk())
    assert after != before


def test_another_basis_or_key_is_another_question(tmp_path: Path) -> None:
    asked, kept = Counted(made(tmp_path / "p")), Remembered[tuple[object, ...]](10)

    kept.of("key", BASIS, Disk(), asked)
    kept.of("key", object(), Disk(), asked)
    kept.of("other", BASIS, Disk(), asked)

    assert asked.asked == 3


def test_the_oldest_answer_makes_room(tmp_path: Path) -> None:
    asked, kept = Counted(made(tmp_path / "p")), Remembered[tuple[object, ...]](2)

    for key in ("a", "b", "c"):
        kept.of(key, BASIS, Disk(), asked)
    kept.of("c", BASIS, Disk(), asked)
    kept.of("a", BASIS, Disk(), asked)

    assert asked.asked == 4


class Changing(Disk):
    """A disk that is never twice the same."""

    def __init__(self) -> None:
        self.times = 0

    def kind(self, path: str) -> Kind:
        self.times += 1
        return Kind.FILE if self.times % 2 else Kind.FOLDER


def test_what_changes_while_it_is_looked_at_is_not_kept() -> None:
    kept, asked = Remembered[bool](10), []

    def answer(files: Files) -> bool:
        asked.append(1)
        return files.kind("/x") is files.kind("/x")

    kept.of("key", BASIS, Changing(), answer)
    kept.of("key", BASIS, Changing(), answer)

    assert len(asked) == 2


@pytest.mark.parametrize("looks", [MOST_LOOKS, MOST_LOOKS + 1])
def test_too_many_looks_are_not_kept(looks: int) -> None:
    kept, asked = Remembered[int](10), []

    def answer(files: Files) -> int:
        asked.append(1)
        return len([files.resolve(f"/nowhere/{number}") for number in range(looks)])

    kept.of("key", BASIS, Disk(), answer)
    kept.of("key", BASIS, Disk(), answer)

    assert len(asked) == (1 if looks <= MOST_LOOKS else 2)


def test_a_long_file_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "long").write_text("x" * (LONGEST_FOUND + 1))
    looks = Looks(Disk())

    looks.text(str(tmp_path / "long"), LONGEST_FOUND * 2)

    assert looks.too_much


@given(st.lists(st.sampled_from([*CHANGES, None]), max_size=6))
def test_an_answer_is_never_another_than_a_fresh_one(
    tmp_path_factory: pytest.TempPathFactory, changes: list[object]
) -> None:
    folder = made(tmp_path_factory.mktemp("looks") / "p")
    kept = Remembered[tuple[object, ...]](10)

    for change in changes:
        if callable(change):
            try:
                change(folder)
            except (FileExistsError, IsADirectoryError, FileNotFoundError):
                continue
        assert kept.of("key", BASIS, Disk(), Counted(folder)) == Counted(folder)(Disk())


def test_looks_that_are_alike_are_kept_once(tmp_path: Path) -> None:
    first, second = Looks(Disk()), Looks(Disk())
    for looks in (first, second):
        looks.kind(str(tmp_path))
        looks.names(str(tmp_path), 100)
        looks.resolve(f"{tmp_path}/.")

    (_, some), (_, others) = first.parted(), second.parted()

    assert len(some) == 3
    assert all(one is other for one, other in zip(some, others, strict=True))
