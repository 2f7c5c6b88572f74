"""Labelled calls from a folder, and which of them the gate leaves to a model."""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from automode.cli.calls.call_input import written_call
from automode.core.call import ToolCall
from automode.core.errors import AutomodeError
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.facts.place import recorded_workspace
from automode.facts.reader import ShellReader
from automode.gate.gate import Gate

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


async def left_open(gate: Gate, row: Row) -> bool:
    """Whether the gate does not decide it without a model."""
    decision = await gate.decide(row.call, row.session)
    return decision is not None and decision.source == UNDECIDED


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
