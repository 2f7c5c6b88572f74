"""Questions kept instead of asked, and answers looked up instead of made: a model in two halves.

Between the halves a machine with a GPU answers. The verdicts in the end are those of the real gate.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from labelled_calls import READER, Row

from automode.assemble import build_classifier, build_gate
from automode.classifier.layer import Classifier
from automode.config.settings import Settings
from automode.core.decision import Decision
from automode.gate.gate import Gate
from automode.llm.model import Ask, Model, ModelError, ModelFault, Prompt, Reply, Usage

CONTEXT_TOKENS = 32_768


def framing_key(name: str) -> bytes:
    """A fixed key: the same prompts, byte for byte, in every run."""
    return f"evaluation {name}".encode().ljust(32, b".")


def answer_key(prompt: Prompt) -> str:
    parts = json.dumps(prompt.parts)
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


@dataclass(slots=True)
class Recorder:
    """Keeps what it is asked. Each answer is cut off: so the question after that is asked too."""

    asked: list[tuple[Prompt, Ask]] = field(default_factory=list)
    name: str = "recorded/none"
    reasons: bool = False
    context_tokens: int = CONTEXT_TOKENS

    async def complete(self, prompt: Prompt, ask: Ask) -> Reply:
        self.asked.append((prompt, ask))
        return Reply("", complete=False, usage=Usage(), stop="length")


@dataclass(frozen=True, slots=True)
class Answer:
    """`ended`: by the model itself. `chances` of the wanted choices as the first token."""

    text: str
    ended: bool
    chances: Mapping[str, float]
    prompt_tokens: int
    output_tokens: int

    def reply(self, room: int) -> Reply:
        """What a provider had given with so much room for the answer."""
        complete = self.ended and self.output_tokens <= room
        usage = Usage(input=self.prompt_tokens, output=min(room, self.output_tokens))
        stop = "stop" if complete else "length"
        return Reply(self.text, complete, usage, stop, self.chances or None)


@dataclass(slots=True)
class Recorded:
    """`missing` counts the questions that nobody answered: what was decided then is no result."""

    answers: Mapping[str, Answer]
    missing: int = 0
    name: str = "recorded/model"
    reasons: bool = False
    context_tokens: int = CONTEXT_TOKENS

    async def complete(self, prompt: Prompt, ask: Ask) -> Reply:
        answer = self.answers.get(answer_key(prompt))
        if answer is None:
            self.missing += 1
            raise ModelError(ModelFault.UNREADABLE, "nobody answered this question")
        return answer.reply(ask.max_tokens)


def read_answers(paths: Iterable[Path]) -> dict[str, Answer]:
    lines = (line for path in paths for line in path.read_text(encoding="utf-8").splitlines())
    return {
        str(value["key"]): Answer(
            value["text"],
            value["ended"],
            value["chances"],
            value["prompt_tokens"],
            value["output_tokens"],
        )
        for value in map(json.loads, lines)
    }


def classifier(settings: Settings, model: Model, key: str, stages: str = "both") -> Classifier:
    """The classifier as it is built for people, but for its key and its memory."""
    built = build_classifier(replace(settings, stages=type(settings.stages)(stages)), model)
    built.prompts = replace(built.prompts, process_key=framing_key(key))
    built.cache = None
    return built


def judging_gate(settings: Settings, model: Model, key: str, stages: str = "both") -> Gate:
    return build_gate(settings, judges=[classifier(settings, model, key, stages)], reader=READER)


async def decided(gate: Gate, row: Row) -> Decision:
    decision = await gate.decide(row.call, row.session)
    if decision is None:
        raise RuntimeError("auto mode is off by default: that cannot be")
    return decision


async def questions(settings: Settings, row: Row, key: str) -> list[tuple[Prompt, Ask]]:
    """What would be asked about the row: the first look, the second one, and the second again."""
    recorder = Recorder()
    await decided(judging_gate(settings, recorder, key), row)
    return recorder.asked
