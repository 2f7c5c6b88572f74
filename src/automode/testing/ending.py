"""Ends an agent and all that it has started."""

import os
import signal
import subprocess
from contextlib import suppress


def end_group(process: "subprocess.Popen[str]") -> None:
    """For a process that leads a group of its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
