"""Money comes from the table; an unknown price is unknown, never nothing."""

import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from automode.llm.model import Usage
from automode.llm.prices import TABLES, cost, cost_beside, known_models
from tests.rows import each_row

THEN = datetime(2026, 11, 1, tzinfo=UTC)
MILLION = 1_000_000

KNOWN = {
    # 1 + 5 + 0.1 + 1.25 dollars per million
    "claude": ("anthropic/claude-haiku-4-5", Usage(MILLION, 0, 0, 0), "1"),
    "its output": ("anthropic/claude-haiku-4-5", Usage(0, MILLION, 0, 0), "5"),
    "read from its cache": ("anthropic/claude-haiku-4-5", Usage(0, 0, MILLION, 0), "0.1"),
    "written to its cache": ("anthropic/claude-haiku-4-5", Usage(0, 0, 0, MILLION), "1.25"),
    "a dated id": ("anthropic/claude-haiku-4-5-20251001", Usage(MILLION), "1"),
    "openai": ("openai/gpt-5-mini", Usage(MILLION), "0.25"),
    "openai's cache": ("openai/gpt-5-mini", Usage(0, 0, MILLION), "0.025"),
    "google": ("google/gemini-2.5-flash", Usage(MILLION), "0.3"),
    "an id with a slash": ("openrouter/anthropic/claude-haiku-4.5", Usage(MILLION), "1"),
    "bedrock": ("bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0", Usage(MILLION), "1.1"),
    "nothing used": ("openai/gpt-5-mini", Usage(), "0"),
}


@each_row("model, usage, dollars", KNOWN.values())
def test_each_kind_of_token_has_its_price(model: str, usage: Usage, dollars: str) -> None:
    assert cost(model, usage, THEN) == Decimal(dollars)


@pytest.mark.parametrize(
    "model",
    [
        "mine/qwen2.5-coder",
        "ollama/llama3",
        "my-anthropic/claude-haiku-4-5",
        "openai/no-such-model",
        "openai/",
        "openai",
        "",
    ],
)
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
