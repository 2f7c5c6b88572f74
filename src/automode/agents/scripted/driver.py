"""What the kit must know of an agent to start the real program without the world outside."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from automode.agents.scripted.script import ToolUse
from automode.core.errors import AutomodeError

VERSION_SECONDS = 60.0
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


class Agent(Protocol):
    """Contract: no method looks at anything but its arguments and the program itself."""

    @property
    def name(self) -> str: ...
    @property
    def words(self) -> tuple[str, ...]:
        """The start of every command line."""
        ...

    @property
    def screen(self) -> Screen: ...
    @property
    def delegates(self) -> bool:
        """Whether it has sub-agents."""
        ...

    @property
    def tells_why_it_stopped(self) -> bool:
        """Whether a run with nobody there prints why it was halted."""
        ...

    @property
    def cannot(self) -> Mapping[str, str]:
        """Scenarios that mean nothing for it, each with the reason, which was measured."""
        ...

    @property
    def stops(self) -> bool:
        """Whether `halt` ends the run. Where it cannot, every further call is denied."""
        ...

    @property
    def switch(self) -> tuple[str, ...]:
        """The file of a project that switches hooks off, as names below its folder; empty where
        the agent knows no such thing."""
        ...

    @property
    def switched_off(self) -> str:
        """What stands in that file."""
        ...

    def mods(self, lodging: Lodging) -> Mapping[str, str]:
        """Folders from which it loads code of others into its own process, each by a word for the
        place; none where it knows no such thing."""
        ...

    def mod(self, answers: Sequence[str]) -> Mapping[str, str]:
        """The files of such code, which answers allow to what it is asked by these names."""
        ...

    def prepare(self, lodging: Lodging) -> None:
        """Writes what the program must find in order to start without questions."""
        ...

    def settle_in(self, lodging: Lodging) -> None:
        """Writes settings of the user's own, as they may stand there before automode comes."""
        ...

    def environment(self, lodging: Lodging) -> dict[str, str]: ...
    def registers(self, lodging: Lodging) -> tuple[str, ...]:
        """Files and folders that `automode install` may change."""
        ...

    def once(self, prompt: str) -> tuple[str, ...]:
        """Further words for one prompt with nobody there."""
        ...

    def resident(self) -> tuple[str, ...]:
        """Further words for a session in a terminal."""
        ...

    def shell(self, command: str) -> ToolUse: ...
    def read(self, path: str) -> ToolUse: ...
    def write(self, path: str, content: str) -> ToolUse: ...
    def delegate(self, task: str) -> ToolUse: ...


def version(agent: Agent, environment: Mapping[str, str]) -> str:
    """What the program says of itself. Raises NoProgram."""
    words = (*agent.words, "--version")
    try:
        done = subprocess.run(  # noqa: S603 - the program that was asked for
            words,
            env=dict(environment),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoProgram(
            f"`{words[0]}` does not start ({type(error).__name__})", "install the agent again"
        ) from error
    said = (done.stdout or done.stderr).strip().splitlines()
    if done.returncode != 0 or not said:
        raise NoProgram(f"`{' '.join(words)}` ended with {done.returncode}", "install it again")
    numbered = [line for line in said if any(letter.isdigit() for letter in line)]
    return (numbered or said)[-1].strip()


def release(agent: Agent, environment: Mapping[str, str]) -> str:
    """The number in what the program says of itself. Raises NoProgram."""
    said = version(agent, environment)
    number = re.search(r"\d+(?:\.\d+)+", said)
    return number[0] if number else said


def plain_environment(home: str, *, first_on_path: Sequence[str] = ()) -> dict[str, str]:
    """Nothing of the caller's but what every program needs: an agent above it is not to be seen,
    and no key of a real provider either."""
    kept = {name: os.environ[name] for name in _HANDED_ON if name in os.environ}
    path = os.pathsep.join((*first_on_path, kept.get("PATH", os.defpath)))
    return {**kept, "PATH": path, "HOME": home, "TERM": "xterm-256color"}
