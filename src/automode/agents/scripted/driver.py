"""Starts a real agent on the scripted model, without the world outside, and ends it again.

Here is what the doctor needs; the conformance kit adds what its scenarios need.
"""

import os
import re
import signal
import subprocess
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import partial
from importlib.resources import files

from automode.agents.catalog import AGENTS, INSTALLED
from automode.agents.scripted.wire import ToolUse
from automode.core.errors import AutomodeError

_HANDED_ON = ("PATH", "LANG", "TMPDIR", "SYSTEMROOT")
_PLACE = re.compile(r"@(\w+)@")


class NoProgram(AutomodeError):
    """The agent is not there, or does not start."""


@dataclass(frozen=True, slots=True)
class ScratchFolders:
    """Where one agent lives for one run: all folders are thrown away afterwards."""

    home: str
    project: str
    model: str  # the scripted model's address

    def fill(self, text: str) -> str:
        return fill(text, home=self.home, project=self.project, model=self.model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """What an agent's `driver.toml` says; `@…@` stands for what a run fills in. `program` is the
    path of the real one, `node` the folder of the Node that it runs on; empty for whatever Node the
    caller's `PATH` has, and for a program that needs none.

    Each agent is started so that it asks its user nothing by itself and whatever automode does not
    stop runs: only then does a call show anything."""

    name: str
    program: str
    node: str = ""
    account: Sequence[str]
    """Where its settings lie: below the folder that a variable names, else below the home folder.
    The variable, the path below that folder, the path below the home folder."""
    registered: Sequence[str]
    """Files and folders below the home folder that `automode install` may change."""
    headless: Sequence[str]
    """Further words for one prompt with nobody there."""
    tools: Mapping[str, Mapping[str, object]]
    """The call of its own with which it runs a command, reads, writes, and starts a sub-agent."""
    variables: Mapping[str, str]
    prepared: Mapping[str, str]
    """Files that the program must find in order to start without questions."""
    own_files: Sequence[str] = ()
    """Of an agent in which automode has files of its own: those that a call needs."""

    @property
    def words(self) -> tuple[str, ...]:
        """The start of every command line."""
        return (os.path.join(self.node, "node"), self.program) if self.node else (self.program,)

    def environment(self, scratch: ScratchFolders) -> dict[str, str]:
        folders = (*((self.node,) if self.node else ()), os.path.dirname(self.program))
        own = {name: scratch.fill(value) for name, value in self.variables.items()}
        return {**plain_environment(scratch.home, first_on_path=folders), **own}

    def prepare(self, scratch: ScratchFolders) -> None:
        write_all(self.prepared, scratch)

    def registers(self, scratch: ScratchFolders) -> tuple[str, ...]:
        return tuple(os.path.join(scratch.home, path) for path in self.registered)

    def once(self, prompt: str) -> tuple[str, ...]:
        """The words of `headless` with the prompt."""
        words = prompt.split()
        return tuple(
            filled
            for word in self.headless
            for filled in (words if word == "@words@" else [fill(word, prompt=prompt)])
        )

    def shell(self, command: str) -> ToolUse:
        return self.use("shell", command=command)

    def use(self, what: str, **given: str) -> ToolUse:
        """One of `tools`, with what it is about."""
        call = self.tools[what]
        filled = _fill_all(call["input"], partial(fill, **given))
        return ToolUse(str(call["tool"]), filled if isinstance(filled, dict) else {})


def driver_of(agent: str, program: str, node: str = "") -> Driver:
    """Raises NoProgram for an agent that nobody has ever started."""
    told = tomllib.loads(driver_text(agent))
    known = {one.name for one in fields(Driver)}
    own = {name: value for name, value in told.items() if name in known}
    return Driver(name=agent, program=program, node=node, **own)


def driver_text(agent: str) -> str:
    """Its `driver.toml`. Raises NoProgram where it has none."""
    file = files(f"automode.agents.{AGENTS[agent].folder}").joinpath("driver.toml")
    if not file.is_file():
        raise NoProgram(
            f"automode has no way to start {agent} by itself",
            "start it yourself, and try a call that is denied",
        )
    return file.read_text("utf-8")


def driven() -> tuple[str, ...]:
    """The agents that can be started."""
    known = ((name, files(f"automode.agents.{one.folder}")) for name, one in INSTALLED.items())
    return tuple(name for name, folder in known if folder.joinpath("driver.toml").is_file())


def fill(text: str, **given: str) -> str:
    return _PLACE.sub(lambda found: given.get(found[1], found[0]), text)


def _fill_all(value: object, fill: Callable[[str], str]) -> object:
    match value:
        case str(text):
            return fill(text)
        case [*rows]:
            return [_fill_all(row, fill) for row in rows]
        case {**parts}:
            return {name: _fill_all(one, fill) for name, one in parts.items()}
        case _:
            return value


def write_all(texts: Mapping[str, str], scratch: ScratchFolders) -> None:
    """A name that ends in a slash is a folder's; a script can be run."""
    for name, text in texts.items():
        path = os.path.join(scratch.home, name)
        if name.endswith("/"):
            os.makedirs(path, exist_ok=True)
            continue
        write_file(path, scratch.fill(text))
        if text.startswith("#!"):
            os.chmod(path, 0o700)


def plain_environment(home: str, *, first_on_path: Sequence[str] = ()) -> dict[str, str]:
    """Nothing of the caller's but what every program needs: an agent above it is not to be seen,
    and no key of a real provider either."""
    kept = {name: os.environ[name] for name in _HANDED_ON if name in os.environ}
    path = os.pathsep.join((*first_on_path, kept.get("PATH", os.defpath)))
    return {**kept, "PATH": path, "HOME": home, "TERM": "xterm-256color"}


def write_file(path: str, text: str) -> None:
    """Also the folder that it lies in."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def end_group(process: "subprocess.Popen[str]") -> None:
    """For a process that leads a group of its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
