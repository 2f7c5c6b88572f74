"""The stages: the cheap look first, the careful one for what it did not clear.

Both model stages ask about the same prefix, byte for byte; only the question differs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from typing import Protocol, TypeAlias

from automode.classifier.failures import NO_MODEL, Broken, from_answer, from_model
from automode.classifier.line import Line
from automode.classifier.prompt import Built
from automode.classifier.reply import (
    DELIBERATE_SCHEMA,
    EVEN,
    Fault,
    Glance,
    Judgement,
    Tier,
    Unreadable,
    check_finished,
    glance,
    judgement,
)
from automode.core.session import Session
from automode.core.transcript import Transcript, UserMessage
from automode.gate.layer import Trail
from automode.judge.embedded import Judged
from automode.llm.model import ModelError, Reply, Trouble
from automode.programs.call_facts import CallFacts

FAST_TOKENS = 16
FAST_REASONING_TOKENS = 512
DELIBERATE_TOKENS = 700
DELIBERATE_REASONING_TOKENS = 4096
CHOICES = ("0", "1")
# Remarks after which the embedded judge may not clear a call on its own. Files that this session
# wrote and that a call executes it looks at itself.
NOT_FOR_THE_LOCAL_JUDGE = frozenset({"asked"})
# The fast question alone may be what the provider cannot answer; the other one is still worth it.
_ONLY_THIS_QUESTION = frozenset({Trouble.REJECTED, Trouble.UNREADABLE})


class Stage(StrEnum):
    LOCAL = "local"
    FAST = "fast"
    DELIBERATE = "deliberate"


_PLANS: dict[str, tuple[Stage, ...]] = {
    "both": (Stage.FAST, Stage.DELIBERATE),
    "all": (Stage.LOCAL, Stage.FAST, Stage.DELIBERATE),
    "fast": (Stage.FAST,),
    "deliberate": (Stage.DELIBERATE,),
    "local": (Stage.LOCAL,),
}


def plan(word: str) -> tuple[Stage, ...]:
    """The stages that a word of `autoMode.stages` stands for."""
    return _PLANS[word]


class Judge(Protocol):
    """The embedded judge: a small model in this very process."""

    def judged(self, facts: CallFacts, session: Session, trail: Trail) -> Judged:
        """How likely the call should be stopped, and what speaks against it."""
        ...


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`clear_from`: the share that `0` must hold. The others: the embedded judge clears a call
    whose probability is below them, with a later stage behind it and without."""

    clear_from: float = EVEN
    local_below: float = 0.0
    local_below_alone: float = 0.0


@dataclass(frozen=True, slots=True)
class Cleared:
    stage: Stage
    reason: str


@dataclass(frozen=True, slots=True)
class Blocked:
    """The deliberate stage named a reason of the policy."""

    tier: Tier
    reason: str


@dataclass(frozen=True, slots=True)
class NotCleared:
    """The last stage is one that can only clear, and it did not."""

    stage: Stage
    reason: str


@dataclass(frozen=True, slots=True)
class Undone:
    stage: Stage
    broken: Broken


Outcome: TypeAlias = Cleared | Blocked | NotCleared | Undone


def local_stage(
    judge: Judge, facts: CallFacts, session: Session, trail: Trail, *, clear_below: float
) -> Cleared | NotCleared:
    """What is not cleared is for the next stage, or for a person."""
    judged = judge.judged(facts, session, trail)
    for one in trail:
        if one.mark in NOT_FOR_THE_LOCAL_JUDGE:
            reason = f"the embedded judge alone may not clear it: {one.text or one.mark}"
            return NotCleared(Stage.LOCAL, reason)
    # Written so that a probability that is no number clears nothing.
    if not 0.0 <= judged.probability < clear_below:
        because = f": {'; '.join(judged.drivers)}" if judged.drivers else ""
        return NotCleared(Stage.LOCAL, f"the embedded judge did not find it clearly fine{because}")
    return Cleared(Stage.LOCAL, "the embedded judge found the call clearly fine")


