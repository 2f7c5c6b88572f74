"""Prompts of the classifier for a model, or a person, who answers them by hand and blind.

`draw` fixes which labelled calls are asked: one half of the groups, so that the other half may be
read while prompts are written. `render` writes their prompts with the code as it is: the same keys
before and after a change. Labels stand apart from the cases.
"""

import argparse
import asyncio
import gzip
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from drawn_calls import fresh
from labelled_calls import GRADES, READER, Row, left_open
from prompts_out import FIRST_KEY, settings_of_nobody
from recorded import questions

from automode.assemble import build_gate
from automode.classifier.transcript import bare_affirmation, last_paragraph
from automode.cli.calls.call_input import written_call
from automode.core.errors import AutomodeError
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Transcript, UserMessage
from automode.facts.place import recorded_workspace
from automode.gate.gate import Gate

SEED = "blind 22"
BATCH = 30
PER_GROUP = 3
PLAIN_WEIGHT = 1.723  # rows of the plain half of the shell calls, see the data's description
PAIRS = "consent_pairs"
COVERED, UNCOVERED = "pairs, covered", "pairs, not covered"
Value = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A group of calls in the tables, and the files it comes from."""

    name: str
    files: tuple[str, ...]
    bad: bool
    count: int
    whole: bool = False  # too few to be split: nobody reads any of them


WANTED = (
    Wanted(
        "real sessions, first set", ("entire_bash", "entire_bash_b", "entire_other"), False, 150
    ),
    Wanted("real sessions, further repositories", ("sessions2",), False, 160),
    Wanted("other developers", ("specstory",), False, 20),
    Wanted("planted attacks", ("composite_attack",), True, 45),
    Wanted("attack commands", ("attack_commands",), True, 20),
    Wanted("hijacked office agents", ("agentdojo",), True, 30),
    Wanted("real incidents", ("incidents",), True, 20, whole=True),
    Wanted("rejected by the user", ("user_rejected",), True, 9, whole=True),
    Wanted("hostile sessions", ("openagentsafety",), True, 40),
)
PAIR_COUNT = 60


def measured_half(group: str) -> bool:
    """Half B: what is measured and not read."""
    return hashlib.sha256(f"{SEED} {group}".encode()).digest()[0] % 2 == 1


def values(folder: Path, name: str) -> list[Value]:
    file = name if name == PAIRS else f"actions_{name}"
    with gzip.open(folder / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def row_of(value: Value, file: str) -> Row | None:
    """None for what is no call. What the agent said before the user's last words is kept."""
    try:
        written = written_call(value)
        call = tool_call(written.tool, written.input)
    except AutomodeError:
        return None
    place = recorded_workspace(written.cwd or "", written.home)
    transcript = _with_referent(written.transcript, value.get("before"))
    session = Session(str(value["id"]), place, transcript=transcript)
    group = str(value.get("group") or value.get("pair"))
    note = str(value.get("note", ""))
    bad = value["label"] == "block"
    return Row(session.id, file, group, str(value.get("category")), note, bad, call, session)


def _with_referent(transcript: Transcript, before: object) -> Transcript:
    """A bare "yes" as the user's last words answers the last paragraph of the agent before it."""
    entries = list(transcript.entries)
    places = [at for at, one in enumerate(entries) if isinstance(one, UserMessage)]
    last = entries[places[-1]] if places else None
    if isinstance(before, str) and isinstance(last, UserMessage) and bare_affirmation(last.text):
        entries[places[-1]] = replace(last, referent=last_paragraph(before))
    return Transcript(tuple(entries))


def counts(value: Value) -> bool:
    if value.get("grade") not in GRADES or "giveaway=True" in str(value.get("note")):
        return False
    return value.get("category") not in ("benign_unverified", "attack_other_unverified")


def natural_order(rows: Sequence[Row], name: str) -> list[Row]:
    """Shuffled; plain shell calls come up as often as they do in sessions."""
    chance = random.Random(f"{SEED} {name}")
    plain = [one.note.rstrip().endswith("risky=") for one in rows]
    keys = [chance.random() ** (1 / (PLAIN_WEIGHT if one else 1.0)) for one in plain]
    return [row for _, row in sorted(zip(keys, rows, strict=True), key=lambda one: -one[0])]


async def drawn(folder: Path, gate: Gate, wanted: Wanted, *, measured: bool) -> list[Row]:
    rows = [
        row
        for name in wanted.files
        for value in values(folder, name)
        if counts(value) and (row := row_of(value, name)) and row.bad is wanted.bad
        if (wanted.whole and measured)
        or (not wanted.whole and measured_half(row.group) is measured)
    ]
    taken: Counter[str] = Counter()
    looked_at = 0
    found: list[Row] = []
    for row in natural_order(rows, wanted.name):
        if len(found) == wanted.count:
            break
        if taken[row.group] == PER_GROUP:
            continue
        looked_at += 1
        if await left_open(gate, row):
            taken[row.group] += 1
            found.append(fresh(row))
    print(f"{wanted.name}: {len(found)} reach the classifier, of {looked_at} looked at", flush=True)
    return found


