"""The daemon: whether it answers, its release, whose its port is, what it complains about."""

import os
import re
import shlex
import socket
from datetime import datetime

from automode.core.errors import AutomodeError
from automode.daemon.client import Status, request, running
from automode.daemon.one_daemon import held, holder
from automode.daemon.version import UNKNOWN, own_version
from automode.doctor.case import Case
from automode.doctor.finding import Finding, fine, problem, warning
from automode.doctor.listening import listener
from automode.store.folder import StateFolder

RESTART = "automode daemon restart"
START = "automode daemon start"
LOGS = "automode daemon logs"
SILENT = "gate silent"
LOG_BYTES = 256 * 1024
LOOPBACK = "127.0.0.1"
_COMPLAINT = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\S* (ERROR|CRITICAL) \S+ (.*)")


def check_daemon(case: Case) -> list[Finding]:
    folder = case.placement.state
    status = running(folder)
    if status is None:
        return [_absent(folder), *_idle_port(folder), *_complaints(folder)]
    told = [_release(status), *_settings(case, status), _port(folder, status), *_notices(folder)]
    return [*told, *_complaints(folder, since=status.started)]


def _absent(folder: StateFolder) -> Finding:
    if held(folder):
        pid = holder(folder)
        who = "a process" if pid is None else f"process {pid}"
        says = f"{who} holds {folder.daemon_lock}, but nobody answers on its socket"
        return problem("daemon", says, RESTART)
    says = f"it does not run for {folder.path}: neither its release nor its port could be looked at"
    return warning("daemon", f"{says}; the next session of an agent starts it", START)


def _release(status: Status) -> Finding:
    mine, where = own_version(), f"process {status.pid}, release {status.version}"
    if mine in (status.version, UNKNOWN):
        return fine("daemon", f"{where}, answers")
    return problem("daemon", f"{where}, but this automode is {mine}", RESTART)


def _settings(case: Case, status: Status) -> list[Finding]:
    if not status.serves_others(case.placement.settings_words):
        return []
    says = f"it serves other settings than those in {case.placement.config}"
    return [problem("daemon", f"{says}: hooks that mean these decide without it", RESTART)]


def _port(folder: StateFolder, status: Status) -> Finding:
    """A socket that takes connections proves nothing: any program may have taken the port."""
    kept = kept_port(folder)
    if status.http_port is None:
        says = f"the daemon has no port for HTTP hooks{f': it should be {kept}' if kept else ''}"
        return problem("port", f"{says}; calls of HTTP hooks are blocked", RESTART)
    if kept is not None and kept != status.http_port:
        says = f"hooks were installed for port {kept}, the daemon has {status.http_port}"
        return problem("port", says, "automode install claude-code")
    if not _open(status.http_port):
        return problem("port", f"nobody takes connections on port {status.http_port}", RESTART)
    return _owner(status)


def _owner(status: Status) -> Finding:
    port = status.http_port or 0
    found = listener(port, status.pid)
    if found is None:
        says = f"{LOOPBACK}:{port} is open; whose it is cannot be seen on this system"
        return warning("port", says, f"lsof -nP -iTCP:{port} -sTCP:LISTEN")
    if not found:
        says = f"{LOOPBACK}:{port} does not belong to the daemon (process {status.pid})"
        return problem("port", says, f"lsof -nP -iTCP:{port} -sTCP:LISTEN")
    return fine("port", f"{LOOPBACK}:{port} is the daemon's own")


def _idle_port(folder: StateFolder) -> list[Finding]:
    """Whoever sits on the port while no daemon answers would be asked in its place. One that hangs
    has it still."""
    kept = kept_port(folder)
    if kept is None or not _open(kept):
        return []
    pid = holder(folder) if held(folder) else None
    if pid is not None and listener(kept, pid) is not False:
        return []
    says = f"no daemon answers, but somebody takes connections on its port {kept}"
    return [problem("port", says, f"lsof -nP -iTCP:{kept} -sTCP:LISTEN")]


def kept_port(folder: StateFolder) -> int | None:
    """The port that installed hooks name; None where none was chosen, or the file says nothing."""
    try:
        with open(folder.http_port, encoding="ascii") as file:
            text = file.read(16).strip()
    except (OSError, UnicodeDecodeError):
        return None
    return int(text) if text.isdigit() and 0 < int(text) < 65_536 else None


def _open(port: int) -> bool:
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1.0):
            return True
    except OSError:
        return False


def _notices(folder: StateFolder) -> list[Finding]:
    try:
        told = request(folder, "status")
    except AutomodeError as error:
        return [warning("daemon", f"it answers, but says nothing of itself: {error}", LOGS)]
    match told.get("notices"):
        case [*notices]:
            return [_notice(one) for one in notices if isinstance(one, str)]
        case _:
            return []


def _notice(text: str) -> Finding:
    if SILENT in text:
        return problem("sessions", text, "automode doctor")
    return warning("daemon", text, "automode status")


def _complaints(folder: StateFolder, since: float = 0.0) -> list[Finding]:
    """Of the end of the log; with a daemon only what is of its own life."""
    try:
        found = _errors(folder.log)
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            return []
        says = f"{folder.log} cannot be read: {error.strerror}"
        return [warning("log", says, f"ls -l {shlex.quote(folder.log)}")]
    recent = [text for when, text in found if _at(when) >= since]
    if not recent:
        return [fine("log", "no errors")] if found or since else []
    many = "1 error" if len(recent) == 1 else f"{len(recent)} errors"
    return [warning("log", f"{many}, the last one: {recent[-1][:200]}", LOGS)]


def _errors(path: str) -> list[tuple[str, str]]:
    with open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - LOG_BYTES))
        lines = file.read(LOG_BYTES).decode("utf-8", "replace").splitlines()
    rows = (_COMPLAINT.match(line) for line in lines)
    return [(row[1], row[3]) for row in rows if row is not None]


def _at(when: str) -> float:
    try:
        return datetime.fromisoformat(when).astimezone().timestamp()
    except ValueError:
        return float("inf")
