"""What the gate adds to each tool call of the real agents: `latency.py --agents FOLDER [NAME ...]`.

The same script of calls is played with and without automode. The time from one answer of the
scripted model to the agent's next request is the agent's own work, the call, and the gate.
"""

# ruff: noqa: T201 - a script that reports
import argparse
import statistics
import time
from collections.abc import Sequence
from itertools import pairwise

from automode.testing.agents.agent import NoProgram
from automode.testing.programs import NAMES, pinned
from automode.testing.run import Cast, variants
from automode.testing.script import saying, using
from automode.testing.trial import trial

CALLS = 40
WARM_UP = 5
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"agents, of {', '.join(NAMES)}; all without any")
    parser.add_argument("--agents", required=True, metavar="FOLDER", help="where they lie")
    parser.add_argument("--same", action="store_true", help="one command again and again")
    chosen = parser.parse_args()
    print(f"milliseconds per call, median of {ROUNDS} x {CALLS} calls; the daemon is warm\n")
    print(f"{'agent':22} {'without':>9} {'with':>9} {'added':>9}")
    for name in chosen.names or NAMES:
        try:
            agent = pinned(name, chosen.agents)
        except NoProgram as why:
            print(f"{name:22} SKIPPED: {why}")
            continue
        without = typical(Cast(name, agent), gated=False, same=chosen.same)
        for cast in variants(name, agent):
            gated = typical(cast, gated=True, same=chosen.same)
            print(f"{cast.label:22} {without:9.1f} {gated:9.1f} {gated - without:9.1f}", flush=True)


def typical(cast: Cast, *, gated: bool, same: bool) -> float:
    """The median of all calls of all rounds, in milliseconds."""
    found: list[float] = []
    for _ in range(ROUNDS):
        with trial(cast.agent, cast.installed_with, install=gated) as ready:
            if gated:
                ready.daemon()
            asked: list[float] = []

            def note(times: list[float] = asked) -> None:
                times.append(time.perf_counter())

            # A script that was read before need not be read again.
            names = [f"touch allowed-{0 if same else number}" for number in range(CALLS)]
            turns = [using(cast.agent.shell(one), before=note) for one in names]
            ready.model.plays(*turns, saying("done", before=note))
            ready.run()
            found += gaps(asked)
    return statistics.median(found)


def gaps(times: Sequence[float]) -> list[float]:
    """The first ones are left out: programs load then what they need later."""
    between = [(b - a) * 1000 for a, b in pairwise(times)]
    return between[WARM_UP:]


if __name__ == "__main__":
    main()
