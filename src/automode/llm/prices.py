"""What a request costs, from a maintained price table that is read without the network."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from automode.llm.model import Usage

CURRENCY = "USD"

# Our providers by the table's own names. No other name is looked up: the table matches names
# loosely and would charge a server of one's own at the rates of the provider it is named after.
TABLES = {
    "anthropic": "anthropic",
    "bedrock": "aws",
    "google": "google",
    "openai": "openai",
    "openrouter": "openrouter",
}


@dataclass(frozen=True, slots=True)
class Priced:
    """A model that the table knows; dollars per million tokens, None where they vary."""

    name: str  # `provider/model-id`
    context_tokens: int | None
    input_usd: Decimal | None
    output_usd: Decimal | None


def cost(model_name: str, usage: Usage, at: datetime | None = None) -> Decimal | None:
    """Dollars for one request made at `at` (None: now). None when the price is not known, which is
    not the same as nothing: a server of one's own has a price too, only not in any table."""
    provider, _, model = model_name.partition("/")
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


def known_models(provider: str) -> Iterator[Priced]:
    """The models of a provider that the table knows and that are still offered."""
    table = TABLES.get(provider)
    if table is None:
        return
    from genai_prices.data_snapshot import get_snapshot

    now = datetime.now(UTC)
    for models in (one.models for one in get_snapshot().providers if one.id == table):
        for model in models:
            if not model.deprecated:
                price = model.get_prices(now)
                yield Priced(
                    f"{provider}/{model.id}",
                    model.context_window,
                    _single(price.input_mtok),
                    _single(price.output_mtok),
                )


def _single(price: object) -> Decimal | None:
    return price if isinstance(price, Decimal) else None
