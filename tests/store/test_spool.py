"""What is spooled is whole, survives, and is found again by whoever may write."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from automode.store.changes import Change
from automode.store.encoding import decoded
from automode.store.folder import StateFolder, secret
from automode.store.seals import opened_line
from automode.store.spool import (
    LARGEST_LINE,
    UNREADABLE,
    Spool,
    finished,
    spool,
    spool_files,
    whole_lines,
)
from tests.store.examples import APPROVED, FORGOTTEN, SPOOLABLE, decided


def said(folder: StateFolder, line: bytes) -> tuple[int, Change] | None:
    """The number and the change of a line in the only file."""
    [path] = spool_files(folder)
    opened = opened_line(secret(folder.signing_key), os.path.basename(path), line)
    return None if opened is None else (opened[0], decoded(opened[1]))


def test_changes_stand_in_the_file_in_their_order(folder: StateFolder) -> None:
    own = Spool(folder)

    own.keep(SPOOLABLE[:2])
    own.keep(SPOOLABLE[2:])

    [path] = spool_files(folder)
    lines, _ = whole_lines(path, 0, 100)
    assert [said(folder, line) for line in lines] == [*enumerate(SPOOLABLE, 1)]


@pytest.mark.parametrize("word", [APPROVED, FORGOTTEN], ids=["a yes", "a reset"])
def test_what_a_person_decides_is_not_spooled(folder: StateFolder, word: Change) -> None:
    with pytest.raises(ValueError, match="person"):
        spool(folder, [*decided(1), word])

    assert spool_files(folder) == []


def test_without_a_usable_key_nothing_is_spooled(folder: StateFolder) -> None:
    Path(folder.signing_key).write_text("short")
    os.chmod(folder.signing_key, 0o600)

    with pytest.raises(OSError, match="32 bytes"):
        spool(folder, decided(1))


def test_every_process_has_a_file_of_its_own(folder: StateFolder) -> None:
    spool(folder, decided(1))
    spool(folder, decided(2))

    assert len(spool_files(folder)) == 2


def test_only_the_owner_can_read_it(folder: StateFolder) -> None:
    spool(folder, decided(1))

    [path] = spool_files(folder)
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    folder = StateFolder(str(tmp_path / "new"))

    spool(folder, decided(1))

    assert len(spool_files(folder)) == 1


def test_no_folder_is_an_empty_spool(tmp_path: Path) -> None:
    assert spool_files(StateFolder(str(tmp_path / "nowhere"))) == []


def test_what_is_no_spool_file_is_left_alone(folder: StateFolder) -> None:
    names = ("notes.txt", f"1-a.jsonl{UNREADABLE}")
    for name in names:
        Path(folder.spool, name).write_text("x")
    os.mkdir(os.path.join(folder.spool, "folder.jsonl"))
    os.symlink("/etc/passwd", os.path.join(folder.spool, "link.jsonl"))

    assert spool_files(folder) == []


def test_lines_are_read_from_where_the_last_ones_ended(folder: StateFolder) -> None:
    spool(folder, decided(1, 2, 3))
    [path] = spool_files(folder)

    first, upto = whole_lines(path, 0, 2)
    second, end = whole_lines(path, upto, 2)

    assert [said(folder, line) for line in first + second] == [*enumerate(decided(1, 2, 3), 1)]
    assert (len(second), end) == (1, os.path.getsize(path))


def test_half_a_line_is_not_there_yet(folder: StateFolder) -> None:
    spool(folder, decided(1))
    [path] = spool_files(folder)
    whole = os.path.getsize(path)
    with open(path, "a") as file:
        file.write('{"change": "dec')

    lines, upto = whole_lines(path, 0, 10)

    assert (len(lines), upto) == (1, whole)


def test_a_file_without_any_end_is_read_in_pieces(folder: StateFolder) -> None:
    path = os.path.join(folder.spool, "1-a.jsonl")
    with open(path, "wb") as file:
        file.truncate(LARGEST_LINE * 2 + 5)

    lines, upto = whole_lines(path, 0, 10)

    assert ([len(line) for line in lines], upto) == ([LARGEST_LINE] * 2, LARGEST_LINE * 2)


def test_a_line_that_was_cut_off_does_not_swallow_the_next(folder: StateFolder) -> None:
    own = Spool(folder)
    own.keep(decided(1))
    [path] = spool_files(folder)
    with open(path, "a") as file:
        file.write('{"change": "dec')

    own.keep(decided(2))

    lines, _ = whole_lines(path, 0, 10)
    assert [said(folder, lines[0]), said(folder, lines[2])] == [*enumerate(decided(1, 2), 1)]


def test_a_drained_file_is_removed(folder: StateFolder) -> None:
    spool(folder, decided(1))
    [path] = spool_files(folder)

    assert finished(path, os.path.getsize(path), unreadable=False)
    assert os.listdir(folder.spool) == []


@pytest.mark.parametrize(("rest", "unreadable"), [("half", False), ("", True)])
def test_a_file_with_something_nobody_could_read_is_kept(
    folder: StateFolder, rest: str, unreadable: bool
) -> None:
    spool(folder, decided(1))
    [path] = spool_files(folder)
    drained = os.path.getsize(path)
    with open(path, "a") as file:
        file.write(rest)

    assert finished(path, drained, unreadable=unreadable)
    assert spool_files(folder) == []
    assert Path(path + UNREADABLE).read_text().endswith(rest)


def test_a_file_with_more_in_it_stays(folder: StateFolder) -> None:
    spool(folder, decided(1, 2))
    [path] = spool_files(folder)
    _, upto = whole_lines(path, 0, 1)

    assert not finished(path, upto, unreadable=False)
    assert spool_files(folder) == [path]


def test_a_file_that_somebody_is_writing_to_stays(folder: StateFolder) -> None:
    spool(folder, decided(1))
    [path] = spool_files(folder)

    with open(path, "a") as pen:
        fcntl.flock(pen, fcntl.LOCK_SH)

        assert not finished(path, os.path.getsize(path), unreadable=False)


def test_after_its_file_was_taken_away_a_process_uses_another_name(folder: StateFolder) -> None:
    own = Spool(folder)
    own.keep(decided(1))
    [first] = spool_files(folder)
    finished(first, os.path.getsize(first), unreadable=False)

    own.keep(decided(2))

    [second] = spool_files(folder)
    assert second != first


def test_a_short_write_leaves_nothing_behind(folder: StateFolder) -> None:
    """The kernel is told that no file may grow past a limit in the middle of the second line."""
    code = """
import resource, sys
from automode.store.folder import StateFolder
from automode.store.spool import Spool, spool_files
from tests.store.examples import decided
import os
folder = StateFolder(sys.argv[1])
own = Spool(folder)
own.keep(decided(1))
[path] = spool_files(folder)
size = os.path.getsize(path)
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, size + 100))
try:
    own.keep(decided(2))
except OSError:
    sys.exit(0 if os.path.getsize(path) == size else 2)
sys.exit(3)
"""
    done = subprocess.run([sys.executable, "-c", code, folder.path], cwd=Path(__file__).parents[2])

    assert done.returncode == 0


def test_the_spool_loads_no_database() -> None:
    code = "import sys, automode.store.spool; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert {"sqlite3", "psycopg", "asyncio"} & set(done.stdout.split()) == set()
