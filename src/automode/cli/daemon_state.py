"""What commands say about the daemon: whether it runs, since when, and what troubles it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from automode.core.errors import AutomodeError
from automode.daemon.client import Status, request, running
from automode.store.folder import StateFolder

_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


@dataclass(frozen=True, slots=True)
class DaemonState:
    """`told` is what the daemon answers to `status`; empty without one."""

    folder: StateFolder
    status: Status | None = None
    told: Mapping[str, object] = field(default_factory=dict)
    trouble: str = ""  # why one that runs tells nothing

    @property
    def notices(self) -> list[str]:
        match self.told.get("notices"):
            case [*found]:
                return [one for one in found if isinstance(one, str)]
            case _:
                return []


def daemon_state(folder: StateFolder) -> DaemonState:
    status = running(folder)
    if status is None:
        return DaemonState(folder)
    try:
        return DaemonState(folder, status, request(folder, "status"))
    except AutomodeError as error:
        return DaemonState(folder, status, trouble=str(error))


def daemon_data(state: DaemonState) -> dict[str, object]:
    found = state.status
    return {
        "running": found is not None,
        "pid": None if found is None else found.pid,
        "version": None if found is None else found.version,
        "started": None if found is None else found.started,
        "uptime_seconds": None if found is None else round(time.time() - found.started),
        "http_port": None if found is None else found.http_port,
        "state_folder": state.folder.path,
        "decided": state.told.get("decided"),
        "trouble": state.trouble or None,
        "notices": state.notices,
    }


def daemon_rows(state: DaemonState) -> list[tuple[str, str]]:
    rows = [("daemon", described(state.status)), ("state", state.folder.path)]
    if state.trouble:
        rows.append(("trouble", f"it answers, but says nothing of itself: {state.trouble}"))
    return rows + [("notice", notice) for notice in state.notices]


def described(status: Status | None) -> str:
    if status is None:
        return "not running; the next hook, or `automode daemon start`, starts it"
    up = span(time.time() - status.started)
    return f"running: pid {status.pid}, version {status.version}, up {up}"


def span(seconds: float) -> str:
    """Two units at most: `3 h 12 min`."""
    left = max(0, round(seconds))
    parts: list[str] = []
    for size, unit in _UNITS:
        count, left = divmod(left, size)
        if count or (unit == "s" and not parts):
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2])
