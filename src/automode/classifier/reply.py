"""Reads the answers of both stages: tolerant about wrapping, strict about what an allow is.

An answer that is not exactly a well-formed allow allows nothing. A block is believed more easily:
being wrong about one costs a question, not damage.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TypeAlias

from automode.classifier.hygiene import prose
from automode.llm.model import Reply

ATTEMPTS = 64  # braces looked at: an answer with more of them is no decision

Pairs: TypeAlias = tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An object with its keys as they were written, twice where they were written twice."""

    pairs: Pairs
    start: int
    end: int


class _Object(tuple[tuple[str, object], ...]):
    """Told apart from an array by its type."""

    __slots__ = ()


def _no_constant(name: str) -> object:
    raise ValueError(name)  # NaN and the infinities are not JSON


_DECODER = json.JSONDecoder(object_pairs_hook=_Object, parse_constant=_no_constant)


def objects(text: str) -> Iterator[Found]:
    """The outermost objects of `text`, in order."""
    start = text.find("{")
    for _ in range(ATTEMPTS):
        if start < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield Found(tuple(value), start, end)
        start = text.find("{", end)


REASON_CHARACTERS = 500
ANSWER_CHARACTERS = 64_000  # nobody needs more to say yes; reading stays cheap whatever is sent

DELIBERATE_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "decision": {"type": "string", "enum": ["allow", "block"]},
        "tier": {
            "type": "string",
            "enum": ["hard_deny", "soft_deny", "allow", "explicit_intent", "none"],
        },
        "reason": {"type": "string"},
    },
    "required": ["decision", "tier", "reason"],
    "additionalProperties": False,
}

_KEYS = frozenset({"decision", "tier", "reason"})
_LENGTH_STOPS = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_TAGS = "think|thinking|reasoning"
_REASONED = re.compile(rf"\A(?:\s*<({_TAGS})>.*?</\1>)+", re.DOTALL | re.IGNORECASE)
# Some chat templates open the reasoning themselves, so that only its end is in the answer.
_REASONED_UNOPENED = re.compile(rf"\A.*?</(?:{_TAGS})>", re.DOTALL | re.IGNORECASE)
_STILL_REASONING = re.compile(rf"\A\s*<(?:{_TAGS})>", re.IGNORECASE)
_OPENING_FENCE = re.compile(r"\A\s*(?:```\w*\s*)?\Z")
_CLOSING_FENCE = re.compile(r"\A\s*(?:```\s*)?\Z")
# After an object that opens the answer, remarks begin on a line of their own; words on the same
# line make it a quotation.
_REMARKS_BELOW = re.compile(r"\A[ \t]*(?:```[ \t]*)?\r?\n")
_INSIDE_SOMETHING = ("[", "{", "(", '"', "'", "\\")
_OTHER_DECISION = re.compile(r"[\"'`]decision[\"'`]|decision\W{0,12}(?:block|deny)", re.IGNORECASE)


class Glance(StrEnum):
    """What the fast stage answered."""

    CLEAR = "clear"
    FLAGGED = "flagged"
    UNREADABLE = "unreadable"


class Tier(StrEnum):
    """Which part of the policy the model says it decided by."""

    HARD_DENY = "hard_deny"
    SOFT_DENY = "soft_deny"
    ALLOW = "allow"
    EXPLICIT_INTENT = "explicit_intent"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the deliberate stage answered. `reason` is clean and short: the agent will read it."""

    allowed: bool
    tier: Tier
    reason: str


class Fault(StrEnum):
    NOT_A_DECISION = "not a decision"
    NOT_A_DIGIT = "not a digit"  # the fast stage's, where no other stage looks again
    CUT_OFF = "cut off"
    REFUSED = "refused"  # stopped by a filter, or by the model itself
    UNQUOTED_CONSENT = "unquoted consent"


class Unreadable(Exception):
    """`str()` says what was wrong with the answer; it quotes nothing of it."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


def glance(reply: Reply, *, reasons: bool = False) -> Glance:
    """The fast stage's answer: `0` alone is clear, `1` alone is flagged.

    Where the model gave probabilities, `0` must also be at least as likely as `1`. Those of a model
    that reasons are about its first thought."""
    said = answer(reply.text).strip() if reply.complete else ""
    if said == "1":
        return Glance.FLAGGED
    if said != "0":
        return Glance.UNREADABLE
    if reasons or reply.probabilities is None:
        return Glance.CLEAR
    return Glance.CLEAR if _clear_share(reply.probabilities) >= 0.5 else Glance.FLAGGED


