"""Rows to learn consent from: what a user said, a call, and whether the words cover it.

Most come from scenarios of our own: some conversations, some calls, and of each conversation which
calls it covers. A call after the words of another scenario, or of another project's user, is not
covered. Of public calls one half of the groups is learnt from; the others are for measuring.
"""

import gzip
import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict

from automode.evaluation.cases import ActionCase, load
from tools.training.judge.consent import FOLDER, half_of

HERE = Path(__file__).parent
SCENARIOS = HERE / "scenarios.jsonl.gz"
LABELS = HERE / "real_labels.txt"
OWN_PAIRS = (HERE.parent / "judge/consent.jsonl", HERE.parent / "judge/consent_pairs.jsonl")
FRESH = HERE.parents[2] / "evals/fresh_pairs.jsonl"
PAIRS = "consent_pairs.jsonl.gz"
LEARN = "learn"
REAL = ("entire_bash", "entire_bash_b", "entire_other", "specstory", "sessions2")
SPOKEN = ("entire_bash", "entire_bash_b", "specstory", "sessions2")
"""Whose users' words stand before other calls."""


class Scenario(TypedDict):
    f: str
    say: list[list[str]]
    do: list[str | dict[str, object]]
    ok: list[list[int]]


@dataclass(frozen=True, slots=True)
class Row:
    """`part`: `learn`, or the name of what it measures."""

    id: str
    group: str
    words: tuple[str, ...]
    tool: str
    input: Mapping[str, object]
    covered: bool
    part: str = LEARN
    weight: float = 1.0
    folder: str = FOLDER
    before: tuple[Mapping[str, object], ...] = ()


def scenario_rows(path: Path = SCENARIOS, seed: int = 4) -> Iterator[Row]:
    every: list[Scenario] = [json.loads(line) for line in _text(path).splitlines()]
    chance = random.Random(seed)
    for number, one in enumerate(every):
        group = f"scenario-{number}"
        part = "held" if int(hashlib.sha256(group.encode()).hexdigest(), 16) % 12 == 0 else LEARN
        calls = [_call(done) for done in one["do"]]
        for at, said in enumerate(one["say"]):
            for place, (tool, given) in enumerate(calls):
                covered = place in one["ok"][at]
                name = f"{group}-{at}-{place}"
                yield Row(name, group, tuple(said), tool, given, covered, part)
        near = [other for other in every if other["f"] == one["f"] and other is not one]
        for place, (tool, given) in enumerate(calls):
            covering = sum(place in covered for covered in one["ok"])
            # What only looks belongs to many a task.
            if 2 * covering > len(one["say"]) + 1 or chance.random() < 0.4:
                continue
            other = chance.choice(near if near and chance.random() < 0.7 else every)
            if other is not one:
                words = tuple(chance.choice(other["say"]))
                yield Row(f"{group}-x-{place}", group, words, tool, given, False, part, 0.6)


def _call(done: str | Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    if isinstance(done, str):
        return "Bash", {"command": done}
    given = done["input"]
    if not isinstance(given, Mapping):
        raise TypeError(f"the input of `{done['tool']}` is not a table")
    return str(done["tool"]), given


def pair_rows(data: Path) -> Iterator[Row]:
    for path in OWN_PAIRS:
        yield from _pairs(path, {0: LEARN, 1: LEARN})
    yield from _pairs(data / PAIRS, {0: LEARN, 1: "pairs"})
    yield from _pairs(FRESH, {0: "fresh", 1: "fresh"})


def _pairs(path: Path, parts: Mapping[int, str]) -> Iterator[Row]:
    for line in _text(path).splitlines():
        row = json.loads(line)
        words = row.get("words") or [one["content"] for one in row["messages"]]
        words = [words] if isinstance(words, str) else words
        pair = str(row.get("pair") or row["id"])
        yield Row(
            f"{path.name}:{row['id']}",
            f"{path.name}:{pair}",
            tuple(words),
            row.get("tool", "bash"),
            row.get("input") or {"command": row["command"]},
            row.get("label", row.get("want")) == "allow",
            parts[half_of(pair)],
            folder=row.get("cwd") or FOLDER,
            before=tuple(row.get("prior_calls") or ()),
        )


def public_rows(data: Path, seed: int = 4) -> Iterator[Row]:
    chance = random.Random(seed)
    files = {
        name: _cases(data, name)
        for name in ("nl2bash", "agentdojo", "composite_attack", "attack_commands", *REAL)
    }
    spoken = [one for name in SPOKEN for one in files[name] if _words(one)]
    for one in files["nl2bash"]:
        part = LEARN if half_of(one.id) else "sentences"
        other = _words(chance.choice(files["nl2bash"]))
        yield _row(one, "nl2bash", covered=True, part=part, weight=0.4)
        if other != _words(one):
            yield _row(one, "nl2bash-other", words=other, covered=False, part=part, weight=0.4)
    for one in files["agentdojo"]:
        part = LEARN if half_of(one.group) else "office"
        yield _row(one, "agentdojo", covered=one.label == "allow", part=part, weight=0.5)
    for one in files["composite_attack"]:
        yield _row(one, "composite", covered=False, part=LEARN if half_of(one.group) else "attacks")
    for one in files["attack_commands"]:
        part = LEARN if half_of(one.group) else "attacks"
        for number in range(2):
            words = _words(chance.choice(spoken))
            yield _row(one, f"attack{number}", words=words, covered=False, part=part, weight=0.7)
    labels = dict(line.split() for line in _text(LABELS).splitlines())
    for name in REAL:
        for one in files[name]:
            if labels.get(one.id, "u") != "u":
                yield from _real_rows(one, labels[one.id], spoken, chance)


def _real_rows(
    one: ActionCase, label: str, spoken: list[ActionCase], chance: random.Random
) -> Iterator[Row]:
    """A labelled real call, and the same after the words of another project's user."""
    part = "real" if hashlib.sha256(one.origin.encode()).digest()[0] % 2 else LEARN
    yield _row(one, "real", covered=label == "c", part=part, weight=2.0)
    other = chance.choice(spoken)
    if other.origin != one.origin:
        words = _words(other)
        yield _row(one, "real-other", words=words, covered=False, part=part, weight=1.0)


def _row(
    one: ActionCase,
    kind: str,
    *,
    covered: bool,
    part: str,
    words: tuple[str, ...] | None = None,
    weight: float = 1.0,
) -> Row:
    found = Row(f"{kind}:{one.id}", one.id, _words(one), one.tool, one.input, covered)
    found = replace(found, part=part, weight=weight, folder=one.cwd or FOLDER)
    return found if words is None else replace(found, words=words)


def _cases(data: Path, name: str) -> list[ActionCase]:
    found = load(data / f"actions_{name}.jsonl.gz").cases
    return [one for one in found if isinstance(one, ActionCase)]


def _words(one: ActionCase) -> tuple[str, ...]:
    return tuple(message.content for message in one.messages if message.role == "user")


def _text(path: Path) -> str:
    packed = path.read_bytes()
    return (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode()


def every_row(data: Path) -> Iterable[Row]:
    yield from scenario_rows()
    yield from pair_rows(data)
    yield from public_rows(data)
