"""Trust in project-local files: bound to path and content."""

import json
import os
from pathlib import Path

import pytest

from automode.config.trust import is_trusted, untrust
from automode.config.trust import trust as trust_content
from automode.core.errors import BadSettings


@pytest.fixture
def book(tmp_path: Path) -> str:
    return str(tmp_path / "config" / "automode" / "trust.json")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "project" / ".automode" / "config.local.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    return path


def trust(book: str, file: str) -> str:
    return trust_content(book, file, Path(file).read_bytes())


def test_a_file_is_trusted_from_when_that_is_said_until_it_changes(book: str, file: Path) -> None:
    other = file.parents[2] / "other" / ".automode" / "config.local.json"
    before = is_trusted(book, str(file), b"{}")
    digest = trust(book, str(file))

    assert not before
    assert digest == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert is_trusted(book, str(file), b"{}")
    assert not is_trusted(book, str(file), b"{ }")
    other.parent.mkdir(parents=True)
    other.write_text("{}")
    assert not is_trusted(book, str(other), b"{}")  # the same content elsewhere


def test_trust_follows_a_linked_project_folder(book: str, file: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(file.parents[1])
    trust(book, str(tmp_path / "link" / ".automode" / "config.local.json"))

    assert is_trusted(book, str(file), b"{}")


def test_a_link_out_of_the_project_cannot_borrow_trust(book: str, file: Path) -> None:
    trust(book, str(file))
    link = file.parents[2] / "evil" / ".automode" / "config.local.json"
    link.parent.mkdir(parents=True)
    link.symlink_to(file)

    with pytest.raises(BadSettings, match="leaves its project"):
        is_trusted(book, str(link), b"{}")
    with pytest.raises(BadSettings, match="leaves its project"):
        trust(book, str(link))


def test_trust_can_be_taken_back_also_when_the_file_is_gone(book: str, file: Path) -> None:
    trust(book, str(file))
    file.unlink()

    assert untrust(book, str(file))
    assert not untrust(book, str(file))
    assert not is_trusted(book, str(file), b"{}")


def test_the_trust_file_is_for_its_owner_alone(book: str, file: Path) -> None:
    trust(book, str(file))

    assert os.stat(book).st_mode & 0o777 == 0o600
    assert os.stat(os.path.dirname(book)).st_mode & 0o777 == 0o700
    assert os.listdir(os.path.dirname(book)) == ["trust.json"]


CORRUPT = ["", "{", "[]", '{"a": 1}', '{"a": "short"}', '{"a": {}}', "\0", '{"a": 1, "a": 1}']


@pytest.mark.parametrize("text", CORRUPT)
def test_a_corrupt_trust_file_trusts_nothing_and_says_so(book: str, file: Path, text: str) -> None:
    trust(book, str(file))
    Path(book).write_text(text)

    for use in (lambda: is_trusted(book, str(file), b"{}"), lambda: trust(book, str(file))):
        with pytest.raises(BadSettings, match="nothing is trusted"):
            use()


def test_a_trust_file_that_others_can_write_trusts_nothing(book: str, file: Path) -> None:
    trust(book, str(file))
    os.chmod(book, 0o666)

    with pytest.raises(BadSettings, match="writable by others"):
        is_trusted(book, str(file), b"{}")


def test_a_trust_file_that_cannot_be_written_is_an_error(file: Path) -> None:
    with pytest.raises(BadSettings, match="cannot be written"):
        trust("/dev/null/trust.json", str(file))


def test_several_files_are_trusted_side_by_side(book: str, file: Path) -> None:
    pi = file.parents[1] / ".pi" / "automode.local.json"
    pi.parent.mkdir()
    pi.write_text("[]")
    trust(book, str(file))
    trust(book, str(pi))

    assert set(json.loads(Path(book).read_text())) == {str(file), str(pi)}
    assert is_trusted(book, str(file), b"{}")
    assert is_trusted(book, str(pi), b"[]")
