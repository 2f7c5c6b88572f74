"""What a request costs, from a maintained price table that is read without the network."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import TypeAlias

from automode.llm.model import Usage
from automode.llm.providers import GGUF, PROVIDERS

Price: TypeAlias = Callable[[str, Usage, datetime | None], Decimal | None]

CURRENCY = "USD"
SMALLEST_CONTEXT = 32_000  # tokens; the built-in policy alone takes a third of it

# Our providers by the table's own names. No other name is looked up: the table matches names
# loosely and would charge a server of one's own at the rates of the provider it is named after.
TABLES = {row.name: row.price_table for row in PROVIDERS.values() if row.price_table}

# Models for pictures, sound and search; patterns of the table that are no ids; models that a
# provider sells under a protocol of another.
_UNFIT = re.compile(
    r"audio|image|vision|tts|transcribe|realtime|embed|live|ocr|voxtral|sonic|search|research"
    r"|computer-use|robotics|omni|[-:.]$|:batch$"
    r"|^openai/gpt-oss|^bedrock/regional\.|^google/claude"
)


@dataclass(frozen=True, slots=True)
class Priced:
    """A model that the table knows, and its dollars per million tokens."""

    name: str  # `provider/model-id`
    context_tokens: int | None
    input_usd: Decimal | None
    output_usd: Decimal | None


def cost(model_name: str, usage: Usage, at: datetime | None = None) -> Decimal | None:
    """Dollars for one request made at `at` (None: now). None when the price is not known, which is
    not the same as nothing: a server of one's own has a price too, only not in any table."""
    provider, _, model = model_name.partition("/")
    if provider == GGUF:
        return Decimal(0)  # a local model file costs nothing
    table = TABLES.get(provider)
    if table is None or not model:
        return None
    # Imported here: loading the table takes longer than most decisions.
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    tokens = Tokens(
        input_tokens=usage.prompt,  # the table's input counts what was cached too
        output_tokens=usage.output,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write,
    )
    try:
        found = calc_price(tokens, model, provider_id=table, genai_request_timestamp=at)
    except (LookupError, ValueError):
        return None
    return found.total_price


def cost_beside(own: Collection[str]) -> Price:
    """`cost`, but with no price for `own`: servers of the user's, whatever they are called."""

    def price_of(model_name: str, usage: Usage, at: datetime | None = None) -> Decimal | None:
        return None if model_name.partition("/")[0] in own else cost(model_name, usage, at)

    return price_of


def known_models(provider: str) -> list[Priced]:
    """The models of a provider that the table knows and that could judge: text in and out, with
    room for the prompt; cheap ones first. The table is about prices, so a model that is missing
    here may well exist."""
    table = TABLES.get(provider)
    if table is None:
        return []
    from genai_prices.data_snapshot import get_snapshot

    now = datetime.now(UTC)
    found = [
        Priced(
            f"{provider}/{model.id}",
            model.context_window,
            _base(prices.input_mtok),
            _base(prices.output_mtok),
        )
        for one in get_snapshot().providers
        if one.id == table
        for model in one.models
        if not model.deprecated and not _UNFIT.search(f"{provider}/{model.id}")
        if (model.context_window or 0) >= SMALLEST_CONTEXT
        if (prices := model.get_prices(now)).output_mtok
    ]
    return sorted(found, key=lambda priced: (priced.input_usd or 0, priced.name))


def _base(price: object) -> Decimal | None:
    """Dollars for prompts of the usual size; very long ones cost more with some models."""
    return price if isinstance(price, Decimal) else getattr(price, "base", None)
