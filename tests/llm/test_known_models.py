"""What is known of models: an optional parameter is sent only where it is accepted."""

from automode.llm.providers import PROVIDERS, Traits, traits_of
from tests.rows import each_row, rows

TRAITS = ("reasons", "temperature", "schema", "probabilities")


def traits(name: str) -> Traits:
    provider, _, model_id = name.partition("/")
    return PROVIDERS[provider].traits(model_id)


@each_row("name, holds", rows("llm", "known-models"))
def test_each_model_gets_what_it_accepts(name: str, holds: str) -> None:
    found = traits(name)

    assert "".join(one[0].upper() for one in TRAITS if getattr(found, one)) == holds
    assert found.context_tokens > 0


@each_row("name, limit", rows("llm", "token-limits"))
def test_the_limit_of_tokens_has_the_name_the_server_knows(name: str, limit: str) -> None:
    assert traits(name).token_limit == limit


@each_row("name, thinking", rows("llm", "thinking"))
def test_only_the_maker_is_told_not_to_think(name: str, thinking: dict[str, object]) -> None:
    assert traits(name).thinking == thinking


def test_a_model_has_the_same_traits_under_its_vendors_name() -> None:
    assert traits_of("vendor/GPT-4o") == traits_of("gpt-4o")
