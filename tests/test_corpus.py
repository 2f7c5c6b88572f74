"""Every row of the corpus, decided by the real gate without a model."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

from automode.assemble import build_gate, load_settings
from automode.config.places import Places
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.facts.place import recorded_workspace
from tests.rows import each_row

CORPUS = Path(__file__).parent / "corpus"
NOWHERE = "/nonexistent"
SETTINGS = load_settings(
    Places.of(home=NOWHERE, environment={}, managed=f"{NOWHERE}/config.json")
).settings
GATE = build_gate(SETTINGS)
WORKSPACE = recorded_workspace("/workspace/project", "/home/dev")


def rows() -> Iterator[dict[str, object]]:
    for path in sorted(CORPUS.glob("*.jsonl")):
        if path.name.startswith("judge-"):
            continue  # sessions for the embedded judge
        for line in path.read_text().splitlines():
            yield json.loads(line)


ROWS = list(rows())


def test_ids_are_unique() -> None:
    ids = [row["id"] for row in ROWS]

    assert len(ids) == len(set(ids)) > 200


@each_row("row", ROWS)
def test_the_gate_decides_as_the_corpus_says(row: dict[str, object]) -> None:
    given = row.get("input") or {"command": row["command"]}
    assert isinstance(given, dict)
    call = tool_call(str(row["tool"]), given)

    decision = asyncio.run(GATE.decide(call, Session("corpus", WORKSPACE)))

    assert decision is not None
    assert (decision.verdict.word, decision.source) == (row["verdict"], row["source"]), decision
    assert decision.reason