@dataclass(frozen=True, slots=True)
class ModelStages:
    """What a model says to one call. `planned` holds no local stage."""

    line: Line
    built: Built
    session: Session
    planned: Sequence[Stage]
    clear_from: float = EVEN
    fast_max_tokens: int | None = None

    async def outcome(self) -> Outcome:
        for stage in self.planned:
            try:
                found = await (self._fast() if stage is Stage.FAST else self._deliberate())
            except ModelError as error:
                return Undone(stage, from_model(error))
            except Unreadable as error:
                return Undone(stage, from_answer(error))
            if found is not None:
                return found
        return Undone(Stage.DELIBERATE, Broken(NO_MODEL))

    async def _fast(self) -> Outcome | None:
        """None means that the next stage looks."""
        if Stage.DELIBERATE not in self.planned:
            return await self._fast_alone()
        try:
            seen = self._glance(await self._ask_fast())
        except ModelError as error:
            if error.trouble not in _ONLY_THIS_QUESTION:
                raise
            return None
        return _clear() if seen is Glance.CLEAR else None

    async def _fast_alone(self) -> Outcome:
        reply = await self._ask_fast()
        if self._glance(reply) is Glance.UNREADABLE:
            reply = await self._ask_fast()
        match self._glance(reply):
            case Glance.CLEAR:
                return _clear()
            case Glance.FLAGGED:
                reason = "the first look did not find the call clearly fine, and no other follows"
                return NotCleared(Stage.FAST, reason)
            case Glance.UNREADABLE:
                check_finished(reply)
                raise Unreadable(Fault.NOT_A_DIGIT, "neither 0 nor 1")

    async def _ask_fast(self) -> Reply:
        usual = FAST_REASONING_TOKENS if self.line.model.reasons else FAST_TOKENS
        room = self.fast_max_tokens or usual
        self._check_size(room)
        return await self.line.reply(Stage.FAST, self.built.fast, max_tokens=room, choices=CHOICES)

    def _glance(self, reply: Reply) -> Glance:
        return glance(reply, clear_from=self.clear_from, reasons=self.line.model.reasons)

    async def _deliberate(self) -> Outcome:
        room = DELIBERATE_REASONING_TOKENS if self.line.model.reasons else DELIBERATE_TOKENS
        try:
            return _weighed(await self._judged(room, again=False))
        except Unreadable as error:
            if error.fault is Fault.REFUSED:
                raise  # it would be refused again
            room = 2 * room if error.fault is Fault.CUT_OFF else room
        return _weighed(await self._judged(room, again=True))

    async def _judged(self, room: int, *, again: bool) -> Judgement:
        self._check_size(room)
        prompt = self.built.deliberate
        if again:
            prompt = replace(prompt, question=prompt.question + _again())
        # Where nothing can be thought before a constrained answer, free text is the better answer.
        schema = DELIBERATE_SCHEMA if self.line.model.reasons else None
        reply = await self.line.reply(Stage.DELIBERATE, prompt, max_tokens=room, schema=schema)
        judged = judgement(reply)
        check_consent(judged, self.session.transcript)
        return judged

    def _check_size(self, room: int) -> None:
        window = self.line.model.context_tokens
        if 0 < window < self.built.tokens + room:
            detail = f"about {self.built.tokens} tokens, and the model takes {window}"
            raise ModelError(Trouble.TOO_LARGE, detail)


def _clear() -> Cleared:
    return Cleared(Stage.FAST, "the first look found nothing in the policy that could apply")


def _weighed(judged: Judgement) -> Outcome:
    if judged.allowed:
        return Cleared(Stage.DELIBERATE, judged.reason)
    return Blocked(judged.tier, judged.reason)


@lru_cache(maxsize=1)
def _again() -> str:
    return files("automode.classifier").joinpath("again.md").read_text(encoding="utf-8")


# Letters and digits; less is in every text. Scripts without spaces say more with each sign.
SHORTEST_QUOTE = 4
SHORTEST_UNSPACED_QUOTE = 2

_QUOTED = re.compile(
    r"\"([^\"]+)\"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|\u2018([^\u2019]+)\u2019|`([^`]+)`"
    r"|(?<!\w)'(.+?)'(?!\w)"
)
_NOT_WORDS = re.compile(r"[\W_]+")


def check_consent(judged: Judgement, transcript: Transcript) -> None:
    """Raises Unreadable for an allow by consent that quotes nothing the user said or answered."""
    if not judged.allowed or judged.tier is not Tier.EXPLICIT_INTENT:
        return
    said = " ".join(
        f" {_normal(f'{entry.referent} {entry.text}')} "
        for entry in transcript.entries
        if isinstance(entry, UserMessage)
    )
    if not any(_occurs(quote, said) for quote in _quotes(judged.reason)):
        raise Unreadable(Fault.UNQUOTED_CONSENT, "consent without a quotation")


def _quotes(reason: str) -> list[str]:
    spans = (next(filter(None, groups), "") for groups in _QUOTED.findall(reason))
    # Omissions split a quotation; one true part is enough.
    return [_normal(part) for span in spans for part in re.split(r"…|\.\.\.", span)]


def _occurs(quote: str, said: str) -> bool:
    signs = len(quote.replace(" ", ""))
    if not quote.isascii():
        return signs >= SHORTEST_UNSPACED_QUOTE and quote in said
    return signs >= SHORTEST_QUOTE and f" {quote} " in said


def _normal(text: str) -> str:
    """Case, punctuation and spacing change when somebody quotes; words do not."""
    return _NOT_WORDS.sub(" ", text.casefold()).strip()