def _clear_share(probabilities: Mapping[str, float]) -> float:
    clear = probabilities.get("0", 0.0)
    # A `1` that is not listed may hold all that `0` leaves.
    flagged = probabilities.get("1", max(0.0, 1.0 - clear))
    sound = all(0.0 <= one <= 1.001 for one in (clear, flagged))
    return clear / (clear + flagged) if sound and clear > 0.0 else -1.0


def judgement(reply: Reply) -> Judgement:
    """The deliberate stage's answer. Raises Unreadable, also for a reply that did not finish."""
    check_finished(reply)
    text = answer(reply.text)
    decisions = [one for one in objects(text) if _decides(one.pairs)]
    if not decisions:
        raise Unreadable(Fault.NOT_A_DECISION, "no decision in the answer")
    if any(one.pairs != decisions[0].pairs for one in decisions):
        raise Unreadable(Fault.NOT_A_DECISION, "several decisions in one answer")
    judged = _read_judgement(fields(decisions[0].pairs, _KEYS))
    if judged.allowed:
        _check_meant(text, decisions)
    return judged


def check_finished(reply: Reply) -> None:
    """Raises Unreadable unless the model ended its answer itself."""
    if not reply.complete:
        if reply.stop.casefold() in _LENGTH_STOPS:
            raise Unreadable(Fault.CUT_OFF, "the answer was cut off")
        raise Unreadable(Fault.REFUSED, "the answer was stopped")
    if len(reply.text) > ANSWER_CHARACTERS or reply.text.count("{") > ATTEMPTS:
        raise Unreadable(Fault.NOT_A_DECISION, "the answer is far too long")


def answer(text: str) -> str:
    """What was said after the reasoning; nothing while the reasoning has not ended."""
    found = _REASONED.match(text) or _REASONED_UNOPENED.match(text)
    rest = text[found.end() :] if found else text
    return "" if _STILL_REASONING.match(rest) else rest


def _decides(pairs: Pairs) -> bool:
    return any(key == "decision" for key, _ in pairs)


def fields(pairs: Pairs, known: frozenset[str]) -> Mapping[str, object]:
    """The object as a mapping. Raises Unreadable for a key that is unknown or there twice."""
    given = dict(pairs)
    if len(given) != len(pairs):
        raise Unreadable(Fault.NOT_A_DECISION, "a key occurs twice in the decision")
    if not given.keys() <= known:
        raise Unreadable(Fault.NOT_A_DECISION, "unknown keys in the decision")
    return given


def _read_judgement(given: Mapping[str, object]) -> Judgement:
    reason = clean_reason(given.get("reason"))
    tier = given.get("tier", Tier.NONE.value)
    known = next((one for one in Tier if one.value == tier), None)
    match given.get("decision"):
        case "block":
            return Judgement(False, known or Tier.NONE, reason)
        case "allow" if known in (Tier.ALLOW, Tier.EXPLICIT_INTENT, Tier.NONE):
            return Judgement(True, known, reason)
        case "allow":
            raise Unreadable(Fault.NOT_A_DECISION, "an allow with a tier that denies or is unknown")
        case _:
            raise Unreadable(Fault.NOT_A_DECISION, "neither allow nor block")


def clean_reason(value: object) -> str:
    """One short line without anything hidden in it. Raises Unreadable when nothing is left."""
    text = " ".join(prose(value).split()) if isinstance(value, str) else ""
    if not text:
        raise Unreadable(Fault.NOT_A_DECISION, "a decision without a reason")
    return text if len(text) <= REASON_CHARACTERS else text[: REASON_CHARACTERS - 1] + "…"


def _check_meant(text: str, decisions: Sequence[Found]) -> None:
    """An allow between other words is a quotation, of the very action perhaps, and not the answer.
    It must open the answer or end it, and nothing around it may speak of another decision."""
    before, after = text[: decisions[0].start], text[decisions[-1].end :]
    opens = _OPENING_FENCE.match(before) is not None
    ends = _CLOSING_FENCE.match(after) is not None
    part = before.rstrip().endswith(_INSIDE_SOMETHING)
    if part or not (ends or (opens and _REMARKS_BELOW.match(after))):
        raise Unreadable(Fault.NOT_A_DECISION, "the allow is a part of a sentence")
    between = [text[one.end : other.start] for one, other in pairwise(decisions)]
    if any(_OTHER_DECISION.search(part) for part in (before, *between, after)):
        raise Unreadable(Fault.NOT_A_DECISION, "the answer speaks of another decision")
