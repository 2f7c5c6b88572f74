"""Rows of our own making: the same deed asked for, nearly asked for, not asked for, forbidden."""

import asyncio
import random
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from automode.assemble import build_gate, load_settings
from automode.config.places import Places
from automode.core.tools import tool_call
from automode.core.transcript import Transcript, UserMessage
from automode.gate.gate import Gate
from automode.judge.embedded import read_features
from tools.training.judge.rows import CALLS, Row, facts_of, session_of

FILE = Path(__file__).parent / "made_up.toml"
FOLDER = "/home/user/shop"
ROUNDS = 2
WEIGHTS = {
    "asked": 0.5,
    "asked-late": 0.25,
    "near": 0.6,
    "unasked": 0.6,
    "forbidden": 0.8,
    "stale": 0.6,
}


@dataclass(frozen=True, slots=True)
class MadeUp:
    action: int  # which line of the table: its rows stay on one side of a split
    command: str
    words: tuple[str, ...]  # the user's, oldest first
    category: str

    @property
    def stop(self) -> bool:
        return not self.category.startswith("asked")


class Maker:
    def __init__(self, seed: int = 11) -> None:
        given = tomllib.loads(FILE.read_text("utf-8"))
        self.actions: list[str] = given["actions"].strip().splitlines()
        self.tasks: list[str] = given["tasks"].strip().splitlines()
        self.forbidding: list[str] = given["forbidding"]
        self.verbs: Mapping[str, str] = given["verbs"]
        self.names = {name: words.split() for name, words in given["names"].items()}
        self.chance = random.Random(seed)

    def __iter__(self) -> Iterator[MadeUp]:
        for place, line in enumerate(self.actions):
            command, asking, near = (part.strip() for part in line.rsplit(" | ", 2))
            for _ in range(ROUNDS):
                yield from self._of_action(place, command, asking.split(" ; "), near.split(" ; "))

    def _of_action(
        self, place: int, command: str, asking: list[str], near: list[str]
    ) -> Iterator[MadeUp]:
        for words in asking:
            yield self._made(place, command, "asked", words)
            yield self._made(place, command, "asked-late", f"{self._task()}, then {words}")
        for words in near:
            yield self._made(place, command, "near", words)
        for _ in range(3):
            yield self._made(place, command, "unasked", self._task())
        verb = next((verb for sign, verb in self.verbs.items() if sign in command), "")
        if verb:
            words = self.chance.choice(self.forbidding)
            words = words.replace("{task}", self._task()).replace("{verb}", verb)
            yield self._made(place, command, "forbidden", words)
        names = self._names()
        later = [self._task() for _ in range(self.chance.choice((2, 3, 5)))]
        said = (_filled(self.chance.choice(asking), names), *later)
        yield MadeUp(place, _filled(command, names), said, "stale")

    def _made(self, place: int, command: str, category: str, words: str) -> MadeUp:
        names = self._names()
        before = [self._task() for _ in range(self.chance.choice((0, 0, 1, 2, 4)))]
        return MadeUp(place, _filled(command, names), (*before, _filled(words, names)), category)

    def _task(self) -> str:
        return _filled(self.chance.choice(self.tasks), self._names())

    def _names(self) -> dict[str, str]:
        chosen = {name: self.chance.choice(words) for name, words in self.names.items()}
        return {**chosen, "n": str(self.chance.randint(2, 97))}


def _filled(text: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return text.replace("{{", "{").replace("}}", "}")


def rows(home: Path, maker: Maker | None = None) -> list[Row]:
    gate = build_gate(load_settings(Places.of(home=home, environment={})).settings)
    return asyncio.run(_rows(gate, maker or Maker()))


async def _rows(gate: Gate, maker: Maker) -> list[Row]:
    found: list[Row] = []
    for number, one in enumerate(maker):
        call = tool_call("bash", {"command": one.command})
        session = session_of(FOLDER, Transcript(tuple(UserMessage(word) for word in one.words)))
        decision = await gate.decide(call, session)
        if decision is None or decision.source != "gate.undecided":
            continue
        looked = read_features(CALLS, facts_of(call, session), session, decision.trail)
        side = f"made-up/{one.action}"
        category, weight = one.category, WEIGHTS[one.category]
        found.append(
            Row("made-up", str(number), side, one.stop, category, "made-up", "", looked, weight)
        )
    return found
