"""What is known of models: an optional parameter is sent only where it is accepted."""

import pytest

from automode.llm.known_models import traits_of
from automode.llm.providers import PROVIDERS
from tests.rows import each_row

R, T, S, P = "reasons", "temperature", "schema", "probabilities"
KNOWN = {
    # provider/model                                           what holds
    "anthropic/claude-3-5-haiku-latest": {T},
    "anthropic/claude-sonnet-4-20250514": {T},
    "anthropic/claude-opus-4-1": {T},
    "anthropic/claude-haiku-4-5": {T, S},
    "anthropic/claude-sonnet-4-5-20250929": {T, S},
    "anthropic/claude-sonnet-4-6": {T, S},
    "anthropic/claude-opus-4-7": {S},
    "anthropic/claude-opus-4-8": {S},
    "anthropic/claude-opus-5": {R, S},
    "anthropic/claude-sonnet-5-5": {R, S},
    "anthropic/claude-haiku-5-5": {R, S},
    "anthropic/claude-fable-5-1": {R, S},
    "anthropic/claude-mythos-preview": {R},
    "openai/gpt-4o-mini": {T, S, P},
    "openai/gpt-4.1-nano": {T, S, P},
    "openai/gpt-4-turbo": {T, P},
    "openai/gpt-4": {T, P},
    "openai/gpt-3.5-turbo": {T, P},
    "openai/o3": {R, S},
    "openai/o4-mini": {R, S},
    "openai/gpt-5": {R, S},
    "openai/gpt-5-nano": {R, S},
    "openai/gpt-5-chat-latest": {T},
    "openai/gpt-5.1": {T, S, P},
    "openai/gpt-5.1-codex": {R, S},
    "openai/gpt-5.2-pro": {R, S},
    "openai/gpt-5.4-mini": {T, S, P},
    "openai/gpt-5.6-luna": {S},
    "openai/gpt-6.1-sol": {S},
    "openai/gpt-7": {R, S},
    "google/gemini-2.0-flash": {T, S, P},
    "google/gemini-2.5-flash-lite": {T, S},
    "google/gemini-2.5-pro": {R, T, S},
    "google/gemini-3.8-flash": {R, S},
    "google/gemini-4-argon": {R, S},
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0": {T, S},
    "bedrock/global.anthropic.claude-opus-4-7": {S},
    "bedrock/meta.llama3-3-70b-instruct-v1:0": {T},
    "openrouter/anthropic/claude-sonnet-4.5": {T, S},
    "openrouter/openai/gpt-5.4": {R, S},
    "openrouter/google/gemini-2.5-flash": {R, S},
    "openrouter/deepseek/deepseek-r1": {R, T, S},
    "groq/llama-3.3-70b-versatile": {T},
    "groq/openai/gpt-oss-20b": {R, T},
    "mistral/mistral-small-latest": {T, S},
    "mistral/magistral-medium": {R, T, S},
    "deepseek/deepseek-chat": {T},
    "deepseek/deepseek-reasoner": {R, T},
    "xai/grok-4-1-fast-non-reasoning": {T, S},
    "xai/grok-4.6": {R, T, S},
    "ollama/qwen2.5-coder:7b": {T, S, P},
    "ollama/qwen3:8b": {R, T, S},
    "ollama/qwen3-coder:30b": {T, S, P},
    "llamacpp/any": {T, S, P},
}


@each_row("name", KNOWN)
def test_each_model_gets_what_it_accepts(name: str) -> None:
    provider, _, model_id = name.partition("/")

    traits = PROVIDERS[provider].traits(model_id)

    assert {trait for trait in (R, T, S, P) if getattr(traits, trait)} == KNOWN[name]
    assert traits.context_tokens > 0


LIMITS = {
    "openai/gpt-4o": "max_completion_tokens",
    "openai/o3": "max_completion_tokens",
    "openrouter/openai/o3": "max_completion_tokens",
    "openrouter/meta-llama/llama-4": "max_tokens",
    "ollama/qwen2.5-coder": "max_tokens",
    "mistral/mistral-small-latest": "max_tokens",
}


@pytest.mark.parametrize("name", LIMITS)
def test_the_limit_of_tokens_has_the_name_the_server_knows(name: str) -> None:
    provider, _, model_id = name.partition("/")

    assert PROVIDERS[provider].traits(model_id).token_limit == LIMITS[name]


@pytest.mark.parametrize(
    ("name", "thinking"),
    [
        ("openai/gpt-5.4", {"reasoning_effort": "none"}),
        ("openai/gpt-5-mini", {"reasoning_effort": "minimal"}),
        ("google/gemini-2.5-flash", {"thinkingBudget": 0}),
        ("google/gemini-3.5-flash", {"thinkingLevel": "minimal"}),
        ("openrouter/openai/gpt-5.4", {}),
        ("openai/gpt-4o", {}),
    ],
)
def test_only_the_maker_is_told_not_to_think(name: str, thinking: dict[str, object]) -> None:
    provider, _, model_id = name.partition("/")

    assert PROVIDERS[provider].traits(model_id).thinking == thinking


def test_a_model_has_the_same_traits_under_its_vendors_name() -> None:
    assert traits_of("vendor/GPT-4o") == traits_of("gpt-4o")
