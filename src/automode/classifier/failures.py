"""What can go wrong with a model, as a decision: never an allow, and never worded like a policy."""

from collections.abc import Mapping
from dataclasses import dataclass

from automode.classifier.hygiene import prose
from automode.classifier.reply import Fault, Unreadable
from automode.core.decision import Decision, Failure, Verdict
from automode.llm.model import ModelError, Trouble

DETAIL_CHARACTERS = 240
CLOSED = "auto mode fails closed."

_UNAVAILABLE_ADVICE = (
    "This is an outage, not a judgement of the call: do not work around it. Wait and try again, or "
    "ask the person to look at `automode status`."
)
_SETUP_ADVICE = (
    "This is a matter of setup, not a judgement of the call: ask the person to run "
    "`automode model`."
)
_QUOTA_ADVICE = (
    "This is an outage, not a judgement of the call: do not work around it. The person can wait, "
    "choose another model with `automode model`, or set `autoMode.onClassifierFailure` to `local`."
)
_TOO_LARGE_ADVICE = "Split the call into smaller ones, or ask the person to run it."
_UNREADABLE_ADVICE = (
    "The call was not judged. Try it once more, or ask the person to run it or to choose another "
    "model with `automode model`."
)


@dataclass(frozen=True, slots=True)
class Kind:
    """`lasting`: the next call would fail in the same way, so the model is left in peace a while.
    `fixed`: the sentence is known to programs; details stand in the advice."""

    failure: Failure
    sentence: str
    advice: str
    lasting: bool = True
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
    def advice(self) -> str:
        plain = not self.kind.fixed or not self.detail
        return self.kind.advice if plain else f"{self.kind.advice} ({self.detail})"


NO_MODEL = Kind(
    Failure.UNAVAILABLE,
    f"No classifier model/API key available; {CLOSED}",
    _SETUP_ADVICE,
    lasting=False,  # nobody is asked, so nobody needs to be spared
    fixed=True,
)
OVER_BUDGET = Kind(
    Failure.UNAVAILABLE,
    f"The session's budget for the classifier is used up; {CLOSED}",
    "The call was not judged. Ask the person to raise `autoMode.budget.usdPerSession` or to decide "
    "the call.",
    lasting=False,
)
TOO_LARGE = Kind(
    Failure.TOO_LARGE,
    f"The call is too large for the classifier model, and calls are never shortened; {CLOSED}",
    _TOO_LARGE_ADVICE,
    lasting=False,
)
UNQUOTED_CONSENT = Kind(
    Failure.UNREADABLE,
    f"The classifier claimed the user's consent without quoting the user; {CLOSED}",
    "The call was not judged. Ask the person, naming the action and its target.",
    lasting=False,
)


def _unavailable(sentence: str, advice: str = _UNAVAILABLE_ADVICE) -> Kind:
    return Kind(Failure.UNAVAILABLE, f"Classifier unavailable: {sentence}; {CLOSED}", advice)


def _unreadable(sentence: str) -> Kind:
    return Kind(Failure.UNREADABLE, f"{sentence}; {CLOSED}", _UNREADABLE_ADVICE, lasting=False)


_TROUBLES: Mapping[Trouble, Kind] = {
    Trouble.NO_KEY: NO_MODEL,
    Trouble.BAD_KEY: _unavailable("the provider refused the API key", _SETUP_ADVICE),
    Trouble.UNKNOWN_MODEL: _unavailable("the provider does not know the model", _SETUP_ADVICE),
    Trouble.TIMEOUT: _unavailable("the request timed out"),
    Trouble.UNREACHABLE: _unavailable("the connection failed"),
    Trouble.RATE_LIMITED: _unavailable("the provider limits the rate of requests"),
    Trouble.QUOTA: _unavailable("the limit of the subscription is reached", _QUOTA_ADVICE),
    Trouble.OVERLOADED: _unavailable("the provider is overloaded"),
    Trouble.SERVER: _unavailable("the provider reported an error of its own"),
    Trouble.TOO_LARGE: TOO_LARGE,
    Trouble.REJECTED: Kind(
        Failure.UNAVAILABLE,
        f"Classifier unavailable: the provider rejected the request; {CLOSED}",
        _SETUP_ADVICE,
        lasting=False,
    ),
    Trouble.UNREADABLE: _unreadable("The provider's response could not be read"),
}
_FAULTS: Mapping[Fault, Kind] = {
    Fault.NOT_A_DECISION: _unreadable("Classifier response was not valid decision JSON"),
    Fault.NOT_A_DIGIT: _unreadable("Classifier response was neither 0 nor 1"),
    Fault.CUT_OFF: _unreadable("Classifier response was cut off before it held a decision"),
    Fault.REFUSED: _unreadable("The classifier model refused to judge the call"),
    Fault.UNQUOTED_CONSENT: UNQUOTED_CONSENT,
}


def from_model(error: ModelError) -> Broken:
    return Broken(_TROUBLES[error.trouble], cleaned(str(error)), error.retry_after)


def from_answer(error: Unreadable) -> Broken:
    """The verbatim sentence alone: what exactly was wrong matters to nobody who meets it."""
    return Broken(_FAULTS[error.fault])


def cleaned(text: str) -> str:
    """Providers' messages can quote what they were sent: one short, clean line is enough."""
    line = " ".join(prose(text).split()).rstrip(".")
    return line if len(line) <= DETAIL_CHARACTERS else line[: DETAIL_CHARACTERS - 1] + "…"


def failed(source: str, broken: Broken, verdict: Verdict) -> Decision:
    """`verdict` is the configured answer to failures: ask or deny."""
    strict = max(verdict, Verdict.ASK)  # whatever is configured, a failure allows nothing
    return Decision(
        strict,
        source,
        broken.reason,
        broken.advice,
        clearable=True,  # a person may still approve the call
        error=broken.kind.failure,
    )
