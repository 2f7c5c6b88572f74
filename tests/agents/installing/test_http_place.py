"""Port and token for hooks over HTTP are made once and then stay."""

from pathlib import Path

from automode.agents.installing.site import http_place, known_http_place
from automode.daemon.frames import Tokens
from automode.store.folder import StateFolder


def test_port_and_token_are_made_once(tmp_path: Path) -> None:
    folder = StateFolder(str(tmp_path / "state")).prepared()
    before = known_http_place(folder)

    made = http_place(folder)

    assert before is None
    assert known_http_place(folder) == http_place(folder) == made


def test_the_token_opens_hooks_on_loopback_and_nothing_else(tmp_path: Path) -> None:
    folder = StateFolder(str(tmp_path / "state")).prepared()
    tokens = Tokens.of(folder)

    token = http_place(folder).token

    assert tokens.rights(token) == frozenset()
    assert tokens.over_loopback(token) is not None


def test_what_cannot_be_read_is_not_known(tmp_path: Path) -> None:
    folder = StateFolder(str(tmp_path / "state")).prepared()
    http_place(folder)
    Path(folder.http_port).write_text("many")

    assert known_http_place(folder) is None
