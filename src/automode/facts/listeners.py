"""Who would be stopped: the processes that a call names by a port or by their id."""

import os
import re
import sys
import time
from collections.abc import Iterator, Sequence

from automode.core.paths import within
from automode.core.transcript import PriorCall, Transcript
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.facts.git import quote_name
from automode.facts.processes import ProcessTable, ancestors
from automode.guards.guard import words
from automode.shell.script import Command

_SHOWN = 6
_SECONDS = 0.1
_ABOVE = 4
_LISTENS = "0A"
_STOPPING = words("kill killall pkill fuser kill-port")
_PORT = {
    "lsof": re.compile(r":(\d{1,5})(?!\d)"),
    "fuser": re.compile(r"(\d{1,5})/(?:tcp|udp)\b"),
    "kill-port": re.compile(r"(?<!\S)(\d{1,5})(?!\S)"),
}
_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")


def stopped_text(commands: Sequence[Command], workspace: Workspace, past: Transcript) -> str:
    """Who listens on the ports, and which processes are named by id, where a call stops some;
    empty where it stops none of these."""
    if not any(one.name in _STOPPING for one in commands):
        return ""
    ports = dict.fromkeys(port for one in commands for port in _ports(one))
    pids = dict.fromkeys(pid for one in commands for pid in _pids(one))
    told = [_port_text(port, workspace, past) for port in list(ports)[:_SHOWN]]
    told += [
        f"process {pid} is {_process_text(pid, workspace)}"
        for pid in list(pids)[:_SHOWN]
        if _is_live(workspace)
    ]
    return "; ".join(filter(None, told))


def _is_live(workspace: Workspace) -> bool:
    return not isinstance(workspace.files, Names)  # of a recorded call nothing can be looked at


def _ports(command: Command) -> Iterator[int]:
    pattern = _PORT.get(command.name)
    if pattern:
        text = " ".join(word.text for word in command.args)
        yield from (int(found) for found in pattern.findall(text) if 0 < int(found) < 65_536)


def _pids(command: Command) -> Iterator[int]:
    if command.name == "kill":
        texts = [word.value or "" for word in command.args]
        yield from (int(text) for text in texts if text.isdecimal() and len(text) < 10)


def _port_text(port: int, workspace: Workspace, past: Transcript) -> str:
    named = re.compile(rf"(?<!\d){port}(?!\d)")
    calls = (one for one in past.entries if isinstance(one, PriorCall) and one.may_have_run)
    own = any(named.search(str(one.input)) for one in calls)
    said = ["an earlier call of this session names it"] if own else []
    if _is_live(workspace):
        said.insert(0, _listeners_text(port, workspace))
    return f"port {port}: {', '.join(said)}" if said else ""


def _listeners_text(port: int, workspace: Workspace) -> str:
    sockets = _sockets(port)
    if sockets is None:
        return "who listens there is not known"
    if not sockets:
        return "no program listens there"
    found = [_process_text(pid, workspace) for pid in _holders(sockets)]
    return "there listens " + (" and ".join(found) or "a process that cannot be seen from here")


def _sockets(port: int) -> set[str] | None:
    """The inodes of the sockets that listen on a port; None where this system does not tell."""
    found: set[str] = set()
    try:
        for table in _TABLES:
            if os.path.exists(table) or table == _TABLES[0]:
                with open(table, encoding="ascii") as lines:
                    rows = [line.split() for line in lines]
                found |= {
                    row[9]
                    for row in rows[1:]
                    if row[3] == _LISTENS and int(row[1].rpartition(":")[2], 16) == port
                }
    except (OSError, ValueError, IndexError):
        return None
    return found


def _holders(sockets: set[str]) -> list[int]:
    """The processes with one of the sockets open, as far as they can be seen in time."""
    wanted = {f"socket:[{inode}]" for inode in sockets}
    end = time.monotonic() + _SECONDS
    found: list[int] = []
    for name in os.listdir("/proc"):
        if not name.isdecimal() or time.monotonic() > end:
            continue
        try:
            with os.scandir(f"/proc/{name}/fd") as entries:
                if any(os.readlink(entry.path) in wanted for entry in entries):
                    found.append(int(name))
        except OSError:
            continue
    return found[:_SHOWN]


def _process_text(pid: int, workspace: Workspace) -> str:
    """Its name, where it works, and the names of the processes above it."""
    if sys.platform != "linux":
        return "not known"
    above = []
    for process in ancestors(pid, ProcessTable()):
        above.append(process)
        if len(above) > _ABOVE:
            break
    if not above:
        return "not there, or cannot be seen"
    first, *others = above
    text = f"{quote_name(first.name)} (process {first.pid})"
    try:
        folder = os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        folder = ""
    if folder and any(within(folder, one) for one in workspace.folders):
        text += ", which works in this project"
    elif folder:
        text += f", which works in {quote_name(folder, 120)}"
    return (
        f"{text}, started by {', '.join(quote_name(one.name) for one in others)}"
        if others
        else text
    )
