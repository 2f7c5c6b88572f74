"""The state folder is made for its owner alone, and says clearly when it cannot be."""

import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from automode.store.folder import BadFolder, StateFolder, default_folder, made_once, secret


def mode(path: str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def test_it_is_made_once_with_its_folders_for_the_owner_alone(tmp_path: Path) -> None:
    folder = StateFolder(str(tmp_path / "a" / "b")).prepared()
    Path(folder.token("decide")).write_text("x")

    folder.prepared()

    assert [mode(path) for path in (folder.path, folder.tokens)] == [0o700] * 2
    assert Path(folder.token("decide")).read_text() == "x"


OPEN = {
    "readable for all": (0o755, "audit.db"),
    "writable for a group": (0o770, ""),
    "writable for all": (0o1777, ""),
    "a home": (0o755, "x"),
}


@pytest.mark.parametrize(("open_mode", "held"), OPEN.values(), ids=OPEN)
def test_a_folder_that_may_be_somebody_elses_is_refused_and_left_as_it_is(
    tmp_path: Path, open_mode: int, held: str
) -> None:
    if held:
        (tmp_path / held).mkdir()
    tmp_path.chmod(open_mode)

    with pytest.raises(BadFolder, match="open to other accounts") as caught:
        StateFolder(str(tmp_path)).prepared()

    assert mode(str(tmp_path)) == open_mode
    assert f"chmod 700 {tmp_path}" in caught.value.hint


def test_a_path_that_cannot_be_used_is_refused_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")

    with pytest.raises(BadFolder, match="`state` is not an absolute path") as caught:
        StateFolder("state").prepared()
    with pytest.raises(BadFolder, match="cannot be made: File exists"):
        StateFolder(str(tmp_path / "state")).prepared()

    assert "--state-folder" in caught.value.hint


@pytest.mark.skipif(os.getuid() != 0, reason="ONLY ROOT can give a folder away")
def test_a_folder_of_another_account_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, 65534, 65534)

    with pytest.raises(BadFolder, match="belongs to another account"):
        StateFolder(str(tmp_path)).prepared()


DEFAULTS = {
    "": "/home/x/.local/state/automode",
    "/elsewhere": "/elsewhere/automode",
    "relative": "/home/x/.local/state/automode",
}


@pytest.mark.parametrize(("named", "expected"), DEFAULTS.items())
def test_the_default_is_under_the_state_home(named: str, expected: str) -> None:
    assert default_folder("/home/x", {"XDG_STATE_HOME": named}) == StateFolder(expected)


def test_a_secret_is_made_once_for_the_owner_alone_whoever_comes_at_once(
    folder: StateFolder,
) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(secret, [folder.signing_key] * 32))

    assert [len(one) for one in set(found)] == [32]
    assert mode(folder.signing_key) == 0o600
    assert os.listdir(folder.path).count("signing.key") == 1


@pytest.mark.parametrize("text", ["", "abc", "zz" * 32, "00" * 31])
def test_a_damaged_secret_is_not_replaced(folder: StateFolder, text: str) -> None:
    made_once(folder.signing_key, lambda: text)

    with pytest.raises(BadFolder, match="does not hold 32 bytes"):
        secret(folder.signing_key)


def _readable(key: str) -> None:
    secret(key)
    os.chmod(key, 0o644)


def _linked(key: str) -> None:
    other = Path(key).with_name("other")
    other.write_text("00" * 32)
    os.symlink(other, key)


UNUSABLE: dict[Callable[[str], None], tuple[str, str]] = {
    _readable: ("open to other accounts", "chmod 600"),
    _linked: ("cannot be read or made", ""),
    os.mkdir: ("cannot be read or made", ""),
}


@pytest.mark.parametrize("make", UNUSABLE)
def test_a_secret_that_others_can_read_a_link_and_a_folder_are_refused(
    folder: StateFolder, make: Callable[[str], None]
) -> None:
    says, hint = UNUSABLE[make]
    make(folder.signing_key)

    with pytest.raises(BadFolder, match=says) as caught:
        secret(folder.signing_key)

    assert hint in caught.value.hint
