"""How long a decision takes in process, beside peers in the same run, and what their hooks cost.

Commands come from the project's own corpus and, with --data, from the shell calls of a folder. Who
stops what is `tools/bench/scoreboard.py`.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import hook
import peers
import scoreboard

from automode.assemble import build_gate, load_settings
from automode.config.places import Places
from automode.core.call import Shell, ToolCall
from automode.core.session import Session
from automode.facts.place import recorded_workspace
from automode.facts.reader import READING_SECONDS, ShellReader
from automode.gate.gate import Gate

OWN = Path("tests/corpus")
NOWHERE = "/nonexistent"
PATIENT_SECONDS = 60.0
USUAL_SECONDS = READING_SECONDS


@dataclass(frozen=True, slots=True)
class Outcome:
    command: str
    verdict: str
    source: str
    first_micros: float
    again_micros: float


async def decide(gate: Gate, command: str) -> tuple[str, str, float]:
    workspace = recorded_workspace("/workspace/project")
    call = ToolCall("bash", Shell(command), {"command": command})
    start = time.perf_counter()
    decision = await gate.decide(call, Session("bench", workspace))
    micros = (time.perf_counter() - start) * 1e6
    return (
        (decision.verdict.word, decision.source, micros)
        if decision is not None
        else ("none", "-", micros)
    )


async def measured(commands: Sequence[str], seconds: float = PATIENT_SECONDS) -> list[Outcome]:
    """With patience a verdict does not depend on how busy the machine is."""
    places = Places.of(home=NOWHERE, environment={}, managed=f"{NOWHERE}/config.json")
    gate = build_gate(load_settings(places).settings, reader=ShellReader(seconds))
    await decide(gate, "true")  # loads the parsers
    found = []
    for command in commands:
        verdict, source, first = await decide(gate, command)
        _, _, again = await decide(gate, command)
        found.append(Outcome(command, verdict, source, first, again))
    return found


def quantiles(values: Sequence[float]) -> str:
    if len(values) < 2:
        return "-"
    points = statistics.quantiles(values, n=100)
    return f"median {points[49]:8.0f} µs   p99 {points[98]:8.0f} µs   max {max(values):8.0f} µs"


def latency(found: Sequence[Outcome]) -> None:
    walls = [o.first_micros for o in found if o.source.startswith(("floor.", "rules."))]
    proved = [o.first_micros for o in found if o.source == "read-only"]
    print("  seen before            ", quantiles([o.again_micros for o in found]))
    print("  decided by a wall      ", quantiles(walls))
    print("  proved safe, new       ", quantiles(proved))
    print("  everything, new        ", quantiles([o.first_micros for o in found]))


def hostile() -> list[str]:
    """Texts that make parsers slow; none may hold the process."""
    return [
        "<" * 4000, "<" * 50000, "(" * 4000, "$(" * 2000, "`" * 3999, "{" * 4000, "[[ " * 1300,
        "$((" * 1300, "echo " + "{a,b}" * 40, "x=$((1+" * 700, "cat <<E\n" * 500, "'" * 3999,
        'echo "' + "$(echo " * 400, "for a in 1 2 3 4; do " * 60, "bash -c " * 500,
        "eval " * 800 + "ls", "ls;" * 15000, "rm " + "-" * 59000, "\\" * 3999, "case x in " * 400,
        "if true; then " * 280, "f(){ " * 700, "x=$(" * 900, "! " * 2000, "sudo " * 800 + "ls",
    ]  # fmt: skip


def commands(data: Path | None) -> list[str]:
    """Each once."""
    rows = (json.loads(line) for path in sorted(OWN.glob("shell*.jsonl")) for line in path.open())
    own = [row["command"] for row in rows if isinstance(row.get("command"), str)]
    return list(dict.fromkeys([*own, *(scoreboard.commands(data).values() if data else ())]))


def compared(found: Sequence[Outcome], account: hook.Account) -> None:
    ours = statistics.median(one.first_micros for one in found)
    for peer in peers.KNOWN:
        try:
            answers = peers.ask(peer, [one.command for one in found], account.project, account.home)
        except peers.Skipped as why:
            print(f"SKIPPED {peer.name}: {why}")
            continue
        theirs = statistics.median(answer.micros for answer in answers)
        print(f"  {peer.name:15} median, new command: {theirs / ours:6.2f} times ours, in process")


def hooks(account: hook.Account, rounds: int) -> None:
    print("\nhooks, whole processes started in turns")
    for name, ratio in hook.side_by_side(account, rounds=rounds, with_peers=True).items():
        print(f"  {name:30} {ratio:.1f} times automode")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with labelled calls")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--rounds", type=int, default=40, help="how often each hook is started")
    options = parser.parse_args()
    found = asyncio.run(measured(commands(options.data)))
    print(f"latency in process, {len(found):,} commands")
    latency(found)
    bad = asyncio.run(measured(hostile(), USUAL_SECONDS))
    print("  hostile texts          ", quantiles([o.first_micros for o in bad]))
    if any(outcome.verdict == "allow" for outcome in bad):
        print("a hostile text was allowed")
        return 1
    if not options.no_peers:
        print("\npeers, same commands, same run")
        hook.in_folders_of_its_own(lambda account: compared(found, account))
        hook.in_folders_of_its_own(lambda account: hooks(account, options.rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
