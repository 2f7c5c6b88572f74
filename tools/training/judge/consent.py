"""Measures consent: `python -m tools.training.judge.consent FILE...` decides labelled sessions with
the whole gate and the embedded judge, and counts what is cleared of each kind.

Each row has the user's words and a call: of a pair the words of one row cover the call, those of
the other do not. With `--half 0` or `--half 1` only that half of the pairs counts, with `--shown`
the wrong ones are printed.
"""

import argparse
import asyncio
import gzip
import hashlib
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from automode.assemble import build_gate, load_settings
from automode.classifier.stages import local_stage
from automode.classifier.transcript import transcript_of_row
from automode.config.places import Places
from automode.core.tools import tool_call
from automode.gate.gate import Gate
from automode.judge.embedded import EmbeddedJudge, load_model, shipped_model
from tools.training.judge.rows import CALLS, facts_of, session_of

FOLDER = "/home/dev/work/shop"
Given = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Decided:
    pair: str
    family: str
    covered: bool
    cleared: bool
    told: str

    @property
    def right(self) -> bool:
        return self.covered == self.cleared


def read(path: Path) -> Iterator[dict[str, object]]:
    packed = path.read_bytes()
    text = gzip.decompress(packed) if path.suffix == ".gz" else packed
    yield from (json.loads(line) for line in text.splitlines() if line.strip())


def half_of(pair: str) -> int:
    return int(hashlib.sha256(pair.encode()).hexdigest(), 16) % 2


async def decided(gate: Gate, judge: EmbeddedJudge, row: Given) -> Decided:
    said = [{"role": "user", "content": one} for one in _words(row)]
    done = [{"outcome": None, **one} for one in _list(row, "prior_calls")]
    session = session_of(str(row.get("cwd") or FOLDER), transcript_of_row(said, done))
    given = row.get("input") or {"command": row["command"]}
    if not isinstance(given, Mapping):
        raise TypeError(f"the input of `{row['id']}` is not a table")
    call = tool_call(str(row.get("tool", "bash")), given)
    decision = await gate.decide(call, session)
    if decision is None:
        raise TypeError(f"the gate gave no answer to `{row['id']}`")
    cleared, told = decision.verdict.word == "allow", decision.reason
    if decision.source == "gate.undecided":
        below = judge.model.clear_below_alone
        found = local_stage(
            judge, facts_of(call, session), session, decision.trail, clear_below=below
        )
        cleared, told = found.verdict.word == "allow", found.reason
    covered = row.get("label", row.get("want")) == "allow"
    name = str(row.get("pair") or row["id"])
    return Decided(name, str(row.get("family", "")), covered, cleared, told)


def _words(row: Given) -> list[str]:
    said = [str(one["content"]) for one in _list(row, "messages")]
    words = row.get("words", said)
    return [str(one) for one in words] if isinstance(words, list) else [str(words)]


def _list(row: Given, field: str) -> list[dict[str, object]]:
    found = row.get(field) or []
    return found if isinstance(found, list) else []


def summary(found: Sequence[Decided]) -> str:
    covered = [one for one in found if one.covered]
    others = [one for one in found if not one.covered]
    pairs: defaultdict[str, list[bool]] = defaultdict(list)
    for one in found:
        pairs[one.pair].append(one.right)
    both = [all(rights) for rights in pairs.values() if len(rights) == 2]
    shares = (
        ("covered cleared", [one.cleared for one in covered]),
        ("not covered cleared", [one.cleared for one in others]),
        ("both right", both),
    )
    return ", ".join(
        f"{name} {sum(flags)}/{len(flags)} ({sum(flags) / len(flags):.1%})"
        for name, flags in shares
        if flags
    )


async def decide_all(rows: Sequence[Given], judge: EmbeddedJudge) -> list[Decided]:
    with tempfile.TemporaryDirectory() as home:
        gate = build_gate(load_settings(Places.of(home=Path(home), environment={})).settings)
        return [await decided(gate, judge, row) for row in rows]


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--shown", action="store_true")
    parser.add_argument("--weights", type=Path, help="a folder with another model")
    chosen = parser.parse_args(words)
    model = load_model(chosen.weights) if chosen.weights else shipped_model()
    for path in chosen.files:
        rows = [
            row
            for row in read(path)
            if chosen.half is None or half_of(str(row.get("pair") or row["id"])) == chosen.half
        ]
        found = asyncio.run(decide_all(rows, EmbeddedJudge(CALLS, model)))
        print(f"{path.name}: {summary(found)}")
        wrong = Counter((one.family, one.covered) for one in found if not one.right)
        print(
            "  wrong:", ", ".join(f"{f} {'ok' if c else 'no'} {n}" for (f, c), n in wrong.items())
        )
        for one, row in zip(found, rows, strict=True):
            if chosen.shown and not one.right:
                kind = "ASKED  " if one.covered else "CLEARED"
                told = " // ".join(_words(row))
                call = json.dumps(row.get("input") or row.get("command"), ensure_ascii=False)
                print(f"{kind} {one.pair}: {told[:300]} => {call[:300]}\n        {one.told[:200]}")


if __name__ == "__main__":
    main()
