"""Who started a process: whether an agent stands above it, and which agent started a hook.

A process is named by its id and its time of start, because ids are used again. What cannot be seen
counts against the caller: this guards what only a person may do.
"""

import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, TypeAlias

from automode.adapters.seam import HookProcess
from automode.facts.printing import prints_to

DEEPEST = 64
PS_SECONDS = 2.0
_FIRST = 1
_ENVIRONMENT_BYTES = 1024 * 1024
_GROUP_BYTES = 64 * 1024

_LAUNCHERS = frozenset(
    "sh bash dash zsh fish ksh mksh ash busybox tcsh csh pwsh env timeout nice ionice nohup setsid"
    " stdbuf time xargs sudo doas script chrt taskset".split()
)
"""What an agent puts between itself and a hook: it lives no longer than the hook."""

_REAPERS = frozenset("systemd init launchd tini dumb-init docker-init catatonit s6-svscan".split())
"""What takes over the children of the dead: being below one says nothing."""

Identity: TypeAlias = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    started: str  # ticks or a date: only compared
    uid: int
    name: str
    terminal: bool  # has a controlling terminal
    leader: bool  # leads its session: a login shell, a shell in a terminal window

    @property
    def identity(self) -> Identity:
        return (self.pid, self.started)

    @property
    def launches(self) -> bool:
        return self.name.lstrip("-") in _LAUNCHERS

    @property
    def reaps(self) -> bool:
        return self.pid == _FIRST or self.name in _REAPERS

    def older_than(self, started: str) -> bool:
        """Whether it was there before one that started then; not where nobody can say."""
        return self.started.isdigit() and started.isdigit() and int(self.started) < int(started)


class ProcessTable(Protocol):
    def process(self, pid: int) -> Process | None:
        """None when there is none, or it cannot be seen."""
        ...

    def variables(self, pid: int) -> frozenset[str] | None:
        """The names of the variables it was started with; None when they cannot be seen."""
        ...

    def started_with(self, pid: int) -> frozenset[str] | None:
        """The same, exactly; where nobody can tell them from words of its command line, those as
        well: then what is missing is missing, and what is there may be made up."""
        ...

    def prints_to(self, pid: int, reader: int) -> bool | None:
        """Whether `reader` itself takes what the process prints; None where nobody can tell."""
        ...

    def group(self, pid: int) -> str | None:
        """The control group it is in, as text; None where there are none, or it is gone."""
        ...


class ProcFolder:
    """Linux: files under `/proc`."""

    def process(self, pid: int) -> Process | None:
        try:
            # Asked for with every request: a file object would double the time it takes.
            file = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
            try:
                stat = os.read(file, 4096)
                uid = os.fstat(file).st_uid
            finally:
                os.close(file)
        except OSError:
            return None
        # The name may hold blanks and brackets: only the last bracket ends it.
        head, _, rest = stat.decode("utf-8", "replace").rpartition(")")
        fields = rest.split(None, 20)
        if len(fields) < 20:
            return None
        parent, session, terminal, started = fields[1], fields[3], fields[4], fields[19]
        name = _plain(head.partition("(")[2])
        return Process(
            pid, int(parent), started, uid, name, terminal != "0", leader=int(session) == pid
        )

    def variables(self, pid: int) -> frozenset[str] | None:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                text = file.read(_ENVIRONMENT_BYTES)
        except OSError:
            return None
        names = (entry.partition(b"=")[0] for entry in text.split(b"\0"))
        return frozenset(name.decode("utf-8", "replace") for name in names)

    def started_with(self, pid: int) -> frozenset[str] | None:
        return self.variables(pid)

    def prints_to(self, pid: int, reader: int) -> bool | None:
        return prints_to(pid, reader)

    def group(self, pid: int) -> str | None:
        try:
            with open(f"/proc/{pid}/cgroup", "rb", buffering=0) as file:
                return file.read(_GROUP_BYTES).decode("utf-8", "replace") or None
        except OSError:
            return None


_PS_ROW = re.compile(
    r"\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\w+\s+\w+\s+\w+\s+[\d:]+\s+\d+)\s+(.*)"
)


class PsProgram:
    """Everywhere else: the program `ps`."""

    def process(self, pid: int) -> Process | None:
        columns = "pid=,ppid=,uid=,tty=,stat=,lstart=,comm="
        found = _PS_ROW.match(_ps("-p", str(pid), "-o", columns))
        if found is None:
            return None
        own, parent, uid, terminal, state, started, name = found.groups()
        return Process(
            int(own),
            int(parent),
            " ".join(started.split()),
            int(uid),
            _plain(os.path.basename(name.strip())),
            terminal.strip("?-") != "",
            leader="s" in state,
        )

    def variables(self, pid: int) -> frozenset[str] | None:
        printed = _ps("eww", "-p", str(pid), "-o", "command=")
        return frozenset(re.findall(r"\s([A-Za-z_]\w*)=", printed)) or None

    def started_with(self, pid: int) -> frozenset[str] | None:
        return self.variables(pid)

    def prints_to(self, pid: int, reader: int) -> bool | None:
        return None

    def group(self, pid: int) -> str | None:
        return None


def _plain(name: str) -> str:
    """A process names itself as it likes, and names end up in logs."""
    return name if name.isprintable() else "".join(c if c.isprintable() else "?" for c in name)


def _ps(*words: str) -> str:
    command = ["/bin/ps", *words]
    try:
        done = subprocess.run(  # noqa: S603 - fixed words, no shell
            command,
            capture_output=True,
            env={"LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            timeout=PS_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")


def this_system() -> ProcessTable:
    return ProcFolder() if sys.platform == "linux" else PsProgram()


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
    orphans: bool = False,
    table: ProcessTable | None = None,
) -> str | None:
    """Why a process must be taken for an agent's: `markers` are the variables that agents set in
    what they start, `agents` the processes known to be one. None when nothing speaks for it.
    `orphans`: a process that nobody holds on to may pass."""
    table = table or this_system()
    line = tuple(ancestors(pid, table))
    if not line:
        return f"process {pid} cannot be seen"
    marked = frozenset(markers)
    for process in line:
        if process.identity in agents:
            return f"process {process.pid} (`{process.name}`) is an agent"
        for marker in sorted(marked & (table.variables(process.pid) or frozenset())):
            return f"process {process.pid} (`{process.name}`) was started with `{marker}`"
    return None if orphans else _detached(line) or _beside_an_agent(line, agents, table)


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
    top = next((below for below, above in pairwise(line) if above.reaps), None)
    if top is None or top.uid != os.getuid():
        return None
    group = table.group(top.pid)
    for pid, started in agents if group is not None else ():
        if not top.older_than(started) and table.group(pid) == group:
            return f"process {top.pid} (`{top.name}`) is younger than agent {pid} beside it"
    return None


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
