"""Measures confined commands: the `overhead` of a start, and `packages FOLDER`, tests and builds of
real packages with and without the guard.

    python tools/bench/confine.py overhead --pairs 30
    python tools/bench/confine.py packages FOLDER [--only NAME]

`packages` fetches what `confine_packages.toml` names into FOLDER, which needs the network, and runs
each test plainly and under each guard, with empty caches and again with those that it has filled.
"""

import argparse
import json
import os
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from automode.confine.guard import (
    Guard,
    command,
    prove,
    remember,
    write_order,
)
from automode.confine.launch import BUBBLEWRAP, LANDLOCK
from automode.confine.profile import Order, digest
from automode.facts.place import live_workspace
from automode.guards.protected import PROTECTED_PATHS, Protected
from automode.sessions.confinement import Confinement

TABLE = Path(__file__).with_name("confine_packages.toml")
PLAIN = "plain"
SECONDS = 300
CREDENTIALS = (
    *(".ssh/id_ed25519", ".aws/credentials", ".npmrc", ".netrc", ".git-credentials"),
    *(".bash_history", ".gnupg/secring.gpg", ".docker/config.json", ".config/gh/hosts.yml"),
)
_COUNTS = re.compile(
    r"\b(\d+) (?:passed|passing|pass\b|tests? ok)|# pass\s+(\d+)|Ran (\d+) tests|^ok\b", re.M
)


@dataclass(frozen=True, slots=True)
class Run:
    status: int
    counts: tuple[str, ...]
    seconds: float  # of the processor
    tail: str


@contextmanager
def _worlds() -> Iterator[dict[str, str]]:
    """A folder of orders for each guard that holds on this machine."""
    with tempfile.TemporaryDirectory(dir=Path.home(), prefix=".confine-bench-") as base:
        found: dict[str, str] = {}
        for guard in (Guard(BUBBLEWRAP, "/usr/bin/bwrap"), Guard(LANDLOCK, "")):
            folder = os.path.join(base, guard.name, "confined")
            os.makedirs(folder, 0o700)
            fault = prove(guard, folder)
            if fault:
                print(f"{guard.name}: {fault}")
                continue
            remember(folder, guard)
            found[guard.name] = os.path.dirname(folder)
        yield found


def _confinement(state: str, home: str) -> Confinement:
    return Confinement(state, os.path.join(state, "config"), home)


def _words(confinement: Confinement, text: str, folder: str) -> list[str]:
    profile = confinement.profile(live_workspace(folder), Protected.of(PROTECTED_PATHS))
    path = os.path.join(os.path.realpath(confinement.folder), f"{time.time_ns()}.json")
    write_order(path, Order(profile, folder, "/bin/bash", digest(text)))
    return command(path, text)


def _run(words: list[str], folder: str, environment: dict[str, str]) -> Run:
    environment = {"PYTHONDONTWRITEBYTECODE": "", **environment}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        status, told = done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        status, told = -1, "took too long"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    counts = tuple(match.group(0) for match in _COUNTS.finditer(told))
    return Run(status, counts, used, told[-1500:])


def overhead(pairs: int) -> None:
    """Interleaved: each round runs the command plainly and under each guard."""
    with (
        _worlds() as worlds,
        tempfile.TemporaryDirectory(dir=Path.home(), prefix=".confine-ws-") as ws,
    ):
        (Path(ws) / "test_it.py").write_text(
            "import unittest\nclass T(unittest.TestCase):\n def test(self): sum(range(10**7))\n"
        )
        _commit(ws)
        for text in ("true", "/usr/bin/python3 -m unittest -q"):
            times: dict[str, list[float]] = {PLAIN: []} | {name: [] for name in worlds}
            used: dict[str, list[float]] = {name: [] for name in times}
            ready = {
                name: _words(_confinement(state, str(Path.home())), text, ws)
                for name, state in worlds.items()
            }
            for _ in range(pairs):
                for name in times:
                    words = ready.get(name) or ["/bin/bash", "-c", text]
                    start = time.perf_counter()
                    done = _run(words, ws, {})
                    times[name].append(time.perf_counter() - start)
                    used[name].append(done.seconds)
                    assert done.status == 0, done
            for name in times:
                wall, cpu = statistics.median(times[name]), statistics.median(used[name])
                base, base_cpu = statistics.median(times[PLAIN]), statistics.median(used[PLAIN])
                more, factor = (cpu - base_cpu) * 1000, cpu / base_cpu
                print(
                    f"{text[-20:]:22} {name:11} wall +{(wall - base) * 1000:6.1f} ms,"
                    f" processor {cpu * 1000:7.1f} ms (+{more:6.1f}, x{factor:.2f})"
                )


