"""A machine of its own for the doctor: a home, a project, a place for state, agents on a path."""

import os
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree

import pytest

from automode.agents.installing.site import Site
from automode.assemble import load_settings
from automode.config.places import Places
from automode.daemon.client import running
from automode.daemon.placement import Placement
from automode.doctor.finding import Case
from automode.store.folder import StateFolder


@dataclass(frozen=True, slots=True)
class Machine:
    """What is on it is made by each test."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.folder / "h"

    @property
    def project(self) -> Path:
        return self.folder / "p"

    @property
    def state(self) -> StateFolder:
        return StateFolder(str(self.folder / "s"))

    @property
    def config(self) -> Path:
        return self.folder / "c"

    @property
    def programs(self) -> Path:
        return self.folder / "bin"

    def program(self, name: str, script: str) -> Path:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def file(self, path: str, text: str) -> Path:
        """Below the machine's own folder."""
        made = self.folder / path
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(text)
        return made

    def case(self, *agents: str, starts: bool = True, online: bool = False) -> Case:
        places = Places.of(
            home=str(self.home),
            environment={},
            project=str(self.project),
            config_folder=str(self.config),
        )
        environment = {"PATH": str(self.programs), "HOME": str(self.home), **self.variables}
        return Case(
            placement=Placement(self.state, str(self.config)),
            loaded=load_settings(places),
            site=Site(str(self.home), environment, str(self.project), str(self.folder / "etc")),
            agents=agents or ("claude-code", "pi"),
            parsers={"tree-sitter": True, "shfmt": True},
            starts=starts,
            online=online,
        )


@pytest.fixture
def machine() -> Iterator[Machine]:
    """With a path that is short enough for a socket. A daemon that runs there is ended."""
    folder = Path(tempfile.mkdtemp(prefix="am-")).resolve()
    try:
        made = Machine(folder)
        for one in (made.home, made.project / ".git", made.config, made.programs):
            one.mkdir(parents=True)
        yield made
        status = running(made.state)
        if status is not None:
            os.kill(status.pid, signal.SIGKILL)
    finally:
        rmtree(folder, ignore_errors=True)
