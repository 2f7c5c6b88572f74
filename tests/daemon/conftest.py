"""Daemons in processes of their own, on folders of their own, and ways to talk to them."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path

import pytest

from automode.core.record import Record, SessionKey
from automode.daemon.frames import HOOK, JSON, Replies, Reply, Request, Right, token_of
from automode.store.changes import RecordQuery
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.tables import events, records

PATIENCE = 60.0  # seconds: for a machine that does many other things
SERVED = Path(__file__).with_name("served.py")

STANDIN = Path(__file__).with_name("standin.py")
_PROMPTS = ("UserPromptSubmit", "input")
_MOMENTS = {
    **dict.fromkeys(_PROMPTS, "prompt"),
    **dict.fromkeys(("PreToolUse", "PermissionRequest", "tool_call"), "proposed"),
    **dict.fromkeys(("PostToolUse", "tool_result"), "finished"),
}


def until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.01)


@dataclass
class Running:
    """One daemon, and everything about its folder."""

    base: Path
    process: subprocess.Popen[bytes]
    session: str = "s1"  # the one that is meant where none is named
    earlier: int = 0  # how many records are not this test's

    @property
    def folder(self) -> StateFolder:
        return StateFolder(str(self.base / "state"))

    @property
    def project(self) -> Path:
        return self.base / ("project" if self.session == "s1" else f"project-{self.session}")

    def connected(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(PATIENCE)
        try:
            connection.connect(self.folder.socket)
        except OSError:
            connection.close()
            raise
        return connection

    def token(self, right: Right = Right.DECIDE) -> str:
        return token_of(self.folder, right)

    def proposal(self, command: str, session: str = "", **more: object) -> bytes:
        who = {"event": "proposed", "session": session or self.session, "cwd": str(self.project)}
        return json.dumps({**who, "tool": "bash", "input": {"command": command}, **more}).encode()

    def hook(self, command: str, session: str = "", *, host: str = "plain") -> Request:
        payload = self.proposal(command, session)
        return Request(HOOK, payload, self.token(), host, "proposed")

    def verb(self, verb: str, right: Right = Right.DECIDE, **data: object) -> Request:
        return Request(JSON, json.dumps({"do": verb, **data}).encode(), self.token(right))

    def ask(self, request: Request) -> Reply:
        """The reply over a connection of its own."""
        with self.connected() as connection:
            with suppress(BrokenPipeError):  # it may have said why before it hung up
                connection.sendall(request.encode())
            return reply(connection)

    def answer(self, request: Request) -> dict[str, object]:
        found: object = json.loads(self.ask(request).stdout)
        assert isinstance(found, dict)
        return found

    def verdict(self, command: str, session: str = "") -> object:
        return self.answer(self.hook(command, session))["verdict"]

    def begins(self, session: str) -> None:
        """Its agent says that a session begins."""
        said = {"event": "started", "session": session, "cwd": str(self.project)}
        request = Request(HOOK, json.dumps(said).encode(), self.token(), "plain", "session")
        assert self.ask(request).exit == 0

    def claude(self, event: str, **more: object) -> Request:
        """What Claude Code's hook sends."""
        head = {"hook_event_name": event, "session_id": self.session, "cwd": str(self.project)}
        return self._sent("claude-code", event, {**head, **more})

    def pi(self, event: str, **more: object) -> Request:
        head = {"event": event, "session": self.session, "cwd": str(self.project)}
        return self._sent("pi", event, {**head, **more})

    def _sent(self, host: str, event: str, payload: Mapping[str, object]) -> Request:
        token = self.token(Right.PROMPT if event in _PROMPTS else Right.DECIDE)
        moment = _MOMENTS.get(event, "session")
        return Request(HOOK, json.dumps(payload).encode(), token, host, moment)

    def heard(self, host: str) -> list[dict[str, object]]:
        """What is kept of the session's transcript."""
        with reading(self.folder) as db:
            return [json.loads(one) for one in events(db, SessionKey(host, self.session))]

    def origins(self, host: str) -> dict[object, object]:
        """Who said what, as far as it is known."""
        return {one["text"]: one["origin"] for one in self.heard(host) if "origin" in one}

    @property
    def port(self) -> int:
        return int(str(self.answer(self.verb("ping"))["http_port"]))

    def over_http(self, request: Request, right: Right = Right.HTTP) -> bytes:
        network = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        path = f"/hook/{request.host}/{request.moment}"
        bearer = {"Authorization": f"Bearer {self.token(right)}"}
        network.request("POST", path, request.payload, bearer)
        answer = network.getresponse().read()
        network.close()
        return answer

    def by_an_agent(self, *requests: Request) -> list[bytes]:
        """What an agent's own hooks are answered, one process for each request. The tests
        themselves are then no agent's, and may do what a person does."""
        with agent_of(self) as agent:
            return [agent.says("hook", one) for one in requests]

    def works(self) -> bool:
        """A call after the fault: allowed what may be, denied what may not."""
        after = "after" if self.session == "s1" else f"after-{secrets.token_hex(4)}"
        answers = [self.answer(self.hook(command, after)) for command in ("ls", "rm -rf /")]
        assert [one["verdict"] for one in answers] == ["allow", "deny"], answers
        return True

    def records(self) -> list[Record]:
        """The oldest first."""
        with reading(self.folder) as db:
            found = records(db, RecordQuery(limit=10_000))
        whole = [one.record for one in reversed(found) if one.record is not None]
        return whole[self.earlier :]

    def pause(self, point: str) -> None:
        (self.base / f"pause-{point}").touch()

    def reached(self, point: str) -> None:
        mark = self.base / f"reached-{point}"
        until(mark.exists, f"no call came to the point `{point}`")

    def go_on(self, point: str) -> None:
        (self.base / f"pause-{point}").unlink()
        (self.base / f"reached-{point}").unlink(missing_ok=True)

    def break_(self, point: str) -> None:
        (self.base / f"broken-{point}").touch()

    def log(self) -> str:
        return Path(self.folder.log).read_text()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@dataclass
