"""The daemon as a process: run it here, start it in the background, stop it, ask how it is."""

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from automode.agents.catalog import ADAPTERS
from automode.core.errors import AutomodeError
from automode.daemon.agents import refusal
from automode.daemon.client import NoDaemon, NotAnswering, Status, present, request, running
from automode.daemon.frames import Right
from automode.daemon.placement import Placement, end_by_force, holder, is_held, newer, own_version
from automode.facts.place import home_folder
from automode.store.folder import StateFolder, default_folder

__all__ = ["NotStarted", "Placement", "Status", "run", "start_detached", "status", "stop"]

LOG_TAIL_BYTES = 1000
_PAUSE_SECONDS = 0.05


class NotStarted(AutomodeError):
    pass


def run(placement: Placement, *, detached: bool = False) -> int:
    """Serves until it is told to stop; returns the exit status. `detached`: nobody reads what it
    prints once it serves. Raises AlreadyRunning, and NotStarted below an agent, whose hooks start
    one. Replaces the environment of this process."""
    if not detached:
        _refuse_agents(placement.state)
    # Looking at a daemon and ending it must not wait for all that decides.
    from automode.daemon.process import run_here

    run_here(placement, detached=detached)
    return 0


def _refuse_agents(folder: StateFolder) -> None:
    """A daemon that a supervisor runs has no agent or shell above it: that is no reason to
    refuse."""
    usual = default_folder(home_folder(), {})
    why = refusal(folder, os.getpid(), ADAPTERS, besides=(usual,), orphans=True)
    if why is not None:
        raise NotStarted(
            f"only a person may run a daemon of their own, and {why}",
            "a hook starts one when it needs it; or type it in a terminal of your own",
        )


def start_detached(placement: Placement, *, seconds: float = 60.0) -> Status:
    """A daemon in the background, once it answers: the running one, unless it is older than this
    program. Raises NotStarted with the end of the log, and NotAnswering. Keys of model providers
    are handed on, unless an agent stands above."""
    folder = placement.state.prepared()
    known = running(folder)
    if known is not None and not newer(own_version(), known.version):
        return known
    if known is not None:
        stop(placement)
    with _start_lock(folder) as ours:
        if ours:
            # No daemon is being started now, so one that does not answer hangs.
            present(folder)
        pid = _spawn(placement) if ours else None
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            status = running(folder)
            if status is not None:
                return status
            if pid is not None and _has_ended(pid) and not is_held(folder):
                break
            time.sleep(_PAUSE_SECONDS)
    raise NotStarted(f"no daemon has started: {_log_tail(folder)}", f"see `{folder.log}`")


def stop(placement: Placement, *, seconds: float = 20.0) -> bool:
    """Whether there was one to stop. It finishes what is in flight; past `seconds` it is killed."""
    folder = placement.state
    if not is_held(folder):
        return False
    pid = holder(folder)
    with suppress(NoDaemon, NotAnswering):  # it hangs, or has just ended
        request(folder, "stop", token=Right.PERSON)
    deadline = time.monotonic() + seconds
    while is_held(folder) and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)
    if is_held(folder):
        end_by_force(folder, pid)
    return True


def status(placement: Placement) -> Status | None:
    """None when no daemon answers."""
    return running(placement.state)


def _spawn(placement: Placement) -> int:
    from automode.daemon.process import kept_environment

    folder = placement.state
    words = ["daemon", "run", "--detached", "--state-folder", folder.path]
    words += ["--config-folder", placement.config]
    log = os.open(folder.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        return os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-m", "automode", *words],
            kept_environment(placement, os.environ, orphans=False),
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, log, 1),
                (os.POSIX_SPAWN_DUP2, log, 2),
            ],
        )
    finally:
        os.close(log)


def _has_ended(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG) != (0, 0)
    except ChildProcessError:
        return True


@contextmanager
def _start_lock(folder: StateFolder) -> Iterator[bool]:
    """Whether it is us who start one; hooks and other commands wait meanwhile."""
    with open(os.open(folder.start_lock, os.O_RDWR | os.O_CREAT, 0o600), "rb+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _log_tail(folder: StateFolder) -> str:
    try:
        with open(folder.log, "rb") as file:
            file.seek(max(0, os.path.getsize(folder.log) - LOG_TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return "it has written no log"
    return " / ".join(line.strip() for line in lines[-4:] if line.strip()) or "its log is empty"
