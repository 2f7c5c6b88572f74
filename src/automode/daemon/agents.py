"""Which processes are agents, and which of them speaks for a session: learnt from their hooks and
kept in the state folder, so that a new daemon, and a command that finds none, know them too."""

import json
import os
import stat
import tempfile
import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from automode.agents.events import Adapter, HookProcess
from automode.core.record import SessionKey
from automode.daemon.peers import Peer
from automode.facts.processes import (
    Identity,
    Process,
    ProcessTable,
    agent_above,
    agent_of_hook,
    this_system,
)
from automode.store.folder import StateFolder

MOST_SESSIONS = 1024
LOOK_SECONDS = 10.0
_FILE = "agents.json"
_FILE_BYTES = 1024 * 1024
_UNSEEN = "the process that asks cannot be seen from here"


def markers_of(adapters: Iterable[Adapter]) -> frozenset[str]:
    """The variables that agents set in what they start."""
    return frozenset(marker for one in adapters for marker in one.abilities.markers)


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends something about a session. `itself`: it claims to be the agent, not a hook of it.
    `hooks` tells hooks from other children of the agent. `asks`: the agent can ask a person."""

    peer: Peer | None
    key: SessionKey
    parent: str = ""
    itself: bool = False
    hooks: HookProcess | None = None
    asks: bool = False

    @property
    def session(self) -> str:
        return str(self.key)

    @property
    def pid(self) -> int:
        """0 for who came over the network, or cannot be seen."""
        return 0 if self.peer is None or self.peer.line is not None else self.peer.pid


@dataclass(frozen=True, slots=True)
class AgentList:
    """What the daemon of a folder has learnt: every agent, and the one of each session."""

    agents: frozenset[Identity] = frozenset()
    speakers: Mapping[str, Identity] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: StateFolder, table: ProcessTable) -> "AgentList":
        """Those that live. Empty without a readable file."""
        agents, speakers = set[Identity](), dict[str, Identity]()
        match _read(folder):
            case {"agents": [*rows], "speakers": {**sessions}}:
                agents = {one for row in rows if (one := _identity(row))}
                found = {str(name): _identity(row) for name, row in sessions.items()}
                speakers = {name: one for name, one in found.items() if one}
            case _:
                pass
        return cls(
            frozenset(one for one in agents | {*speakers.values()} if table.lives(one)),
            {name: one for name, one in speakers.items() if table.lives(one)},
        )

    def save(self, folder: StateFolder) -> None:
        """Where it cannot be written, the markers in the environment still count."""
        content = {"agents": sorted(self.agents), "speakers": self.speakers}
        with suppress(OSError):
            descriptor, temporary = tempfile.mkstemp(dir=folder.path, prefix=".new-")
            with open(descriptor, "w", encoding="utf-8") as file:
                file.write(json.dumps(content))
            os.replace(temporary, os.path.join(folder.path, _FILE))


def refusal(
    folder: StateFolder,
    pid: int,
    adapters: Mapping[str, Adapter],
    *,
    besides: Iterable[StateFolder] = (),
    orphans: bool = False,
) -> str | None:
    """Why a person's command is not taken from this process; None to take it. For commands without
    a daemon; a running one asks its `Agents`. Agents of `besides` count too. `orphans`: see
    `agent_above`."""
    table, agents = this_system(), set[Identity]()
    for one in {folder, *besides}:
        agents |= AgentList.of(one, table).agents
    markers = markers_of(adapters.values())
    return agent_above(pid, markers=markers, agents=agents, orphans=orphans, table=table)


@dataclass(slots=True)
class Agents:
    """Only the dead leave the lists."""

    folder: StateFolder
    markers: Collection[str]
    table: ProcessTable = field(default_factory=this_system)
    _known: set[Identity] = field(default_factory=set)
    _speakers: dict[str, Identity] = field(default_factory=dict)
    _looked: OrderedDict[str, float] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        found = AgentList.of(self.folder, self.table)
        self._known.update(found.agents)
        self._speakers.update(found.speakers)

    def learn(self, sender: Sender) -> None:
        """A process that started a hook is an agent, and so is one that asks without a hook. Looked
        at now and then for each session and starter."""
        # An agent that asks by itself is its own starter: then the system need not be asked.
        if sender.pid <= 0 or (sender.itself and not self._due(f"{sender.pid} {sender.session}")):
            return
        process = self.table.process(sender.pid)
        if process is None:
            return
        starter = f"{process.pid if sender.itself else process.parent} {sender.session}"
        if not self._due(starter):
            return
        self._looked[starter] = time.monotonic()
        self._looked.move_to_end(starter)
        if len(self._looked) > MOST_SESSIONS:
            self._looked.popitem(last=False)
        agent = process if sender.itself else agent_of_hook(sender.pid, self.table)
        if agent is not None and agent.identity not in self._known:
            self._known = {one for one in self._known if self.table.lives(one)} | {agent.identity}
            self._save()
        self.speaks(sender)

    def speaks(self, sender: Sender) -> bool:
        """Whether it is the session's own agent that says something, itself or by its hook."""
        agent = self._agent(sender)
        return agent is not None and self._speaks_for(sender, agent)

    def brings_a_persons_words(self, sender: Sender) -> bool:
        """Whether a person may have typed what a process reports: it is the session's own agent,
        with no other agent above it."""
        agent = self._agent(sender)
        if agent is None or not self._speaks_for(sender, agent):
            return False
        return self._above(agent, orphans=True) is None

    def speaker(self, session: str, parent: str = "") -> int | None:
        """The process of the agent that speaks for a session, while it lives."""
        known = self._speaker(session, parent)
        return known[0] if known is not None else None

    def environment(self, session: str, parent: str = "") -> Mapping[str, str] | None:
        """What a person started a session's agent with; None where another agent, or somebody
        unseen, may have started it. What projects and tool calls add is not in it."""
        known = self._speaker(session, parent)
        agent = None if known is None else self.table.process(known[0])
        if agent is None or agent.identity != known or self._above(agent) is not None:
            return None
        return self.table.environment(agent.pid)

    def refusal(self, pid: int) -> str | None:
        """Why a person's command is not taken from this process; None to take it."""
        if pid <= 0:
            return _UNSEEN
        return agent_above(pid, markers=self.markers, agents=self._known, table=self.table)

    def refusal_inside(self, pid: int, session: str) -> str | None:
        """Why a person's word about this session is not taken from its own agent; None to take it.
        Children of the agent do not speak for it, and an agent below another one has no person."""
        agent = self.table.process(pid) if pid > 0 else None
        if agent is None:
            return _UNSEEN
        if self._speakers.get(session) != agent.identity:
            return f"process {pid} (`{agent.name}`) is not the one that speaks for this session"
        return self._above(agent)

    def any_lives(self) -> bool:
        return any(self.table.lives(one) for one in self._known)

    def _above(self, agent: Process, *, orphans: bool = False) -> str | None:
        others = self._known - {agent.identity}
        return agent_above(
            agent.pid, markers=self.markers, agents=others, orphans=orphans, table=self.table
        )

    def _due(self, starter: str) -> bool:
        return time.monotonic() - self._looked.get(starter, -LOOK_SECONDS) >= LOOK_SECONDS

    def _agent(self, sender: Sender) -> Process | None:
        if sender.pid <= 0:
            return None
        if sender.itself:
            return self.table.process(sender.pid)
        return agent_of_hook(sender.pid, self.table, sender.hooks)

    def _speaks_for(self, sender: Sender, agent: Process) -> bool:
        """The first one, while it lives: a resumed session has another process. A sub-agent has the
        process of the session that started it."""
        known = self._speaker(sender.session, sender.parent)
        if known is not None:
            return known == agent.identity
        if len(self._speakers) >= MOST_SESSIONS:
            living = self._speakers.items()
            self._speakers = {name: one for name, one in living if self.table.lives(one)}
        if len(self._speakers) >= MOST_SESSIONS:
            return False
        self._speakers[sender.session] = agent.identity
        self._save()
        return True

    def _speaker(self, session: str, parent: str) -> Identity | None:
        for name in (session, parent):
            known = self._speakers.get(name)
            if known is not None and self.table.lives(known):
                return known
        return None

    def _save(self) -> None:
        AgentList(frozenset(self._known), self._speakers).save(self.folder)


def _identity(row: object) -> Identity | None:
    match row:
        case [int() as pid, str() as started]:
            return (pid, started)
        case _:
            return None


def _read(folder: StateFolder) -> object:
    """None where there is nothing that can be read."""
    try:
        # An agent's file may name the folder: what is no file must not keep a person waiting.
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(os.path.join(folder.path, _FILE), flags), "rb") as file:
            whole = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return json.loads(file.read(_FILE_BYTES)) if whole else None
    except (OSError, ValueError, RecursionError):
        return None
