"""Providers and models that are known by name: addresses, keys, and what each model accepts."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType

GGUF = "gguf"
SUBSCRIPTIONS = ("claude-cli", "codex-cli", "gemini-cli")
_ALIASES = {"gemini": "google", "amazon-bedrock": "bedrock", "x-ai": "xai"}


@dataclass(frozen=True, slots=True)
class Traits:
    """What a model accepts and how it behaves; its row is in `known_models.toml`."""

    reasons: bool = False  # thinks before it answers, so one token is never enough
    context_tokens: int = 128_000
    temperature: bool = True  # accepts `temperature: 0`
    schema: bool = True  # accepts a JSON schema for its answer
    probabilities: bool = False  # lists the likeliest first tokens
    thinking: Mapping[str, object] = field(default_factory=dict)  # asks for as little as it can
    cache_marks: bool = False  # the prompt cache needs to be told where the shared part ends
    cache_key: bool = False
    token_limit: str = "max_tokens"  # noqa: S105 - what OpenAI's format calls it


class Api(StrEnum):
    """A wire format."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    GOOGLE = "google"
    BEDROCK = "bedrock"


@dataclass(frozen=True, slots=True)
class Provider:
    """`base_url` may hold `{region}`. Without `key_variables` no key is ever sent."""

    name: str
    title: str
    api: Api = Api.OPENAI
    base_url: str = ""
    key_variables: tuple[str, ...] = ()
    base_url_variables: tuple[str, ...] = ()  # heard only where the environment is trusted
    price_table: str = ""  # the name of the provider in the table of `genai-prices`
    probabilities: bool = True
    schema: bool = True
    native: bool = False  # understands the switches that keep its models from thinking
    marks_claude: bool = False  # caches a Claude prompt only where told to

    def traits(self, model_id: str) -> Traits:
        known = traits_of(model_id)
        if known.thinking and not self.native:
            # Without the switch a model may think first, and then rejects the other parameters.
            known = replace(
                known, thinking={}, reasons=True, temperature=False, probabilities=False
            )
        own = self.native and self.api is Api.OPENAI
        return replace(
            known,
            probabilities=known.probabilities and self.probabilities,
            schema=known.schema and self.schema and not self._plain(model_id),
            cache_marks=self._marks(model_id),
            cache_key=own,
            token_limit="max_completion_tokens" if own else known.token_limit,
        )

    def _plain(self, model_id: str) -> bool:
        """Bedrock serves many families, few of which can be given a schema."""
        return self.api is Api.BEDROCK and "claude" not in model_id

    def _marks(self, model_id: str) -> bool:
        if self.api is Api.BEDROCK:
            return "claude" in model_id or "nova" in model_id
        return self.marks_claude and "claude" in model_id


@dataclass(frozen=True, slots=True)
class OwnServer:
    """A server of the user's own, as the settings describe it; or with `command`, its whole path,
    the program of a subscription."""

    name: str
    api: Api
    base_url: str
    api_key_env: str | None = None
    command: str = ""


def _providers() -> dict[str, Provider]:
    table = tomllib.loads(files("automode.llm").joinpath("providers.toml").read_text("utf-8"))
    rows: dict[str, Provider] = {}
    for name, row in table.items():
        for key, one in row.items():
            row[key] = tuple(one) if isinstance(one, list) else Api(one) if key == "api" else one
        rows[name] = Provider(name, **row)
    return rows


PROVIDERS: Mapping[str, Provider] = MappingProxyType(_providers())


def provider_named(name: str) -> Provider | None:
    folded = name.casefold()
    return PROVIDERS.get(_ALIASES.get(folded, folded))


def owner_of_variable(variable: str) -> Provider | None:
    """Whose key this environment variable holds."""
    upper = variable.upper()
    return next((row for row in PROVIDERS.values() if upper in row.key_variables), None)


def traits_of(model_id: str) -> Traits:
    """Of a model under any of its names: bare, with its vendor in front (`openai/gpt-4o`), or as
    Bedrock writes it (`us.anthropic.claude-…`)."""
    bare = model_id.casefold().rpartition("/")[2]
    # A model nobody listed, on a server that ignores what it does not know.
    unlisted = Traits(probabilities=True)
    return next((traits for pattern, traits in _models() if pattern.search(bare)), unlisted)


@cache
def _models() -> tuple[tuple[re.Pattern[str], Traits], ...]:
    table = tomllib.loads(files("automode.llm").joinpath("known_models.toml").read_text("utf-8"))
    return tuple((re.compile(pattern), Traits(**row)) for pattern, row in table.items())
