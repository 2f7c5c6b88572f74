"""What the gate adds to each tool call of the real agents: `latency.py --agents FOLDER [NAME ...]`.

The same script of calls is played with and without automode. The time from one answer of the
scripted model to the agent's next request is the agent's own work, the call, and the gate. Where
hooks are web requests, a third row has them answered by a server that does nothing: so much the
agent takes for asking anybody.
"""

# ruff: noqa: T201 - a script that reports
import argparse
import json
import re
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from pathlib import Path

from conformance.programs import NAMES, pinned
from conformance.run import Cast, variants
from conformance.trial import trial

from automode.agents.scripted.driver import NoProgram
from automode.agents.scripted.loopback import LoopbackHandler, LoopbackServer
from automode.agents.scripted.wire import saying, using

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
            if cast.label.endswith("/http"):
                idle = typical(cast, gated=True, same=chosen.same, idle=True)
                label = f"{name}/nobody"
                print(f"{label:22} {without:9.1f} {idle:9.1f} {idle - without:9.1f}", flush=True)


class Idle(LoopbackHandler):
    """Says yes to everything at once."""

    wbufsize = -1  # one packet: the second would wait for the first to be acknowledged

    def do_POST(self) -> None:
        self.body()
        said = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}
        body = json.dumps({"hookSpecificOutput": said} if "/proposed" in self.path else {}).encode()
        self.send(body)
        self.wfile.flush()


@contextmanager
def answered_by_nobody(settings: Path) -> Iterator[None]:
    """The hooks' requests go to a server that does nothing."""
    text = settings.read_text()
    with LoopbackServer(Idle) as server:
        settings.write_text(re.sub(r"http://127\.0\.0\.1:\d+/hook/", f"{server.url}/hook/", text))
        try:
            yield
        finally:
            settings.write_text(text)


def typical(cast: Cast, *, gated: bool, same: bool, idle: bool = False) -> float:
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
            settings = Path(cast.agent.registers(ready.scratch)[0])
            with answered_by_nobody(settings) if idle else nullcontext():
                ready.run()
            found += gaps(asked)
    return statistics.median(found)


def gaps(times: Sequence[float]) -> list[float]:
    """The first ones are left out: programs load then what they need later."""
    between = [(b - a) * 1000 for a, b in pairwise(times)]
    return between[WARM_UP:]


if __name__ == "__main__":
    main()
