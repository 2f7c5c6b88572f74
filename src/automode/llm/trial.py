"""One tiny real request, to see whether a model answers."""

import time
from collections.abc import Mapping
from decimal import Decimal

from automode.llm.model import Ask, Model, ModelError, Prompt, Usage
from automode.llm.payload import count_at
from automode.llm.prices import Price, cost

STAGE = "test"
_TOKENS = ("input", "output", "cache_read", "cache_write")
PROMPT = Prompt(
    system="This is a test of a connection. You answer with one digit.",
    context="Nothing has to be judged.",
    question="Reply with the digit 0 and nothing else.",
)
TOKENS, REASONING_TOKENS = 16, 512


async def try_model(model: Model, seconds: float, price: Price = cost) -> dict[str, object]:
    """What came of it, as JSON: an answer, or an error."""
    room = REASONING_TOKENS if model.reasons else TOKENS
    start = time.perf_counter()
    data: dict[str, object] = {"model": model.name, "ok": False, "millis": 0, "hint": ""}
    try:
        reply = await model.complete(PROMPT, Ask(room, seconds, choices=("0", "1")))
    except ModelError as error:
        return data | _millis(start) | {"trouble": error.kind.value, "message": str(error)}
    usable = bool(reply.text.strip())
    money = price(model.name, reply.usage, None) if reply.usd is None else reply.usd
    return (
        data
        | _millis(start)
        | {
            "ok": usable,
            "hint": "" if usable else "the model said nothing; choose another one",
            "answer": reply.text[:100],
            "complete": reply.complete,
            "probabilities": reply.probabilities is not None,
            **usage_data(reply.usage, money),
        }
    )


def usage_data(used: Usage, money: Decimal | None) -> dict[str, object]:
    return {
        **{name: getattr(used, name) for name in _TOKENS},
        "usd": None if money is None else str(money),
    }


def _millis(start: float) -> dict[str, object]:
    return {"millis": round((time.perf_counter() - start) * 1000)}


def usage_of(data: Mapping[str, object]) -> Usage:
    """The tokens in what `try_model` returned."""
    return Usage(*(count_at(data, name) for name in _TOKENS))


def usd_of(data: Mapping[str, object]) -> Decimal | None:
    return None if data.get("usd") is None else Decimal(str(data["usd"]))