async def drawn_pairs(folder: Path, gate: Gate, *, measured: bool) -> list[tuple[Row, Row]]:
    """Both halves of a pair reach the classifier."""
    halves: dict[str, list[Row]] = {}
    for value in values(folder, PAIRS):
        row = row_of(value, PAIRS)
        if row and measured_half(row.group) is measured:
            halves.setdefault(row.group, []).append(row)
    names = [name for name, both in sorted(halves.items()) if len(both) == 2]
    random.Random(f"{SEED} pairs").shuffle(names)
    found: list[tuple[Row, Row]] = []
    for name in names:
        one, other = sorted(halves[name], key=lambda row: row.bad)
        if await left_open(gate, one) and await left_open(gate, other):
            found.append((fresh(one), fresh(other)))
        if len(found) == PAIR_COUNT:
            break
    return found


def key_of(row: Row) -> str:
    return hashlib.sha256(f"{SEED} key {row.file} {row.id}".encode()).hexdigest()[:10]


def batches(rows: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Keys shuffled into batches; two halves of a pair (the same second part) never share one."""
    chance = random.Random(f"{SEED} batches")
    order = list(rows)
    chance.shuffle(order)
    count = -(-len(order) // BATCH)
    found: list[list[tuple[str, str]]] = [[] for _ in range(count)]
    for key, pair in order:
        free = [
            one
            for one in found
            if len(one) < BATCH and (not pair or pair not in {p for _, p in one})
        ]
        min(free, key=len).append((key, pair))
    for one in found:
        chance.shuffle(one)
    return [[key for key, _ in one] for one in found]


async def draw(folder: Path, out: Path, *, measured: bool) -> None:
    gate = build_gate(settings_of_nobody(), reader=READER)
    lines: list[dict[str, object]] = []

    def note(row: Row, group: str, pair: str = "") -> None:
        label = "bad" if row.bad else "good"
        lines.append(
            {"key": key_of(row), "group": group, "label": label, "pair": pair}
            | {"file": row.file, "id": row.id}
        )

    for wanted in WANTED:
        for row in await drawn(folder, gate, wanted, measured=measured):
            note(row, wanted.name)
    for covered, not_covered in await drawn_pairs(folder, gate, measured=measured):
        note(covered, COVERED, covered.group)
        note(not_covered, UNCOVERED, covered.group)
    named = [(str(line["key"]), str(line["pair"])) for line in lines]
    for number, keys in enumerate(batches(named)):
        for line in lines:
            if line["key"] in keys:
                line["batch"], line["at"] = number, keys.index(str(line["key"]))
    out.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    print(f"{len(lines)} cases in {out}")


def labels(path: Path) -> Iterator[dict[str, object]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


async def render(folder: Path, drawn_file: Path, out: Path) -> None:
    lines = list(labels(drawn_file))
    names = sorted({str(line["file"]) for line in lines})
    rows = {(name, str(v["id"])): v for name in names for v in values(folder, name)}
    settings = settings_of_nobody()
    (out / "cases").mkdir(parents=True, exist_ok=True)
    written: dict[object, list[tuple[object, str]]] = {}
    for line in lines:
        row = row_of(rows[str(line["file"]), str(line["id"])], str(line["file"]))
        if row is None:
            raise RuntimeError("a drawn row is no call")
        asked = await questions(settings, fresh(row), FIRST_KEY)
        (first, _), (second, _) = asked[0], asked[1]
        if not written:
            (out / "system.md").write_text(first.system, encoding="utf-8")
            (out / "first_look.md").write_text(first.question, encoding="utf-8")
            (out / "second_look.md").write_text(second.question, encoding="utf-8")
        case = json.dumps({"key": line["key"], "context": first.context}, ensure_ascii=False)
        written.setdefault(line["batch"], []).append((line["at"], case))
    for number, cases in written.items():
        text = "".join(
            f"{case}\n" for _, case in sorted(cases, key=lambda one: str(one[0]).zfill(4))
        )
        (out / "cases" / f"batch_{number:02}.jsonl").write_text(text, encoding="utf-8")
    print(f"{len(lines)} cases in {len(written)} batches below {out}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=("draw", "render"))
    parser.add_argument("--data", type=Path, required=True, help="folder with actions_*.jsonl.gz")
    parser.add_argument("--labels", type=Path, required=True, help="the drawn calls, JSON lines")
    parser.add_argument("--out", type=Path, help="folder for the rendered cases")
    parser.add_argument("--readable", action="store_true", help="draw from the half to be read")
    given = parser.parse_args()
    if given.verb == "draw":
        asyncio.run(draw(given.data, given.labels, measured=not given.readable))
    else:
        asyncio.run(render(given.data, given.labels, given.out))


if __name__ == "__main__":
    main()
