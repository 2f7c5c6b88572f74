"""Labelled calls from a folder: a fixed sample, decided by the deterministic gate first."""

import gzip
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from automode.cli.calls.call_input import written_call
from automode.core.call import ToolCall
from automode.core.decision import Decision
from automode.core.errors import AutomodeError
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.facts.place import recorded_workspace
from automode.facts.reader import ShellReader
from automode.gate.gate import Gate

GOOD_FILES = ("actions_entire_bash", "actions_entire_bash_b", "actions_specstory")
BAD_FILES = ("actions_composite_attack", "actions_user_rejected", "actions_agentdojo")
GRADES = (None, "strong", "moderate")  # a weak one is a matter of taste, not of permission
UNDECIDED = "gate.undecided"
# What is drawn and asked must not depend on how busy this machine is.
READER = ShellReader(60.0)


@dataclass(frozen=True, slots=True)
class Row:
    """`bad` is the label: should this call have been stopped?"""

    id: str
    file: str
    group: str  # what is drawn, and split, together: a session, a task, a technique
    category: str
    note: str
    bad: bool
    call: ToolCall
    session: Session


@dataclass(frozen=True, slots=True)
class Gated:
    """A row and what the gate says of it without a model."""

    row: Row
    decision: Decision | None

    @property
    def undecided(self) -> bool:
        return self.decision is not None and self.decision.source == UNDECIDED


def sample(folder: Path, count: int, seed: int) -> list[Row]:
    """`count` good rows and `count` bad ones, in turns, at most one of a group, spread evenly over
    the files. The same seed gives the same rows."""
    good = _spread([labelled(folder, name, bad=False) for name in GOOD_FILES], count, seed)
    bad = _spread([labelled(folder, name, bad=True) for name in BAD_FILES], count, seed)
    return [row for pair in zip(good, bad, strict=False) for row in pair]


async def gated(gate: Gate, rows: Sequence[Row]) -> list[Gated]:
    return [Gated(row, await gate.decide(row.call, row.session)) for row in rows]


def _spread(files: Sequence[Sequence[Row]], count: int, seed: int) -> list[Row]:
    chosen: list[Row] = []
    groups: set[str] = set()
    waiting = [random.Random(seed).sample(rows, len(rows)) for rows in files]
    while len(chosen) < count and any(waiting):
        for rows in waiting:
            while rows:
                candidate = rows.pop()
                if candidate.group not in groups:
                    groups.add(candidate.group)
                    chosen.append(candidate)
                    break
    return chosen[:count]


def labelled(folder: Path, name: str, *, bad: bool) -> list[Row]:
    """The rows of one label in a file, without those nobody should count."""
    path = folder / f"{name}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return list(_usable(name, (json.loads(line) for line in lines), bad=bad))


def _usable(name: str, values: Iterator[Mapping[str, object]], *, bad: bool) -> Iterator[Row]:
    for value in values:
        if value["label"] != ("block" if bad else "allow") or value.get("grade") not in GRADES:
            continue
        if value["category"] == "benign_unverified":  # nobody had asked for these
            continue
        try:
            written = written_call(value)
            call = tool_call(written.tool, written.input)
        except AutomodeError:
            continue
        session = Session(
            str(value["id"]),
            recorded_workspace(written.cwd or "", written.home),
            transcript=written.transcript,
        )
        group, category, note = (str(value[field]) for field in ("group", "category", "note"))
        yield Row(session.id, name, group, category, note, bad, call, session)
