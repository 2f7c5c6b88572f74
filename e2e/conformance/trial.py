"""One agent, one scripted model, one gate, in folders that are thrown away: where scenarios play.

Calls in a scenario touch files whose names say what the settings decide about them: `allowed-…` is
allowed by a rule, `denied-…` denied, `asked-…` asked about, anything else goes to the judge, which
is the scripted model too. So a file that is there shows a call that ran.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from automode.agents.scripted.driver import ScratchFolders, end_group, plain_environment
from automode.agents.scripted.model_server import JUDGE, ModelServer
from automode.confine.guard import PROVED
from automode.core.record import Record
from automode.daemon.client import Status, running
from automode.daemon.placement import end_by_force, holder, is_held
from automode.store.changes import RecordQuery
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.tables import records
from conformance.driver import ScenarioDriver
from conformance.failing import ScenarioFailed, expect

if TYPE_CHECKING:  # needs a package that only scenarios in a terminal need
    from conformance.terminal import Terminal

ALLOWED, DENIED, ASKED = "allowed-", "denied-", "asked-"
PATIENCE_SECONDS = 120.0
PROMPT = "please go on"
_PAUSE_SECONDS = 0.02
_ENDINGS = 5
_JUDGE_NAME = "judge"
NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of the agent without a terminal."""

    status: int
    out: str
    err: str


