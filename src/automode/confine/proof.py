"""Which guard was proved on this machine, and how a confined command is started under it."""

import hashlib
import json
import os
import sys
from dataclasses import dataclass

from automode.confine import landlock
from automode.confine.launch import LANDLOCK
from automode.confine.profile import Order, to_json

PROVED = "guard.json"
"""In the folder of the orders: which guard was proved, and on what machine."""
RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py")
PROGRAM = (sys.executable, "-I", "-S", RUN)
"""What runs a confined command; its order and its text follow."""


@dataclass(frozen=True, slots=True)
class Guard:
    name: str
    program: str
    """Of bubblewrap; empty for Landlock."""

    @property
    def limits(self) -> tuple[str, ...]:
        """What it holds less well than the profile says, or less well than bubblewrap."""
        return landlock.LIMITS if self.name == LANDLOCK else ()


@dataclass(frozen=True, slots=True)
class Unavailable:
    reason: str


def proved(folder: str) -> Guard | Unavailable:
    """The guard that `choose` has found, on this machine as it is now."""
    try:
        with open(os.path.join(folder, PROVED), encoding="utf-8") as file:
            found = json.load(file)
        guard = Guard(str(found["guard"]), str(found["program"]))
        if found["machine"] == _machine(guard):
            return guard
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return Unavailable("no guard was proved on this machine since it was started")


def command(order: str, text: str) -> list[str]:
    """What runs `text` as the order at `order` says."""
    return [*PROGRAM, order, text]


def write_order(path: str, order: Order) -> None:
    """For its owner alone. Raises OSError, also where there is one already."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(to_json(order))


def remember(folder: str, guard: Guard) -> None:
    found = {"guard": guard.name, "program": guard.program, "machine": _machine(guard)}
    path = os.path.join(folder, PROVED)
    fresh = f"{path}.{os.urandom(4).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with open(os.open(fresh, flags, 0o600), "w", encoding="utf-8") as file:
        json.dump(found, file)
    os.replace(fresh, path)


def _machine(guard: Guard) -> str:
    """What a proof holds for. Raises OSError."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        facts = [file.read().strip(), os.uname().release, str(os.geteuid()), sys.executable]
    ours = os.path.dirname(RUN)
    files = [os.path.join(ours, name) for name in sorted(os.listdir(ours)) if name.endswith(".py")]
    for path in [*files, guard.program] if guard.program else files:
        state = os.stat(path)
        facts.append(f"{path} {state.st_ino} {state.st_size} {state.st_mtime_ns}")
    return hashlib.sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()
