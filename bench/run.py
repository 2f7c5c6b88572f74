"""Rates and latency of the deterministic gate, side by side with peers in the same run.

Commands come from the project's own corpus and, with --data, from a folder of labelled commands
(JSON lines with `command` and `accept`, the verdicts that do not contradict the label).
"""

import argparse
import asyncio
import gzip
import json
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import peers

from automode.assemble import build_gate, load_settings
from automode.config.places import Places
from automode.core.call import Shell, ToolCall
from automode.core.session import Session
from automode.facts.place import recorded_workspace
from automode.facts.reader import ShellReader
from automode.gate.gate import Gate

NOWHERE = "/nonexistent"


@dataclass(frozen=True, slots=True)
class Row:
    command: str
    accept: frozenset[str]
    cwd: str
    home: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    row: Row
    verdict: str
    source: str
    first_micros: float
    again_micros: float


def rows_of(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        for line in lines:
            row = json.loads(line)
            if isinstance(row.get("command"), str) and row.get("tool", "bash") == "bash":
                accept = row.get("accept") or [row["verdict"]]
                words = frozenset("deny" if word == "block" else word for word in accept)
                yield Row(row["command"], words, row.get("cwd") or "", row.get("home"))


async def decide(gate: Gate, row: Row) -> tuple[str, str, float]:
    workspace = recorded_workspace(row.cwd or "/workspace/project", row.home)
    call = ToolCall("bash", Shell(row.command), {"command": row.command})
    start = time.perf_counter()
    decision = await gate.decide(call, Session("bench", workspace))
    micros = (time.perf_counter() - start) * 1e6
    return (decision.verdict.word, decision.source, micros) if decision else ("none", "-", micros)


async def measured(rows: Sequence[Row]) -> list[Outcome]:
    places = Places.of(home=NOWHERE, environment={}, managed=f"{NOWHERE}/config.json")
    gate = build_gate(load_settings(places).settings, reader=ShellReader())
    await decide(gate, Row("true", frozenset(), "", None))  # loads the parsers
    found = []
    for row in rows:
        verdict, source, first = await decide(gate, row)
        _, _, again = await decide(gate, row)
        found.append(Outcome(row, verdict, source, first, again))
    return found


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:6.2f} %  ({part} of {whole})" if whole else "     -"


def rates(name: str, verdicts: Sequence[tuple[Row, str]]) -> None:
    danger = [(r, v) for r, v in verdicts if "allow" not in r.accept]
    reads = [(r, v) for r, v in verdicts if r.accept == {"allow"}]
    fine = [(r, v) for r, v in verdicts if "deny" not in r.accept]
    print(f"  {name}")
    print("    dangerous allowed     ", percent(sum(v == "allow" for _, v in danger), len(danger)))
    print("    plain reads allowed   ", percent(sum(v == "allow" for _, v in reads), len(reads)))
    blocked = sum(v in ("deny", "block") for _, v in fine)
    print("    good work denied      ", percent(blocked, len(fine)))


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


def compare(found: Sequence[Outcome]) -> None:
    commands = [outcome.row.command for outcome in found]
    ours = statistics.median(o.first_micros for o in found)
    for peer in peers.KNOWN:
        answers = peers.ask(peer, commands)
        if answers is None:
            continue
        rates(peer.name, [(o.row, a.verdict) for o, a in zip(found, answers, strict=True)])
        theirs = statistics.median(answer.micros for answer in answers)
        print(f"    median, new command     {theirs / ours:.2f} times ours, in process")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with shell_*.jsonl[.gz] files")
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    files = sorted(Path("corpus").glob("shell*.jsonl"))
    if options.data:
        files += [p for p in sorted(options.data.glob("shell_*.jsonl*")) if "parse" not in p.name]
    everything: list[Outcome] = []
    for path in files:
        found = asyncio.run(measured(list(rows_of(path))))
        everything += found
        print(path.name)
        rates("automode, no model", [(o.row, o.verdict) for o in found])
    print("latency in process")
    latency(everything)
    bad = asyncio.run(measured([Row(text, frozenset(), "", None) for text in hostile()]))
    print("  hostile texts          ", quantiles([o.first_micros for o in bad]))
    if any(outcome.verdict == "allow" for outcome in bad):
        print("a hostile text was allowed")
        return 1
    if not options.no_peers:
        print("peers, same commands, same run")
        rates("automode", [(o.row, o.verdict) for o in everything])
        compare(everything)
    return 0


if __name__ == "__main__":
    sys.exit(main())
