"""`automode ui` at the terminal: the extra, the port, the link."""

import os
import re
import socket
import sys
from pathlib import Path

import httpx2
import pytest
from conformance.terminal import Terminal

from automode.daemon.placement import ui_port
from automode.store.folder import StateFolder
from tests.cli.conftest import Run, words_of
from tests.cli.daemons import AUTOMODE, Place
from tests.cli.stored import needs_a_person, stored_records


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


LINK = re.compile(r"http://(\w{32}\.localhost:\d+)(/[\w-]+)/enter\?key=[\w-]+")


def plain(link: str) -> str:
    return re.sub(r"\w+\.localhost", "127.0.0.1", link)


@pytest.mark.slow
def test_a_person_opens_the_link_and_approves_what_an_agent_was_denied(served: Place) -> None:
    Path(served.config, "config.json").write_text('{"permissions": {"ask": ["bash(make *)"]}}')
    served.run("reload")
    served.proposed("make all", attended=False)
    denied = stored_records(served.state)[-1]
    words = [AUTOMODE, "--state-folder", served.state.path, "--config-folder", served.config, "ui"]
    environment = dict(os.environ) | {"TERM": "xterm-256color", "NO_COLOR": "1"}

    with Terminal(words, environment, served.project, columns=200) as terminal:
        terminal.wait_for("enter?key=")
        terminal.type("\r")
        terminal.wait_until(lambda: terminal.text.count("enter?key=") == 2, "no second link")
        first, second = LINK.finditer(terminal.text)
        with httpx2.Client(trust_env=False) as browser:
            # As a browser does, which knows names below `localhost`.
            browser.headers["host"] = first[1]
            for link in (first[0], second[0]):
                assert browser.get(plain(link)).status_code == 200
            again = browser.get(plain(first[0]))
            home = plain(first[0]).partition("/enter")[0]
            page = browser.get(f"{home}/decision/{denied.id}").text
            csrf = re.search(r'name="csrf" value="([^"]+)"', page)
            assert csrf is not None
            answer = browser.post(
                f"{home}/decision/{denied.id}/approve",
                data={"csrf": csrf[1], "how": "once"},
                headers={"origin": f"http://{first[1]}"},
            )
        terminal.type("\x03")
        status = terminal.ended()

    assert again.status_code == 403
    assert answer.status_code == 303, answer.text
    assert served.proposed("make all", attended=False)["source"] == "approval"
    assert status == 0