@dataclass(slots=True)
class Trial:
    """`installed_with`: further words for `automode install`."""

    agent: ScenarioDriver
    folder: str
    model: ModelServer
    installed_with: tuple[str, ...] = ()
    agreed: set[str] = field(default_factory=set)
    """Files whose calls the person in the scenario says yes to."""

    @property
    def scratch(self) -> ScratchFolders:
        return ScratchFolders(f"{self.folder}/h", self.project, self.model.url)

    @property
    def project(self) -> str:
        return f"{self.folder}/p"

    @property
    def state(self) -> StateFolder:
        return _state(self.folder)

    @property
    def config(self) -> str:
        return f"{self.folder}/c"

    @property
    def environment(self) -> dict[str, str]:
        return self.agent.environment(self.scratch)

    def settings(self, **auto_mode: object) -> None:
        """Writes the user's settings; `auto_mode` is added to its section."""
        judge = {"api": "openai", "baseUrl": f"{self.model.url}{JUDGE}/v1"}
        section = {
            "classifierModel": f"{_JUDGE_NAME}/scripted-model",
            "providers": {_JUDGE_NAME: judge},
            **auto_mode,
        }
        rules = {
            "allow": [f"bash(touch {ALLOWED}*)"],
            "deny": [f"bash(touch {DENIED}*)"],
            "ask": [f"bash(touch {ASKED}*)"],
        }
        with open(f"{self.config}/config.json", "w", encoding="utf-8") as file:
            json.dump({"autoMode": section, "permissions": rules}, file)

    @property
    def _command(self) -> tuple[str, ...]:
        options = ("--state-folder", self.state.path, "--config-folder", self.config)
        return (sys.executable, "-m", "automode", *options)

    def automode(
        self, *words: str, starts: bool = False, variables: Mapping[str, str] = NOTHING
    ) -> "subprocess.CompletedProcess[str]":
        """The command, as the agent's user types it elsewhere. `starts`: it starts the agent, which
        needs to know of the scripted model."""
        told = {
            name: value
            for name, value in self.environment.items()
            if starts or name.endswith(("_DIR", "_HOME", "PATH"))
        }
        return subprocess.run(  # noqa: S603 - our own command
            (*self._command, *words),
            env={**plain_environment(self.scratch.home), **told, "NO_COLOR": "1", **variables},
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )

    def install(self) -> None:
        self._done("install", self.agent.name, "--user", "--yes", *self.installed_with)

    def uninstall(self) -> None:
        self._done("uninstall", self.agent.name, "--user", "--yes")

    def _done(self, *words: str) -> None:
        done = self.automode(*words)
        said = (done.stderr or done.stdout).strip()
        expect(done.returncode == 0, f"`automode {' '.join(words)}` failed: {said}")

    def run(
        self,
        prompt: str = PROMPT,
        *,
        words: Sequence[str] = (),
        variables: Mapping[str, str] = NOTHING,
        guarded: bool = False,
    ) -> Ran:
        """One prompt, with nobody there. `guarded`: by `automode run`."""
        more = (*words, *self.agent.once(prompt))
        process = self.started(*more, variables=variables, guarded=guarded)
        try:
            out, err = process.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            raise ScenarioFailed(f"{self.agent.name} never ended") from None
        finally:
            end_group(process)
        if self.model.trouble is not None:
            raise self.model.trouble
        return Ran(process.returncode, out, err)

    def started(
        self, *more: str, variables: Mapping[str, str] = NOTHING, guarded: bool = False
    ) -> "subprocess.Popen[str]":
        first = (*self._command, "run", self.agent.name) if guarded else self.agent.words
        return subprocess.Popen(  # noqa: S603 - the agent under test
            (*first, *more),
            env={**self.environment, **variables},
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def terminal(self, *more: str) -> "Terminal":
        """A session with a person in front of it."""
        from conformance.terminal import Terminal

        words = (*self.agent.words, *more, *self.agent.resident)
        return Terminal(words, self.environment, self.project)

    @contextmanager
    def prompted(self, *more: str) -> "Iterator[Terminal]":
        """A session whose person has typed the first prompt."""
        with self.terminal(*more) as terminal:
            terminal.wait_for(*self.agent.screen.ready)
            terminal.settle()
            terminal.prompt(PROMPT)
            yield terminal

    def files(self) -> set[str]:
        """What calls have made in the project."""
        return {name for name in os.listdir(self.project) if not name.startswith(".")}

    def ran(self, name: str) -> bool:
        return name in self.files()

    def records(self) -> list[Record]:
        with reading(self.state) as db:
            found = records(db, RecordQuery(limit=1000))
        return [one.record for one in reversed(found) if one.record is not None]

    def nothing_else_ran(self) -> None:
        """What every scenario ends with: no call ran that was not allowed."""
        wrong = {
            name
            for name in self.files()
            if not name.startswith(ALLOWED) and name not in self.agreed
        }
        expect(not wrong, f"calls ran that were not allowed: {sorted(wrong)}")

    def daemon(self) -> Status:
        """The one that runs; started as a person would where none does."""
        known = running(self.state)
        if known is None:
            self._done("daemon", "start")
            known = running(self.state)
        if known is None:
            raise ScenarioFailed("the daemon was started and does not answer")
        return known

    def wait_for_guard(self) -> None:
        """Until the daemon has proved the kernel's guard, which the settings ask for."""
        if running(self.state) is not None:
            self._done("daemon", "stop")
        self.daemon()
        proved = os.path.join(self.state.path, "confined", PROVED)
        self.wait_until(lambda: os.path.exists(proved), "no guard was proved on this machine")

    def kill_daemon(self) -> None:
        self.signal_daemon(signal.SIGKILL)
        self.wait_until(lambda: not is_held(self.state), "the daemon did not die")

    def signal_daemon(self, number: signal.Signals) -> None:
        pid = holder(self.state)
        expect(pid is not None, "there is no daemon to send a signal to")
        if pid is not None:
            os.kill(pid, number)

    def wait_until(
        self, condition: Callable[[], bool], what: str, *, seconds: float = PATIENCE_SECONDS
    ) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise ScenarioFailed(what)
            time.sleep(_PAUSE_SECONDS)


@contextmanager
def trial(
    agent: ScenarioDriver, installed_with: Sequence[str] = (), *, install: bool = True
) -> Iterator[Trial]:
    """Ready to run: settings written, the agent prepared, automode installed into it. The path is
    short enough for a socket. Whatever still runs at the end is ended: see `clear`."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="am-"))
    try:
        with ModelServer() as model:
            found = Trial(agent, folder, model, tuple(installed_with))
            for name in (found.scratch.home, f"{found.project}/.git", found.config):
                os.makedirs(name)
            found.settings()
            agent.prepare(found.scratch)
            try:
                if install:
                    found.install()
                yield found
            finally:
                _end_daemon(found.state)
    finally:
        clear(folder)


def clear(folder: str) -> None:
    """Leaves nothing of a trial. A hook that outlives its agent may have woken another daemon just
    now, and a daemon that starts makes its folder again."""
    for _ in range(_ENDINGS):
        end_all_of(folder)
        _end_daemon(_state(folder))
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return


def _state(folder: str) -> StateFolder:
    return StateFolder(f"{folder}/s")


def _end_daemon(folder: StateFolder) -> None:
    """Also one that a scenario has stopped: it could not end by itself."""
    if not is_held(folder):
        return
    pid = holder(folder)
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    end_by_force(folder, pid)


ENDING_SECONDS = 10.0


def end_all_of(folder: str) -> None:
    """Every other process that was given a path below `folder`, by its words or its environment:
    what leads a group of its own is not ended with its agent. Only Linux shows such processes. The
    name of the folder has to be one that nobody else can have been given."""
    deadline = time.monotonic() + ENDING_SECONDS
    while (found := list(_processes_given(folder))) and time.monotonic() < deadline:
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _processes_given(folder: str) -> Iterator[int]:
    below = os.fsencode(folder) + b"/"
    names = os.listdir("/proc") if os.path.isdir("/proc") else []
    for pid in (int(name) for name in names if name.isdigit()):
        told = (_read_bytes(f"/proc/{pid}/{what}") for what in ("cmdline", "environ"))
        if pid != os.getpid() and any(below in text for text in told):
            yield pid


def _read_bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # it has ended, or belongs to somebody else
        return b""
