"""The processes of this machine, one at a time: who started each, when, and with what.

A process is named by its id and its time of start, because ids are used again.
"""

import calendar
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from automode.facts.printing import prints_to

PS_SECONDS = 2.0
_FIRST = 1
_ENVIRONMENT_BYTES = 1024 * 1024
_GROUP_BYTES = 64 * 1024
_TICKS = os.sysconf("SC_CLK_TCK")
_EXITING = 0x4
"""The kernel's `PF_EXITING`: such a process loses its control group, then its children."""

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
    started: str  # as `ProcessTable.now` tells the time: only compared
    uid: int
    name: str
    terminal: bool  # has a controlling terminal
    leader: bool  # leads its session: a login shell, a shell in a terminal window
    ending: bool = False  # the kernel takes it apart: what is read of it may be wrong already

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

    def came_after(self, moment: str) -> bool:
        """Whether it was not there yet at that moment; also where nobody can say."""
        told = self.started.isdigit() and moment.isdigit()
        return not told or int(self.started) > int(moment)


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

    def hidden(self, pid: int) -> bool:
        """Whether there is one, of another account, that this system does not show."""
        ...

    def there(self, pid: int) -> bool:
        """Whether this account has one, shown or not: looking can fail, and then nobody ended."""
        ...

    def now(self) -> str:
        """This moment, to be compared with `Process.started`."""
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
        return Process(
            pid,
            int(parent),
            started,
            uid,
            name=_plain(head.partition("(")[2]),
            terminal=terminal != "0",
            leader=int(session) == pid,
            ending=bool(int(fields[6]) & _EXITING),
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

    def hidden(self, pid: int) -> bool:
        return _anothers(pid)

    def there(self, pid: int) -> bool:
        return _there(pid)

    def now(self) -> str:
        return str(int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS))


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
            _seconds(" ".join(started.split())),
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

    def hidden(self, pid: int) -> bool:
        return _anothers(pid)

    def there(self, pid: int) -> bool:
        return _there(pid)

    def now(self) -> str:
        return str(int(time.time()))


def _anothers(pid: int) -> bool:
    """The kernel tells that it is there, and whose, also where nothing else is shown of it."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def _there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _seconds(date: str) -> str:
    """What `ps` says in words, as a number; the words where they are others than expected."""
    try:
        return str(calendar.timegm(time.strptime(date)))
    except ValueError:
        return date


def _plain(name: str) -> str:
    """A process names itself as it likes, and names end up in logs."""
    return name if name.isprintable() else "".join(c if c.isprintable() else "?" for c in name)


def _ps(*words: str) -> str:
    command = ["/bin/ps", *words]
    try:
        done = subprocess.run(  # noqa: S603 - fixed words, no shell
            command,
            capture_output=True,
            env={"LC_ALL": "C", "TZ": "UTC0"},
            stdin=subprocess.DEVNULL,
            timeout=PS_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")


def this_system() -> ProcessTable:
    return ProcFolder() if sys.platform == "linux" else PsProgram()
