"""What models accept and how they behave: facts by family, from the providers' documentation.

An optional parameter that a model rejects costs the whole decision, and leaving one out never does,
so a row claims only what is documented, and a newer model than the table gets the plainest request.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Traits:
    reasons: bool = False  # thinks before it answers, so one token is never enough
    context_tokens: int = 128_000
    temperature: bool = True  # accepts `temperature: 0`
    schema: bool = True  # accepts a JSON schema for its answer
    probabilities: bool = False  # lists the likeliest first tokens
    thinking: Mapping[str, object] = field(default_factory=dict)  # asks for as little as it can
    cache_marks: bool = False  # the prompt cache needs to be told where the shared part ends
    cache_key: bool = False
    token_limit: str = "max_tokens"  # noqa: S105 - what OpenAI's format calls it


_NEW_LIMIT = "max_completion_tokens"
_SILENT = {"reasoning_effort": "none"}
_MILLION = 1_000_000

_CLAUDE = (
    (r"claude-(?:[123]\b|v\d|instant)", Traits(context_tokens=200_000, schema=False)),
    (
        r"claude-(?:opus|sonnet)-4(?:[-.][01])?(?=$|-20\d\d|-latest|[@:])",
        Traits(context_tokens=200_000, schema=False),
    ),
    (r"claude-(?:opus|sonnet|haiku)-4[-.]5\b", Traits(context_tokens=200_000)),
    (r"claude-(?:opus|sonnet)-4[-.]6\b", Traits(context_tokens=_MILLION)),
    # From here on sampling parameters are rejected; from 5 on the model thinks unless told not to.
    (r"claude-opus-4[-.][78]\b", Traits(context_tokens=_MILLION, temperature=False)),
    (
        r"claude-[a-z]+-[5-9]\b",
        Traits(reasons=True, context_tokens=_MILLION, temperature=False),
    ),
    (r"claude", Traits(reasons=True, context_tokens=200_000, temperature=False, schema=False)),
)

_OPENAI = (
    (r"^gpt-oss", Traits(reasons=True)),
    (
        r"^(?:o\d|codex-mini)\b",
        Traits(reasons=True, context_tokens=200_000, temperature=False, token_limit=_NEW_LIMIT),
    ),
    (r"^gpt-[5-9](?:\.\d)?-chat", Traits(schema=False, token_limit=_NEW_LIMIT)),
    (
        r"^gpt-[5-9](?:\.\d)?-(?:pro|codex)",
        Traits(reasons=True, context_tokens=400_000, temperature=False, token_limit=_NEW_LIMIT),
    ),
    # With reasoning switched off these take the parameters that reasoning models reject.
    (
        r"^gpt-5\.[1-4]\b",
        Traits(
            context_tokens=400_000, probabilities=True, thinking=_SILENT, token_limit=_NEW_LIMIT
        ),
    ),
    (
        r"^gpt-(?:5\.[5-9]|6)\b",
        Traits(
            context_tokens=_MILLION, temperature=False, thinking=_SILENT, token_limit=_NEW_LIMIT
        ),
    ),
    (
        r"^gpt-5\b",
        Traits(
            reasons=True,
            context_tokens=400_000,
            temperature=False,
            thinking={"reasoning_effort": "minimal"},
            token_limit=_NEW_LIMIT,
        ),
    ),
    (r"^gpt-4\.1", Traits(context_tokens=_MILLION, probabilities=True)),
    (r"^(?:chat)?gpt-4o", Traits(probabilities=True)),
    (r"^gpt-4-turbo", Traits(probabilities=True, schema=False)),
    (r"^gpt-3\.5", Traits(context_tokens=16_000, probabilities=True, schema=False)),
    (r"^gpt-4\b(?!\.)", Traits(context_tokens=8_000, probabilities=True, schema=False)),
    (r"^gpt-\d", Traits(reasons=True, temperature=False, token_limit=_NEW_LIMIT)),
)

_GOOGLE = (
    (r"^gemini-1", Traits(context_tokens=_MILLION)),
    (r"^gemini-2\.0", Traits(context_tokens=_MILLION, probabilities=True)),
    (r"^gemini-2\.5-flash", Traits(context_tokens=_MILLION, thinking={"thinkingBudget": 0})),
    (r"^gemini-2\.5", Traits(reasons=True, context_tokens=_MILLION)),
    # Google advises against any other temperature than the default from here on.
    (
        r"^gemini-3(?:\.\d)?-flash",
        Traits(
            reasons=True,
            context_tokens=_MILLION,
            temperature=False,
            thinking={"thinkingLevel": "minimal"},
        ),
    ),
    (r"^gemini", Traits(reasons=True, context_tokens=_MILLION, temperature=False)),
    (r"^gemma", Traits(context_tokens=32_000, schema=False)),
)

_OTHERS = (
    (r"non-reasoning", Traits()),
    (
        r"reason|think|\bqwq|[-_]r1\b|magistral|deepseek-v[4-9]|grok-(?:3-mini|[4-9]|code)",
        Traits(reasons=True),
    ),
    (r"qwen-?3(?!.*(?:instruct|coder))", Traits(reasons=True)),
)

_ROWS = tuple(
    (re.compile(pattern), traits) for pattern, traits in (*_CLAUDE, *_OPENAI, *_GOOGLE, *_OTHERS)
)
# A model nobody listed, on a server that ignores what it does not know.
_UNLISTED = Traits(probabilities=True)


def traits_of(model_id: str) -> Traits:
    """Of a model under any of its names: bare, with its vendor in front (`openai/gpt-4o`), or as
    Bedrock writes it (`us.anthropic.claude-…`)."""
    bare = model_id.casefold().rpartition("/")[2]
    for pattern, traits in _ROWS:
        if pattern.search(bare):
            return traits
    return _UNLISTED
