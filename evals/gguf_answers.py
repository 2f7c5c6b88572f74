"""What a model file answers to labelled calls that the gate leaves open, kept in a file.

One line of JSON for each answer, so a run that was stopped goes on where it ended. Answers of
another file, or to other questions, are not mixed in: these calls are asked about anew.
"""

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from drawn_calls import Corpus, Drawn, consent_pairs, draw, fresh
from labelled_calls import READER, Row

from automode.assemble import build_classifier, build_gate, load_settings
from automode.config.places import Places
from automode.llm.endpoints import Missing
from automode.llm.gguf.child import Child
from automode.llm.gguf.questions import QUESTIONS, alternatives_at, log_odds, read
from automode.llm.gguf.view import view
from automode.llm.model import ModelFault
from automode.llm.payload import count_at, list_at
from tools.training.gguf.answers import asked_with

NOWHERE = "/nonexistent"
PATIENCE_SECONDS = 600.0
CORPORA = (
    Corpus("shell, risky surface", "actions_entire_bash", False, 45),
    Corpus("shell, the rest", "actions_entire_bash_b", False, 45),
    Corpus("other tools", "actions_entire_other", False, 20),
    Corpus("other developers", "actions_specstory", False, 15),
    Corpus("attacks placed in sessions", "actions_composite_attack", True, 50),
    Corpus("attack commands", "actions_attack_commands", True, 30),
    Corpus("rejected by the user", "actions_user_rejected", True, 20, 2),
    Corpus("reported incidents", "actions_incidents", True, 22, 2),
)
OVEREAGER = ("rejected by the user", "reported incidents")
PAIRS = 40
ASKED = Corpus("asked for in one sentence", "actions_nl2bash", False, PAIRS)
UNASKED = Corpus("the same after another's words", "actions_nl2bash", True, PAIRS)
_KINDS = {ASKED.name: "asked", UNASKED.name: "unasked"} | dict.fromkeys(OVEREAGER, "overeager")
# Attacks were placed into sessions of these, so a repository falls on one side of a split.
_OF_REPOSITORIES = ("actions_entire_", "actions_composite_", "actions_user_rejected")


@dataclass(frozen=True, slots=True)
class Answered:
    """`side` names what must not be split between fitting and measuring. `asked` stands for the
    model file and the very words of the questions."""

    id: str
    corpus: str
    kind: str  # `good`, `attack`, `overeager`, `asked`, `unasked`
    side: str
    bad: bool
    odds: tuple[float, ...]
    millis: float
    prompt_tokens: int
    new_tokens: int
    asked: str


def kind_of(drawn: Drawn) -> str:
    return _KINDS.get(drawn.corpus.name) or ("attack" if drawn.row.bad else "good")


def side_of(row: Row) -> str:
    if not row.file.startswith(_OF_REPOSITORIES):
        # A command and the same one after another's words are one.
        name = row.id.partition("~")[0] if row.file == ASKED.file else row.group
        return f"{row.file}/{name}"
    return re.split(r"[/\\]", row.session.workspace.root.rstrip("/\\"))[-1].casefold()


def kept(path: Path) -> list[Answered]:
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Answered(**row | {"odds": tuple(row["odds"])}) for row in rows]


def keep(path: Path, one: Answered) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(one)) + "\n")


async def answers(
    child: Child, data: Path, path: Path, sha256: str, minutes: float
) -> list[Answered]:
    """Those in the file and, for so many minutes, new ones; the process is kept warm."""
    asked = asked_with(sha256)
    found = {one.id: one for one in kept(path) if one.asked == asked}
    if not minutes:
        return list(found.values())
    places = Places.of(home=NOWHERE, environment={}, managed=f"{NOWHERE}/config.json")
    settings = load_settings(places).settings
    prompts = build_classifier(settings, Missing(ModelFault.NO_KEY, "")).prompts
    end = time.monotonic() + 60 * minutes
    for drawn in await _drawn(data):
        row = fresh(drawn.row)
        if row.id in found or time.monotonic() > end:
            continue
        text = view(prompts(row.call, row.session, ()).fast.context).text
        one = await _answered(child, text, drawn, asked)
        found[row.id] = one
        keep(path, one)
        odds = " ".join(f"{each:6.2f}" for each in one.odds)
        print(f"  {len(found):4d} {one.kind:10s} {odds}  {one.millis:7.0f} ms", flush=True)
    return list(found.values())


async def _drawn(data: Path) -> Sequence[Drawn]:
    places = Places.of(home=NOWHERE, environment={}, managed=f"{NOWHERE}/config.json")
    gate = build_gate(load_settings(places).settings, reader=READER)
    pairs = (await consent_pairs(data, gate))[:PAIRS]
    both = [one for asked, un in pairs for one in (Drawn(ASKED, asked), Drawn(UNASKED, un))]
    return [*await draw(data, gate, CORPORA), *both]


async def _answered(child: Child, text: str, drawn: Drawn, asked: str) -> Answered:
    request = {
        "system": read("system"),
        "view": text,
        "questions": [question.text for question in QUESTIONS],
    }
    start = time.perf_counter()
    said = list_at(await child.ask(request, PATIENCE_SECONDS), "answers")
    millis = 1000 * (time.perf_counter() - start)
    odds = tuple(
        log_odds(question, alternatives_at(answer if isinstance(answer, Mapping) else {}))
        for question, answer in zip(QUESTIONS, said, strict=True)
    )
    tokens = [count_at(one, "usage", "prompt_tokens") for one in said]
    again = [count_at(one, "usage", "prompt_tokens_details", "cached_tokens") for one in said]
    return Answered(
        drawn.row.id, drawn.corpus.name, kind_of(drawn), side_of(drawn.row), drawn.row.bad,
        odds, millis, max(tokens), sum(tokens) - sum(again), asked,
    )  # fmt: skip
