"""What automode knows of an agent: its `agent.toml`, read once."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from automode.agents.events import Abilities, HookProcess, Moment

_MOMENTS = {
    "proposed": Moment.PROPOSED,
    "sought": Moment.PROPOSED,
    "finished": Moment.FINISHED,
    "prompt": Moment.PROMPT,
}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent. The modules of its folder are loaded where they are needed: `payloads` always,
    `install` by those who install and start it, `checks` by the doctor."""

    folder: str
    """The name of its package in `automode.agents`."""
    abilities: Abilities
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
    alone: tuple[str, ...] = ()
    """Words of a command line with which `automode run` knows that nobody is there."""
    refused: tuple[str, ...] = ()
    """Options with which it runs none of what automode puts into it."""
    runs: str = "hooks"
    """What automode puts into it."""
    own_tools: frozenset[str] = frozenset()
    """Names of its own tools, where those of servers have no mark of theirs; empty: they have."""
    guidance: str = ""
    """One more sentence for its model when a session begins."""
    events: Mapping[str, str] = field(default_factory=dict)
    """Its names of events, each with the kind: proposed, sought, finished, prompt, started, turn or
    ended."""
    switches: tuple[Mapping[str, str], ...] = ()
    """Files in which a setting switches its hooks off: `in` a project, the account or the system;
    `look`, a function of `facts.switching`; of an account `below` its home, or where the variable
    `moved_by` leads."""
    paths: OwnPaths = OwnPaths()
    disarming: Disarming = Disarming()

    @property
    def name(self) -> str:
        return self.folder.replace("_", "-")

    @property
    def moments(self) -> dict[str, Moment]:
        """Its hooks, as an installer writes them down."""
        return {event: _MOMENTS.get(kind, Moment.SESSION) for event, kind in self.events.items()}

    def system_folder(self, system: str, *, macos: bool) -> str:
        """Where it reads an administrator's settings; `system` is `/etc`."""
        library = [one for one in self.paths.system_folders if one.startswith("/Library/")]
        return library[0] if macos and library else f"{system}/{self.name}"

    def mark_foreign(self, tool: str) -> str:
        """The name of a tool, or that of a server's tool: nobody can say what another tool does,
        whatever it is called."""
        own = not self.own_tools or tool in self.own_tools or tool.startswith("mcp__")
        return tool if own else f"mcp__{self.name}__{tool}"


@cache
def load(folder: str) -> Agent:
    text = files(f"automode.agents.{folder}").joinpath("agent.toml").read_text("utf-8")
    told = tomllib.loads(text)
    able, paths, disarming = (told.pop(name, {}) for name in ("abilities", "paths", "disarming"))
    hooks = able.pop("hooks", {})
    for table in (told, able, hooks, paths, disarming):
        table |= {name: tuple(one) for name, one in table.items() if isinstance(one, list)}
    return Agent(
        folder=folder,
        abilities=Abilities(
            hooks=HookProcess(**hooks) if hooks else None,
            **able,
        ),
        paths=OwnPaths(**paths),
        disarming=Disarming(**disarming),
        own_tools=frozenset(told.pop("own_tools", "").split()),
        **told,
    )
