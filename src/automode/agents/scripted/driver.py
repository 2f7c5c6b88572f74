"""Starts a real agent on the scripted model, without the world outside, and ends it again."""

import os
import platform
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files

from automode.agents.catalog import AGENTS, INSTALLED
from automode.agents.scripted.wire import ToolUse
from automode.core.errors import AutomodeError

PLATFORM = "{}-{}".format(
    "darwin" if sys.platform == "darwin" else "linux",
    "arm64" if platform.machine() in ("arm64", "aarch64") else "x64",
)
_HANDED_ON = ("PATH", "LANG", "TMPDIR", "SYSTEMROOT")
_PLACE = re.compile(r"@(\w+)@")


class NoProgram(AutomodeError):
    """The agent is not there, or does not start."""


@dataclass(frozen=True, slots=True)
class Lodging:
    """Where one agent lives for one run: all folders are thrown away afterwards."""

    home: str
    project: str
    model: str  # the scripted model's address

    def fill(self, text: str) -> str:
        return _fill(text, home=self.home, project=self.project, model=self.model)


@dataclass(frozen=True, slots=True)
class Screen:
    """What a person sees in the agent's terminal and types there."""

    ready: Sequence[str]  # one of these: it waits for a prompt
    asked: Sequence[str] = ()  # one of these: a dialog is open
    yes: str = "\r"
    no: str = "\x1b"
    leave: str = "\x03\x03"
    stop: Sequence[str] = ("\x1b",)  # one key after the other: the turn is cancelled


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """What an agent's `driver.toml` says; `@…@` stands for what a run fills in. `program` is the
    path of the real one, `node` the folder of the Node that it runs on; empty for whatever Node the
    caller's `PATH` has, and for a program that needs none.

    Each agent is started so that it asks its user nothing by itself and whatever automode does not
    stop runs: only then does a scenario show anything."""

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
    resident: Sequence[str]
    """Further words for a session in a terminal."""
    screen: Screen
    tools: Mapping[str, Mapping[str, object]]
    """The call of its own with which it runs a command, reads, writes, and starts a sub-agent."""
    variables: Mapping[str, str]
    prepared: Mapping[str, str]
    """Files that the program must find in order to start without questions."""
    settled: Mapping[str, str]
    """Settings of the user's own, as they may stand there before automode comes."""
    own_files: Sequence[str] = ()
    """Of an agent in which automode has files of its own: those that a call needs."""
    mod_folders: Mapping[str, str] = field(default_factory=dict)
    """Folders from which it loads code of others into its own process, each by a word for it."""
    cannot: Mapping[str, str] = field(default_factory=dict)
    """Scenarios that mean nothing for it, each with the reason, which was measured."""
    tells_why_it_stopped: bool = True
    """Whether a run with nobody there prints why it was halted."""
    stops: bool = True
    """Whether `halt` ends the run. Where it cannot, every further call is denied."""
    goes_on: bool = True
    """Whether a run goes on after a denial."""
    switch: Sequence[str] = ()
    """The file of a project that switches hooks off, as names below its folder; empty where the
    agent knows no such thing."""
    switched_off: str = ""
    """What stands in that file."""
    pinned: str = ""
    """Where `make agents` puts the program; empty: where its package puts the command."""
    on_node: bool = True
    """Whether the pinned program runs on the pinned Node."""

    @property
    def words(self) -> tuple[str, ...]:
        """The start of every command line."""
        return (os.path.join(self.node, "node"), self.program) if self.node else (self.program,)

    def environment(self, lodging: Lodging) -> dict[str, str]:
        folders = (*((self.node,) if self.node else ()), os.path.dirname(self.program))
        own = {name: lodging.fill(value) for name, value in self.variables.items()}
        return {**plain_environment(lodging.home, first_on_path=folders), **own}

    def mods(self, lodging: Lodging) -> dict[str, str]:
        return {word: lodging.fill(folder) for word, folder in self.mod_folders.items()}

    def prepare(self, lodging: Lodging) -> None:
        _write_all(self.prepared, lodging)

    def settle_in(self, lodging: Lodging) -> None:
        _write_all(self.settled, lodging)

    def registers(self, lodging: Lodging) -> tuple[str, ...]:
        return tuple(os.path.join(lodging.home, path) for path in self.registered)

    def once(self, prompt: str) -> tuple[str, ...]:
        """The words of `headless` with the prompt."""
        words = prompt.split()
        return tuple(
            filled
            for word in self.headless
            for filled in (words if word == "@words@" else [_fill(word, prompt=prompt)])
        )

    def shell(self, command: str) -> ToolUse:
        return self._use("shell", command=command)

    def read(self, path: str) -> ToolUse:
        return self._use("read", path=path)

    def write(self, path: str, content: str) -> ToolUse:
        added = "".join(f"+{line}\n" for line in content.splitlines())
        return self._use("write", path=path, content=content, added=added)

    def delegate(self, task: str) -> ToolUse:
        return self._use("delegate", task=task)

    def delegate_and_wait(self, task: str) -> ToolUse:
        """For an agent whose sub-agents run in the background where nothing is said."""
        waits = "delegate-and-wait"
        return self._use(waits if waits in self.tools else "delegate", task=task)

    def report(self, text: str) -> ToolUse | None:
        """How a sub-agent hands its result over, where it must call a tool for that."""
        return self._use("report", result=text) if "report" in self.tools else None

    def _use(self, what: str, **given: str) -> ToolUse:
        call = self.tools[what]
        filled = _fill_all(call["input"], partial(_fill, **given))
        return ToolUse(str(call["tool"]), filled if isinstance(filled, dict) else {})


def driver_of(agent: str, program: str, node: str = "") -> Driver:
    """Raises NoProgram for an agent that nobody has ever started."""
    file = files(f"automode.agents.{AGENTS[agent].folder}").joinpath("driver.toml")
    if not file.is_file():
        raise NoProgram(f"nobody has ever started {agent} for this", "try it by hand")
    told = tomllib.loads(file.read_text("utf-8"))
    told["pinned"] = _fill(told.get("pinned", ""), platform=PLATFORM)
    screen = Screen(**told.pop("screen"))
    return Driver(name=agent, program=program, node=node, screen=screen, **told)


def driven() -> tuple[str, ...]:
    """The agents that can be started."""
    known = ((name, files(f"automode.agents.{one.folder}")) for name, one in INSTALLED.items())
    return tuple(name for name, folder in known if folder.joinpath("driver.toml").is_file())


def _fill(text: str, **given: str) -> str:
    return _PLACE.sub(lambda found: given.get(found[1], found[0]), text)


def _fill_all(value: object, fill: Callable[[str], str]) -> object:
    match value:
        case str(text):
            return fill(text)
        case [*rows]:
            return [_fill_all(row, fill) for row in rows]
        case {**fields}:
            return {name: _fill_all(one, fill) for name, one in fields.items()}
        case _:
            return value


def _write_all(texts: Mapping[str, str], lodging: Lodging) -> None:
    """A name that ends in a slash is a folder's; a script can be run."""
    for name, text in texts.items():
        path = os.path.join(lodging.home, name)
        if name.endswith("/"):
            os.makedirs(path, exist_ok=True)
            continue
        write_file(path, lodging.fill(text))
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
