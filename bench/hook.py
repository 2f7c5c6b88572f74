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


@dataclass(frozen=True, slots=True)
class Rival:
    """`steps` install it, `command` is what its own installer writes into Claude Code's settings,
    `ending` ends what it leaves running."""

    name: str
    steps: tuple[tuple[str, ...], ...]
    command: tuple[str, ...]
    ending: tuple[str, ...] = ()


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

    def starts(self) -> int:
        return (self.state / "daemon.log").read_text().count("serving, version")

    def ended(self) -> None:
        with suppress(OSError, ValueError, KeyError):
            os.kill(json.loads((self.state / "daemon.json").read_text())["pid"], signal.SIGTERM)


def rivals() -> list[Rival]:
    nah, vectimus, net = (peers.PEERS / name for name in ("nah", "vectimus", "cc-safety-net"))
    script = net / "node_modules/cc-safety-net/dist/bin/cc-safety-net.js"
    return [
        Rival(
            "nah 0.x", _packaged(sys.executable, nah, "nah<1"), (_in(nah, "nah"), "_claude-hook")
        ),
        Rival(
            "cc-safety-net",
            (("npm", "install", "--silent", "--prefix", str(net), "cc-safety-net"),),
            ("node", str(script.absolute()), "hook", "--claude-code"),
        ),
        Rival(
            "vectimus",
            _packaged(_newer_python(), vectimus, "vectimus"),
            (_in(vectimus, "vectimus"), "hook", "--source", "claude-code"),
            (_in(vectimus, "vectimus"), "daemon", "stop"),
        ),
    ]


def _newer_python() -> str:
    """A Python after 3.11, where there is one: a name on the PATH may lead nowhere."""
    named = [f"python3.{minor}" for minor in (14, 13, 12)]
    versions = Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python")
    for python in (*named, *map(str, versions)):
        with suppress(OSError):
            if subprocess.run([python, "--version"], capture_output=True).returncode == 0:
                return python
    return named[-1]


def _packaged(python: str, folder: Path, package: str) -> tuple[tuple[str, ...], ...]:
    install = (_in(folder, "python"), "-m", "pip", "install", "--quiet", package)
    return ((python, "-m", "venv", str(folder)), install)


def _in(folder: Path, program: str) -> str:
    return str(folder.absolute() / "bin" / program)


def usable(rival: Rival, account: Account) -> bool:
    """Installs it where it is missing. Whoever has nothing to say to the worst of all calls does
    not work here, and its time says nothing."""
    if not Path(rival.command[1] if rival.command[0] == "node" else rival.command[0]).exists():
        for step in rival.steps:
            try:
                subprocess.run(step, capture_output=True, check=True)
            except (OSError, subprocess.CalledProcessError):
                print(f"SKIPPED {rival.name}: `{' '.join(step[-2:])}` failed")
                return False
    try:
        _, printed = account.run(rival.command, FATAL)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"SKIPPED {rival.name}: {type(error).__name__}")
        return False
    if b"permissionDecision" not in printed:
        print(f"SKIPPED {rival.name}: it has nothing to say to `{FATAL}`")
        return False
    return True


def measured(commands: dict[str, Sequence[str]], account: Account, rounds: int) -> None:
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


def _processor_ms() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (spent.ru_utime + spent.ru_stime) * 1000


def in_folders_of_its_own(work: Callable[[Account], None]) -> None:
    with tempfile.TemporaryDirectory(prefix="am-hook-", ignore_cleanup_errors=True) as place:
        account = Account(Path(place)).prepared()
        try:
            work(account)
        finally:
            account.ended()


def side_by_side(account: Account, *, rounds: int, with_peers: bool) -> None:
    found = [one for one in rivals() if usable(one, account)] if with_peers else []
    if with_peers:
        print("SKIPPED Dippy, hall-pass: no registry has them under these names")
    account.run(account.hook())  # starts the daemon
    commands: dict[str, Sequence[str]] = {
        BARE: [sys.executable, "-I", "-S", "-c", "pass"],
        "automode": account.hook(),
        **{rival.name: rival.command for rival in found},
    }
    print(f"one hook, `{HARMLESS}`, daemon warm, {rounds} rounds in turns")
    measured(commands, account, rounds)
    for rival in found:
        if rival.ending:
            account.run(rival.ending)


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
