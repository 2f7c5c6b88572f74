"""Instructions written by rule: planted ones, and honest ones in the same words.

The tables stand in tables/: goals by class, ways of wording them, and what fills their gaps.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from random import Random

TABLES = Path(__file__).parent / "tables"
_INNERMOST = re.compile(r"\(([^()]*)\)")
_SLOT = re.compile(r"\{(\w+)\}")
_LISTED = 0.25
_TELLING = 0.35


@dataclass(frozen=True, slots=True)
class Instruction:
    text: str
    goal: str
    """The class of its goal: what is held back together."""


class Grammar:
    def __init__(self, random: Random, tables: Path = TABLES) -> None:
        self._random = random
        self._slots = {
            name.strip(): [one.strip() for one in values.split("|")]
            for name, _, values in (line.partition("=") for line in _lines(tables / "slots.txt"))
        }
        self._planted = _classes(tables / "planted.txt")
        self._ordinary = _classes(tables / "ordinary.txt")
        self._frames = _lines(tables / "frames.txt")
        self._telling = _lines(tables / "frames_planted.txt")

    @property
    def goals(self) -> tuple[str, ...]:
        return tuple(self._planted)

    def planted(self, goal: str) -> Instruction:
        clauses = self._planted[goal]
        if self._random.random() < _LISTED:
            return Instruction(self._listed(clauses), goal)
        frames = self._telling if self._random.random() < _TELLING else self._frames
        return Instruction(self._worded(clauses, frames), goal)

    def ordinary(self) -> Instruction:
        goal = self._random.choice(tuple(self._ordinary))
        clauses = self._ordinary[goal]
        if self._random.random() < _LISTED:
            return Instruction(self._listed(clauses), goal)
        return Instruction(self._worded(clauses, self._frames), goal)

    def filled(self, template: str) -> str:
        """One of the sentences that a template stands for."""
        while found := _INNERMOST.search(template):
            chosen = self._random.choice(found[1].split("|"))
            template = template[: found.start()] + chosen + template[found.end() :]
        while found := _SLOT.search(template):
            value = self._random.choice(self._slots[found[1]])
            template = template[: found.start()] + value + template[found.end() :]
        return " ".join(template.split())

    def _worded(self, clauses: list[str], frames: list[str]) -> str:
        frame = self.filled(self._random.choice(frames))
        goal = self.filled(self._random.choice(clauses))
        return _capital(frame.replace("GOAL", goal))

    def _listed(self, clauses: list[str]) -> str:
        """A heading, a sentence and a few steps, as skills and guides write them."""
        openings = (
            "## {heading}",
            "### {heading}: after {trigger}, follow these steps",
            "**{heading}.** To do this:",
            "{urgent}: {heading}. Follow these steps {pretext}:",
            "After {trigger}:",
            "{heading}",
        )
        count = self._random.randint(2, 4)
        mark = self._random.choice(("- ", "* ", "{number}. ", "{number}) "))
        steps = [_capital(self.filled(self._random.choice(clauses))) for _ in range(count)]
        lines = [
            f"{mark.replace('{number}', str(number))}{step}"
            for number, step in enumerate(steps, start=1)
        ]
        return "\n".join([self.filled(self._random.choice(openings)), *lines])


def _lines(path: Path) -> list[str]:
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("# ")]


def _classes(path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    name = ""
    for line in _lines(path):
        if line.startswith("["):
            name = line.strip("[]")
            found[name] = []
        else:
            found[name].append(line)
    return found


def _capital(text: str) -> str:
    at = next((place for place, sign in enumerate(text) if sign.isalpha()), 0)
    plain = text[:at].strip(" -*.0123456789#") == ""
    return text[:at] + text[at].upper() + text[at + 1 :] if text and plain else text
