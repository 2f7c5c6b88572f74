"""`automode ui` at the terminal: the extra, the port, the link."""

import socket
import sys

import pytest

from automode.daemon.placement import ui_port
from automode.store.folder import StateFolder
from tests.cli.conftest import Run, words_of
from tests.cli.stored import needs_a_person


def test_without_the_extra_it_says_what_to_install(
    automode: Run, state: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_a_person(state)
    for name in list(sys.modules):
        if name.partition(".")[0] == "jinja2" or name.startswith("automode.ui"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "jinja2", None)

    result = automode("ui")

    assert result.exit_code == 2
    assert "the window needs `jinja2`, which is not installed" in words_of(result.stderr)
    assert "with its extra `ui`" in words_of(result.stderr)


def test_a_port_that_is_taken_is_named_with_a_way_out(automode: Run, state: StateFolder) -> None:
    needs_a_person(state)
    port = ui_port(state.prepared())
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        result = automode("ui")

    assert result.exit_code == 2
    assert f"port {port} of this machine is taken" in words_of(result.stderr)
    assert "enter?key=" not in result.stdout
