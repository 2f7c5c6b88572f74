"""The stages: the cheap look first, the careful one for what it did not clear.

Both model stages ask about the same prefix, byte for byte; only the question differs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from automode.classifier.failures import Broken, from_answer, from_model, no_model
from automode.classifier.model_session import ModelSession
from automode.classifier.prompt import Built, fixed_text
from automode.classifier.reply import (
    DELIBERATE_SCHEMA,
    Fault,
    Glance,
    Judgement,
    Tier,
    Unreadable,
    check_finished,
    glance,
    judgement,
)
from automode.core.decision import TEACHES, Decision, Remark, Verdict, allow, ask, deny
from automode.core.session import Session
from automode.core.transcript import Transcript, UserMessage
from automode.gate.layer import Trail
from automode.judge.embedded import Judged
from automode.llm.model import Ask, ModelError, ModelFault, Prompt, Reply
from automode.policy.defaults import must_names
from automode.programs.call_facts import CallFacts

FAST_TOKENS = 16
FAST_REASONING_TOKENS = 512
DELIBERATE_TOKENS = 700
DELIBERATE_REASONING_TOKENS = 4096
CHOICES = ("0", "1")
DEADLINE_SECONDS = 50.0  # or less, where the hook of a host waits less long
_FAST_CLEAR = "the first look found nothing in the policy that could apply"
# Feedback after which the embedded judge may not clear a call on its own. Files that this session
# wrote and that a call executes it looks at itself.
NOT_FOR_THE_LOCAL_JUDGE = frozenset({"asked"})
# The fast question alone may be what the provider cannot answer; the other one is still worth it.
_ONLY_THIS_QUESTION = frozenset({ModelFault.REJECTED, ModelFault.UNREADABLE})


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

    def assess(self, facts: CallFacts, session: Session, trail: Trail) -> Judged:
        """How likely the call should be stopped, and what speaks against it."""
        ...


@dataclass(frozen=True, slots=True)
class Terms:
    """What people configured about the classifier. The embedded judge clears a call whose
    probability is `local_below`, or `local_below_alone` where no other stage follows."""

    stages: tuple[Stage, ...] = plan("both")
    local_below: float = 0.0
    local_below_alone: float = 0.0
    fast_max_tokens: int | None = None  # None: by the kind of model
    request_seconds: float = 20.0
    deadline_seconds: float = DEADLINE_SECONDS
    on_failure: Verdict = Verdict.ASK  # or DENY
    stand_in: bool = False  # the embedded judge decides while the model is unavailable
    budget_usd: float | None = None  # for a session with its sub-sessions

    @property
    def model_stages(self) -> tuple[Stage, ...]:
        return tuple(stage for stage in self.stages if stage is not Stage.LOCAL)


@dataclass(frozen=True, slots=True)
class Undecided:
    """The stage could not be carried out."""

    stage: Stage
    broken: Broken


def local_stage(
    judge: Judge, facts: CallFacts, session: Session, trail: Trail, *, clear_below: float
) -> Decision:
    """Allow, or ask: what is not cleared is for the next stage, or for a person."""
    judged = judge.assess(facts, session, trail)
    for one in trail:
        if one.mark in NOT_FOR_THE_LOCAL_JUDGE:
            reason = f"the embedded judge alone may not clear it: {one.text or one.mark}"
            return _not_cleared(Stage.LOCAL, reason)
    # Written so that a probability that is no number clears nothing.
    if not 0.0 <= judged.probability < clear_below:
        because = _because(judged.drivers)
        asked = _not_cleared(
            Stage.LOCAL, f"the embedded judge did not find it clearly fine{because}"
        )
        # Only where the yes would be enough: it is a yes to all that was asked about.
        enough = 0.0 <= judged.once_taught < clear_below
        covered = [Remark(asked.source, TEACHES, one) for one in judged.classes if enough]
        return replace(asked, trail=tuple(covered))
    because = _because(judged.deeds)
    return _allow(Stage.LOCAL, f"the embedded judge found the call clearly fine{because}")


def _because(clauses: Sequence[str]) -> str:
    return f": {'; '.join(clauses)}" if clauses else ""


@dataclass(frozen=True, slots=True)
class ModelStages:
    """What a model says to one call."""

    asked: ModelSession
    built: Built
    transcript: Transcript
    soft_rules: Sequence[str]
    terms: Terms

    async def decide(self) -> Decision | Undecided:
        for stage in self.terms.model_stages:
            try:
                found = await (self._fast() if stage is Stage.FAST else self._deliberate())
            except ModelError as error:
                return Undecided(stage, from_model(error))
            except Unreadable as error:
                return Undecided(stage, from_answer(error))
            if found is not None:
                return found
        return Undecided(Stage.DELIBERATE, no_model())

    async def _fast(self) -> Decision | None:
        """None means that the next stage looks."""
        if Stage.DELIBERATE not in self.terms.stages:
            return await self._fast_alone()
        try:
            seen = self._glance(await self._ask_fast())
        except ModelError as error:
            if error.kind not in _ONLY_THIS_QUESTION:
                raise
            return None
        return _allow(Stage.FAST, _FAST_CLEAR) if seen is Glance.CLEAR else None

    async def _fast_alone(self) -> Decision:
        reply = await self._ask_fast()
        if self._glance(reply) is Glance.UNREADABLE:
            reply = await self._ask_fast()
        match self._glance(reply):
            case Glance.CLEAR:
                return _allow(Stage.FAST, _FAST_CLEAR)
            case Glance.FLAGGED:
                reason = "the first look did not find the call clearly fine, and no other follows"
                return _not_cleared(Stage.FAST, reason)
            case Glance.UNREADABLE:
                check_finished(reply)
                raise Unreadable(Fault.NOT_A_DIGIT, "neither 0 nor 1")

    async def _ask_fast(self) -> Reply:
        usual = FAST_REASONING_TOKENS if self.asked.model.reasons else FAST_TOKENS
        ask = Ask(self.terms.fast_max_tokens or usual, choices=CHOICES)
        return await self.asked.reply(Stage.FAST, self.built.fast, ask, self.built.tokens)

    def _glance(self, reply: Reply) -> Glance:
        return glance(reply, reasons=self.asked.model.reasons)

    async def _deliberate(self) -> Decision:
        room = DELIBERATE_REASONING_TOKENS if self.asked.model.reasons else DELIBERATE_TOKENS
        try:
            return await self._judge(room, self.built.deliberate)
        except Unreadable as error:
            if error.fault is Fault.REFUSED:
                raise  # it would be refused again
            room = 2 * room if error.fault is Fault.CUT_OFF else room
        prompt = self.built.deliberate
        return await self._judge(
            room, replace(prompt, question=prompt.question + fixed_text("again"))
        )

    async def _judge(self, room: int, prompt: Prompt) -> Decision:
        # Where nothing can be thought before a constrained answer, free text is the better answer.
        ask = Ask(room, schema=DELIBERATE_SCHEMA if self.asked.model.reasons else None)
        judged = judgement(await self.asked.reply(Stage.DELIBERATE, prompt, ask, self.built.tokens))
        check_consent(judged, self.transcript)
        if judged.allowed:
            return _allow(Stage.DELIBERATE, judged.reason)
        return block(judged, self.soft_rules)


def _allow(stage: Stage, reason: str) -> Decision:
    return allow(f"classifier.{stage}", reason)


def _not_cleared(stage: Stage, reason: str) -> Decision:
    return ask(f"classifier.{stage}", reason)


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


# The longer form stands in lists that people wrote for earlier versions.
_MUST_NAME = re.compile(
    r"(?:Must name|To clear it the user must name): (?P<words>.+?)\.?\s*$", re.DOTALL
)


def block(judged: Judgement, soft_rules: Sequence[str]) -> Decision:
    """`soft_rules` as configured: one that the reason starts with says what must be named."""
    hard = judged.tier is Tier.HARD_DENY
    needed = "" if hard else _must_name(judged.reason, soft_rules)
    remedy = f"clear it in words of their own that name {needed}" if needed else ""
    return deny("classifier.deliberate", judged.reason, clearable=not hard, remedy=remedy)


def _must_name(reason: str, soft_rules: Sequence[str]) -> str:
    told = reason.casefold().lstrip("[*`\"' ")
    for rule in soft_rules:
        name, colon, rest = rule.partition(":")
        if not colon or not told.startswith(name.strip().casefold()):
            continue
        found = _MUST_NAME.search(rest)
        needed = found["words"] if found else must_names().get(rule, "")
        if needed:
            return " ".join(needed.split())
    return ""
