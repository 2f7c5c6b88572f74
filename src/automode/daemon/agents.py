"""Which processes are agents, and which of them speaks for a session: learnt from their hooks,
remembered while they live.

Both lists lie in the state folder: a command that finds no daemon knows the agents as well, and
nobody takes a session over by being the first to speak to a new daemon.
"""

import json
import logging
import os
import tempfile
import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from automode.adapters.seam import Adapter, HookProcess
from automode.facts.ancestry import (
    Identity,
    Process,
    ProcessTable,
    agent_above,
    agent_behind,
    agent_beside,
    agent_of_hook,
    this_system,
)
from automode.store.folder import StateFolder

MOST = 1024
MOST_SESSIONS = 1024
LOOK_SECONDS = 10.0
TOO_MANY = f"{MOST} agents run, more than can be told from a person"
_FILE = "agents.json"
_SPEAKERS = "speakers.json"
_FILE_BYTES = 1024 * 1024

log = logging.getLogger(__name__)


def markers_of(adapters: Iterable[Adapter]) -> frozenset[str]:
    """The variables that agents set in what they start."""
    return frozenset(marker for one in adapters for marker in one.abilities.markers)


@dataclass(frozen=True, slots=True)
class Voice:
    """A process that says something of a session. `itself`: it is the agent, and no hook that the
    agent started. `hooks` tells hooks from what else the agent starts, where that is known."""

    pid: int
    session: str
    parent: str = ""
    itself: bool = False
    hooks: HookProcess | None = None


def known_agents(folder: StateFolder) -> frozenset[Identity]:
    """What the daemon of this folder has learnt. Empty without a readable list."""
    match _read(folder, _FILE):
        case [*rows]:
            return frozenset(one for row in rows if (one := _identity(row)) is not None)
        case _:
            return frozenset()


def known_speakers(folder: StateFolder) -> dict[str, Identity]:
    """The agent of each session, likewise."""
    match _read(folder, _SPEAKERS):
        case {**rows}:
            found = {str(session): _identity(row) for session, row in rows.items()}
            return {session: one for session, one in found.items() if one is not None}
        case _:
            return {}


def refusal(folder: StateFolder, pid: int, adapters: Mapping[str, Adapter]) -> str | None:
    """Why a command that only a person may give is not taken from this process; None to take it.
    For commands that find no daemon; a running one asks its own `Agents`."""
    # Who speaks for a session is an agent, also where the list of agents is gone.
    agents = known_agents(folder) | frozenset(known_speakers(folder).values())
    table = this_system()
    if len([one for one in agents if _living(one, table)]) >= MOST:
        return TOO_MANY
    return agent_above(pid, markers=markers_of(adapters.values()), agents=agents)


