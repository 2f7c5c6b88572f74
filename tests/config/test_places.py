"""Where settings are looked for; files that are not what they seem; replacing one."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from automode.config.jsonc import LARGEST_BYTES
from automode.config.places import Places, content, replace_file
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


FOLDERS = {
    # XDG_CONFIG_HOME: the user's file
    None: "/home/u/.config/automode/config.json",
    "": "/home/u/.config/automode/config.json",
    "relative": "/home/u/.config/automode/config.json",
    "/x": "/x/automode/config.json",
}


@pytest.mark.parametrize("xdg", FOLDERS)
def test_the_users_file_honours_an_absolute_xdg_folder(xdg: str | None) -> None:
    environment = {} if xdg is None else {"XDG_CONFIG_HOME": xdg}

    places = Places.of(home="/home/u", environment=environment)

    assert places.user[0] == FOLDERS[xdg]
    assert (places.local, places.shared) == ((), ())  # there is no project


def test_an_installed_hook_cannot_be_moved_by_the_environment() -> None:
    places = Places.of(
        home="/home/u", environment={"XDG_CONFIG_HOME": "/evil"}, config_folder="/home/u/cfg"
    )

    assert places.user[0] == "/home/u/cfg/config.json"
    assert places.trust_file == "/home/u/cfg/trust.json"


def test_all_places_stand_in_order() -> None:
    places = Places.of(home="/h", environment={}, project="/p")

    assert places.files == (
        "/h/.config/automode/config.json",
        "/h/.pi/agent/automode.json",
        "/p/.automode/config.local.json",
        "/p/.pi/automode.local.json",
        "/etc/automode/config.json",
        "/p/.automode/config.json",
        "/p/.pi/automode.json",
        "/h/.config/automode/trust.json",
    )
    assert places.variables == ("AUTOMODE_SETTINGS_JSON", "PI_AUTOMODE_SETTINGS_JSON")
