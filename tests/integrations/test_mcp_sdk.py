"""The proxy between client and server of the official MCP SDK, over each way it can stand."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

from tests.cli.daemons import Place, place
from tests.integrations.mcp_server import ATTACK

SERVER = str(Path(__file__).with_name("mcp_server.py"))
RULES = {
    "permissions": {
        "allow": ["mcp__sdk__*"],
        "deny": ["mcp__sdk__touch(*denied*)"],
    }
}
PATIENCE = 60.0

FRAMEWORKS = ("mcp", "mcp.server.mcpserver")


@pytest.fixture(name="here", scope="module")
def _here() -> Iterator[Place]:
    with place() as found:
        Path(found.config, "config.json").write_text(json.dumps(RULES))
        yield found


def words(here: Place, *more: str) -> list[str]:
    folders = ["--state-folder", here.state.path, "--config-folder", here.config]
    return ["-m", "automode", "mcp-proxy", *folders, "--name", "sdk", *more]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def answers(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def listening(port: int, *command: str, folder: str) -> Iterator[None]:
    with subprocess.Popen(
        command, cwd=folder, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            deadline = time.monotonic() + PATIENCE
            while not answers(port):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # also what it has started


@contextmanager
def server(here: Place) -> Iterator[str]:
    port = free_port()
    with listening(port, sys.executable, SERVER, str(port), folder=here.project):
        yield f"http://127.0.0.1:{port}/mcp"


def started(here: Place, *more: str) -> object:
    """How the SDK's client talks to a program."""
    stdio = import_module("mcp.client.stdio")
    parameters = stdio.StdioServerParameters(
        command=sys.executable, args=words(here, *more), cwd=here.project
    )
    client: object = stdio.stdio_client(parameters)
    return client


async def session(to: object, here: Place, way: str) -> None:
    made, kept = (Path(here.project, f"{way}-{name}") for name in ("made", "denied"))
    async with import_module("mcp").Client(to) as client:
        listed = [one.name for one in (await client.list_tools()).tools]
        first = await client.call_tool("touch", {"path": str(made)})
        second = await client.call_tool("touch", {"path": str(kept)})
        third = await client.call_tool("page", {})

    assert listed == ["touch", "page"]
    assert (made.exists(), kept.exists()) == (True, False)
    assert (first.is_error, second.is_error, third.is_error) == (False, True, False)
    assert second.content[0].text.startswith("automode (rules.deny)")
    assert third.content[0].text.startswith("[automode] Warning:")
    assert third.content[1].text == ATTACK


def test_a_server_that_is_a_program(here: Place) -> None:
    to = started(here, "--", sys.executable, SERVER)

    asyncio.run(session(to, here, "program"))


def test_a_server_behind_an_address_for_a_client_that_starts_programs(here: Place) -> None:
    with server(here) as url:
        asyncio.run(session(started(here, "--url", url), here, "bridge"))
