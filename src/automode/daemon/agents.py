"""Which processes are agents: learnt from their hooks, remembered while they live.

The list lies in the state folder, so that a command that finds no daemon knows it as well.
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

from automode.adapters.seam import Adapter
from automode.facts.ancestry import (
    Identity,
    Process,
    ProcessTable,
    agent_above,
    agent_behind,
    this_system,
)
from automode.store.folder import StateFolder

MOST = 1024
MOST_SESSIONS = 1024
LOOK_SECONDS = 10.0
TOO_MANY = f"{MOST} agents run, more than can be told from a person"
_FILE = "agents.json"
_FILE_BYTES = 1024 * 1024

log = logging.getLogger(__name__)


def markers_of(adapters: Iterable[Adapter]) -> frozenset[str]:
    """The variables that agents set in what they start."""
    return frozenset(marker for one in adapters for marker in one.abilities.markers)


def known_agents(folder: StateFolder) -> frozenset[Identity]:
    """What the daemon of this folder has learnt. Empty without a readable list."""
    try:
        with open(os.path.join(folder.path, _FILE), "rb") as file:
            found: object = json.loads(file.read(_FILE_BYTES))
    except (OSError, ValueError):
        return frozenset()
    match found:
        case [*rows]:
            return frozenset(one for row in rows if (one := _identity(row)) is not None)
        case _:
            return frozenset()


def refusal(folder: StateFolder, pid: int, adapters: Mapping[str, Adapter]) -> str | None:
    """Why a command that only a person may give is not taken from this process; None to take it.
    For commands that find no daemon; a running one asks its own `Agents`."""
    agents, table = known_agents(folder), this_system()
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
        for identity in known_agents(self.folder):
            if self._lives(identity):
                self._known[identity] = None

    def hook_came_from(self, pid: int, session: str) -> None:
        """A hook's process: whoever started it is an agent. Looked at once in a while for each
        session and starter: another process may speak for the same session."""
        hook = self.table.process(pid)
        if hook is not None and self._due(f"{hook.parent} {session}"):
            agent = agent_behind(pid, self.table)
            if agent is not None:
                self._learn(agent)
                self._speaks_for(session, agent)

    def speaks_itself(self, pid: int, session: str) -> None:
        """A process that has calls decided without a hook is an agent, or has one inside."""
        if self._due(f"{pid} {session}"):
            process = self.table.process(pid)
            if process is not None:
                self._learn(process)
                self._speaks_for(session, process)

    def brings_a_persons_words(self, pid: int, session: str, *, itself: bool = False) -> bool:
        """Whether what a process reports as typed may have been typed by a person: it comes from
        the one agent that speaks for the session, and no other agent stands above that one.
        `itself`: the process is the agent, not its hook."""
        agent = self.table.process(pid) if itself else agent_behind(pid, self.table)
        if agent is None or not self._speaks_for(session, agent):
            return False
        others = self._known.keys() - {agent.identity}
        above = agent_above(
            agent.pid, markers=self.markers, agents=others, orphans=True, table=self.table
        )
        return above is None and not self._full

    def speaker(self, session: str) -> int | None:
        """The process of the agent that speaks for a session, while it lives."""
        known = self._speakers.get(session)
        return known[0] if known is not None and self._lives(known) else None

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
        now = time.monotonic()
        if now - self._looked.get(session, -LOOK_SECONDS) < LOOK_SECONDS:
            return False
        self._looked[session] = now
        self._looked.move_to_end(session)
        if len(self._looked) > MOST_SESSIONS:
            self._looked.popitem(last=False)
        return True

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
        self._save()

    def _speaks_for(self, session: str, agent: Process) -> bool:
        """The first one that does, for as long as it lives: a session that is taken up again has
        another process."""
        known = self._speakers.get(session)
        if known is not None and self._lives(known):
            return known == agent.identity
        if len(self._speakers) >= MOST_SESSIONS:
            for name in [one for one, who in self._speakers.items() if not self._lives(who)]:
                del self._speakers[name]
        if len(self._speakers) >= MOST_SESSIONS:
            return False
        self._speakers[session] = agent.identity
        return True

    def _lives(self, identity: Identity) -> bool:
        return _living(identity, self.table)

    def _save(self) -> None:
        """Without a list on disk the markers in the environment still count."""
        with suppress(OSError):
            descriptor, temporary = tempfile.mkstemp(dir=self.folder.path, prefix=".new-")
            with open(descriptor, "w", encoding="utf-8") as file:
                json.dump([list(identity) for identity in self._known], file)
            os.replace(temporary, os.path.join(self.folder.path, _FILE))


def _living(identity: Identity, table: ProcessTable) -> bool:
    found = table.process(identity[0])
    return found is not None and found.identity == identity


def _identity(row: object) -> Identity | None:
    match row:
        case [int() as pid, str() as started]:
            return (pid, started)
        case _:
            return None
