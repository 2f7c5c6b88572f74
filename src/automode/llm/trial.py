"""One tiny real request, to see whether a model answers."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from automode.llm.model import Ask, Model, ModelError, Prompt, Reply, Trouble, Usage
from automode.llm.payload import count_at
from automode.llm.prices import Price, cost

STAGE = "test"
_CACHED = ("cache_read", "cache_write")
PROMPT = Prompt(
    system="This is a test of a connection. You answer with one digit.",
    context="Nothing has to be judged.",
    question="Reply with the digit 0 and nothing else.",
)
TOKENS, REASONING_TOKENS = 16, 512

_HINTS = {
    Trouble.NO_KEY: "store the key with `automode key set PROVIDER`",
    Trouble.BAD_KEY: "make a new key at the provider, or check that it is for this provider",
    Trouble.UNKNOWN_MODEL: "`automode model` lists the models that are known",
    Trouble.TIMEOUT: "try again, choose a faster model, or raise `autoMode.classifierTimeoutMs`",
    Trouble.UNREACHABLE: "is the server running, and is `baseUrl` right?",
    Trouble.RATE_LIMITED: "wait, or raise the limit at the provider",
    Trouble.QUOTA: "wait until the limit is over, or choose another model",
    Trouble.OVERLOADED: "wait, or choose another model",
    Trouble.SERVER: "try again later",
    Trouble.TOO_LARGE: "choose a model with a larger context",
    Trouble.REJECTED: "the provider refuses requests of this form; choose another model",
    Trouble.UNREADABLE: "check `api` and `baseUrl` of the provider: it speaks another protocol",
}


@dataclass(frozen=True, slots=True)
class Trial:
    """Exactly one of `reply` and `error` is there."""

    model: str
    millis: int
    reply: Reply | None = None
    error: ModelError | None = None

    @property
    def usable(self) -> bool:
        return self.reply is not None and bool(self.reply.text.strip())


def hint(trial: Trial) -> str:
    if trial.error is not None:
        return _HINTS[trial.error.trouble]
    return "" if trial.usable else "the model said nothing; choose another one"


async def try_model(model: Model, seconds: float) -> Trial:
    room = REASONING_TOKENS if model.reasons else TOKENS
    start = time.perf_counter()
    try:
        reply = await model.complete(PROMPT, Ask(room, seconds, choices=("0", "1")))
    except ModelError as error:
        return Trial(model.name, _millis(start), error=error)
    return Trial(model.name, _millis(start), reply)


def trial_data(trial: Trial, price: Price = cost) -> dict[str, object]:
    data: dict[str, object] = {
        "model": trial.model,
        "ok": trial.usable,
        "millis": trial.millis,
        "hint": hint(trial),
    }
    if trial.error is not None:
        return data | {"trouble": trial.error.trouble.value, "message": str(trial.error)}
    if trial.reply is None:
        return data
    used = trial.reply.usage
    money = price(trial.model, used, None) if trial.reply.usd is None else trial.reply.usd
    return data | {
        "answer": trial.reply.text[:100],
        "complete": trial.reply.complete,
        "probabilities": trial.reply.probabilities is not None,
        "input": used.input,
        "output": used.output,
        "cache_read": used.cache_read,
        "cache_write": used.cache_write,
        "usd": None if money is None else str(money),
    }


def _millis(start: float) -> int:
    return round((time.perf_counter() - start) * 1000)


def usage_of(data: Mapping[str, object]) -> Usage:
    """The tokens in `trial_data`."""
    return Usage(*(count_at(data, name) for name in ("input", "output", *_CACHED)))


def usd_of(data: Mapping[str, object]) -> Decimal | None:
    return None if data.get("usd") is None else Decimal(str(data["usd"]))