class Agent:
    """A running stand-in for an agent: see `standin`."""

    daemon: Running
    process: subprocess.Popen[str]

    def says(self, role: str, request: Request) -> bytes:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{role} {request.encode().hex()}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        assert answer not in ("", "-"), f"`{role}` got no answer"
        return bytes.fromhex(answer)

    def claude(self, role: str, event: str, **more: object) -> bytes:
        return self.says(role, self.daemon.claude(event, **more))


@contextmanager
def agent_of(daemon: Running, variables: Mapping[str, str] | None = None) -> Iterator[Agent]:
    """While it is there, it is an agent that lives."""
    with subprocess.Popen(
        [sys.executable, STANDIN, daemon.folder.socket],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **(variables or {})},
    ) as process:
        yield Agent(daemon, process)
        process.communicate()


def reply(connection: socket.socket) -> Reply:
    """Raises EOFError when the daemon hangs up, or what `Replies` raises."""
    replies = Replies()
    while (found := replies.next()) is None:
        data = connection.recv(65_536)
        if not data:
            raise EOFError
        replies.feed(data)
    return found


Start = Callable[..., Running]


def furnished(folder: Path) -> Path:
    (folder / "config").mkdir()
    (folder / "project" / ".git").mkdir(parents=True)
    StateFolder(str(folder / "state")).prepared()
    return folder


@contextmanager
def starting(base: Path) -> Iterator[Start]:
    started: list[subprocess.Popen[bytes]] = []

    def run(variables: Mapping[str, str] | None = None, **limits: float) -> Running:
        words = [f"{name}={value}" for name, value in limits.items()]
        with (base / "stderr").open("ab") as errors:
            process = subprocess.Popen(
                [sys.executable, SERVED, base / "state", base / "config", *words],
                env={"PATH": os.environ["PATH"], "HOME": str(base), **(variables or {})},
                stderr=errors,
            )
        started.append(process)
        daemon = Running(base, process)
        until(lambda: _answers(daemon), f"no daemon: {(base / 'stderr').read_text()[-2000:]}")
        return daemon

    try:
        yield run
    finally:
        for process in started:
            process.kill()
            process.wait(PATIENCE)


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return StateFolder(str(tmp_path / "state")).prepared()


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return furnished(tmp_path)


@pytest.fixture
def start(base: Path) -> Iterator[Start]:
    """Starts a daemon on the folder of this test; `start(connections=2)` sets a limit."""
    with starting(base) as run:
        yield run


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with starting(furnished(tmp_path_factory.mktemp("daemon"))) as run:
        yield run()


@pytest.fixture
def shared(lasting: Running) -> Running:
    """A daemon that the tests of a module have together, because starting one takes longer than
    most of them; session and project are this test's own. For tests that neither end it nor change
    what it is set to. It remembers agents: where a test has calls decided by itself, the tests are
    an agent's from then on."""
    assert lasting.process.poll() is None, "a test before this one has ended it"
    own = replace(lasting, session=f"s-{secrets.token_hex(4)}", earlier=len(lasting.records()))
    (own.project / ".git").mkdir(parents=True)
    return own


def _answers(daemon: Running) -> bool:
    assert daemon.process.poll() is None, (daemon.base / "stderr").read_text()[-2000:]
    try:
        return daemon.ask(daemon.verb("ping")).exit == 0
    except (OSError, EOFError):
        return False


@pytest.fixture
def daemon(start: Start) -> Running:
    return start()
