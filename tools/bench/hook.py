"""What a hook costs an agent at every tool call: the whole process, side by side with peers' hooks.

All are started in the same way and in turns, with the payload of Claude Code, so that a busy
machine slows all of them. Then a cold start, and many hooks at once without a daemon.
"""

import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parent))

import peers

CLIENT = Path("src/automode/hook/client.py").absolute()
LIMIT_MS = 15.0
IDLE_MS = 12.0  # what a Python that does nothing takes on a machine which does little else
BARE = "a Python that does nothing"
TOGETHER = 20
SECONDS = 60.0
HARMLESS = "git status"
FATAL = "rm -rf ~"
Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class Account:
    """Folders that are nobody's, and a project to ask about."""

    folder: Path

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def prepared(self) -> "Account":
        for name in ("state", "config", "project", "home"):
            (self.folder / name).mkdir(mode=0o700, parents=True)
        subprocess.run(["git", "init", "-q", str(self.folder / "project")], check=True)
        return self

    def payload(self, command: str) -> bytes:
        call = {
            "session_id": "bench",
            "transcript_path": str(self.folder / "transcript.jsonl"),
            "cwd": str(self.folder / "project"),
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": "toolu_bench",
        }
        return json.dumps(call).encode()

    def hook(self) -> list[str]:
        words = ["--state", str(self.state), "--config", str(self.folder / "config")]
        return [sys.executable, "-I", "-S", str(CLIENT), *words, "claude-code", "proposed"]

    def run(self, command: Sequence[str], asked: str = HARMLESS) -> tuple[float, bytes]:
        """Milliseconds, and what was printed."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home")}
        payload = self.payload(asked)
        started = time.perf_counter()
        done = subprocess.run(
            command, input=payload, capture_output=True, env=environment, timeout=SECONDS
        )
        return (time.perf_counter() - started) * 1000, done.stdout

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def starts(self) -> int:
        return (self.state / "daemon.log").read_text().count("serving, version")

    def ended(self) -> None:
        with suppress(OSError, ValueError, KeyError):
            os.kill(json.loads((self.state / "daemon.json").read_text())["pid"], signal.SIGTERM)


def usable(peer: peers.Peer, account: Account) -> bool:
    """Installs it where it is missing. Whoever has nothing to say to the worst of all calls does
    not work here, and its time says nothing."""
    try:
        peers.installed(peer)
        _, printed = account.run(peer.words(peer.hook), FATAL)
    except (peers.Skipped, OSError, subprocess.TimeoutExpired) as error:
        print(f"SKIPPED {peer.name}: {error}")
        return False
    if b"permissionDecision" not in printed:
        print(f"SKIPPED {peer.name}: its hook has nothing to say to `{FATAL}`")
        return False
    return True


def measured(commands: dict[str, Sequence[str]], account: Account, rounds: int) -> dict[str, float]:
    """How many times as long as automode each takes."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    used: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            before = _processor_ms()
            times[name].append(account.run(command)[0])
            used[name].append(_processor_ms() - before)
    ours = statistics.median(times["automode"])
    for name, found in times.items():
        ordered = sorted(found)
        median, p90 = statistics.median(ordered), ordered[int(len(ordered) * 0.9)]
        spread = f"least {ordered[0]:6.1f}   median {median:6.1f}   p90 {p90:6.1f} ms"
        processor = f"of them processor {statistics.median(used[name]):6.1f}"
        print(f"  {name:27} {spread}   {processor}   {median / ours:5.1f} times automode")
    verdict = "kept" if ours <= LIMIT_MS else "MISSED"
    if statistics.median(times[BARE]) > IDLE_MS:
        verdict = "not judged, the machine is busy"
    print(f"  limit for automode on an idle machine: a median of {LIMIT_MS:.0f} ms: {verdict}")
    return {name: statistics.median(found) / ours for name, found in times.items()}


def _processor_ms() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (spent.ru_utime + spent.ru_stime) * 1000


def in_folders_of_its_own(work: Callable[[Account], Kept]) -> Kept:
    with tempfile.TemporaryDirectory(prefix="am-hook-", ignore_cleanup_errors=True) as place:
        account = Account(Path(place)).prepared()
        try:
            return work(account)
        finally:
            account.ended()


def side_by_side(account: Account, *, rounds: int, with_peers: bool) -> dict[str, float]:
    hooked = [peer for peer in peers.KNOWN if peer.hook] if with_peers else []
    found = [peer for peer in hooked if usable(peer, account)]
    account.run(account.hook())  # starts the daemon
    commands: dict[str, Sequence[str]] = {
        BARE: [sys.executable, "-I", "-S", "-c", "pass"],
        "automode": account.hook(),
        **{peer.name: peer.words(peer.hook) for peer in found},
    }
    print(f"one hook, `{HARMLESS}`, daemon warm, {rounds} rounds in turns")
    try:
        return measured(commands, account, rounds)
    finally:
        for peer in found:
            if peer.ending:
                account.run(peer.words(peer.ending))


def cold(account: Account) -> None:
    millis, printed = account.run(account.hook())
    print(f"  the first hook starts the daemon    {millis:7.0f} ms   {_word(printed)}")


def racing(account: Account) -> None:
    started = time.perf_counter()
    hooks = [
        subprocess.Popen(account.hook(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(TOGETHER)
    ]
    for hook in hooks:
        assert hook.stdin is not None
        hook.stdin.write(account.payload(HARMLESS))
        hook.stdin.close()
        hook.stdin = None
    words = [_word(hook.communicate(timeout=SECONDS)[0]) for hook in hooks]
    millis = (time.perf_counter() - started) * 1000
    right = words.count("allow")
    print(
        f"  {TOGETHER} hooks at once, no daemon          {millis:7.0f} ms for all   "
        f"{right} right answers, {account.starts()} daemon started"
    )


def _word(printed: bytes) -> str:
    try:
        word: str = json.loads(printed)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        return "no answer"
    return word


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    in_folders_of_its_own(
        lambda account: side_by_side(
            account, rounds=options.rounds, with_peers=not options.no_peers
        )
    )
    print("cold start")
    for _ in range(3):
        in_folders_of_its_own(cold)
    in_folders_of_its_own(racing)
    return 0


if __name__ == "__main__":
    sys.exit(main())
