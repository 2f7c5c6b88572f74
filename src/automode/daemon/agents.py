"""Which processes are agents: learnt from their hooks, remembered while they live.

The list lies in the state folder, so that a command that finds no daemon knows it as well.
"""

import json
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

MOST = 256
MOST_SESSIONS = 1024
LOOK_SECONDS = 10.0
_FILE = "agents.json"
_FILE_BYTES = 1024 * 1024


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
    return agent_above(pid, markers=markers_of(adapters.values()), agents=known_agents(folder))


@dataclass(slots=True)
class Agents:
    """Bounded; the dead leave first."""

    folder: StateFolder
    markers: Collection[str]
    table: ProcessTable = field(default_factory=this_system)
    _known: OrderedDict[Identity, None] = field(default_factory=OrderedDict)
    _looked: OrderedDict[str, float] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        for identity in known_agents(self.folder):
            if self._lives(identity):
                self._known[identity] = None

    def hook_came_from(self, pid: int, session: str) -> None:
        """A hook's process: whoever started it is an agent. Looked at once in a while for each
        session: all hooks of one come from the same agent."""
        if self._due(session):
            agent = agent_behind(pid, self.table)
            if agent is not None:
                self._learn(agent)

    def speaks_itself(self, pid: int, session: str) -> None:
        """A process that has calls decided without a hook is an agent, or has one inside."""
        if self._due(f"{pid} {session}"):
            process = self.table.process(pid)
            if process is not None:
                self._learn(process)

    def refusal(self, pid: int) -> str | None:
        """Why a person's command is not taken from this process; None to take it."""
        if pid <= 0:
            return "the process that asks cannot be seen from here"
        return agent_above(pid, markers=self.markers, agents=self._known.keys(), table=self.table)

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
        self._known[process.identity] = None
        for identity in [one for one in self._known if not self._lives(one)]:
            del self._known[identity]
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        self._save()

    def _lives(self, identity: Identity) -> bool:
        found = self.table.process(identity[0])
        return found is not None and found.identity == identity

    def _save(self) -> None:
        """Without a list on disk the markers in the environment still count."""
        with suppress(OSError):
            descriptor, temporary = tempfile.mkstemp(dir=self.folder.path, prefix=".new-")
            with open(descriptor, "w", encoding="utf-8") as file:
                json.dump([list(identity) for identity in self._known], file)
            os.replace(temporary, os.path.join(self.folder.path, _FILE))


def _identity(row: object) -> Identity | None:
    match row:
        case [int() as pid, str() as started]:
            return (pid, started)
        case _:
            return None
