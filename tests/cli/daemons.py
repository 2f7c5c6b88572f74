"""A real daemon in a folder of its own, and an agent that has calls decided by it."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from click.testing import CliRunner

from automode.agents.catalog import ADAPTERS
from automode.cli.main import cli
from automode.daemon.agents import markers_of
from automode.daemon.client import SECONDS, running
from automode.store.folder import StateFolder

AUTOMODE = str(Path(sys.executable).parent / "automode")
_ASKING = """
import json, sys
from automode.daemon.client import NotAnswering, request
from automode.store.folder import StateFolder
folder, verb, event, token, seconds = sys.argv[1:]
asked = {"host": "plain", "event": json.loads(event)}
for left in reversed(range(20)):
    try:
        told = request(StateFolder(folder), verb, asked, token=token, seconds=float(seconds))
        print(json.dumps(told))
        break
    except NotAnswering:  # on a busy machine a daemon loads its judge for longer than it may
        if not left:
            raise
"""


_BELOW = """
import json, sys
from click.testing import CliRunner
from automode.agents.catalog import ADAPTERS
from automode.cli.main import cli
from automode.daemon.agents import markers_of
ended = [CliRunner().invoke(cli, words, prog_name="automode") for words in json.loads(sys.argv[1])]
print(json.dumps([(one.exit_code, one.stderr) for one in ended]))
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one user has everything."""

    state: StateFolder
    config: str
    project: str

    def run(
        self,
        *words: str,
        variables: Mapping[str, str] | None = None,
        stdin: str | None = None,
    ) -> "subprocess.CompletedProcess[str]":
        """`automode` in the project, in this process. Whether an agent started it cannot be tried
        like this: that is read from what the process was started with."""
        environment = {"NO_COLOR": "1", **(variables or {})}
        with chdir(self.project):
            done = CliRunner().invoke(
                cli, [*self._folders, *words], stdin, environment, prog_name="automode"
            )
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)

    def json(self, *words: str) -> dict[str, object]:
        found = json.loads(self.run(*words, "--json").stdout)
        assert isinstance(found, dict)
        return found

    def process(
        self, *words: str, variables: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """The same in a process of its own."""
        environment = {**os.environ, "NO_COLOR": "1", **(variables or {})}
        command = (AUTOMODE, *self._folders, *words)
        return subprocess.run(
            command, capture_output=True, text=True, cwd=self.project, env=environment, check=False
        )

    def below_an_agent(self, *commands: Sequence[str]) -> list[tuple[int, str]]:
        """The exit status and standard error of each command, all in one process that an agent
        started."""
        marker = min(markers_of(ADAPTERS.values()))
        words = json.dumps([[*self._folders, *one] for one in commands])
        done = subprocess.run(
            (sys.executable, "-c", _BELOW, words),
            capture_output=True,
            text=True,
            cwd=self.project,
            env={**os.environ, "NO_COLOR": "1", marker: "1"},
            check=True,
        )
        return [(status, error) for status, error in json.loads(done.stdout)]

    @property
    def _folders(self) -> tuple[str, ...]:
        return ("--state-folder", self.state.path, "--config-folder", self.config)

    def proposed(
        self, command: str, session: str = "s1", seconds: float = SECONDS, **more: object
    ) -> dict[str, object]:
        """What an agent is answered. A process of its own: the daemon takes who asks for one."""
        call = {"event": "proposed", "tool": "bash", "input": {"command": command}}
        return self._told("decide", "decide", call | more, session, seconds)

    def ended(self, session: str) -> None:
        self._told("heard", "prompt", {"event": "ended"}, session)

    def _told(
        self,
        verb: str,
        token: str,
        event: dict[str, object],
        session: str,
        seconds: float = SECONDS,
    ) -> dict[str, object]:
        whole = json.dumps({"session": session, "cwd": self.project} | event)
        words = (sys.executable, "-c", _ASKING, self.state.path, verb, whole, token, str(seconds))
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert isinstance(found, dict)
        return found


@contextmanager
def place() -> Iterator[Place]:
    """With a path that is short enough for a socket. Whatever runs there at the end is killed."""
    folder = Path(tempfile.mkdtemp(prefix="am-")).resolve()
    try:
        (folder / "project" / ".git").mkdir(parents=True)
        (folder / "config").mkdir()
        found = Place(StateFolder(f"{folder}/s"), f"{folder}/config", f"{folder}/project")
        yield found
        status = running(found.state)
        if status is not None:
            os.kill(status.pid, signal.SIGKILL)
    finally:
        rmtree(folder, ignore_errors=True)
