"""What commands say about the daemon: whether it runs, since when, and what troubles it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from automode.core.errors import AutomodeError
from automode.daemon.client import NotAnswering, Status, present, request
from automode.daemon.one_daemon import held, holder
from automode.daemon.placement import Placement
from automode.store.folder import StateFolder

RESTART = "automode daemon restart"
_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


@dataclass(frozen=True, slots=True)
class DaemonState:
    """`told` is what the daemon answers to `status`; empty without one."""

    folder: StateFolder
    status: Status | None = None
    told: Mapping[str, object] = field(default_factory=dict)
    trouble: str = ""  # what is wrong with one that answers
    silent: str = ""  # what there is instead, where one is there that does not answer
    hangs: bool = False
    holder: int | None = None  # the process of one that does not answer, where that is known

    @property
    def notices(self) -> list[str]:
        match self.told.get("notices"):
            case [*found]:
                return [one for one in found if isinstance(one, str)]
            case _:
                return []


def daemon_state(placement: Placement, *, compared: bool = True) -> DaemonState:
    """`compared`: whether it matters by which settings it decides."""
    folder = placement.state
    try:
        status = present(folder)
    except NotAnswering as error:
        pid = error.pid or holder(folder)
        says = f"hangs: {_who(pid)} does not answer; run `{RESTART}`"
        return DaemonState(folder, silent=says, hangs=True, holder=pid)
    if status is None:
        return _without(folder)
    trouble = ""
    if compared and status.serves_others(placement.settings_words):
        trouble = f"it serves other settings than yours in {placement.config}: run `{RESTART}`"
    try:
        return DaemonState(folder, status, request(folder, "status"), trouble)
    except AutomodeError as error:
        told = f"it answers, but says nothing of itself: {error}"
        return DaemonState(folder, status, trouble=trouble or told)


def _without(folder: StateFolder) -> DaemonState:
    """Nobody listens. One that has only just begun, or is about to end, has the folder already."""
    if not held(folder):
        return DaemonState(folder)
    pid = holder(folder)
    says = f"{_who(pid)} starts or ends just now; if that lasts, run `{RESTART}`"
    return DaemonState(folder, silent=says, holder=pid)


def _who(pid: int | None) -> str:
    return "a process that cannot be seen" if pid is None else f"pid {pid}"


def daemon_data(state: DaemonState) -> dict[str, object]:
    found = state.status
    return {
        "running": found is not None,
        "hangs": state.hangs,
        "pid": state.holder if found is None else found.pid,
        "version": None if found is None else found.version,
        "started": None if found is None else found.started,
        "uptime_seconds": None if found is None else round(time.time() - found.started),
        "http_port": None if found is None else found.http_port,
        "state_folder": state.folder.path,
        "decided": state.told.get("decided"),
        "trouble": state.trouble or state.silent or None,
        "notices": state.notices,
    }


def daemon_rows(state: DaemonState) -> list[tuple[str, str]]:
    rows = [("daemon", state.silent or described(state.status)), ("state", state.folder.path)]
    if state.trouble:
        rows.append(("trouble", state.trouble))
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
