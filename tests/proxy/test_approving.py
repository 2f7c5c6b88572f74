"""A person's yes to a call that the proxy has stopped: `automode approve`, then the same call."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.daemons import AUTOMODE, Place, place
from tests.cli.records import needs_a_person

SERVER = str(Path(__file__).with_name("server.py"))
RULES = {
    "permissions": {
        "allow": ["mcp__srv__plain"],
        "ask": ["mcp__srv__touch"],
        "deny": ["mcp__srv__page"],
    }
}
# Whoever starts the proxy is an agent from then on, and no person: it must not be these tests.
CLIENT = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
PATIENCE = 60


class Client:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def call(self, tool: str, **given: str) -> str:
        """What it reads: clients use ids again."""
        (text,) = self.at_once(1, tool, **given)
        return text

    def at_once(self, times: int, tool: str, **given: str) -> list[str]:
        """The same call several times, before any of them is answered."""
        params = {"name": tool, "arguments": given}
        said = {"jsonrpc": "2.0", "method": "tools/call", "params": params}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        lines = [json.dumps({**said, "id": at}) + "\n" for at in range(times)]
        self._process.stdin.write("".join(lines))
        self._process.stdin.flush()
        answers = [json.loads(self._process.stdout.readline()) for _ in range(times)]
        return [str(one["result"]["content"][0]["text"]) for one in answers]


@contextmanager
def client(here: Place, *options: str) -> Iterator[Client]:
    folders = ("--state-folder", here.state.path, "--config-folder", here.config)
    proxy = (AUTOMODE, *folders, "mcp-proxy", "--name", "srv", *options, "--")
    process = subprocess.Popen(
        (sys.executable, "-c", CLIENT, *proxy, sys.executable, SERVER, f"{here.config}/log"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=here.project,
    )
    with process:
        yield Client(process)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(PATIENCE)


@pytest.fixture(name="here", scope="module")
def _here() -> Iterator[Place]:
    with place() as found:
        needs_a_person(found.state.prepared())
        Path(found.config, "config.json").write_text(json.dumps(RULES))
        yield found


def approving(told: str) -> list[str]:
    """The command that the answer names, as a person types it."""
    command = re.search(r"`automode (approve [0-9a-z]+)`", told)
    assert command is not None, told
    return command[1].split()


def but_for_the_record(told: str) -> str:
    return re.sub(r"`automode approve [0-9a-z]+`", "", told)


@pytest.mark.parametrize("options", [(), ("--unattended",)], ids=["asked", "denied"])
def test_an_approved_call_passes_once_and_no_other_does(
    here: Place, options: tuple[str, ...]
) -> None:
    made, other = (Path(here.project, f"{name}{len(options)}") for name in ("made", "other"))
    with client(here, *options) as agent:
        stopped = agent.call("touch", path=str(made))
        assert not made.exists()
        assert ("Nobody was asked" in stopped) is (not options)
        approved = here.run(*approving(stopped))
        assert approved.returncode == 0, approved.stderr

        elsewhere = agent.call("touch", path=str(other))
        several = agent.at_once(2, "touch", path=str(made))
        again = agent.call("touch", path=str(made))

        assert sorted(map(but_for_the_record, several)) == [but_for_the_record(stopped), "done"]
        assert (made.exists(), other.exists()) == (True, False)
        assert elsewhere.startswith("automode (rules.ask)")
        assert but_for_the_record(again) == but_for_the_record(stopped)
        assert approving(again) != approving(stopped)


def test_what_nobody_may_permit_names_no_way_and_has_none(here: Place) -> None:
    with client(here) as agent:
        told = agent.call("page")

    rows = json.loads(here.run("audit", "list", "--source", "rules.deny", "--json").stdout)
    refused = here.run("approve", str(rows[0]["id"]))
    assert "approve" not in told
    assert refused.returncode == 2
    assert "a deny rule is about it" in refused.stderr


def test_an_approval_does_not_reach_another_client_of_the_same_server(here: Place) -> None:
    made = Path(here.project, "between")
    with client(here) as one, client(here) as two:
        here.run(*approving(one.call("touch", path=str(made))))

        assert two.call("touch", path=str(made)).startswith("automode (rules.ask)")
        assert not made.exists()
        assert one.call("touch", path=str(made)) == "done"
