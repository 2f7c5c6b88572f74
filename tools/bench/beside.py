"""Two versions of the daemon side by side: processor time of a decision, in turns.

Each version runs from its own checkout with its own environment. Both get the same calls in the
same order, a portion each in turn, so that what else happens on the machine meets both. The
processor time of each daemon and of the processes it started is counted, not that of the clock.

    python tools/bench/beside.py --data DATA OTHER_CHECKOUT [CHECKOUT]
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from daemon import Daemon, commands_of, loaded
from load import DETERMINISTIC, Load

HERE = Path(__file__).resolve().parents[2]
WARM_UP = 300  # calls; tables are loaded and code is specialised by then
PORTION = 100


@dataclass(slots=True)
class Version:
    name: str
    daemon: Daemon
    load: Load
    sessions: range
    spent: dict[str, list[float]] = field(default_factory=dict)  # ms a call, one per portion

    def ask(self, what: str, portion: Sequence[str]) -> None:
        before = self.seconds
        self.load.all(portion, self.sessions)
        spent = (self.seconds - before) * 1000 / len(portion)
        self.spent.setdefault(what, []).append(spent)

    @property
    def seconds(self) -> float:
        """Of the daemon to the nanosecond, of processes it waited for to the tick."""
        clock = (~self.daemon.process.pid << 3) | 2  # CPUCLOCK_SCHED of another process
        return time.clock_gettime(clock) + self.daemon.children_seconds


def compare(versions: Sequence[Version], commands: Sequence[str], rounds: int) -> None:
    for version in versions:
        version.load.all(commands[:WARM_UP], version.sessions)
    fresh = commands[WARM_UP:]
    portions = [fresh[at : at + PORTION] for at in range(0, len(fresh), PORTION)]
    turn(versions, "new", portions)
    for _ in range(rounds):
        turn(versions, "seen", portions)
    deciders = versions[0].load.deciders
    alone = [command for command in fresh if deciders[command] == DETERMINISTIC]
    judged = [command for command in fresh if deciders[command] != DETERMINISTIC]
    for name, part in (("seen, code alone", alone), ("seen, not code alone", judged)):
        split = [part[at : at + PORTION] for at in range(0, len(part), PORTION)]
        for _ in range(rounds):
            turn(versions, name, split)


def turn(versions: Sequence[Version], what: str, portions: Sequence[Sequence[str]]) -> None:
    """Who is first changes from portion to portion."""
    for number, portion in enumerate(portions):
        order = versions if number % 2 else versions[::-1]
        for version in order:
            version.ask(what, portion)


def report(versions: Sequence[Version]) -> None:
    first, *others = versions
    for version in versions:
        print(f"{version.name:24} verdicts {dict(version.load.verdicts)}")
        deciders = Counter(version.load.deciders.values())
        print(f"{'':24} decided by {dict(deciders)}, {version.daemon.memory_mb:.0f} MB")
    for what, spent in first.spent.items():
        base = sum(spent) / len(spent)
        print(f"{what:24} {first.name} {base:6.2f} ms", end="")
        for other in others:
            own = other.spent[what]
            mean = sum(own) / len(own)
            low, high = ratio_interval(own, spent)
            print(f"   {other.name} {mean:6.2f} ms", end="")
            print(f"   {mean / base:5.2f} times ({low:.2f}-{high:.2f})", end="")
        print(f"   n {len(spent) * PORTION:,}", flush=True)


def ratio_interval(own: Sequence[float], base: Sequence[float]) -> tuple[float, float]:
    """95 %, by drawing portions again; both versions' portions are drawn together."""
    chance, pairs = random.Random(7), list(zip(own, base, strict=True))
    ratios = []
    for _ in range(1000):
        drawn = chance.choices(pairs, k=len(pairs))
        ratios.append(sum(o for o, _ in drawn) / sum(b for _, b in drawn))
    ratios.sort()
    return ratios[25], ratios[974]


def named(checkout: Path) -> str:
    git = ["git", "-C", str(checkout), "rev-parse", "--short=7", "HEAD"]
    return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkouts", nargs="+", type=Path, help="with an environment in .venv")
    parser.add_argument("--data", type=Path, help="a folder of labelled calls")
    parser.add_argument("--calls", type=int, default=2300)
    parser.add_argument("--rounds", type=int, default=2, help="how often seen calls are repeated")
    parser.add_argument("--sessions", type=int, default=50, help="that wait at the same time")
    chosen = parser.parse_args()
    commands = commands_of(chosen.data, chosen.calls)
    checkouts = [*chosen.checkouts, HERE] if len(chosen.checkouts) == 1 else chosen.checkouts
    with tempfile.TemporaryDirectory(prefix="am-beside-") as place, ExitStack() as stack:
        versions = []
        for number, checkout in enumerate(checkouts):
            daemon, load = stack.enter_context(loaded(Path(place) / str(number), checkout))
            versions.append(Version(named(checkout), daemon, load, range(chosen.sessions)))
        compare(versions, commands, chosen.rounds)
        report(versions)


if __name__ == "__main__":
    main()
