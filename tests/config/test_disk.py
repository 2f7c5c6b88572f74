"""Reading files that are not what they seem, and replacing one."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from automode.config.jsonc import LARGEST_BYTES
from automode.config.places import content, replace_file
from automode.core.errors import BadSettings


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(path))


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


ODD: dict[str, tuple[Callable[[Path], object], str]] = {
    "folder": (lambda path: path.mkdir(), "found a folder"),
    "pipe": (lambda path: os.mkfifo(path), "found a pipe"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "found a pipe, a socket or a device"),
    "socket": (_socket, "found a pipe, a socket or a device"),
    "loop": (lambda path: path.symlink_to(path), "cannot be read: "),
    "dangling": (lambda path: path.symlink_to("nowhere"), "a link to nothing"),
    "large": (lambda path: path.write_bytes(b" " * (LARGEST_BYTES + 1)), "larger than"),
    "sparse": (_sparse, "larger than"),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_no_small_file_is_refused_without_waiting(name: str, tmp_path: Path) -> None:
    make, reason = ODD[name]
    make(tmp_path / "f")

    with pytest.raises(BadSettings, match=reason):
        content(str(tmp_path / "f"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").touch(mode=0o000)

    with pytest.raises(BadSettings, match="cannot be read"):
        content(str(tmp_path / "f"))


@pytest.mark.parametrize("path", ["missing", "missing/deeper", "file/below"])
def test_nothing_is_nothing(path: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert content(str(tmp_path / path)) is None


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
def test_a_path_that_cannot_be_is_refused(path: str) -> None:
    with pytest.raises(BadSettings, match="cannot be read"):
        content(path)


def test_the_largest_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * LARGEST_BYTES)

    assert content(str(tmp_path / "f")) == b"x" * LARGEST_BYTES


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "f"
    replace_file(str(path), b"one")
    replace_file(str(path), b"two")

    assert path.read_bytes() == b"two"
    assert os.listdir(path.parent) == ["f"]


def test_a_failed_replacement_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()

    with pytest.raises(OSError):
        replace_file(str(tmp_path / "f"), b"x")
    assert os.listdir(tmp_path) == ["f"]
