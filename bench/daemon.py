"""A real daemon under load: decisions per second, latency, memory; sessions as agents have them.

Every call goes through the wire as a hook sends it: a connection of its own, the agent's payload,
the recorded decision, the rendered answer. Times depend on the machine; compare within one run.
"""

import argparse
import asyncio
import gzip
import json
import os
import pwd
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HEARD = b"AM1 heard\n"
HOST = "claude-code"
SESSIONS = 50
START_SECONDS = 30.0
DETERMINISTIC, JUDGE, UNKNOWN = "deterministic", "judge", "unknown"
_SOURCE = re.compile(r"automode \(([\w.-]+)\)")
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
    def started(cls, folder: Path) -> "Daemon":
        state, config = folder / "state", folder / "config"
        config.mkdir()
        command = [sys.executable, "-m", "automode", "daemon", "run"]
        command += ["--state-folder", str(state), "--config-folder", str(config)]
        log = (folder / "log").open("wb")
        # The account's own home: with another one in `HOME` everything is judged for both.
        home = pwd.getpwuid(os.getuid()).pw_dir
        environment = {"PATH": os.environ["PATH"], "HOME": home}
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
        text = Path(f"/proc/{self.process.pid}/stat").read_text()
        ticks = [int(word) for word in text.rpartition(")")[2].split()[11:15]]
        return sum(ticks) / os.sysconf("SC_CLK_TCK")

    def stopped(self) -> None:
        self.process.terminate()
        self.process.wait(30)


@dataclass(slots=True)
class Load:
    daemon: Daemon
    project: str
    verdicts: Counter[str] = field(default_factory=Counter)
    deciders: dict[str, str] = field(default_factory=dict)  # of each command, who decided it first

    def request(self, session: int, number: int, command: str) -> bytes:
        payload = {
            "session_id": f"bench-{session}",
            "transcript_path": "",
            "cwd": self.project,
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": f"toolu_{session}_{number}",
        }
        body = json.dumps(payload).encode()
        head = f"AM1 hook {HOST} proposed {self.daemon.token} 30000 {len(body)}\n"
        return head.encode() + body

    async def one(self, request: bytes, command: str) -> float:
        started = time.perf_counter()
        reader, writer = await asyncio.open_unix_connection(str(self.daemon.state / "daemon.sock"))
        writer.write(request)
        answer = await _answer(reader)
        writer.close()
        seconds = time.perf_counter() - started
        self._count(answer, command)
        return seconds

    def _count(self, answer: bytes, command: str) -> None:
        try:
            said = json.loads(answer)["hookSpecificOutput"]
            word, reason = said["permissionDecision"], said["permissionDecisionReason"]
        except (ValueError, KeyError, TypeError):
            word, reason = "none", ""
        self.verdicts[word] += 1
        self.deciders.setdefault(command, decider(str(reason)))

    async def all(self, commands: list[str], sessions: int = SESSIONS) -> list[float]:
        """The commands in their order, dealt out to sessions that each wait for their answer."""
        waiting = iter(enumerate(commands))
        times: list[float] = []

        async def work(session: int) -> None:
            for number, command in waiting:
                times.append(await self.one(self.request(session, number, command), command))

        await asyncio.gather(*(work(session) for session in range(sessions)))
        return times

    async def kept_open(self, commands: list[str]) -> list[float]:
        """One connection for all, as an agent's own extension holds it."""
        reader, writer = await asyncio.open_unix_connection(str(self.daemon.state / "daemon.sock"))
        times: list[float] = []
        for number, command in enumerate(commands):
            request = self.request(0, number, command)
            started = time.perf_counter()
            writer.write(request)
            await _answer(reader)
            times.append(time.perf_counter() - started)
        writer.close()
        return times


async def _answer(reader: asyncio.StreamReader) -> bytes:
    line = await reader.readline()
    if line == HEARD:
        line = await reader.readline()
    words = line.split()
    if len(words) != 4 or words[0] != b"AM1":
        raise SystemExit(f"not an answer: {line!r}")
    return (await reader.readexactly(int(words[2]) + int(words[3])))[: int(words[2])]


def decider(reason: str) -> str:
    """Whether code alone decided, or the embedded judge had to weigh the call."""
    named = _SOURCE.search(reason)
    if named is None:
        return UNKNOWN
    return JUDGE if named[1].startswith("classifier.") else DETERMINISTIC


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


async def timed(name: str, load: Load, commands: list[str]) -> None:
    started, before = time.perf_counter(), load.daemon.processor_seconds
    times = await load.all(commands)
    say(name, times, time.perf_counter() - started)
    spent = (load.daemon.processor_seconds - before) * 1000 / len(commands)
    print(f"{'':34} {spent:8.2f} ms of the processor for each", flush=True)


def told(load: Load, commands: list[str]) -> list[str]:
    """Says who decided, and gives the commands that needed no judge."""
    deciders = Counter(load.deciders[command] for command in commands)
    shares = ", ".join(f"{name} {count:,}" for name, count in sorted(deciders.items()))
    print(f"{'decided by':34} {shares}", flush=True)
    return [command for command in commands if load.deciders[command] == DETERMINISTIC]


async def measure_deterministic(load: Load, commands: list[str]) -> None:
    """By a daemon that has seen none of them."""
    await timed("deterministic alone, 50 sessions", load, commands)
    await timed("the same again (seen before)", load, commands)
    told(load, commands)


async def measure(load: Load, commands: list[str], long: int) -> list[str]:
    single = await load.kept_open(["git status"] * 2000)
    say("one open connection", single[200:], sum(single[200:]))
    await timed("real mix, 50 sessions", load, commands)
    await timed("the same again (seen before)", load, commands)
    deterministic = told(load, commands)
    print(f"{'verdicts':34} {dict(load.verdicts)}")
    print(f"{'memory':34} {load.daemon.memory_mb:.1f} MB after {sum(load.verdicts.values()):,}")
    if long:
        at_start = 0.0
        done = 0
        while done < long:
            part = commands[: min(len(commands), long - done)]
            await load.all(part)
            done += len(part)
            at_start = at_start or load.daemon.memory_mb
        now = load.daemon.memory_mb
        change = 100 * (now - at_start) / at_start
        print(
            f"{'memory, flat?':34} {at_start:.1f} -> {now:.1f} MB ({change:+.1f} %) over {done:,}"
        )
    before = load.daemon.memory_mb
    for session in range(1000):
        await load.one(load.request(1000 + session, 0, "git status"), "git status")
    print(f"{'1,000 further open sessions':34} {before:.1f} -> {load.daemon.memory_mb:.1f} MB")
    return deterministic


@contextmanager
def loaded(folder: Path) -> Iterator[Load]:
    """A daemon and a project in a folder of their own."""
    project = folder / "project"
    project.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (project / "README.md").write_text("a project\n")
    daemon = Daemon.started(folder)
    try:
        yield Load(daemon, str(project))
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
        with loaded(Path(place) / "mixed") as load:
            deterministic = asyncio.run(measure(load, commands, chosen.long))
        with loaded(Path(place) / "deterministic") as load:
            asyncio.run(measure_deterministic(load, deterministic))


if __name__ == "__main__":
    main()
