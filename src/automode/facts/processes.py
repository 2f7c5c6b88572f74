"""The processes of this machine: who started each, whether an agent is above it, whose hook it is.

A process is named by its id and its time of start, because ids are used again. What cannot be seen
counts against the caller: this guards what only a person may do.
"""

import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from automode.agents.events import HookProcess

DEEPEST = 256
"""More ancestors than people have; a bound, because a program can start any number."""

PS_SECONDS = 2.0
_FIRST = 1
_ENVIRONMENT_BYTES = 1024 * 1024

_LAUNCHERS = frozenset(
    "sh bash dash zsh fish ksh mksh ash busybox tcsh csh pwsh env timeout nice ionice nohup setsid"
    " stdbuf time xargs sudo doas script chrt taskset".split()
)
"""What an agent puts between itself and a hook: it lives no longer than the hook."""

_REAPERS = frozenset("systemd init launchd tini dumb-init docker-init catatonit s6-svscan".split())
"""What takes over the children of the dead: being below one says nothing."""

_VANISHED = "the process above it ended, or cannot be seen"

Identity: TypeAlias = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    started: str  # compared for equality only
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


class ProcessTable:
    """On Linux, from the files under `/proc`."""

    def process(self, pid: int) -> Process | None:
        """None when there is none, or it cannot be seen."""
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
        return Process(
            pid,
            int(parent),
            started,
            uid,
            name=_printable(head.partition("(")[2]),
            terminal=terminal != "0",
            leader=int(session) == pid,
        )

    def environment(self, pid: int) -> Mapping[str, str] | None:
        """What it was started with; None when that cannot be seen."""
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                text = file.read(_ENVIRONMENT_BYTES).decode("utf-8", "replace")
        except OSError:
            return None
        pairs = (entry.partition("=") for entry in text.split("\0") if entry)
        return {name: value for name, _, value in pairs}

    def variables(self, pid: int) -> frozenset[str] | None:
        """The names of the variables it was started with; None when they cannot be seen."""
        found = self.environment(pid)
        return None if found is None else frozenset(found)

    def hidden(self, pid: int) -> bool:
        """Whether another account has one: the kernel says so even where it shows nothing of it."""
        try:
            os.kill(pid, 0)
        except OSError as error:
            return isinstance(error, PermissionError)
        return False

    def there(self, pid: int) -> bool:
        """Whether this account has one, shown or not."""
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        return True

    def lives(self, identity: Identity) -> bool:
        """A scan can fail briefly: then no process counts as ended."""
        found = self.process(identity[0])
        return self.there(identity[0]) if found is None else found.identity == identity


class PsTable(ProcessTable):
    """Everywhere else: the program `ps`, which does not tell variables from words of the command
    line."""

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
            _printable(os.path.basename(name.strip())),
            terminal.strip("?-") != "",
            leader="s" in state,
        )

    def environment(self, pid: int) -> Mapping[str, str] | None:
        """Values as far as their first blank. Words of the command line are left out."""
        words, whole = (
            _ps(how, "-p", str(pid), "-o", "command=").rstrip() for how in ("ww", "eww")
        )
        if not words or not whole.startswith(words):
            return None
        return dict(re.findall(r"\s([A-Za-z_]\w*)=(\S*)", whole[len(words) :]))

    def variables(self, pid: int) -> frozenset[str] | None:
        printed = _ps("eww", "-p", str(pid), "-o", "command=")
        return frozenset(re.findall(r"\s([A-Za-z_]\w*)=", printed)) or None


_PS_ROW = re.compile(
    r"\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\w+\s+\w+\s+\w+\s+[\d:]+\s+\d+)\s+(.*)"
)


def _ps(*words: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - fixed words, no shell
            ["/bin/ps", *words],
            capture_output=True,
            env={"LC_ALL": "C", "TZ": "UTC0"},
            stdin=subprocess.DEVNULL,
            timeout=PS_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")


def _printable(name: str) -> str:
    """A process names itself as it likes, and names end up in logs."""
    return name if name.isprintable() else "".join(c if c.isprintable() else "?" for c in name)


def this_system() -> ProcessTable:
    return ProcessTable() if sys.platform == "linux" else PsTable()


def ancestors(pid: int, table: ProcessTable) -> Iterator[Process]:
    """The process itself, its parent, and so on upwards; each is read only when it is asked for."""
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
    """Why a process must be taken for an agent's; None when it need not. `markers` are the
    variables that agents set in what they start, `agents` the processes known to be one.
    `orphans`: a process that was detached from its parent may pass."""
    table = table or this_system()
    line = tuple(ancestors(pid, table))
    if not line:
        return f"process {pid} cannot be seen"
    why = _agent_in(line, frozenset(markers), agents, table) or _missing_above(line, table)
    return why or (None if orphans else _why_detached(line))


def _agent_in(
    line: Sequence[Process],
    markers: frozenset[str],
    agents: Collection[Identity],
    table: ProcessTable,
) -> str | None:
    for process in line:
        if process.identity in agents:
            return f"process {process.pid} (`{process.name}`) is an agent"
        for marker in sorted(markers & (table.variables(process.pid) or frozenset())):
            return f"process {process.pid} (`{process.name}`) was started with `{marker}`"
    return None


def _missing_above(line: Sequence[Process], table: ProcessTable) -> str | None:
    last = line[-1]
    if last.parent <= 0:
        return None
    if len(line) >= DEEPEST:
        return "more processes are above it than can be looked at"
    # Agents have this account: what another one's process keeps to itself is none. And `sshd`
    # becomes the person without being shown to them, where /proc is mounted with `hidepid`.
    login = last.leader and last.terminal and table.there(last.parent)
    return None if table.hidden(last.parent) or login else _VANISHED


def _why_detached(line: Sequence[Process]) -> str | None:
    """A terminal proves nothing: any program can make one."""
    caller = line[0]
    above = [process for process in line[1:] if not process.launches]
    if above and above[0].reaps:
        return (
            f"process {caller.pid} (`{caller.name}`) is detached from the process that started it"
        )
    return None


def agent_of_hook(
    pid: int, table: ProcessTable, hooks: HookProcess | None = None
) -> Process | None:
    """The agent that started a hook: the nearest process above it that is no mere launcher. None
    when a person started the hook by hand in a terminal, or where the process right below the
    agent is a tool call by its variables. A tool call may start whatever it likes, but what is
    right below the agent was started by the agent."""
    for below, process in pairwise(ancestors(pid, table)):
        if not process.launches:
            ours = process.uid == os.getuid() and not process.reaps
            return process if ours and (hooks is None or _fits(below, hooks, table)) else None
        if process.leader and process.terminal:
            return None
    return None


def _fits(process: Process, hooks: HookProcess, table: ProcessTable) -> bool:
    given = table.variables(process.pid)
    return given is not None and given.issuperset(hooks.has) and given.isdisjoint(hooks.lacks)
