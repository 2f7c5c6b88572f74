"""The real Claude Code, without hooks, with a server behind the proxy and a scripted model."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conformance.programs import pinned

from automode.agents.scripted.driver import Driver, NoProgram, ScratchFolders
from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import ToolUse, saying, using
from automode.daemon.lifecycle import start_detached
from automode.daemon.placement import Placement
from tests.cli.daemons import AUTOMODE, Place, place
from tests.proxy.server import ATTACK

pytestmark = pytest.mark.real

AGENTS = Path(__file__).parents[2] / ".venv" / "agents"
SERVER = str(Path(__file__).with_name("server.py"))
RULES = {"permissions": {"allow": ["mcp__srv__*"], "deny": ["mcp__srv__touch(*denied*)"]}}
SECONDS = 120


def claude() -> Driver:
    try:
        return pinned("claude-code", str(AGENTS))
    except NoProgram as why:
        pytest.skip(f"NO REAL AGENT: {why}; {why.hint}")


def configured(here: Place) -> str:
    """The client's file of servers: where the server's command stood, the proxy's stands."""
    Path(here.config, "config.json").write_text(json.dumps(RULES))
    folders = ["--state-folder", here.state.path, "--config-folder", here.config]
    server = [sys.executable, SERVER, f"{here.project}/log"]
    words = ["mcp-proxy", *folders, "--name", "srv", "--", *server]
    path = Path(here.config, "servers.json")
    path.write_text(json.dumps({"mcpServers": {"srv": {"command": AUTOMODE, "args": words}}}))
    return str(path)


def run(agent: Driver, here: Place, model: ModelServer) -> "subprocess.CompletedProcess[str]":
    scratch = ScratchFolders(f"{here.config}/home", here.project, model.url)
    agent.prepare(scratch)
    tools = "mcp__srv__touch,mcp__srv__page,mcp__srv__data"
    words = (
        "-p",
        "--strict-mcp-config",
        "--mcp-config",
        configured(here),
        "--model",
        "claude-sonnet-4-5",
    )
    return subprocess.run(
        (*agent.words, *words, "--allowedTools", tools, "--", "please go on"),
        # Else another tool looks them up first, which a script would have to play.
        env={**agent.environment(scratch), "ENABLE_TOOL_SEARCH": "false"},
        cwd=here.project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_the_real_client_is_gated_by_the_proxy_alone() -> None:
    agent = claude()
    with place() as here, ModelServer() as model:
        made, kept = Path(here.project, "made"), Path(here.project, "denied")
        model.plays(
            using(ToolUse("mcp__srv__touch", {"path": str(made)})),
            using(ToolUse("mcp__srv__touch", {"path": str(kept)})),
            using(ToolUse("mcp__srv__page", {})),
            using(ToolUse("mcp__srv__data", {})),
            saying("done"),
        )

        start_detached(Placement(here.state, here.config), seconds=SECONDS)
        done = run(agent, here, model)

        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == "done"
        assert (made.exists(), kept.exists()) == (True, False)
        assert model.was_told("deny rule `mcp__srv__touch(*denied*)`")
        pages = [text for text in model.results() if ATTACK in text]
        assert len(pages) == 2
        assert [one.index("[automode] Warning:") < one.index(ATTACK) for one in pages] == [True] * 2
