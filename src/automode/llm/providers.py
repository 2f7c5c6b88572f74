"""The providers that are known by name: where they live, and where their keys are found."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from automode.llm.known_models import Traits, traits_of


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
    api: Api
    base_url: str
    key_variables: tuple[str, ...] = ()
    base_url_variables: tuple[str, ...] = ()  # heard only where the environment is trusted
    probabilities: bool = True
    schema: bool = True
    native: bool = False  # understands the switches that keep its models from thinking
    marks_claude: bool = False  # caches a Claude prompt only where told to

    def traits(self, model_id: str) -> Traits:
        known = traits_of(model_id)
        if known.thinking and not self.native:
            # Who cannot be told to answer at once may think, and then rejects the rest as well.
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


GGUF = "gguf"
SUBSCRIPTIONS = ("claude-cli", "codex-cli", "gemini-cli")
_HTTP = "http://127.0.0.1"

_ROWS = (
    # A program instead of an address: `subscriptions` asks it.
    *(Provider(name, f"a signed-in `{name[:-4]}`", Api.OPENAI, "") for name in SUBSCRIPTIONS),
    Provider(
        "anthropic",
        "Anthropic",
        Api.ANTHROPIC,
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY",),
        ("ANTHROPIC_BASE_URL",),
    ),
    Provider(
        "openai",
        "OpenAI",
        Api.OPENAI,
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        ("OPENAI_BASE_URL",),
        native=True,
    ),
    Provider(
        "google",
        "Google",
        Api.GOOGLE,
        "https://generativelanguage.googleapis.com",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ("GOOGLE_GEMINI_BASE_URL",),
        native=True,
    ),
    Provider(
        "bedrock",
        "Amazon Bedrock",
        Api.BEDROCK,
        "https://bedrock-runtime.{region}.amazonaws.com",
        ("AWS_BEARER_TOKEN_BEDROCK",),
        ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME",),
        probabilities=False,
    ),
    Provider(
        "openrouter",
        "OpenRouter",
        Api.OPENAI,
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY",),
        marks_claude=True,
    ),
    Provider(
        "groq",
        "Groq",
        Api.OPENAI,
        "https://api.groq.com/openai/v1",
        ("GROQ_API_KEY",),
        probabilities=False,
        schema=False,
    ),
    Provider(
        "mistral",
        "Mistral",
        Api.OPENAI,
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY",),
        probabilities=False,
    ),
    Provider(
        "deepseek",
        "DeepSeek",
        Api.OPENAI,
        "https://api.deepseek.com/v1",
        ("DEEPSEEK_API_KEY",),
        probabilities=False,
        schema=False,
    ),
    Provider(
        "xai", "xAI", Api.OPENAI, "https://api.x.ai/v1", ("XAI_API_KEY",), probabilities=False
    ),
    Provider(
        "ollama", "Ollama", Api.OPENAI, f"{_HTTP}:11434/v1", base_url_variables=("OLLAMA_HOST",)
    ),
    Provider("llamacpp", "llama.cpp", Api.OPENAI, f"{_HTTP}:8080/v1"),
    Provider("vllm", "vLLM", Api.OPENAI, f"{_HTTP}:8000/v1"),
    Provider("lmstudio", "LM Studio", Api.OPENAI, f"{_HTTP}:1234/v1"),
    # A file instead of an address: `registry` asks it in a process of our own.
    Provider(GGUF, "a model file", Api.OPENAI, ""),
)
_ALIASES = {"gemini": "google", "amazon-bedrock": "bedrock", "x-ai": "xai"}

PROVIDERS: Mapping[str, Provider] = MappingProxyType({row.name: row for row in _ROWS})


def provider_named(name: str) -> Provider | None:
    folded = name.casefold()
    return PROVIDERS.get(_ALIASES.get(folded, folded))


def owner_of_variable(variable: str) -> Provider | None:
    """Whose key this environment variable holds."""
    upper = variable.upper()
    return next((row for row in _ROWS if upper in row.key_variables), None)
