"""Ends an agent and all that it has started, also what no longer belongs to it."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress

PATIENCE_SECONDS = 10.0
_PAUSE_SECONDS = 0.02


def end_group(process: "subprocess.Popen[str]") -> None:
    """For a process that leads a group of its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def end_all_of(folder: str) -> None:
    """Every other process that was given a path below `folder`, by its words or its environment:
    what leads a group of its own is not ended with its agent. Only Linux shows such processes. The
    name of the folder has to be one that nobody else can have been given."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (found := list(_given(folder))) and time.monotonic() < deadline:
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE_SECONDS)


def _given(folder: str) -> Iterator[int]:
    below = os.fsencode(folder) + b"/"
    names = os.listdir("/proc") if os.path.isdir("/proc") else []
    for pid in (int(name) for name in names if name.isdigit()):
        told = (_read(f"/proc/{pid}/{what}") for what in ("cmdline", "environ"))
        if pid != os.getpid() and any(below in text for text in told):
            yield pid


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # it has ended, or belongs to somebody else
        return b""
