"""Real hooks as an agent starts them, in a state folder of their own."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from automode.agents.catalog import ADAPTERS
from automode.agents.events import Moment
from automode.store import tables
from automode.store.changes import RecordQuery
from automode.store.folder import StateFolder
from automode.store.open import reading

ROOT = Path(__file__).parent.parent.parent
CLIENT = ROOT / "src" / "automode" / "hook" / "client.py"
SCRIPTED = Path(__file__).parent / "scripted_daemon.py"
TOKENS = {"decide": "d" * 64, "prompt": "e" * 64}
PATIENCE_SECONDS = 60.0

# Nothing whose verdict depends on how fast a busy machine is.
CALLS: dict[str, tuple[str, dict[str, object]]] = {
    "a read": ("read", {"path": "README.md"}),
    "a catastrophe": ("bash", {"command": "rm -rf ~"}),
    "a tool nobody knows": ("mcp__mail__send", {"to": "everybody"}),
}
PAYLOAD = json.dumps(
    {
        "session_id": "5097b5ff-0e23-49b9-9187-3287f7d8bab0",
        "cwd": "/home/dev/shop",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "git status"},
        "tool_use_id": "toolu_01",
    }
).encode()


@dataclass(frozen=True, slots=True)
class Ran:
    status: int
    stdout: str
    stderr: str

    @property
    def reason(self) -> str:
        return self.stderr.partition(": ")[2].removesuffix("\n")


@dataclass(slots=True)
class Place:
    """A state folder, and the processes that a test starts there."""

    state: Path
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def command(self, *words: str, host: str = "plain", moment: str = "proposed") -> list[str]:
        client = [sys.executable, "-I", "-S", str(CLIENT), "--state", str(self.state)]
        return [*client, *words, host, moment]

    def hook(
        self,
        *words: str,
        host: str = "plain",
        moment: str = "proposed",
        payload: bytes = PAYLOAD,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        done = subprocess.run(
            self.command(*words, host=host, moment=moment),
            input=payload,
            capture_output=True,
            timeout=PATIENCE_SECONDS,
            check=False,
            env={**os.environ, **(environment or {})},
            cwd=cwd,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def waiting_hook(self, *words: str, payload: bytes = PAYLOAD) -> "subprocess.Popen[bytes]":
        """A hook that was given its payload."""
        process = subprocess.Popen(
            self.command(*words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.started.append(process)
        assert process.stdin is not None
        process.stdin.write(payload)
        process.stdin.close()
        process.stdin = None
        return process

    def daemon(self, behaviour: str) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen([sys.executable, str(SCRIPTED), behaviour, str(self.state)])
        self.started.append(process)
        self.until((self.state / "daemon.sock").exists)
        return process

    def python(self, body: str) -> str:
        """A program that stands in for the interpreter which starts daemons and decides alone."""
        path = self.state / "stand-in-python"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o700)
        return str(path)

    def starting(self, behaviour: str) -> str:
        """The stand-in that starts a scripted daemon, and notes how often."""
        words = [sys.executable, str(SCRIPTED), behaviour, str(self.state), "5"]
        starts = shlex.quote(str(self.state / "starts"))
        return self.python(f'echo "$@" >> {starts}\nexec {shlex.join(words)}')

    def asked(self) -> list[dict[str, object]]:
        path = self.state / "asked.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def until(self, there: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not there():
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.01)


def ended(process: "subprocess.Popen[bytes]") -> Ran:
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    return Ran(process.returncode, out.decode(), err.decode())


def closed(reason: str, host: str = "plain", moment: Moment = Moment.PROPOSED) -> Ran:
    """The agent's own closing answer."""
    answer = ADAPTERS[host].closing_answer(moment, reason)
    return Ran(answer.exit, answer.stdout, answer.stderr)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def said(done: Ran) -> tuple[str, str]:
    answer = json.loads(done.stdout)
    return (answer["verdict"], answer["source"])


@dataclass(slots=True)
class Live:
    """A project, and the folders of an account that has never run automode before."""

    place: Place
    project: Path
    config: Path

    def payload(self, name: str) -> bytes:
        tool, given = CALLS[name]
        event = {"event": "proposed", "session": "s1", "cwd": str(self.project)}
        return json.dumps({**event, "tool": tool, "input": given}).encode()

    def hook(
        self,
        name: str,
        *words: str,
        moment: str = "proposed",
        environment: Mapping[str, str] | None = None,
    ) -> Ran:
        given = ["--config", str(self.config), *words]
        payload = self.payload(name)
        return self.place.hook(*given, moment=moment, payload=payload, environment=environment)

    @property
    def pid(self) -> int:
        facts = self.place.state / "daemon.json"
        self.place.until(facts.exists)  # it serves the first hook before it tells of itself
        pid: int = json.loads(facts.read_text())["pid"]
        return pid

    @property
    def starts(self) -> int:
        log, tale = self.place.state / "daemon.log", "serving, version"
        self.place.until(lambda: tale in log.read_text())
        return log.read_text().count(tale)

    def sources(self) -> list[str]:
        with reading(StateFolder(str(self.place.state))) as db:
            return [one.source for one in tables.records(db, RecordQuery())]


@pytest.fixture
def place() -> Iterator[Place]:
    """Below /tmp itself: the path of a socket must be short."""
    folder = Path(tempfile.mkdtemp(prefix="amh-"))
    state, tokens = folder / "state", folder / "state" / "tokens"
    for one in (state, tokens):
        one.mkdir(mode=0o700)
    for name, token in TOKENS.items():
        (tokens / name).write_text(f"{token}\n")
        (tokens / name).chmod(0o600)
    found = Place(state)
    yield found
    for process in found.started:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def live(place: Place) -> Iterator[Live]:
    for token in (place.state / "tokens").iterdir():
        token.unlink()
    project, config = place.state.parent / "project", place.state.parent / "config"
    for folder in (project, config):
        folder.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    found = Live(place, project, config)
    yield found
    # One that waits for the place of another takes it when that one ends.
    place.until(lambda: not _killed(place.state))


def _killed(state: Path) -> bool:
    """Whether there still were processes that serve this folder."""
    found = False
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(FileNotFoundError, ProcessLookupError):
            words = line.read_bytes().split(b"\0")
            if b"daemon" in words and os.fsencode(state) in words:
                os.kill(int(line.parent.name), signal.SIGKILL)
                found = True
    return found
