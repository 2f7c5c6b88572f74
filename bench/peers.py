"""Other gates from the registries, each in an environment of its own, asked the same commands."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PEERS = Path(".venv/peers")

_NAH = """
import json, sys, time
from nah.bash import classify_command
for line in sys.stdin:
    command = json.loads(line)
    start = time.perf_counter()
    try:
        verdict = str(classify_command(command).final_decision)
    except Exception:
        verdict = "ask"
    print(json.dumps([verdict.lower(), (time.perf_counter() - start) * 1e6]), flush=True)
"""
_SAFECMD = """
import json, sys, time
from safecmd.core import validate
for line in sys.stdin:
    command = json.loads(line)
    start = time.perf_counter()
    try:
        validate(command)
        verdict = "allow"
    except Exception:
        verdict = "ask"
    print(json.dumps([verdict, (time.perf_counter() - start) * 1e6]), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Peer:
    name: str
    package: str
    driver: str


@dataclass(frozen=True, slots=True)
class Answer:
    verdict: str
    micros: float


KNOWN = (Peer("nah 0.x", "nah<1", _NAH), Peer("safecmd", "safecmd", _SAFECMD))


def ask(peer: Peer, commands: Sequence[str]) -> list[Answer] | None:
    """The peer's answers, None (said loudly) where it cannot be installed or run."""
    python = _installed(peer)
    if python is None:
        return None
    feed = "".join(json.dumps(command) + "\n" for command in commands)
    path = f"{Path(python).parent.absolute()}:{os.environ.get('PATH', '')}"
    done = subprocess.run(
        [python, "-c", peer.driver],
        input=feed,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path},
    )
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != len(commands):
        print(f"SKIPPED {peer.name}: it answered {len(lines)} of {len(commands)} commands")
        return None
    return [Answer(*json.loads(line)) for line in lines]


def _installed(peer: Peer) -> str | None:
    folder = PEERS / peer.package.split("<")[0]
    python = folder / "bin" / "python"
    if not python.exists():
        steps = (
            [sys.executable, "-m", "venv", str(folder)],
            [str(python), "-m", "pip", "install", "--quiet", peer.package],
        )
        for step in steps:
            if subprocess.run(step, capture_output=True, check=False).returncode:
                print(f"SKIPPED {peer.name}: `{' '.join(step[-2:])}` failed")
                return None
    return str(python)
