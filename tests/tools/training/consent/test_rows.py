"""What consent is learnt from: scenarios become rows, and nothing stands on both sides."""

import gzip
import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from automode.core.tools import tool_call
from automode.judge.consent_text import MARKS
from tools.training.consent import tensors
from tools.training.consent.prepare import kept_pieces
from tools.training.consent.rows import LABELS, LEARN, SCENARIOS, Row, scenario_rows

NEAR = {
    "f": "git",
    "say": [["push it"], ["is it pushed?"]],
    "do": ["git push", {"tool": "mcp__git__log", "input": {"n": 3}}],
    "ok": [[0, 1], [1]],
}
FAR = {"f": "git", "say": [["drop the tag"]], "do": ["git tag -d v1"], "ok": [[0]]}


@pytest.fixture(scope="module")
def shipped() -> list[Row]:
    return list(scenario_rows())


def written(folder: Path, *scenarios: object) -> Path:
    path = folder / "scenarios.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, scenarios)).encode()))
    return path


def test_each_conversation_stands_before_each_call(tmp_path: Path) -> None:
    rows = [one for one in scenario_rows(written(tmp_path, NEAR)) if "-x-" not in one.id]

    assert [(one.words, one.tool, one.covered) for one in rows] == [
        (("push it",), "Bash", True),
        (("push it",), "mcp__git__log", True),
        (("is it pushed?",), "Bash", False),
        (("is it pushed?",), "mcp__git__log", True),
    ]


def test_a_call_after_the_words_of_another_scenario_is_not_covered(tmp_path: Path) -> None:
    path = written(tmp_path, *[NEAR, FAR] * 20)

    crossed = [one for one in scenario_rows(path) if "-x-" in one.id]

    assert crossed
    assert not any(one.covered for one in crossed)
    assert {one.tool for one in crossed} == {"Bash"}  # what all of its words cover only looks


def test_the_same_scenarios_give_the_same_rows(tmp_path: Path) -> None:
    path = written(tmp_path, *[NEAR, FAR] * 5)

    assert list(scenario_rows(path)) == list(scenario_rows(path))


def test_no_scenario_is_learnt_from_and_measured(shipped: list[Row]) -> None:
    parts = defaultdict(set)
    for one in shipped:
        parts[one.part].add(one.group)

    assert set(parts) == {LEARN, "held"}
    assert parts[LEARN].isdisjoint(parts["held"])
    assert 0.05 < len(parts["held"]) / len(parts[LEARN]) < 0.15


def test_neither_the_words_nor_the_call_alone_tell(shipped: list[Row]) -> None:
    by_words: defaultdict[tuple[str, tuple[str, ...]], set[bool]] = defaultdict(set)
    by_call: defaultdict[tuple[str, str], set[bool]] = defaultdict(set)
    for one in shipped:
        if "-x-" not in one.id:
            by_words[one.group, one.words].add(one.covered)
            by_call[one.group, json.dumps(one.input)].add(one.covered)

    mixed_words = sum(len(labels) == 2 for labels in by_words.values()) / len(by_words)
    mixed_calls = sum(len(labels) == 2 for labels in by_call.values()) / len(by_call)
    assert mixed_words > 0.7
    assert mixed_calls > 0.7


def test_every_scenario_has_what_it_needs() -> None:
    with gzip.open(SCENARIOS, "rt", encoding="utf-8") as file:
        every = [json.loads(line) for line in file]

    assert len(every) > 4000
    for one in every:
        assert len(one["ok"]) == len(one["say"])
        assert all(0 <= at < len(one["do"]) for covered in one["ok"] for at in covered), one


def test_labels_of_public_calls_are_ids_and_letters_alone() -> None:
    lines = [line.split(" ") for line in LABELS.read_text().splitlines()]

    assert {letter for _, letter in lines} == {"c", "n", "u"}
    assert max(Counter(name for name, _ in lines).values()) == 1


def test_pieces_that_learning_does_not_see_are_left_out() -> None:
    full = [*sorted(MARKS), "push", "##ed", "zebra", "a", "##a"]
    row = Row("1", "1", ("push",), "Bash", {"command": "push"}, covered=True)
    call = tool_call("Bash", {"command": "push"})

    kept = [full[at] for at in kept_pieces(full, [(row, call), (row, call)])]

    assert kept == [*sorted(MARKS), "push", "a", "##a"]


def test_a_file_of_weights_is_read_as_it_was_written(tmp_path: Path) -> None:
    given = {"one.weight": np.arange(6, dtype=np.float32).reshape(2, 3), "two": np.ones(2, "f4")}

    tensors.write(tmp_path / "x.safetensors", given)

    again = tensors.read(tmp_path / "x.safetensors")
    assert again.keys() == given.keys()
    assert all(np.array_equal(again[name], one) for name, one in given.items())
