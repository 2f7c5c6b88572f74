"""Requests to models: what is asked, what comes back, what can go wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from math import inf
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Prompt:
    """`system` and `context` are identical, byte for byte, for every stage of one decision, so that
    a later stage re-reads them from the provider's cache; only `question` differs."""

    system: str
    context: str
    question: str

    @property
    def parts(self) -> tuple[str, str, str]:
        return (self.system, self.context, self.question)


@dataclass(frozen=True, slots=True)
class Ask:
    """How the answer is wanted."""

    max_tokens: int
    timeout_seconds: float = inf  # over the whole exchange
    schema: Mapping[str, object] | None = None  # constrained output where the provider offers it
    choices: tuple[str, ...] = ()  # one-token answers whose probabilities are wanted, if offered


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request. `input` counts what was neither read from nor written to a cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )

    @property
    def prompt(self) -> int:
        return self.input + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class Reply:
    """`complete` is True only when the model ended its answer itself: a cut-off, filtered or
    refused reply can never allow anything."""

    text: str
    complete: bool
    usage: Usage
    stop: str = ""  # the provider's own word for why it stopped
    probabilities: Mapping[str, float] | None = None  # of `Ask.choices`, first token
    usd: Decimal | None = None  # what it cost, where the answer itself says so
    by: str = ""  # the name of the model, where another than the one asked has answered


class ModelFault(StrEnum):
    NO_KEY = "no-key"
    BAD_KEY = "bad-key"
    UNKNOWN_MODEL = "unknown-model"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"  # refused, no route, broken stream
    RATE_LIMITED = "rate-limited"
    QUOTA = "quota"  # the limit of a subscription is reached
    OVERLOADED = "overloaded"
    SERVER = "server"
    TOO_LARGE = "too-large"
    REJECTED = "rejected"  # the provider says the request itself is wrong
    UNREADABLE = "unreadable"  # the response is not what the provider documents


class ModelError(Exception):
    """`str()` is a sentence a person can act on; it never holds a key or a prompt."""

    def __init__(self, kind: ModelFault, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


class Model(Protocol):
    """Contract: `complete` returns a Reply or raises ModelError (or CancelledError when cancelled);
    it retries nothing by itself and honours `Ask.timeout_seconds` over the whole exchange."""

    @property
    def name(self) -> str:
        """`provider/model-id`."""
        ...

    @property
    def reasons(self) -> bool:
        """Whether it thinks before it answers, so that one token is never enough."""
        ...

    @property
    def context_tokens(self) -> int:
        """How many prompt tokens fit, as far as known."""
        ...

    async def complete(self, prompt: Prompt, ask: Ask) -> Reply: ...
