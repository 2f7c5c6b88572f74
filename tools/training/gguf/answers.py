"""Recorded answers of one model file to labelled calls, as `make eval-gguf` keeps them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from automode.core.errors import AutomodeError
from automode.llm.gguf.questions import QUESTIONS, read

# Calls that people rejected and reports of incidents are few and for measuring only.
EVALUATION_ONLY = frozenset({"overeager"})
KINDS = {
    "good": "real calls that ran",
    "asked": "commands that a sentence asked for",
    "attack": "attacks",
    "unasked": "the same commands after another's words",
    "overeager": "real overeager calls (evaluation only)",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """`side` names what must not be split between fitting and measuring; `asked` the file and the
    very words it was asked in; `odds` are the log-odds of each question, for stopping the call."""

    id: str
    kind: str
    side: str
    stop: bool
    odds: tuple[float, ...]
    asked: str

    @property
    def trainable(self) -> bool:
        return self.kind not in EVALUATION_ONLY


def asked_with(sha256: str) -> str:
    """Stands for a file and the words of the questions: answers to others must not be mixed in."""
    words = "\n".join((sha256, read("system"), *(question.text for question in QUESTIONS)))
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def answers(path: Path) -> list[Answer]:
    """Those of the file. Raises AutomodeError for what is none, or not all of one model."""
    found: dict[str, Answer] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        one = _answer(line)
        if one is None:
            raise AutomodeError(
                f"line {number} of `{path}` is no recorded answer: `{line[:60]}`",
                "record answers with `make eval-gguf`",
            )
        found[one.id] = one
    if len({one.asked for one in found.values()}) > 1:
        raise AutomodeError(
            f"`{path}` holds answers of several files, or to several wordings",
            "record them in a file of their own: ANSWERS=file.jsonl",
        )
    for stop in (True, False):
        if not any(one.stop is stop and one.trainable for one in found.values()):
            named = "should be stopped" if stop else "are fine"
            raise AutomodeError(f"`{path}` holds no calls that {named}", "record more answers")
    return list(found.values())


def _answer(line: str) -> Answer | None:
    try:
        said: object = json.loads(line)
    except ValueError:
        return None
    match said:
        case {
            "id": str(name),
            "kind": str(kind),
            "side": str(side),
            "bad": bool(stop),
            "odds": [*odds],
            "asked": str(asked),
        } if kind in KINDS and len(odds) == len(QUESTIONS):
            numbers = tuple(float(one) for one in odds if isinstance(one, int | float))
            full = len(numbers) == len(odds)
            return Answer(name, kind, side, stop, numbers, asked) if full else None
        case _:
            return None


def counted(found: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {KINDS[kind]}" for kind, count in found.items())
