"""What a file looks like: another state of it has another stamp, and too many names have none."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.session import Session
from automode.facts.files import OneLook
from automode.facts.place import live_workspace
from automode.sessions.decision_service import DecisionService
from automode.sessions.retries import (
    LARGEST_READ,
    MISSING,
    MOST_BELOW,
    MOST_READ,
    MOST_TEXTS,
    Stamps,
    TooManyNames,
)
from tests.sessions.service_setup import HOST, Judging, Setup, said, working


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


def test_a_large_file_that_was_written_in_place_shows_whatever_its_times_say(folder: Path) -> None:
    path = folder / "file"
    path.write_bytes(b"1" * (2 * LARGEST_READ + 1))
    kept = path.stat()
    before = stamps(folder).looked(str(path))
    same = stamps(folder).looked(str(path))
    with path.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"2")
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))

    assert before == same
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (kept.st_size, kept.st_mtime_ns)
    assert stamps(folder).looked(str(path)) != before


def test_no_approval_opens_a_large_script_that_was_written_in_place(setup: Setup) -> None:
    setup.layers = [Judging(denies="command")]
    event = setup.bash("sh large.sh")
    script = setup.project / "large.sh"

    async def work(service: DecisionService) -> None:
        script.write_bytes(b"#" * LARGEST_READ + b"\necho 1")
        ruling = await service.decide(event, HOST)
        assert ruling.record is not None
        await service.person.approve(ruling.record, session_long=True)
        unchanged = await service.decide(event, HOST)
        kept = script.stat()
        script.write_bytes(b"#" * LARGEST_READ + b"\necho 2")
        os.utime(script, ns=(kept.st_atime_ns, kept.st_mtime_ns))
        changed = await service.decide(event, HOST)

        assert said(unchanged) == ("allow", "approval")
        assert said(changed) == ("deny", "classifier.deliberate")

    working(setup, work)


def test_more_than_can_be_read_has_no_stamp_be_it_one_file_or_all_of_them(folder: Path) -> None:
    for name, size in {"large": MOST_READ + 1, "half": MOST_READ // 2 + 1}.items():
        with (folder / name).open("wb") as file:
            file.truncate(size)
    os.link(folder / "half", folder / "other half")
    seen = stamps(folder)

    with pytest.raises(TooManyNames):
        stamps(folder).looked(str(folder / "large"))
    assert seen.looked(str(folder / "half")) != ""
    with pytest.raises(TooManyNames):
        seen.looked(str(folder / "other half"))


def found(folder: Path, text: str, *, below: bool = True) -> dict[str, str]:
    seen = stamps(folder)
    seen.text(text, str(folder), below=below)
    return seen.found


@pytest.mark.parametrize("text", ["sub", "./sub/", "--from=sub", "what is in sub", ".", "./sub:/x"])
def test_all_that_lies_below_a_named_folder_counts_unless_it_is_of_no_account(
    folder: Path, text: str
) -> None:
    (folder / "sub/deep").mkdir(parents=True)
    before, shallow = found(folder, text), found(folder, text, below=False)
    same = found(folder, text)
    (folder / "sub/deep/added").touch()

    assert before == same
    assert found(folder, text) != before
    assert found(folder, text, below=False) == shallow


def test_what_is_of_no_account_for_one_command_may_count_for_the_next(folder: Path) -> None:
    """`cd sub && docker build .`: the second one goes through it."""
    (folder / "sub").mkdir()
    seen = stamps(folder)
    seen.text("sub", str(folder), below=False)
    seen.text(".", str(folder / "sub"))

    assert seen.found == found(folder, "sub")


def crowded(folder: Path, name: str) -> None:
    (folder / name).mkdir()
    for number in range(MOST_BELOW // 2 + 1):
        os.link(folder / "file", folder / name / str(number))


def test_a_folder_that_holds_too_much_hides_no_other_one(folder: Path) -> None:
    for name in ("many", "more"):
        crowded(folder, name)
        os.rename(folder / name, folder / f"{name}-")
        crowded(folder, name)
        os.rename(folder / f"{name}-", folder / name / "below")
    (folder / "small").mkdir()
    text = "-v ./many:/a -v ./more:/b -v ./small:/c"
    before = found(folder, text)
    (folder / "small/added").touch()

    assert found(folder, text) != before


def test_what_git_keeps_by_its_content_does_not_count(folder: Path) -> None:
    (folder / ".git/objects").mkdir(parents=True)
    before = found(folder, ".")
    for number in range(MOST_BELOW + 1):
        (folder / ".git/objects" / str(number)).touch()
    after = found(folder, ".")
    (folder / ".git/config").touch()

    assert before == after
    assert found(folder, ".") != after


def test_folders_that_hold_too_much_together_have_no_stamp(folder: Path) -> None:
    crowded(folder, "one")
    crowded(folder, "two")
    together = stamps(folder)
    together.text("one", str(folder))

    assert found(folder, "two") != {}
    with pytest.raises(TooManyNames):
        together.text("two", str(folder))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *[
            (one, False)
            for one in ("/", "many", "--from=many", "type=bind,source=many", "two many")
        ],
        *[
            (one, True)
            for one in ("a / b", "see many and sub", r'"\(.owner)/\(.name)"', "f('many')")
        ],
    ],
)
def test_a_folder_that_holds_too_much_may_be_mentioned_in_a_longer_text_but_not_be_an_argument(
    folder: Path, text: str, told: bool
) -> None:
    for name in ("many/deep", "two many/deep"):
        (folder / name).mkdir(parents=True)
    seen = stamps(folder)
    seen.entries_left = 0

    if told:
        seen.text(text, str(folder))
        assert not any(path.endswith("/") and path != "/" for path in seen.found)
    else:
        with pytest.raises(TooManyNames):
            seen.text(text, str(folder))


def test_a_file_that_cannot_be_read_counts_by_its_size_and_times(folder: Path) -> None:
    # Of its own memory every process sees a file that it cannot read from the start.
    first, again = (stamps(folder).looked("/proc/self/mem") for _ in range(2))

    assert first == again
    assert "not to be read" in first or first.startswith(MISSING)
