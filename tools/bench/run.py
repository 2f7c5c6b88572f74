"""Rates and latency of the deterministic gate, side by side with peers in the same run.

Commands come from the project's own corpus and, with --data, from a folder: labelled commands
(`shell_*`: JSON lines with `command` and `accept`, the verdicts that do not contradict the label)
and the shell calls among its labelled actions.
"""

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import hook
import peers
import verdicts
from verdicts import Row

from automode.assemble import build_gate, load_settings
from automode.config.places import Places
from automode.core.call import Shell, ToolCall
from automode.core.session import Session
from automode.facts.place import recorded_workspace
from automode.facts.reader import READING_SECONDS, ShellReader
from automode.gate.gate import Gate

NOWHERE = "/nonexistent"
PATIENT_SECONDS = 60.0
USUAL_SECONDS = READING_SECONDS


@dataclass(frozen=True, slots=True)
class Outcome:
    row: Row
    verdict: str
    source: str
    first_micros: float
    again_micros: float


async def decide(gate: Gate, row: Row) -> tuple[str, str, float]:
    workspace = recorded_workspace(row.cwd or "/workspace/project", row.home)
    call = ToolCall("bash", Shell(row.command), {"command": row.command})
    start = time.perf_counter()
    decision = await gate.decide(call, Session("bench", workspace))
    micros = (time.perf_counter() - start) * 1e6
    return (decision.verdict.word, decision.source, micros) if decision else ("none", "-", micros)


async def measured(rows: Sequence[Row], seconds: float = PATIENT_SECONDS) -> list[Outcome]:
    """With patience a verdict does not depend on how busy the machine is."""
    places = Places.of(home=NOWHERE, environment={}, managed=f"{NOWHERE}/config.json")
    gate = build_gate(load_settings(places).settings, reader=ShellReader(seconds))
    await decide(gate, Row("true"))  # loads the parsers
    found = []
    for row in rows:
        verdict, source, first = await decide(gate, row)
        _, _, again = await decide(gate, row)
        found.append(Outcome(row, verdict, source, first, again))
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


def compared(tables: Mapping[str, Sequence[Outcome]], account: hook.Account) -> None:
    """Every peer is asked all commands at once, and each table takes its part of the answers."""
    commands = [outcome.row.command for found in tables.values() for outcome in found]
    ours = statistics.median(o.first_micros for found in tables.values() for o in found)
    answered: dict[str, list[str]] = {
        verdicts.OURS: [o.verdict for found in tables.values() for o in found]
    }
    for peer in peers.KNOWN:
        try:
            answers = peers.ask(peer, commands, account.project, account.home)
        except peers.Skipped as why:
            print(f"SKIPPED {peer.name}: {why}")
            continue
        answered[verdicts.shown(peer)] = [answer.verdict for answer in answers]
        theirs = statistics.median(answer.micros for answer in answers)
        print(f"  {peer.name:15} median, new command: {theirs / ours:6.2f} times ours, in process")
    for name, reason in peers.ABSENT.items():
        print(f"SKIPPED {name}: {reason}")
    start = 0
    for title, found in tables.items():
        part = slice(start, start := start + len(found))
        rows, words = [o.row for o in found], {n: w[part] for n, w in answered.items()}
        print(f"\n{verdicts.table(title, rows, words)}")
        if title == verdicts.RECORDED:
            print(f"\n{verdicts.by_corpus(rows, words)}")


def hooks(account: hook.Account, rounds: int) -> None:
    print("\nhooks, whole processes started in turns")
    ratios = hook.side_by_side(account, rounds=rounds, with_peers=True)
    print(
        f"\n{verdicts.latency_table(ratios, without=[p.name for p in peers.KNOWN if not p.hook])}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with labelled commands and actions")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--rounds", type=int, default=40, help="how often each hook is started")
    options = parser.parse_args()
    tables: dict[str, list[Outcome]] = {}
    for title, rows in verdicts.rows(options.data).items():
        tables[title] = asyncio.run(measured(rows))
        words = [outcome.verdict for outcome in tables[title]]
        print(f"{verdicts.table(title, rows, {verdicts.OURS: words})}\n")
        if title == verdicts.RECORDED:
            print(f"{verdicts.by_corpus(rows, {verdicts.OURS: words})}\n")
    everything = [outcome for found in tables.values() for outcome in found]
    print("latency in process")
    latency(everything)
    bad = asyncio.run(measured([Row(text) for text in hostile()], USUAL_SECONDS))
    print("  hostile texts          ", quantiles([o.first_micros for o in bad]))
    if any(outcome.verdict == "allow" for outcome in bad):
        print("a hostile text was allowed")
        return 1
    if not options.no_peers:
        print("\npeers, same commands, same run")
        hook.in_folders_of_its_own(lambda account: compared(tables, account))
        hook.in_folders_of_its_own(lambda account: hooks(account, options.rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
