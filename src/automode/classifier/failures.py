"""What can go wrong with a model, as a decision: never an allow, and never worded like a policy."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from automode.classifier.hygiene import prose
from automode.classifier.reply import Unreadable
from automode.core.decision import Decision, Failure, Verdict
from automode.llm.model import ModelError, ModelFault

DETAIL_CHARACTERS = 240
CLOSED = "auto mode fails closed."


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of `failures.toml`, which says what the fields mean."""

    failure: Failure
    sentence: str
    advice: str
    remedy: str
    lasting: bool = False
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Broken:
    """Why no answer could be had."""

    kind: Kind
    detail: str = ""  # the provider's or the client's own words, cleaned
    retry_after: float | None = None

    @property
    def reason(self) -> str:
        plain = self.kind.fixed or not self.detail
        return self.kind.sentence if plain else f"{self.kind.sentence} ({self.detail})"

    @property
    def remedy(self) -> str:
        plain = not self.kind.fixed or not self.detail
        return self.kind.remedy if plain else f"{self.kind.remedy} ({self.detail})"


@cache
def kind_of(name: str) -> Kind:
    """Of a `ModelFault`, a `Fault`, or `over-budget`."""
    text = files("automode.classifier").joinpath("failures.toml").read_text("utf-8")
    table = tomllib.loads(text)
    row = table["kinds"][name]
    sentence, ways = f"{row.pop('sentence')}; {CLOSED}", row.pop("ways")
    advice, remedy = table["agent"].get(ways, ""), table["person"][ways]
    return Kind(Failure(row.pop("failure")), sentence, advice, remedy, **row)


def no_model(detail: str = "") -> Broken:
    return Broken(kind_of(ModelFault.NO_KEY), detail)


def from_model(error: ModelError) -> Broken:
    return Broken(kind_of(error.kind), clean_detail(str(error)), error.retry_after)


def from_answer(error: Unreadable) -> Broken:
    """The fixed sentence alone: the details help neither agent nor person."""
    return Broken(kind_of(error.fault))


def clean_detail(text: str) -> str:
    """Providers' messages can quote what they were sent: one short, clean line is enough."""
    line = " ".join(prose(text).split()).rstrip(".")
    return line if len(line) <= DETAIL_CHARACTERS else line[: DETAIL_CHARACTERS - 1] + "…"


def failure_decision(source: str, broken: Broken, verdict: Verdict) -> Decision:
    """`verdict` is the configured answer to failures: ask or deny."""
    strict = max(verdict, Verdict.ASK)  # whatever is configured, a failure allows nothing
    return Decision(
        strict,
        source,
        broken.reason,
        broken.kind.advice,
        clearable=True,  # a person may still approve the call
        error=broken.kind.failure,
        remedy=broken.remedy,
    )
