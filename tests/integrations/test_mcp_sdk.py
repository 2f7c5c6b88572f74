"""The proxy between client and server of the official MCP SDK, over each way it can stand."""

import asyncio
import json
import os
import re
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
from tests.cli.stored import needs_a_person
from tests.integrations.conftest import framework
from tests.integrations.mcp_server import ATTACK

SERVER = str(Path(__file__).with_name("mcp_server.py"))
CLIENT = str(Path(__file__).with_name("mcp_client.py"))
RULES = {
    "permissions": {
        "allow": ["mcp__sdk__*"],
        "ask": ["mcp__sdk__touch(*asked*)"],
        "deny": ["mcp__sdk__touch(*denied*)"],
    }
}
# Whoever starts the proxy is an agent from then on, and no person: it must not be these tests.
STARTER = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
PATIENCE = 60.0


@pytest.fixture(autouse=True)
def _framework() -> None:
    framework("mcp")
    framework("mcp.server.mcpserver")


@pytest.fixture(name="here", scope="module")
def _here() -> Iterator[Place]:
    with place() as found:
        Path(found.config, "config.json").write_text(json.dumps(RULES))
        yield found


@pytest.fixture(name="terminal", scope="module")
def _terminal() -> Iterator[Place]:
    """A place of which these tests have started no proxy, and so stand for a person there."""
    with place() as found:
        needs_a_person(found.state.prepared())
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


@contextmanager
def listening(port: int, *command: str, folder: str) -> Iterator[None]:
    with subprocess.Popen(
        command, cwd=folder, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            deadline = time.monotonic() + PATIENCE
            while socket.socket().connect_ex(("127.0.0.1", port)):
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


def test_a_server_behind_an_address_for_a_client_that_speaks_http(here: Place) -> None:
    port = free_port()
    with server(here) as url:
        proxy = (sys.executable, *words(here, "--url", url, "--listen", str(port)))
        with listening(port, *proxy, folder=here.project):
            asyncio.run(session(f"http://127.0.0.1:{port}/mcp", here, "http"))


def approved_once(here: Place, way: str, *to: str) -> None:
    """A call that is asked about, a person's yes in a terminal of their own, and the call again."""
    made = Path(here.project, f"{way}-asked")
    call = json.dumps({"tool": "touch", "input": {"path": str(made)}}) + "\n"
    words = (sys.executable, CLIENT, *to)
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, cwd=here.project) as client:

        def again() -> tuple[bool, str]:
            assert client.stdin is not None
            assert client.stdout is not None
            client.stdin.write(call)
            client.stdin.flush()
            said = json.loads(client.stdout.readline())
            return said["failed"], said["text"]

        failed, told = again()
        assert (failed, made.exists()) == (True, False)
        command = re.search(r"`automode (approve [0-9a-z]+)`", told)
        assert command is not None, told
        yes = here.run(*command[1].split())
        assert yes.returncode == 0, yes.stderr

        assert again() == (False, "done")
        assert made.exists()
        failed, told = again()
        assert failed
        assert command[1] not in told


def test_an_approved_call_passes_once_from_a_client_that_starts_programs(terminal: Place) -> None:
    approved_once(
        terminal, "program", sys.executable, *words(terminal, "--", sys.executable, SERVER)
    )


def test_an_approved_call_passes_once_from_a_client_that_speaks_http(terminal: Place) -> None:
    port = free_port()
    with server(terminal) as url:
        proxy = (sys.executable, *words(terminal, "--url", url, "--listen", str(port)))
        with listening(port, sys.executable, "-c", STARTER, *proxy, folder=terminal.project):
            approved_once(terminal, "http", f"http://127.0.0.1:{port}/mcp")
