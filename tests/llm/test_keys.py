"""The operating system's keyring, filed by host."""

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from automode.llm.keys import KEYRING_SERVICE, system_keyring


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
        raise AssertionError("nothing is ever filed")


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
