"""Money comes from the table; an unknown price is unknown, never nothing."""

import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal

from automode.llm.model import Usage
from automode.llm.prices import TABLES, cost, cost_beside, known_models
from tests.rows import each_row, rows, texts

THEN = datetime(2026, 11, 1, tzinfo=UTC)
MILLION = 1_000_000


@each_row("model, millions, dollars", rows("llm", "prices"))
def test_each_kind_of_token_has_its_price(model: str, millions: list[int], dollars: str) -> None:
    """Tokens read, written, read from a cache and written to it."""
    assert cost(model, Usage(*(MILLION * one for one in millions)), THEN) == Decimal(dollars)


@each_row("model", texts("llm", "no-prices"))
def test_what_the_table_does_not_know_has_no_price(model: str) -> None:
    assert cost(model, Usage(MILLION, MILLION), THEN) is None


def test_a_server_of_ones_own_is_not_charged_at_the_rates_of_its_namesake() -> None:
    price = cost_beside({"openai"})

    assert price("openai/gpt-5-mini", Usage(MILLION), THEN) is None
    assert price("google/gemini-2.5-flash", Usage(MILLION), THEN) == Decimal("0.3")


@each_row("provider", TABLES)
def test_the_table_names_models_of_every_provider(provider: str) -> None:
    found = list(known_models(provider))

    assert len(found) > 5
    assert all(one.name.startswith(f"{provider}/") for one in found)
    assert any(one.input_usd for one in found)


def test_a_server_of_ones_own_has_no_models_in_the_table() -> None:
    assert list(known_models("mine")) == []


def test_the_table_is_not_loaded_before_a_price_is_wanted() -> None:
    code = "import sys, automode.llm.ledger; print('genai_prices' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
