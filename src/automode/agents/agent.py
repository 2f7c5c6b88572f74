"""What automode knows of an agent beside its payloads and its installer: plain data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from automode.agents.shared.adapter import HostAdapter


@dataclass(frozen=True, slots=True)
class OwnPaths:
    """Files and folders that decide whether an agent asks automode. `home_…` lie below the home
    folder, `project_…` below the project; a folder counts with all that is in it."""

    home_files: tuple[str, ...] = ()
    home_folders: tuple[str, ...] = ()
    project_files: tuple[str, ...] = ()
    project_folders: tuple[str, ...] = ()
    system_folders: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()
    """Folders below the home folder in which the agent keeps its sessions."""
    histories: tuple[str, ...] = ()
    """Files below the home folder that hold what a person typed."""
    protected: tuple[str, ...] = ()
    """Names in any folder whose change changes what the agent does later."""


@dataclass(frozen=True, slots=True)
class Disarming:
    """How an agent is started without its checks, by words and variables of a command line."""

    options: tuple[str, ...] = ()
    moving: Mapping[str, str] = field(default_factory=dict)
    """Variables that lead it away from its hooks, each with the folder of the home it has anyway;
    empty where any value leads away."""
    silencing: tuple[str, ...] = ()
    """Variables with which it runs no hooks or plugins."""
    speaking: tuple[str, ...] = ()
    """Commands with which a message comes to a session in the person's place."""
    settling: tuple[str, ...] = ()
    """Commands that rewrite its settings."""


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent. The modules of its folder are loaded where they are needed: `payloads` always,
    `install` and `driver` by those who install and start it, `checks` by the doctor."""

    adapter: type[HostAdapter]
    title: str = ""
    command: str = ""
    """The program that a person starts; empty for a protocol that nobody installs."""
    also_called: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    """Names under which a package runner starts it."""
    oldest: str = "0.0.0"
    """The first release whose hooks were tried; `0.0.0`: none was."""
    update: str = ""
    unattended_variable: tuple[str, str] | None = None
    """A variable and its value in a hook's environment that say that nobody is there."""
    unattended_options: tuple[str, ...] = ()
    """Options for one prompt with nobody there. With any, the hook looks at the agent's terminal:
    only then it can know whether somebody is there."""
    guest: Callable[[Mapping[str, object], bool], HostAdapter | None] | None = None
    """Of an agent that also runs the hooks in Claude Code's settings, and tells such a hook what it
    tells its own, in other words: the adapter for a payload and whether somebody is there; None for
    a payload that is not its own."""
    paths: OwnPaths = OwnPaths()
    disarming: Disarming = Disarming()

    @property
    def name(self) -> str:
        return self.adapter.name

    @property
    def folder(self) -> str:
        """The name of its package in `automode.agents`."""
        return self.name.replace("-", "_")
