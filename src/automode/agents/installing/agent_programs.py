"""Finds the agents' own programs and asks them which version they are."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from automode.agents.catalog import INSTALLED
from automode.agents.installing.plan import CannotInstall

ASKING_SECONDS = 20.0
_NUMBERS = re.compile(r"\d+(?:\.\d+)+")

Version: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """`version` is empty where the program does not tell it."""

    path: str
    version: Version = ()

    @property
    def says(self) -> str:
        return ".".join(map(str, self.version)) or "unknown"


def agent_named(word: str) -> str:
    """The agent that a person means. Raises CannotInstall."""
    for name, agent in INSTALLED.items():
        if word in (name, *agent.also_called):
            return name
    raise CannotInstall(f"unknown agent: `{word}`", f"one of: {', '.join(INSTALLED)}")


def found_program(agent: str, environment: Mapping[str, str]) -> AgentProgram | None:
    """The program that this person would start, with its version; None where there is none."""
    path = shutil.which(INSTALLED[agent].command, path=environment.get("PATH"))
    if path is None:
        return None
    return AgentProgram(os.path.abspath(path), version_of(path, environment))


def version_of(path: str, environment: Mapping[str, str]) -> Version:
    try:
        done = subprocess.run(  # noqa: S603 - the program that the person is about to start anyway
            (path, "--version"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ASKING_SECONDS,
            check=False,
            env=dict(environment),
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    # Pi prints it on standard error.
    said = (done.stdout or done.stderr).decode("utf-8", "replace")
    numbers = _NUMBERS.search(said)
    return tuple(int(part) for part in numbers[0].split(".")) if numbers else ()
