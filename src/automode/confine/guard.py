"""Chooses the guard of this machine: the first that passes a test which tries to get out."""

import fcntl
import json
import os
import secrets
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from automode.confine import landlock
from automode.confine.launch import BUBBLEWRAP, LANDLOCK
from automode.confine.profile import Order, Profile, digest
from automode.confine.proof import (
    PROGRAM,
    PROVED,
    RUN,
    Guard,
    Unavailable,
    command,
    proved,
    remember,
    write_order,
)
from automode.confine.seatbelt import UNTRIED

__all__ = [
    "PROGRAM",
    "PROVED",
    "RUN",
    "Guard",
    "Unavailable",
    "choose",
    "command",
    "prove",
    "proved",
    "remember",
    "write_order",
]
TEST_SECONDS = 30
_STATUS = 7
_NOT_RUN = "its test"
_SHELL = "/bin/bash"
SEARCHED = "/usr/local/bin:/usr/bin:/bin"


def choose(folder: str) -> Guard | Unavailable:
    """The guard of this machine. The test takes some tenths of a second, once for a boot, kernel
    and program; `folder` is that of the orders and remembers the result."""
    found = proved(folder)
    if isinstance(found, Guard):
        return found
    reasons: list[str] = []
    for guard in _candidates(reasons):
        fault = prove(guard, folder)
        if fault.startswith(
            _NOT_RUN
        ):  # a busy machine, perhaps; what was not held is never retried
            fault = prove(guard, folder)
        if not fault:
            remember(folder, guard)
            return guard
        reasons.append(f"{guard.name}: {fault}")
    return Unavailable("; ".join(reasons) or "there is no guard for this system")


def _candidates(reasons: list[str]) -> Iterator[Guard]:
    if sys.platform != "linux":
        unknown = f"there is no guard for `{sys.platform}`"
        reasons.append(UNTRIED if sys.platform == "darwin" else unknown)
        return
    paths = (os.path.join(folder, "bwrap") for folder in SEARCHED.split(":"))
    program = next((path for path in paths if os.access(path, os.X_OK)), None)
    if program is None:
        reasons.append("bubblewrap: not installed")
    else:
        yield Guard(BUBBLEWRAP, os.path.realpath(program))
    version = landlock.version()
    lacks = landlock.missing(version)
    if not version:
        reasons.append("landlock: the kernel has none")
    elif lacks:
        says = f"version {version} of the kernel cannot hold {' and '.join(lacks)}"
        reasons.append(f"landlock: {says}; version {landlock.NEEDED} can")
    else:
        yield Guard(LANDLOCK, "")


def prove(guard: Guard, folder: str) -> str:
    """What the guard failed to hold; empty where it held everything. Runs a program that tries to
    get out, by the same way as every confined command."""
    try:
        with _arena(folder) as arena:
            return _run(guard, arena)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{_NOT_RUN} could not be run: {type(error).__name__}"


@contextmanager
def _arena(folder: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="test-", dir=folder) as path:
        yield os.path.realpath(path)


def _run(guard: Guard, arena: str) -> str:
    def place(*names: str) -> str:
        return os.path.join(arena, *names)

    for name in ("orders", "inside", "outside", "hidden", "inside/protected", "inside/work"):
        os.mkdir(place(name), 0o700)
    for name in ("outside/file", "hidden/file", "inside/protected/file"):
        with open(place(name), "x", encoding="ascii") as file:
            file.write("secret")
    profile = Profile(
        workspace=place("inside"),
        writable=(),
        read_only=(place("inside/protected/file"), place("inside/protected/missing")),
        hidden=(place("hidden"), place("orders")),
        readable=(),
        watched=(),
        services=(),
        temporary=place("temporary"),
        loopback=True,
        processes=64,
        memory_bytes=2**31,
        environment={},
    )
    with ExitStack() as stack:
        listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        named = stack.enter_context(socket.socket(socket.AF_UNIX))
        named.bind(place("outside/s"))
        named.listen()
        unnamed = stack.enter_context(socket.socket(socket.AF_UNIX))
        unnamed.bind(f"\0automode-{secrets.token_hex(8)}")
        unnamed.listen()
        asked = {
            "arena": arena,
            "port": listening.getsockname()[1],
            "abstract": unnamed.getsockname().decode()[1:],
            "process": os.getpid(),
            "bubblewrap": guard.name == BUBBLEWRAP,
        }
        words = [sys.executable, "-I", "-S", "-c", _probe(), json.dumps(asked)]
        text = f"{shlex.join(words)} || exit; exit {_STATUS}"
        order = Order(profile, place("inside"), _SHELL, digest(text))
        write_order(place("orders/order.json"), order)
        remember(place("orders"), guard)
        done = subprocess.run(  # noqa: S603 (our own script)
            command(place("orders/order.json"), text),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TEST_SECONDS,
            env={**os.environ, "AUTOMODE_TEST_TOKEN": "secret"},
            check=False,
        )
    return _judged(done, place("inside/work/alive"))


def _probe() -> str:
    with open(os.path.join(os.path.dirname(RUN), "probe.py"), encoding="utf-8") as file:
        return file.read()


def _judged(done: subprocess.CompletedProcess[bytes], alive: str) -> str:
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    if done.returncode != _STATUS or not lines or lines[-1] != "tried everything":
        told = done.stderr.decode("utf-8", "replace").strip().splitlines() or [""]
        says = next((line for line in told if line.startswith("bwrap: ")), told[-1])
        return f"{_NOT_RUN} ended with {done.returncode}: {says[:200]}"
    open_ways = [line for line in lines[:-1] if line]
    if not open_ways and _is_locked(alive):
        open_ways = ["a background process lived on"]
    return "; ".join(open_ways)


def _is_locked(path: str) -> bool:
    with open(path, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
