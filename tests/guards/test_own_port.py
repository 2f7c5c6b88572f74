"""The port at which the daemon hears hooks is out of reach for whatever a tool call starts."""

import asyncio
from pathlib import Path

import pytest

from automode.assemble import build_gate
from automode.config.settings import Settings
from automode.core.call import Action, Fetch, Shell, ToolCall
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.guards.own_files import OwnFolders
from tests.rows import texts

PORT = 47321


def source(tmp_path: Path, action: Action) -> str:
    state, project = tmp_path / "state", tmp_path / "project"
    for folder in (state, project):
        folder.mkdir(exist_ok=True)
    (state / "http.port").write_text(f"{PORT}\n")
    place = Workspace(str(project), str(project), str(tmp_path), Disk())
    gate = build_gate(Settings(), folders=OwnFolders(state=(str(state),)))
    decision = asyncio.run(gate.decide(ToolCall("tool", action), Session("s", place)))
    return "" if decision is None else decision.source


REACHING = texts("guards", "own-port-reaching")


@pytest.mark.parametrize("command", REACHING)
def test_no_command_connects_to_it(tmp_path: Path, command: str) -> None:
    assert source(tmp_path, Shell(command)) == "floor.own-channel"


URLS = {
    f"http://127.0.0.1:{PORT}/": True,
    f"http://localhost:{PORT}/hook/claude-code/session": True,
    "http://localhost:9/hook/pi/prompt": True,
    f"http://127.0.0.1:{PORT + 1}/": False,
    f"https://example.com/{PORT}": False,
    "https://example.com/hook/pi/prompt": False,
}


@pytest.mark.parametrize(("url", "denied"), URLS.items())
def test_no_fetching_tool_does(tmp_path: Path, url: str, denied: bool) -> None:
    assert (source(tmp_path, Fetch(url)) == "floor.own-channel") == denied


@pytest.mark.parametrize("command", texts("guards", "own-port-other-numbers-other-uses"))
def test_other_numbers_and_other_uses_are_no_matter(tmp_path: Path, command: str) -> None:
    assert source(tmp_path, Shell(command)) != "floor.own-channel"
