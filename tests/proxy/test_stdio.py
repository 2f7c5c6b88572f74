"""The real command between a client and a server that is a program; and a person's yes to a call
that it has stopped: `automode approve`, then the same call."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.daemon.client import running
from automode.proxy.stdio import ClientStreams, Lines, TooLong, frames
from tests.cli.daemons import AUTOMODE, Place, place
from tests.cli.stored import needs_a_person
from tests.proxy.server import ATTACK

SERVER = str(Path(__file__).with_name("server.py"))
RULES = {
    "permissions": {
        "allow": ["mcp__srv__*"],
        "ask": ["mcp__srv__touch(*asked*)"],
        "deny": ["mcp__srv__touch(*denied*)"],
    }
}
PATIENCE = 60
# Whoever starts the proxy is an agent from then on, and no person: it must not be these tests.
STARTER = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"


@pytest.fixture(name="here", scope="module")
def _here() -> Iterator[Place]:
    """With one daemon for all tests."""
    with place() as found:
        Path(found.config, "config.json").write_text(json.dumps(RULES))
        yield found


class Talk:
    """A client, and the proxy it has started, or a program of its own with a `starter`."""

    def __init__(self, here: Place, *more: str, starter: Sequence[str] = ()) -> None:
        self.log = Path(here.project, f"log-{uuid4().hex}")
        options = ("--state-folder", here.state.path, "--config-folder", here.config)
        server = (sys.executable, SERVER, str(self.log))
        self.process = subprocess.Popen(
            (*starter, AUTOMODE, *options, "mcp-proxy", "--name", "srv", *more, "--", *server),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=here.project,
        )

    def __enter__(self) -> "Talk":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()

    def send(self, frame: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(frame)
        self.process.stdin.flush()

    def line(self) -> bytes:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def call(self, tool: str, identity: int = 1, **given: str) -> dict[str, object]:
        params = {"name": tool, "arguments": given}
        said = {"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params}
        self.send(json.dumps(said).encode() + b"\n")
        found = json.loads(self.line())
        assert isinstance(found, dict)
        return found

    @property
    def received(self) -> list[bytes]:
        return self.log.read_bytes().splitlines(keepends=True) if self.log.exists() else []


def texts(answer: dict[str, object]) -> list[str]:
    match answer:
        case {"result": {"content": [*blocks]}}:
            return [one["text"] for one in blocks]
        case _:
            raise AssertionError(answer)


def test_a_session_through_the_proxy(here: Place) -> None:
    with Talk(here) as talk:
        hello = (
            b'{"jsonrpc": "2.0",  "id": "a", "method": "initialize", "params": {"x": "\xc3\xa9"}}\n'
        )
        talk.send(hello)
        assert json.loads(talk.line())["result"]["serverInfo"]["name"] == "small"
        assert talk.received == [hello]

        made, kept = Path(here.project, "made"), Path(here.project, "denied")
        assert texts(talk.call("touch", 2, path=str(made))) == ["done"]
        (reason,) = texts(talk.call("touch", 3, path=str(kept)))
        warning, page = texts(talk.call("page", 4))

        assert (made.exists(), kept.exists()) == (True, False)
        assert reason.startswith("automode (rules.deny)")
        assert (warning.startswith("[automode] Warning:"), page) == (True, ATTACK)
        assert len(talk.received) == 3


def test_whoever_has_started_the_proxy_cannot_let_its_calls_through(here: Place) -> None:
    made = Path(here.project, "asked")
    with Talk(here) as talk:
        (told,) = texts(talk.call("touch", path=str(made)))
        (row,) = json.loads(here.run("audit", "list", "--source", "rules.ask", "--json").stdout)

        refused = here.run("approve", row["id"])
        (again,) = texts(talk.call("touch", path=str(made)))

        assert f"`automode approve {row['id']}`" in told
        assert "only a person may do this" in refused.stderr
        assert again.startswith("automode (rules.ask)")
        assert not made.exists()


def test_without_a_daemon_to_be_had_no_call_runs_and_the_rest_passes() -> None:
    with place() as here:
        Path(here.state.prepared().daemon_lock).mkdir()
        made = Path(here.project, "made")
        with Talk(here) as talk:
            (reason,) = texts(talk.call("touch", path=str(made)))
            talk.send(b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n')

            assert "this call must not run: no daemon has started" in reason
            assert "tools" in json.loads(talk.line())["result"]
            assert not made.exists()


def test_a_daemon_that_is_killed_is_replaced(here: Place) -> None:
    with Talk(here) as talk:
        assert texts(talk.call("plain")) == ["done"]
        status = running(here.state)
        assert status is not None
        os.kill(status.pid, signal.SIGKILL)

        # The next one has seconds to come up; on a busy machine a later call finds it.
        assert ["done"] in (texts(talk.call("plain", number)) for number in range(2, 20))


def test_a_server_that_dies_ends_the_proxy_and_its_last_call_is_answered(here: Place) -> None:
    with Talk(here) as talk:
        (told,) = texts(talk.call("die"))

        assert told == "automode: the MCP server ended before it answered request 1"
        assert talk.line() == b""
        assert talk.process.wait(PATIENCE) == 3


def test_what_a_server_prints_besides_passes_to_the_byte_unless_it_may_be_an_answer(
    here: Place,
) -> None:
    with Talk(here) as talk:
        talk.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noise"}}\n')

        assert talk.line() == b"a line that is no JSON\n"
        assert texts(json.loads(talk.line())) == ["done"]


def test_a_client_that_leaves_ends_everything(here: Place) -> None:
    with Talk(here) as talk:
        assert texts(talk.call("plain")) == ["done"]
        assert talk.process.stdin is not None
        talk.process.stdin.close()

        assert talk.process.wait(PATIENCE) == 0


def test_a_server_that_cannot_be_started_is_named(here: Place) -> None:
    done = here.run("mcp-proxy", "--", "no-such-server")

    assert done.returncode == 2
    assert "the MCP server `no-such-server` cannot be started" in done.stderr


@pytest.fixture(name="terminal", scope="module")
def _terminal() -> Iterator[Place]:
    """A place where these tests have started no proxy, and so stand for a person."""
    with place() as found:
        needs_a_person(found.state.prepared())
        rules = {"ask": ["mcp__srv__touch"], "deny": ["mcp__srv__page"]}
        Path(found.config, "config.json").write_text(json.dumps({"permissions": rules}))
        yield found


def agent_in(terminal: Place, *options: str) -> Talk:
    return Talk(terminal, *options, starter=(sys.executable, "-c", STARTER))


def touch(agent: Talk, path: Path, times: int = 1) -> list[str]:
    """The same call several times, before any of them is answered."""
    params = {"name": "touch", "arguments": {"path": str(path)}}
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": params}
    lines = [json.dumps({**call, "id": at}).encode() + b"\n" for at in range(times)]
    agent.send(b"".join(lines))
    return [texts(json.loads(agent.line()))[0] for _ in range(times)]


def approving(told: str) -> list[str]:
    """The command that the answer names, as a person types it."""
    command = re.search(r"`automode (approve [0-9a-z]+)`", told)
    assert command is not None, told
    return command[1].split()


def but_for_the_record(told: str) -> str:
    return re.sub(r"`automode approve [0-9a-z]+`", "", told)


@pytest.mark.parametrize("options", [(), ("--unattended",)])
def test_an_approved_call_passes_once_and_no_other_does(
    terminal: Place, options: tuple[str, ...]
) -> None:
    made, other = (Path(terminal.project, f"{name}{len(options)}") for name in ("made", "other"))
    with agent_in(terminal, *options) as agent:
        (stopped,) = touch(agent, made)
        assert not made.exists()
        assert ("No person was asked" in stopped) is (not options)
        approved = terminal.run(*approving(stopped))
        assert approved.returncode == 0, approved.stderr

        (elsewhere,) = touch(agent, other)
        several = touch(agent, made, times=2)
        (again,) = touch(agent, made)

        assert sorted(map(but_for_the_record, several)) == [but_for_the_record(stopped), "done"]
        assert (made.exists(), other.exists()) == (True, False)
        assert elsewhere.startswith("automode (rules.ask)")
        assert but_for_the_record(again) == but_for_the_record(stopped)
        assert approving(again) != approving(stopped)


@given(st.lists(st.binary(max_size=20), max_size=8))
def test_cuts_change_nothing(chunks: list[bytes]) -> None:
    lines = Lines()

    found = [line for chunk in chunks for line in lines.feed(chunk)]

    assert b"".join([*found, lines.rest()]) == b"".join(chunks)
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in found)


def test_a_line_without_end_is_not_waited_for_for_ever() -> None:
    lines = Lines(longest=10)

    assert list(lines.feed(b"12345678\n")) == [b"12345678\n"]
    with pytest.raises(TooLong):
        list(lines.feed(b"more than ten bytes"))


def test_this_process_takes_and_gives_frames() -> None:
    async def copied() -> list[bytes]:
        (source, fill), (drain, sink) = os.pipe(), os.pipe()
        os.write(fill, b"one\n\n \ntwo\nlast")
        os.close(fill)
        client = ClientStreams(source, sink)
        async for frame in frames(client.read):
            await client.write(frame)
        os.close(sink)
        return os.read(drain, 100).splitlines(keepends=True)

    assert asyncio.run(copied()) == [b"one\n", b"two\n", b"last\n"]
