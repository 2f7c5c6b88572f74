"""Which processes are agents, and which of them speaks for a session: learnt from their hooks,
remembered while they live; and of those that have ended, where they stood."""

import logging
import time
from collections import OrderedDict, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from automode.agents.events import Adapter, HookProcess
from automode.daemon.agent_list import (
    MOST_DEPARTED,
    departed_agents,
    known_agents,
    known_speakers,
    living,
    save_agents,
    save_speakers,
)
from automode.facts.ancestry import (
    Departed,
    agent_above,
    agent_behind,
    agent_beside,
    agent_of_hook,
)
from automode.facts.process_table import Identity, Process, ProcessTable, this_system
from automode.store.folder import StateFolder

MOST = 1024
MOST_SESSIONS = 1024
LOOK_SECONDS = 10.0
TOO_MANY = f"{MOST} agents run, more than can be told from a person"

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


def refusal(
    folder: StateFolder,
    pid: int,
    adapters: Mapping[str, Adapter],
    *,
    besides: Iterable[StateFolder] = (),
    orphans: bool = False,
) -> str | None:
    """Why a command that only a person may give is not taken from this process; None to take it.
    For commands that find no daemon; a running one asks its own `Agents`. `besides`: who is one in
    these folders is an agent as well. `orphans`: as in `agent_above`."""
    table, agents, departed = this_system(), set[Identity](), list[Departed]()
    for one in {folder, *besides}:
        # Who speaks for a session is an agent, also where the list of agents is gone.
        agents |= known_agents(one) | frozenset(known_speakers(one).values())
        departed += departed_agents(one, table)
    agents = {one for one in agents if living(one, table)}  # another one may have the id
    if len(agents) >= MOST:
        return TOO_MANY
    return agent_above(
        pid,
        markers=markers_of(adapters.values()),
        agents=agents,
        departed=departed,
        orphans=orphans,
        table=table,
    )


@dataclass(slots=True)
class Agents:
    """Bounded; only the dead leave. Once a living one found no room nobody passes for a person."""

    folder: StateFolder
    markers: Collection[str]
    table: ProcessTable = field(default_factory=this_system)
    _known: OrderedDict[Identity, str] = field(default_factory=OrderedDict)  # and its group
    _departed: deque[Departed] = field(default_factory=lambda: deque(maxlen=MOST_DEPARTED))
    _full: bool = False
    _speakers: dict[str, Identity] = field(default_factory=dict)
    _looked: OrderedDict[str, float] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        speakers = known_speakers(self.folder)
        self._departed.extend(departed_agents(self.folder, self.table))
        for identity in (*known_agents(self.folder), *speakers.values()):
            if self._lives(identity):
                self._known[identity] = self.table.group(identity[0]) or ""
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
        self.note_ended()
        return agent_above(
            pid,
            markers=self.markers,
            agents=self._known.keys(),
            departed=self._departed,
            table=self.table,
        )

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

    def note_ended(self) -> None:
        """Remembers of those that have ended where they were, and until when they may have lived:
        the daemon looks once in a while. A person who opens a window after an agent has ended must
        not be taken for something that it left."""
        now = self.table.now()
        ended = [one for one in self._known if not self._lives(one)]
        for identity in ended:
            group = self._known.pop(identity)
            if group:
                self._departed.append(Departed(identity, group, now))
        if ended:
            save_agents(self.folder, self._known, self._departed)

    def look_round(self) -> None:
        """As `note_ended`, where that can tell anything: to look takes its time on some systems."""
        if any(self._known.values()):
            self.note_ended()

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
        self.note_ended()
        if len(self._known) >= MOST:
            self._full = True
            log.warning("no room for another agent: nothing is taken for a person's any more")
            return
        self._known[process.identity] = self.table.group(process.pid) or ""
        save_agents(self.folder, self._known, self._departed)

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
        save_speakers(self.folder, self._speakers)
        return True

    def _known_speaker(self, session: str, parent: str) -> Identity | None:
        for name in (session, parent):
            known = self._speakers.get(name)
            if known is not None and self._lives(known):
                return known
        return None

    def _lives(self, identity: Identity) -> bool:
        return living(identity, self.table)