def packages(folder: Path, only: str) -> None:
    rows: dict[str, dict[str, str]] = tomllib.loads(TABLE.read_text())
    results: dict[str, dict[str, dict[str, object]]] = {}
    with _worlds() as worlds:
        for name, row in rows.items():
            if only and only != name:
                continue
            source = folder / "sources" / name
            if not source.exists():
                source.mkdir(parents=True)
                environment = {**os.environ, "FOLDER": str(folder)}
                subprocess.run(
                    ["/bin/bash", "-ec", row["fetch"]], cwd=source, env=environment, check=True
                )
            results[name] = {}
            for guard in (PLAIN, *worlds):
                results[name] |= _package(name, row, folder, guard, worlds.get(guard, ""))
            _show(name, results[name])
            (folder / "results.json").write_text(json.dumps(results, indent=1))


def _package(
    name: str, row: dict[str, str], folder: Path, guard: str, state: str
) -> dict[str, dict[str, object]]:
    """Cold and warm: in a fresh copy, with a home for caches of its own."""
    place = folder / "work" / f"{name}-{guard}"
    home = folder / "homes" / f"{name}-{guard}"
    for one in (place, home):
        shutil.rmtree(one, ignore_errors=True)
    _furnish(home, folder)
    shutil.copytree(folder / "sources" / name, place, symlinks=True)
    _commit(str(place))
    text = row["test"].replace("$FOLDER", str(folder))
    found: dict[str, dict[str, object]] = {}
    caches = {"XDG_CACHE_HOME": f"{home}/cache", "GOCACHE": f"{home}/go"}
    confinement = _confinement(state, str(home)) if state else None
    for turn in ("cold", "warm"):
        plain = ["/bin/bash", "-c", text]
        words = plain if confinement is None else _words(confinement, text, str(place))
        done = _run(words, str(place), {} if state else caches)
        found[f"{guard} {turn}"] = {
            "status": done.status,
            "counts": done.counts,
            "seconds": round(done.seconds, 2),
            "refused": confinement.ended(shlex.join(words)).refused if confinement else [],
            "tail": done.tail if done.status else "",
        }
    return found


def _commit(folder: str) -> None:
    """All that is there, as in the project's own repository."""
    own = ["git", "-C", folder, "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "-Af"], ["commit", "-qm", "x"]):
        subprocess.run([*own, *words], check=True)


def _furnish(home: Path, folder: Path) -> None:
    """A tool chain, and credentials: to open one of those is counted as an attempt."""
    home.mkdir(parents=True)
    (home / ".virtualenvs").symlink_to(folder / "venvs")
    for name in CREDENTIALS:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("secret\n")


def _show(name: str, result: dict[str, dict[str, object]]) -> None:
    plain = result[f"{PLAIN} cold"]
    cells = []
    for key, one in result.items():
        same = one["status"] == plain["status"] and one["counts"] == plain["counts"]
        refused = f" refused {one['refused']}" if one["refused"] else ""
        told = f"{'same' if same else 'OTHER'} {one['status']} {one['seconds']}s"
        cells.append(f"{key}: {told}{refused}")
    print(f"{name:16} {' | '.join(cells)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    kinds.add_parser("overhead").add_argument("--pairs", type=int, default=20)
    of_packages = kinds.add_parser("packages")
    of_packages.add_argument("folder", type=Path)
    of_packages.add_argument("--only", default="")
    given = parser.parse_args()
    if given.kind == "overhead":
        overhead(given.pairs)
    else:
        packages(given.folder.resolve(), given.only)


if __name__ == "__main__":
    main()
