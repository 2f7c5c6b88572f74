"""Who started a process: whether an agent stands above it, and which agent started a hook.

What cannot be seen counts against the caller: this guards what only a person may do.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from automode.agents.events import HookProcess
from automode.facts.process_table import Identity, Process, ProcessTable, this_system

DEEPEST = 256
"""Far more than people stand above each other; a bound, because a program can start any number."""
_LOOKS = 3
_VANISHED = "who stands above it ended while it was looked at"


@dataclass(frozen=True, slots=True)
class Departed:
    """An agent that has ended, and the control group in which it was. `ended` is empty where nobody
    was there to see when."""

    identity: Identity
    group: str
    ended: str = ""

    def may_have_left(self, top: Process, *, terminal: bool) -> bool:
        """Whether what nobody holds on to may come from it: it was started while the agent lived,
        or after it and has no terminal, as a person would. Both stand in one control group."""
        if top.older_than(self.identity[1]):
            return False
        return not terminal or (self.ended != "" and not top.came_after(self.ended))


def ancestors(pid: int, table: ProcessTable) -> Iterator[Process]:
    """The process itself, who started it, and so on upwards as far as can be seen; each is looked
    at only when it is asked for."""
    seen: set[int] = set()
    while pid > 0 and pid not in seen and len(seen) < DEEPEST:
        process = table.process(pid)
        if process is None:
            return
        seen.add(pid)
        yield process
        pid = process.parent


def agent_above(
    pid: int,
    *,
    markers: Iterable[str],
    agents: Collection[Identity] = (),
    departed: Collection[Departed] = (),
    orphans: bool = False,
    table: ProcessTable | None = None,
) -> str | None:
    """Why a process must be taken for an agent's: `markers` are the variables that agents set in
    what they start, `agents` the processes known to be one, `departed` those that have ended. None
    when nothing speaks for it. `orphans`: a process that nobody holds on to may pass."""
    table = table or this_system()
    for _ in range(_LOOKS):
        line = tuple(ancestors(pid, table))
        if not line:
            return f"process {pid} cannot be seen"
        why = _agent_in(line, markers, agents, table)
        missing = _missing(line, table)
        if why is None and missing == _VANISHED:
            continue
        why = why or missing
        if why is not None or orphans:
            return why
        why = (
            _detached(line)
            or _beside_an_agent(line, agents, table)
            or _left_behind(line, departed, table)
        )
        # What ends loses its control group before its children: only a line that stays is proof.
        if why is not None or tuple(ancestors(pid, table)) == line:
            return why
    return _VANISHED


def _agent_in(
    line: Sequence[Process],
    markers: Iterable[str],
    agents: Collection[Identity],
    table: ProcessTable,
) -> str | None:
    marked = frozenset(markers)
    for process in line:
        if process.identity in agents:
            return f"process {process.pid} (`{process.name}`) is an agent"
        for marker in sorted(marked & (table.variables(process.pid) or frozenset())):
            return f"process {process.pid} (`{process.name}`) was started with `{marker}`"
    return None


def _missing(line: Sequence[Process], table: ProcessTable) -> str | None:
    last = line[-1]
    if any(process.ending for process in line):
        return _VANISHED
    if any(below.older_than(above.started) for below, above in pairwise(line)):
        return _VANISHED  # and another process has its id
    if last.parent <= 0:
        return None
    if len(line) >= DEEPEST:
        return "more processes stand above it than can be looked at"
    # Agents have this account: what another one's process keeps to itself is none. And `sshd`
    # becomes the person without being shown to them, where /proc is mounted with `hidepid`.
    login = last.leader and last.terminal and table.there(last.parent)
    return None if table.hidden(last.parent) or login else _VANISHED


def agent_beside(pid: int, agents: Collection[Identity], table: ProcessTable) -> str | None:
    """Why a process that nobody holds on to may have been let go of by an agent; or None."""
    return _beside_an_agent(tuple(ancestors(pid, table)), agents, table)


def _detached(line: Sequence[Process]) -> str | None:
    """Whoever started it has let go of it. A terminal proves nothing: any program can make one."""
    caller = line[0]
    above = [process for process in line[1:] if not process.launches]
    if above and above[0].reaps:
        return f"process {caller.pid} (`{caller.name}`) is detached from whoever started it"
    return None


def _beside_an_agent(
    line: Sequence[Process], agents: Collection[Identity], table: ProcessTable
) -> str | None:
    """The oldest one of the line that is not the system's own may have been let go of by an agent:
    it came after that agent, and stands in the same control group. A terminal multiplexer in which
    the agent itself was started came before it."""
    top = _let_go_of(line, table)
    if top is None:
        return None
    group = table.group(top.pid)
    for pid, started in agents if group is not None else ():
        if not top.older_than(started) and table.group(pid) == group:
            return f"process {top.pid} (`{top.name}`) is younger than agent {pid} beside it"
    return None


def _left_behind(
    line: Sequence[Process], departed: Collection[Departed], table: ProcessTable
) -> str | None:
    top = _let_go_of(line, table) if departed else None
    group = table.group(top.pid) if top is not None else None
    if top is None or group is None:
        return None
    for one in departed:
        if one.group == group and one.may_have_left(top, terminal=line[0].terminal):
            agent = f"agent {one.identity[0]}, which has ended"
            return f"process {top.pid} (`{top.name}`) may have been started by {agent}"
    return None


def _let_go_of(line: Sequence[Process], table: ProcessTable) -> Process | None:
    """The oldest one that is not the system's own, where it is this account's."""
    top = next((below for below, above in pairwise(line) if above.reaps), None)
    if top is None or top.uid == os.getuid():
        return top
    # What keeps itself to itself is shown as root's.
    return top if os.getuid() != 0 and table.there(top.pid) else None


def agent_behind(pid: int, table: ProcessTable | None = None) -> Process | None:
    """The agent that started a hook: the nearest process above it that is no mere launcher. None
    when a person started the hook by hand, in a terminal."""
    found = _started(pid, table or this_system())
    return found[0] if found is not None else None


def agent_of_hook(pid: int, hooks: HookProcess | None, table: ProcessTable) -> Process | None:
    """The agent behind a process, where what it started is one of its hooks and no tool call.
    A tool call may start whatever it likes, but what stands right below the agent is the agent's.
    """
    found = _started(pid, table)
    if found is None:
        return None
    agent, first = found
    if hooks is None:
        return agent
    given = table.started_with(first.pid)
    if given is None or not given.issuperset(hooks.has) or not given.isdisjoint(hooks.lacks):
        return None
    # A tool call cannot take out of its own shell what the agent put there, so what a hook lacks
    # tells by itself, but for a call that starts another program in that shell's place.
    unheard = hooks.heard and table.prints_to(first.pid, agent.pid) is False
    return None if unheard else agent


def _started(pid: int, table: ProcessTable) -> tuple[Process, Process] | None:
    """The agent, and the process right below it through which it started this one."""
    for below, process in pairwise(ancestors(pid, table)):
        if not process.launches:
            ours = process.uid == os.getuid() and not process.reaps
            return (process, below) if ours else None
        if process.leader and process.terminal:
            return None
    return None
