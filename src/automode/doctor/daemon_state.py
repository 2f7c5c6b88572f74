"""The daemon of a state folder, as `status`, `daemon status` and the doctor tell of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from automode.core.errors import AutomodeError
from automode.daemon.client import NotAnswering, Status, present, request
from automode.daemon.placement import UNKNOWN, Placement, holder, is_held, own_version
from automode.store.folder import StateFolder

RESTART = "automode daemon restart"


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
        # One that has only just begun, or is about to end, has the folder already.
        pid = holder(folder)
        says = f"{_who(pid)} starts or ends just now; if that lasts, run `{RESTART}`"
        return (
            DaemonState(folder, silent=says, holder=pid) if is_held(folder) else DaemonState(folder)
        )
    trouble, mine = "", own_version()
    if compared and status.serves_others(placement.settings_words):
        trouble = f"it serves other settings than yours in {placement.config}: run `{RESTART}`"
    elif mine not in (status.version, UNKNOWN):
        trouble = f"it is release {status.version}, and this automode is {mine}: run `{RESTART}`"
    try:
        return DaemonState(folder, status, request(folder, "status"), trouble)
    except AutomodeError as error:
        told = f"it answers, but says nothing of itself: {error}"
        return DaemonState(folder, status, trouble=trouble or told)


def _who(pid: int | None) -> str:
    return "a process that cannot be seen" if pid is None else f"pid {pid}"
