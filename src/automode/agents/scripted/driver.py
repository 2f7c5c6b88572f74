"""How a real agent is started on the scripted model, without the world outside."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import ClassVar

from automode.agents.catalog import AGENTS, INSTALLED
from automode.agents.scripted.script import ToolUse
from automode.core.errors import AutomodeError

_HANDED_ON = ("PATH", "LANG", "TMPDIR", "SYSTEMROOT")


class NoProgram(AutomodeError):
    """The agent is not there, or does not start."""


@dataclass(frozen=True, slots=True)
class Lodging:
    """Where one agent lives for one run: all folders are thrown away afterwards."""

    home: str
    project: str
    model: str  # the scripted model's address


@dataclass(frozen=True, slots=True)
class Screen:
    """What a person sees in the agent's terminal and types there."""

    ready: tuple[str, ...]  # one of these: it waits for a prompt
    asked: tuple[str, ...] = ()  # one of these: a dialog is open
    yes: str = "\r"
    no: str = "\x1b"
    leave: str = "\x03\x03"
    stop: str = "\x1b"


@dataclass(frozen=True, slots=True)
class Driver:
    """`program` is the path of the real one, `node` the folder of the Node that it runs on; empty
    for whatever Node the caller's `PATH` has, and for a program that needs none. No method looks at
    anything but its arguments and the program itself.

    Each agent is started so that it asks its user nothing by itself and whatever automode does not
    stop runs: only then does a scenario show anything."""

    program: str
    node: str = ""

    name: ClassVar[str]
    screen: ClassVar[Screen]
    account: ClassVar[tuple[str, str, str]]
    """Where its settings lie: below the folder that a variable names, else below the home folder.
    The variable, the path below that folder, the path below the home folder."""
    own_files: ClassVar[tuple[str, ...]] = ()
    """Of an agent in which automode has files of its own: those that a call needs."""
    delegates: ClassVar[bool] = True
    """Whether it has sub-agents."""
    tells_why_it_stopped: ClassVar[bool] = True
    """Whether a run with nobody there prints why it was halted."""
    cannot: ClassVar[Mapping[str, str]] = {}
    """Scenarios that mean nothing for it, each with the reason, which was measured."""
    stops: ClassVar[bool] = True
    """Whether `halt` ends the run. Where it cannot, every further call is denied."""
    switch: ClassVar[tuple[str, ...]] = ()
    """The file of a project that switches hooks off, as names below its folder; empty where the
    agent knows no such thing."""
    switched_off: ClassVar[str] = ""
    """What stands in that file."""
    pinned: ClassVar[str] = ""
    """Where `make agents` puts the program; empty: where its package puts the command."""
    on_node: ClassVar[bool] = True
    """Whether the pinned program runs on the pinned Node."""

    @property
    def words(self) -> tuple[str, ...]:
        """The start of every command line."""
        return (os.path.join(self.node, "node"), self.program) if self.node else (self.program,)

    def environment(self, lodging: Lodging) -> dict[str, str]:
        folders = (*((self.node,) if self.node else ()), os.path.dirname(self.program))
        plain = plain_environment(lodging.home, first_on_path=folders)
        return {**plain, **self.variables(lodging)}

    def variables(self, lodging: Lodging) -> Mapping[str, str]:
        """What this agent needs beside what every program needs."""
        return {}

    def mods(self, lodging: Lodging) -> Mapping[str, str]:
        """Folders from which it loads code of others into its own process, each by a word for the
        place; none where it knows no such thing."""
        return {}

    def mod(self, answers: Sequence[str]) -> Mapping[str, str]:
        """The files of such code, which answers allow to what it is asked by these names."""
        return {}

    def copy_more(self, source: str, target: str) -> str:
        """Copies what its hooks need beside their file, between two folders of the agent's own. Why
        there is nothing to copy, where there is not."""
        return ""

    def prepare(self, lodging: Lodging) -> None:
        """Writes what the program must find in order to start without questions."""
        raise NotImplementedError

    def settle_in(self, lodging: Lodging) -> None:
        """Writes settings of the user's own, as they may stand there before automode comes."""
        raise NotImplementedError

    def registers(self, lodging: Lodging) -> tuple[str, ...]:
        """Files and folders that `automode install` may change."""
        raise NotImplementedError

    def once(self, prompt: str) -> tuple[str, ...]:
        """Further words for one prompt with nobody there."""
        raise NotImplementedError

    def resident(self) -> tuple[str, ...]:
        """Further words for a session in a terminal."""
        raise NotImplementedError

    def shell(self, command: str) -> ToolUse:
        raise NotImplementedError

    def read(self, path: str) -> ToolUse:
        raise NotImplementedError

    def write(self, path: str, content: str) -> ToolUse:
        raise NotImplementedError

    def delegate(self, task: str) -> ToolUse:
        raise NotImplementedError


def driver_of(agent: str) -> type[Driver] | None:
    """What the agent's own `driver.DRIVER` is; None where nobody has ever started it."""
    module = f"automode.agents.{AGENTS[agent].folder}.driver"
    found: object = import_module(module).DRIVER if find_spec(module) else None
    return found if isinstance(found, type) and issubclass(found, Driver) else None


def driven() -> tuple[str, ...]:
    """The agents that can be started."""
    return tuple(name for name in INSTALLED if driver_of(name) is not None)


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
