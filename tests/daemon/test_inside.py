"""A person speaks through the agent of a session: about that session, from that very process."""

import json
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from automode.core.record import SessionKey
from automode.daemon.frames import HOOK, Request, Right
from automode.store.open import reading
from automode.store.tables import events
from tests.daemon.conftest import HOOK_PROCESS, PATIENCE, Running

AGENT_ITSELF = """
import socket, subprocess, sys
hook, path = sys.argv[1:]
client = socket.socket(socket.AF_UNIX)
client.connect(path)
for line in sys.stdin:
    who, request = line.split()
    if who == "child":
        words = [sys.executable, "-c", hook, path]
        got = subprocess.run(words, input=bytes.fromhex(request), capture_output=True).stdout
    else:
        client.sendall(bytes.fromhex(request))
        got = b""
        while not got.rstrip().endswith(b"}"):
            got += client.recv(65536)
    print(got.hex(), flush=True)
"""


@dataclass
class Agent:
    """One process that speaks for its sessions itself, as Pi does, and can start others."""

    daemon: Running
    session: str = "p1"
    requests: list[tuple[str, Request]] = field(default_factory=list)

    def says(self, event: str, **more: object) -> None:
        head = {"event": event, "session": self.session, "cwd": str(self.daemon.project)}
        moment = {"tool_call": "proposed", "input": "prompt", "tool_result": "finished"}
        right = Right.PROMPT if event == "input" else Right.DECIDE
        payload = json.dumps({**head, **more}).encode()
        token = self.daemon.token(right)
        request = Request(HOOK, payload, token, "pi", moment.get(event, "session"))
        self.requests.append(("itself", request))

    def calls(self, command: str, *, host: str = "pi", call: str = "c1") -> None:
        self.says("tool_call", toolName="bash", toolCallId=call, input={"command": command})
        who, request = self.requests.pop()
        self.requests.append((who, replace(request, host=host)))

    def asks(self, verb: str, **more: object) -> None:
        self.requests.append(("itself", self.daemon.verb(verb, Right.PERSON, **more)))

    def has_a_child_ask(self, verb: str, **more: object) -> None:
        self.requests.append(("child", self.daemon.verb(verb, Right.PERSON, **more)))

    def answers(self) -> list[dict[str, object]]:
        lines = [f"{who} {request.encoded().hex()}\n" for who, request in self.requests]
        done = subprocess.run(
            [sys.executable, "-c", AGENT_ITSELF, HOOK_PROCESS, self.daemon.folder.socket],
            input="".join(lines),
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
        found = [bytes.fromhex(line) for line in done.stdout.split()]
        return [json.loads(one[one.index(b"{") :]) for one in found]


def test_a_person_switches_and_resets_their_session_through_its_agent(daemon: Running) -> None:
    agent = Agent(daemon)
    agent.calls("rm -rf /")
    agent.asks("mode", session="pi/p1", mode="off")
    agent.calls("rm -rf /")
    agent.asks("mode", session="pi/p1", mode="on")
    agent.calls("rm -rf /")
    agent.asks("reset", session="pi/p1")
    agent.asks("reload", session="pi/p1")

    denied, off, while_off, on, again, reset, reload = agent.answers()

    assert (denied["verdict"], while_off["verdict"], again["verdict"]) == ("deny", None, "deny")
    assert off == on == reset == {"sessions": ["pi/p1"]}
    assert reload == {}


INSIDE: dict[str, dict[str, object]] = {
    "mode": {"mode": "off"},
    "reset": {},
    "approve": {"record": "1"},
    "reload": {},
    "model": {"model": "anthropic/claude-sonnet-4-5"},
    "lend": {"provider": "anthropic", "key": "lent"},
}


def test_what_the_agent_starts_is_no_person(daemon: Running) -> None:
    agent = Agent(daemon)
    agent.says("session_start")
    for verb, given in INSIDE.items():
        agent.has_a_child_ask(verb, session="pi/p1", **given)
        agent.calls("rm -rf /", call=verb)

    _, *answers = agent.answers()

    for verb, refused, denied in zip(INSIDE, answers[::2], answers[1::2], strict=True):
        assert "only a person may do this" in str(refused["error"]), verb
        assert denied["verdict"] == "deny", verb


OTHERS = ["pi/p2", "plain/p1", "pi/", "p1", "pi", "", "nobody/p1"]


def test_nobody_speaks_for_another_session(daemon: Running) -> None:
    """Another process speaks for p2; and a host with hooks has no agent that speaks itself."""
    daemon.by_an_agent(daemon.hook("ls", "p1"))
    agent = Agent(daemon)
    agent.says("session_start")
    asked = [(verb, session) for verb in INSIDE for session in OTHERS]
    for verb, session in asked:
        agent.asks(verb, session=session, **INSIDE[verb])
    agent.asks("mode", all=True, mode="off")
    agent.asks("stop", session="pi/p1", all=True)
    agent.asks("purge", session="pi/p1", all=True)
    agent.asks("mode", all=True, session="pi/p1", mode="off")

    _, *answers, both = agent.answers()

    for refused in answers:
        assert "only a person may do this" in str(refused["error"])
    assert "name one `session`" in str(both["error"])


def test_a_person_approves_a_denied_call_through_its_agent(daemon: Running) -> None:
    nobody = Agent(daemon)
    nobody.calls("git push", host="pi+unattended")
    nobody.answers()
    record = daemon.records()[-1].id
    agent = Agent(daemon)
    agent.says("session_start")
    agent.asks("approve", session="pi/p1", record=record)
    agent.calls("git push", call="c2")

    _, approved, again = agent.answers()

    assert (approved["record"], approved["session"]) == (record, "pi/p1")
    assert (again["verdict"], again["source"]) == ("allow", "approval")


def test_only_denials_of_the_session_itself_are_approved_inside(daemon: Running) -> None:
    daemon.by_an_agent(daemon.hook("npm publish", "s1"))
    foreign = daemon.records()[-1].id
    agent = Agent(daemon)
    agent.says("session_start")
    agent.asks("approve", session="pi/p1", record=foreign)
    agent.asks("approve", session="pi/p1", record=foreign[:4])

    _, *refused = agent.answers()

    assert all("no single denial of this session" in str(one["error"]) for one in refused)


def test_the_model_is_saved_in_the_persons_own_file(daemon: Running, base: Path) -> None:
    agent = Agent(daemon)
    agent.says("session_start")
    agent.asks("model", session="pi/p1", model="anthropic/claude-sonnet-4-5")
    agent.asks("model", session="pi/p1", model="nobody/x")
    agent.asks("model", session="pi/p1", model="nonsense")
    agent.asks("inspect", session="pi/p1")

    _, saved, unknown, unreadable, inspected = agent.answers()

    file = base / "config" / "config.json"
    assert saved == {"saved": inspected["model"], "file": str(file), "in_force": inspected["model"]}
    assert json.loads(file.read_text())["autoMode"]["classifierModel"] == inspected["model"]
    assert "no provider is called `nobody`" in str(unknown["error"])
    assert "`nonsense`" in str(unreadable["error"])


LOANS: dict[str, tuple[dict[str, object], str]] = {
    "its own": ({"provider": "anthropic", "key": "sekret-key"}, ""),
    "its own by address": (
        {
            "provider": "anthropic",
            "key": "sekret-key",
            "baseUrl": "https://api.anthropic.com/v1",
        },
        "",
    ),
    "for another host": (
        {"provider": "anthropic", "key": "sekret-key", "baseUrl": "https://evil.example"},
        "only ever sent to `api.anthropic.com`",
    ),
    "of nobody": ({"provider": "nobody", "key": "sekret-key"}, "unknown provider: `nobody`"),
    "no key": ({"provider": "anthropic", "key": "sekret\nkey"}, "is no key"),
    "without a need": ({"provider": "ollama", "key": "sekret-key"}, "takes no lent key"),
}


@pytest.mark.parametrize("name", LOANS)
def test_a_key_is_lent_to_its_own_provider_and_written_nowhere(shared: Running, name: str) -> None:
    fields, error = LOANS[name]
    agent = Agent(shared, name.replace(" ", "-"))
    agent.says("session_start")
    agent.asks("lend", session=f"pi/{agent.session}", **fields)
    agent.calls("git push")

    _, answer, decided = agent.answers()

    kept = [path.read_bytes() for path in shared.base.rglob("*") if path.is_file()]
    assert error in str(answer.get("error", ""))
    assert (answer == {}) == (error == "")
    assert decided["verdict"] == "ask"
    assert not any(b"sekret" in one for one in kept)
    assert "sekret" not in str(answer)


def test_a_person_at_a_terminal_lends_nothing(shared: Running) -> None:
    lend = shared.verb("lend", Right.PERSON, provider="anthropic", key="k", session="pi/p1")

    assert "only the agent of a session lends a key" in str(shared.answer(lend)["error"])


def test_an_agent_sees_why_it_was_denied_and_what_would_clear_it(daemon: Running) -> None:
    agent = Agent(daemon)
    for command in ("ls", "rm -rf /"):
        agent.calls(command)
    agent.answers()

    seen = daemon.answer(daemon.verb("inspect", session="pi/p1"))

    match seen:
        case {"recentDenials": [{"tool": "bash", "reason": str(reason), "cleared_by": str(way)}]}:
            assert "root folder" in reason
            assert way == "nothing: nobody may permit it"
        case _:
            pytest.fail(f"no denials: {seen}")
    assert (seen["mode"], seen["checkedActions"], seen["blockedActions"]) == ("enforce", 2, 1)


def test_a_session_that_nobody_knows_is_named(shared: Running) -> None:
    assert "`nobody`" in str(shared.answer(shared.verb("inspect", session="nobody"))["error"])


def test_only_what_its_own_process_reports_as_typed_is_a_persons(daemon: Running) -> None:
    agent = Agent(daemon)
    agent.says("input", text="itself", source="interactive")
    agent.says("input", text="extension", source="extension")
    agent.requests.append(("child", _typed(daemon, "child")))
    agent.answers()

    with reading(daemon.folder) as db:
        kept = [json.loads(one.event) for one in events(db, SessionKey("pi", "p1"))]

    origins = {one["text"]: one["origin"] for one in kept if "origin" in one}
    assert origins == {"itself": "person", "extension": "machine", "child": "machine"}


def _typed(daemon: Running, text: str) -> Request:
    agent = Agent(daemon)
    agent.says("input", text=text, source="interactive")
    return agent.requests[0][1]
