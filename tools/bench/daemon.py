"""A real daemon under load: decisions per second, latency, memory; sessions as agents have them.

Every call is read, decided, recorded and answered as an agent's is. Times depend on the machine;
compare within one run.
"""

import argparse
import gzip
import json
import os
import pwd
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from load import DETERMINISTIC, Load

START_SECONDS = 30.0
FILLING = 50_000  # decisions: by then 50 sessions remember as much as they ever will
MEMORY_STEPS = 8
BUSY_SHARE = 0.5  # of what it can do: a machine on which much is going on
BUILT_IN = (
    *("git status", "ls -la", "git diff HEAD~1", "cat README.md", "rg -n TODO src", "git log -5"),
    *("npm test", "python -m pytest -q", "make build", "git push origin main", "rm -rf build"),
    *("find . -name '*.py' | head -20", "sed -n 1,40p src/a.py", "wc -l src/*.py", "rm -rf ~"),
    *("cd src && grep -rn main . | sort | uniq -c", "echo done > out.txt", "git stash list"),
)


@dataclass(slots=True)
class Daemon:
    """One daemon with folders of its own."""

    state: Path
    config: Path
    process: subprocess.Popen[bytes]
    token: str = ""

    @classmethod
    def started(cls, folder: Path, checkout: Path | None = None) -> "Daemon":
        state, config = folder / "state", folder / "config"
        config.mkdir()
        python = str(checkout / ".venv" / "bin" / "python") if checkout else sys.executable
        command = [python, "-m", "automode", "daemon", "run"]
        command += ["--state-folder", str(state), "--config-folder", str(config)]
        log = (folder / "log").open("wb")
        # The account's own home: with another one in `HOME` everything is judged for both.
        home = pwd.getpwuid(os.getuid()).pw_dir
        environment = {"PATH": os.environ["PATH"], "HOME": home}
        if checkout is not None:
            environment["PYTHONPATH"] = str(checkout.resolve() / "src")
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        self = cls(state, config, process)
        deadline = time.monotonic() + START_SECONDS
        while not (state / "daemon.sock").exists() or not (state / "tokens" / "decide").exists():
            if time.monotonic() > deadline or process.poll() is not None:
                raise SystemExit(f"no daemon: {(folder / 'log').read_text()[-2000:]}")
            time.sleep(0.02)
        self.token = (state / "tokens" / "decide").read_text().strip()
        return self

    @property
    def memory_mb(self) -> float:
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in text.splitlines() if "VmRSS" in line) / 1024

    @property
    def processor_seconds(self) -> float:
        """Of the daemon and the parsers it started: what a busy machine hardly changes."""
        return sum(self._ticks()) / os.sysconf("SC_CLK_TCK")

    @property
    def children_seconds(self) -> float:
        """Of ended processes that it started."""
        return sum(self._ticks()[2:]) / os.sysconf("SC_CLK_TCK")

    def _ticks(self) -> list[int]:
        text = Path(f"/proc/{self.process.pid}/stat").read_text()
        return [int(word) for word in text.rpartition(")")[2].split()[11:15]]

    def stopped(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def commands_of(data: Path | None, most: int) -> list[str]:
    """Real commands in their real order, else a built-in mix."""
    if data is None:
        return random.Random(7).choices(BUILT_IN, k=most)
    found: list[str] = []
    for file in sorted(data.glob("actions_entire_bash*.jsonl.gz")):
        with gzip.open(file, "rt") as rows:
            for row in rows:
                match json.loads(row):
                    case {"input": {"command": str(command)}}:
                        found.append(command)
                    case {"action": {"input": {"command": str(command)}}}:
                        found.append(command)
                    case _:
                        pass
    return found[:most]


def say(name: str, times: list[float], seconds: float) -> None:
    ordered = sorted(times)
    p99 = ordered[int(len(ordered) * 0.99)] * 1000
    median = statistics.median(ordered) * 1000
    print(
        f"{name:34} {len(times) / seconds:8,.0f}/s   median {median:7.2f} ms   p99 {p99:7.2f} ms",
        flush=True,
    )


def timed(
    name: str, daemon: Daemon, load: Load, commands: list[str], *, kept_open: bool = False
) -> float:
    """Says how it went; returns the rate."""
    started, before = time.perf_counter(), daemon.processor_seconds
    times = load.all(commands, kept_open=kept_open)
    seconds = time.perf_counter() - started
    say(name, times, seconds)
    spent = (daemon.processor_seconds - before) * 1000 / len(commands)
    print(f"{'':34} {spent:8.2f} ms of the processor for each", flush=True)
    return len(commands) / seconds


def told(load: Load, commands: list[str]) -> list[str]:
    """Says who decided, and gives the commands that needed no judge."""
    deciders = Counter(load.deciders[command] for command in commands)
    shares = ", ".join(f"{name} {count:,}" for name, count in sorted(deciders.items()))
    print(f"{'decided by':34} {shares}", flush=True)
    return [command for command in commands if load.deciders[command] == DETERMINISTIC]


def measure_deterministic(daemon: Daemon, load: Load, commands: list[str]) -> None:
    """By a daemon that has seen none of them."""
    timed("deterministic alone, 50 sessions", daemon, load, commands)
    rate = timed("the same again (seen before)", daemon, load, commands)
    timed("and over connections kept open", daemon, load, commands, kept_open=True)
    offer(load, commands, rate)
    told(load, commands)


def measure(daemon: Daemon, load: Load, commands: list[str], long: int) -> list[str]:
    single = load.one_by_one(["git status"] * 2000)
    say("one open connection", single[200:], sum(single[200:]))
    timed("real mix, 50 sessions", daemon, load, commands)
    rate = timed("the same again (seen before)", daemon, load, commands)
    offer(load, commands, rate)
    deterministic = told(load, commands)
    print(f"{'verdicts':34} {dict(load.verdicts)}")
    print(f"{'memory':34} {daemon.memory_mb:.1f} MB after {sum(load.verdicts.values()):,}")
    if long:
        measure_memory(daemon, load, commands, long)
    before = daemon.memory_mb
    for first in range(1000, 2000, 50):
        load.all(["git status"] * 50, range(first, first + 50))
    print(f"{'1,000 further open sessions':34} {before:.1f} -> {daemon.memory_mb:.1f} MB")
    return deterministic


def measure_memory(daemon: Daemon, load: Load, commands: list[str], long: int) -> None:
    """Sessions remember up to a bound, and fill it first: the way there and what comes after."""
    fresh = daemon.memory_mb
    keep_asking(load, commands, FILLING)
    full = daemon.memory_mb
    say_memory("memory, filling up", fresh, full, FILLING)
    steps = [full]
    for _ in range(MEMORY_STEPS):
        keep_asking(load, commands, long // MEMORY_STEPS)
        steps.append(daemon.memory_mb)
    print(f"{'':34} {', '.join(f'{step:.1f}' for step in steps)}")
    say_memory("memory, flat?", full, max(steps), long)


def keep_asking(load: Load, commands: list[str], count: int) -> None:
    load.all([*islice(cycle(commands), count)])


def say_memory(name: str, before: float, now: float, count: int) -> None:
    change = 100 * (now - before) / before
    print(f"{name:34} {before:.1f} -> {now:.1f} MB ({change:+.1f} %) over {count:,}", flush=True)


def offer(load: Load, commands: list[str], most: float) -> None:
    """Who sends without waiting for others does not wait longest: what a busy user would feel."""
    rate = most * BUSY_SHARE
    say(f"offered {rate:,.0f} a second", load.offered(commands, rate), len(commands) / rate)


@contextmanager
def loaded(folder: Path, checkout: Path | None = None) -> Iterator[tuple[Daemon, Load]]:
    """A daemon and a project in a folder of their own; of this version, or another checkout's."""
    project = folder / "project"
    project.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (project / "README.md").write_text("a project\n")
    daemon = Daemon.started(folder, checkout)
    try:
        yield daemon, Load(daemon.state / "daemon.sock", daemon.token, str(project))
    finally:
        daemon.stopped()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder of labelled calls")
    parser.add_argument("--calls", type=int, default=6000)
    parser.add_argument("--long", type=int, default=0, help="decisions for the memory test")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="am-bench-") as place:
        commands = commands_of(chosen.data, chosen.calls)
        with loaded(Path(place) / "mixed") as (daemon, load):
            deterministic = measure(daemon, load, commands, chosen.long)
        with loaded(Path(place) / "deterministic") as (daemon, load):
            measure_deterministic(daemon, load, deterministic)


if __name__ == "__main__":
    main()
