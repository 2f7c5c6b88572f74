"""The operating system's keyring, filed by host."""

import subprocess
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from automode.llm.endpoints import Endpoint, Sources, endpoint
from automode.llm.keys import KEYRING_SERVICE, KeyHelper, KeyStore, system_keyring
from automode.llm.model import ModelError, ModelFault
from tests.rows import each_row


class Filed(KeyringBackend):
    priority = -10  # keyring finds every backend by itself: this one must never be the best

    def __init__(self, *, locked: bool = False) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # it has no types there
        self.locked = locked

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked
        filed = {(KEYRING_SERVICE, "api.openai.com"): "filed\n"}
        return filed.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked


@pytest.fixture
def restored() -> object:
    before = keyring.get_keyring()
    yield before
    keyring.set_keyring(before)


@pytest.mark.usefixtures("restored")
def test_a_key_is_found_under_its_host_only() -> None:
    keyring.set_keyring(Filed())

    assert system_keyring("api.openai.com") == "filed"
    assert system_keyring("evil.example") is None


@pytest.mark.usefixtures("restored")
def test_a_locked_keyring_has_no_key() -> None:
    keyring.set_keyring(Filed(locked=True))

    assert system_keyring("api.openai.com") is None


@pytest.mark.usefixtures("restored")
def test_where_the_keyring_takes_nothing_a_key_lies_in_a_file_for_the_account_alone(
    tmp_path: Path,
) -> None:
    keyring.set_keyring(Filed(locked=True))
    store = KeyStore(str(tmp_path / "automode" / "keys.json"))

    place = store.store("api.openai.com", "mine")

    assert place == store.file
    assert (store("api.openai.com"), store("evil.example")) == ("mine", None)
    assert (tmp_path / "automode" / "keys.json").stat().st_mode & 0o777 == 0o600
    assert store.remove("api.openai.com") is True
    assert (store("api.openai.com"), store.remove("api.openai.com")) == (None, False)


KEPT = '{"a.example": "k"}'
DAMAGED = ("", "{", "[1]", '{"a.example": 5}', '{"a.example": {"k": "v"}}')


@each_row(
    "text, mode",
    [*((text, 0o600) for text in DAMAGED), (KEPT, 0o640), (KEPT, 0o604), (KEPT, 0o622)],
)
def test_a_file_of_keys_that_others_can_open_or_that_is_damaged_counts_for_nothing(
    tmp_path: Path, text: str, mode: int
) -> None:
    file = tmp_path / "keys.json"
    file.write_text(text)
    file.chmod(mode)

    assert KeyStore(str(file))("a.example") is None


def test_a_command_prints_the_key_and_is_asked_again_after_a_while(tmp_path: Path) -> None:
    now = [0.0]
    helper = KeyHelper(
        f"echo x >> {tmp_path}/runs; echo key-$(wc -l < {tmp_path}/runs)", lambda: now[0]
    )

    first = [helper.key(), helper.key()]
    now[0] = 301.0
    later = helper.key()
    helper.forget()

    assert first == ["key-1", "key-1"]
    assert (later, helper.key()) == ("key-2", "key-3")


@pytest.mark.parametrize(
    ("command", "said"),
    [("exit 3", "ended with 3"), ("true", "printed no key"), ("printf 'a\\nb'", "no key")],
)
def test_a_command_that_prints_no_key_is_a_failure(command: str, said: str) -> None:
    with pytest.raises(ModelError, match=said) as raised:
        KeyHelper(command).key()

    assert raised.value.kind is ModelFault.NO_KEY


def test_the_command_is_for_want_of_another_key() -> None:
    helper = KeyHelper("echo printed")
    with_key = endpoint("openai", Sources({"OPENAI_API_KEY": "k"}, helper=helper))
    without = endpoint("openai", Sources({}, helper=helper))

    assert isinstance(with_key, Endpoint)
    assert isinstance(without, Endpoint)
    assert (with_key.key, with_key.helper) == ("k", None)
    assert (without.key, without.helper) == (None, helper)


@pytest.mark.usefixtures("restored")
def test_a_file_that_cannot_be_read_is_not_written_over(tmp_path: Path) -> None:
    keyring.set_keyring(Filed(locked=True))
    store = KeyStore(str(tmp_path / "keys.json"))
    store.store("a.example", "first")
    (tmp_path / "keys.json").chmod(0o640)

    with pytest.raises(OSError, match="cannot be read"):
        store.store("b.example", "second")
    with pytest.raises(OSError, match="cannot be read"):
        store.remove("a.example")

    (tmp_path / "keys.json").chmod(0o600)
    assert store("a.example") == "first"


def test_a_command_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    helper = KeyHelper(f"echo $$ > {tmp_path}/pid; sleep 60 | cat", seconds=2.0)

    with pytest.raises(ModelError, match="took longer"):
        helper.key()

    group = (tmp_path / "pid").read_text().strip()
    assert [] in (living(group) for _ in range(100))  # whoever is killed takes a moment to be gone


def living(group: str) -> list[str]:
    shown = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True)
    rows = [line.split() for line in shown.stdout.splitlines()]
    return [status for number, status in rows if number == group and not status.startswith("Z")]