@dataclass(slots=True)
class Agents:
    """Bounded; only the dead leave. Once a living one found no room nobody passes for a person."""

    folder: StateFolder
    markers: Collection[str]
    table: ProcessTable = field(default_factory=this_system)
    _known: OrderedDict[Identity, None] = field(default_factory=OrderedDict)
    _full: bool = False
    _speakers: dict[str, Identity] = field(default_factory=dict)
    _looked: OrderedDict[str, float] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        speakers = known_speakers(self.folder)
        for identity in (*known_agents(self.folder), *speakers.values()):
            if self._lives(identity):
                self._known[identity] = None
        self._speakers.update(
            (session, identity) for session, identity in speakers.items() if self._lives(identity)
        )

    def learn(self, voice: Voice) -> None:
        """Whoever started a hook is an agent, and so is whoever has calls decided without one.
        Looked at once in a while for each session and starter: another process may speak for the
        same session."""
        # Who speaks for itself is its own starter: then the system need not be asked.
        if voice.itself and not self._due(f"{voice.pid} {voice.session}"):
            return
        process = self.table.process(voice.pid)
        if process is None:
            return
        starter = f"{process.pid if voice.itself else process.parent} {voice.session}"
        if not self._due(starter):
            return
        self._note_look(starter)
        agent = process if voice.itself else agent_behind(voice.pid, self.table)
        if agent is not None:
            self._learn(agent)
        self.speaks(voice)

    def speaks(self, voice: Voice) -> bool:
        """Whether it is the session's own agent that says something, itself or by its hook."""
        agent = self._agent(voice)
        return agent is not None and self._speaks_for(voice, agent)

    def brings_a_persons_words(self, voice: Voice) -> bool:
        """Whether what a process reports as typed may have been typed by a person: it comes from
        the one agent that speaks for the session, and no other agent stands above that one, or
        has let go of it."""
        agent = self._agent(voice)
        if agent is None or not self._speaks_for(voice, agent):
            return False
        others, table = self._known.keys() - {agent.identity}, self.table
        above = agent_above(
            agent.pid, markers=self.markers, agents=others, orphans=True, table=table
        )
        return above is None and agent_beside(agent.pid, others, table) is None and not self._full

    def speaker(self, session: str, parent: str = "") -> int | None:
        """The process of the agent that speaks for a session, while it lives."""
        known = self._known_speaker(session, parent)
        return known[0] if known is not None else None

    def refusal(self, pid: int) -> str | None:
        """Why a person's command is not taken from this process; None to take it."""
        if pid <= 0:
            return "the process that asks cannot be seen from here"
        if self._full:
            return TOO_MANY
        return agent_above(pid, markers=self.markers, agents=self._known.keys(), table=self.table)

    def refusal_inside(self, pid: int, session: str) -> str | None:
        """Why a person's word about this one session is not taken from the agent that speaks for
        it itself; None to take it. What the agent starts does not speak for it, and an agent that
        stands below another one has no person."""
        agent = self.table.process(pid) if pid > 0 else None
        if agent is None:
            return "the process that asks cannot be seen from here"
        if self._full:
            return TOO_MANY
        if self._speakers.get(session) != agent.identity:
            return f"process {pid} (`{agent.name}`) is not the one that speaks for this session"
        others = self._known.keys() - {agent.identity}
        return agent_above(pid, markers=self.markers, agents=others, table=self.table)

    def _due(self, session: str) -> bool:
        return time.monotonic() - self._looked.get(session, -LOOK_SECONDS) >= LOOK_SECONDS

    def _note_look(self, session: str) -> None:
        self._looked[session] = time.monotonic()
        self._looked.move_to_end(session)
        if len(self._looked) > MOST_SESSIONS:
            self._looked.popitem(last=False)

    def _learn(self, process: Process) -> None:
        if process.identity in self._known:
            return
        for identity in [one for one in self._known if not self._lives(one)]:
            del self._known[identity]
        if len(self._known) >= MOST:
            self._full = True
            log.warning("no room for another agent: nothing is taken for a person's any more")
            return
        self._known[process.identity] = None
        self._save(_FILE, [list(identity) for identity in self._known])

    def _agent(self, voice: Voice) -> Process | None:
        if voice.itself:
            return self.table.process(voice.pid)
        return agent_of_hook(voice.pid, voice.hooks, self.table)

    def _speaks_for(self, voice: Voice, agent: Process) -> bool:
        """The first one that does, for as long as it lives: a session that is taken up again has
        another process. A sub-agent has the process of the session that started it."""
        known = self._known_speaker(voice.session, voice.parent)
        if known is not None:
            return known == agent.identity
        if len(self._speakers) >= MOST_SESSIONS:
            for name in [one for one, who in self._speakers.items() if not self._lives(who)]:
                del self._speakers[name]
        if len(self._speakers) >= MOST_SESSIONS:
            return False
        self._speakers[voice.session] = agent.identity
        self._save(_SPEAKERS, {name: list(who) for name, who in self._speakers.items()})
        return True

    def _known_speaker(self, session: str, parent: str) -> Identity | None:
        for name in (session, parent):
            known = self._speakers.get(name)
            if known is not None and self._lives(known):
                return known
        return None

    def _lives(self, identity: Identity) -> bool:
        return _living(identity, self.table)

    def _save(self, name: str, content: object) -> None:
        """Without a list on disk the markers in the environment still count."""
        with suppress(OSError):
            descriptor, temporary = tempfile.mkstemp(dir=self.folder.path, prefix=".new-")
            with open(descriptor, "w", encoding="utf-8") as file:
                json.dump(content, file)
            os.replace(temporary, os.path.join(self.folder.path, name))


def _read(folder: StateFolder, name: str) -> object:
    """None where there is nothing that can be read."""
    try:
        with open(os.path.join(folder.path, name), "rb") as file:
            return json.loads(file.read(_FILE_BYTES))
    except (OSError, ValueError, RecursionError):
        return None


def _living(identity: Identity, table: ProcessTable) -> bool:
    found = table.process(identity[0])
    return found is not None and found.identity == identity


def _identity(row: object) -> Identity | None:
    match row:
        case [int() as pid, str() as started]:
            return (pid, started)
        case _:
            return None
