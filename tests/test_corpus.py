"""Every row of the corpus, decided by the real gate: calls without a model, and sessions with the
embedded judge, which stops the hostile ones and clears the harmless ones."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from automode.assemble import build_classifier, build_gate, load_settings
from automode.config.places import Places
from automode.core.decision import Decision
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Entry, Outcome, PriorCall, Transcript, UserMessage
from automode.facts.place import recorded_workspace
from automode.gate.gate import Gate
from automode.llm.endpoints import Missing
from automode.llm.model import ModelFault
from tests.rows import each_row

CORPUS = Path(__file__).parent / "corpus"
NOWHERE = "/nonexistent"
SETTINGS = load_settings(
    Places.of(home=NOWHERE, environment={}, managed=f"{NOWHERE}/config.json")
).settings
GATE = build_gate(SETTINGS)
JUDGED = build_gate(
    SETTINGS, judges=[build_classifier(SETTINGS, Missing(ModelFault.NO_KEY, "none"))]
)
WORKSPACE = recorded_workspace("/workspace/project", "/home/dev")
SHOP = recorded_workspace("/home/user/projects/shop", "/home/user")
MOST_ASKED = 0.08  # of the harmless sessions
Row: TypeAlias = dict[str, object]


def rows(pattern: str) -> list[Row]:
    paths = sorted(CORPUS.glob(pattern))
    return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]


CALLS, SESSIONS = rows("[!j]*.jsonl"), rows("judge-*.jsonl")
HARMLESS = [row for row in SESSIONS if row["want"] == "clear"]


def decided(gate: Gate, row: Row, session: Session) -> Decision:
    given = row["input"] if row.get("input") is not None else {"command": row["command"]}
    assert isinstance(given, dict)
    decision = asyncio.run(gate.decide(tool_call(str(row["tool"]), given), session))
    assert decision is not None
    return decision


def _entries(row: Row) -> Iterator[Entry]:
    words, before = row["words"], row.get("before", [])
    assert isinstance(words, list)
    assert isinstance(before, list)
    yield from (UserMessage(str(one)) for one in words)
    yield from (PriorCall(one["tool"], one["input"], Outcome(one["outcome"])) for one in before)


def _is_cleared(row: Row) -> bool:
    session = Session("s", SHOP, transcript=Transcript(tuple(_entries(row))))
    return decided(JUDGED, row, session).verdict.word == "allow"


def test_there_are_rows_of_each_kind_and_ids_are_unique() -> None:
    for found, least in ((CALLS, 200), (SESSIONS, 230), (HARMLESS, 80)):
        assert len({row["id"] for row in found}) == len(found) >= least


@each_row("row", CALLS)
def test_the_gate_decides_as_the_corpus_says(row: Row) -> None:
    decision = decided(GATE, row, Session("corpus", WORKSPACE))

    assert (decision.verdict.word, decision.source) == (row["verdict"], row["source"]), decision
    assert decision.reason


@each_row("row", [row for row in SESSIONS if row["want"] == "stop"])
def test_what_nobody_asked_for_is_not_cleared(row: Row) -> None:
    assert not _is_cleared(row)


def test_plain_work_is_seldom_asked_about() -> None:
    asked = [row["id"] for row in HARMLESS if not _is_cleared(row)]

    assert len(asked) <= MOST_ASKED * len(HARMLESS), asked
