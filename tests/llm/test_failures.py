"""The failure matrix: whatever a provider answers ends as the right trouble, with a way out."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.llm.adapter import UnknownShape
from automode.llm.failures import Failures, printable
from automode.llm.model import Ask, ModelError, Prompt, Reply, Trouble, Usage
from automode.llm.providers import PROVIDERS
from automode.llm.registry import adapter_of
from tests.llm.conftest import ASK, KEY, MODELS, PROMPT, Play, Replay, at, failure, run


def anthropic_error(kind: str, message: str) -> object:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def openai_error(code: str | None, message: str) -> object:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return {"error": error}


def google_error(status: int, name: str, message: str) -> object:
    return {"error": {"code": status, "message": message, "status": name}}


MATRIX = [
    ("anthropic", 400, anthropic_error("invalid_request_error", "max_tokens: bad"), "REJECTED"),
    (
        "anthropic",
        400,
        anthropic_error("invalid_request_error", "prompt is too long: 210000 tokens > 200000"),
        "TOO_LARGE",
    ),
    (
        "anthropic",
        400,
        anthropic_error("invalid_request_error", "Your credit balance is too low"),
        "REJECTED",
    ),
    ("anthropic", 401, anthropic_error("authentication_error", "invalid x-api-key"), "BAD_KEY"),
    ("anthropic", 403, anthropic_error("permission_error", "no"), "BAD_KEY"),
    ("anthropic", 404, anthropic_error("not_found_error", "model: x"), "UNKNOWN_MODEL"),
    ("anthropic", 413, anthropic_error("request_too_large", "too big"), "TOO_LARGE"),
    ("anthropic", 429, anthropic_error("rate_limit_error", "slow down"), "RATE_LIMITED"),
    ("anthropic", 500, anthropic_error("api_error", "internal"), "SERVER"),
    ("anthropic", 529, anthropic_error("overloaded_error", "Overloaded"), "OVERLOADED"),
    ("openai", 400, openai_error("context_length_exceeded", "maximum context is"), "TOO_LARGE"),
    ("openai", 400, openai_error("unsupported_value", "temperature"), "REJECTED"),
    ("openai", 401, openai_error("invalid_api_key", "Incorrect API key"), "BAD_KEY"),
    ("openai", 403, openai_error("unsupported_country", "not here"), "BAD_KEY"),
    ("openai", 404, openai_error("model_not_found", "does not exist"), "UNKNOWN_MODEL"),
    ("openai", 400, openai_error("model_not_found", "no such model"), "UNKNOWN_MODEL"),
    ("openai", 429, openai_error("rate_limit_exceeded", "slow down"), "RATE_LIMITED"),
    ("openai", 429, openai_error("insufficient_quota", "quota"), "REJECTED"),
    ("openai", 402, openai_error(None, "pay"), "REJECTED"),
    ("openai", 422, {"detail": "extra fields"}, "REJECTED"),
    ("openai", 500, b"oops", "SERVER"),
    ("openai", 502, b"<html>bad gateway</html>", "SERVER"),
    ("openai", 503, openai_error(None, "The engine is overloaded"), "OVERLOADED"),
    ("openai", 504, b"", "TIMEOUT"),
    ("google", 400, google_error(400, "INVALID_ARGUMENT", "API key not valid."), "BAD_KEY"),
    (
        "google",
        400,
        google_error(
            400,
            "INVALID_ARGUMENT",
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
        ),
        "TOO_LARGE",
    ),
    ("google", 403, google_error(403, "PERMISSION_DENIED", "no"), "BAD_KEY"),
    ("google", 404, google_error(404, "NOT_FOUND", "models/x is not found"), "UNKNOWN_MODEL"),
    ("google", 429, google_error(429, "RESOURCE_EXHAUSTED", "quota"), "RATE_LIMITED"),
    ("google", 500, google_error(500, "INTERNAL", "internal"), "SERVER"),
    ("google", 503, google_error(503, "UNAVAILABLE", "overloaded"), "OVERLOADED"),
    ("bedrock", 400, {"message": "The provided model identifier is invalid."}, "UNKNOWN_MODEL"),
    ("bedrock", 400, {"message": "Input is too long for requested model."}, "TOO_LARGE"),
    ("bedrock", 403, {"Message": "Bearer Token has expired"}, "BAD_KEY"),
    ("bedrock", 404, {"message": "Could not resolve the foundation model"}, "UNKNOWN_MODEL"),
    ("bedrock", 408, {"message": "Model timed out"}, "TIMEOUT"),
    ("bedrock", 424, {"message": "The model failed"}, "SERVER"),
    ("bedrock", 429, {"message": "Too many requests"}, "RATE_LIMITED"),
    ("bedrock", 503, {"message": "Service unavailable"}, "OVERLOADED"),
]


@pytest.mark.parametrize(
    ("provider", "status", "body", "trouble"),
    MATRIX,
    ids=[f"{provider}-{status}-{trouble}" for provider, status, _, trouble in MATRIX],
)
def test_each_documented_error_is_told_apart(
    replay: Replay, provider: str, status: int, body: object, trouble: str
) -> None:
    replay.play(status, body)

    error = failure(at(replay.url, provider))

    assert error.trouble is Trouble[trouble]
    assert MODELS[provider] in str(error)
    assert len(str(error)) < 500
    assert KEY not in str(error)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("999999", 3600.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 2099 07:28:00 GMT", 3600.0),
    ],
)
def test_how_long_to_wait_is_read(replay: Replay, header: str, seconds: float | None) -> None:
    replay.play(429, openai_error("rate_limit_exceeded", "slow down"), retry_after=header)

    assert failure(at(replay.url, "openai")).retry_after == seconds


def test_the_providers_own_words_are_quoted_briefly(replay: Replay) -> None:
    replay.play(500, ("an elephant\n\x1b[31msat on it " * 99).encode())

    said = str(failure(at(replay.url, "openai"))).partition("(it says: ")[2]

    assert said.startswith("an elephant [31msat on it")
    assert len(said) <= 201
    assert said.isprintable()


@pytest.mark.parametrize("status", [400, 401, 422, 500])
@pytest.mark.parametrize("secret", [KEY, KEY[:12], PROMPT.context])
def test_a_provider_that_quotes_key_or_prompt_is_not_quoted(
    replay: Replay, status: int, secret: str
) -> None:
    replay.play(status, openai_error("x", f"you sent {secret} which is wrong"))

    error = str(failure(at(replay.url, "openai")))

    assert secret not in error
    assert "it says" not in error


def test_a_prompt_quoted_as_json_is_not_quoted_either(replay: Replay) -> None:
    prompt = Prompt("s", 'the user\'s line one\nline "two" is secret', "q")
    replay.play(400, json.dumps({"detail": [{"input": prompt.context}]}).encode())

    error = failure(at(replay.url, "openai"), prompt=prompt)

    assert "secret" not in str(error)


def test_an_error_inside_a_success_is_an_error(replay: Replay) -> None:
    replay.play(200, {"error": {"code": 429, "message": "slow down"}})

    assert failure(at(replay.url, "openrouter", "x/y")).trouble is Trouble.RATE_LIMITED


@pytest.mark.parametrize("provider", MODELS)
@pytest.mark.parametrize(
    "body", [b"", b"no json", b"[]", b"null", b"{}", b'{"choices": [], "content": 1}', b"\xff\xfe"]
)
def test_what_is_not_documented_is_unreadable(replay: Replay, provider: str, body: bytes) -> None:
    replay.play(200, body)

    assert failure(at(replay.url, provider)).trouble is Trouble.UNREADABLE


FIELDS = "choices message content text usage candidates output logprobs error type".split()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(FIELDS) | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(body=JSON, provider=st.sampled_from(sorted(MODELS)))
def test_no_json_breaks_a_reader(body: object, provider: str) -> None:
    payload = body if isinstance(body, dict) else {"choices": [body], "content": body}
    adapter = adapter_of(PROVIDERS[provider].api)
    reply = Reply("", complete=False, usage=Usage())
    with suppress(UnknownShape):
        reply = adapter.reply(payload, Ask(1, 1, choices=("0", "1")))

    assert isinstance(reply.text, str)
    assert all(0 <= p <= 1 for p in (reply.probabilities or {}).values())


def test_a_server_that_cut_the_prompt_is_found_out(replay: Replay) -> None:
    answer = {
        "choices": [{"message": {"content": "0"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 40, "completion_tokens": 1, "total_tokens": 41},
    }
    replay.play(200, answer)
    long = Prompt("s", "word " * 100, "q")

    error = failure(at(replay.url, "ollama", "qwen2.5-coder", key=None), prompt=long)

    assert error.trouble is Trouble.TOO_LARGE
    assert "context length" in str(error)


@given(st.text(), st.integers(2, 50))
def test_printable_text_is_one_bounded_line(text: str, limit: int) -> None:
    line = printable(text, limit)

    assert len(line) <= limit
    assert line.isprintable()


@given(status=st.integers(100, 999), body=st.binary(max_size=300))
def test_every_status_and_body_is_a_sentence(status: int, body: bytes) -> None:
    error = Failures("OpenAI", "m", KEY, ("p",)).status(status, {}, body)

    assert isinstance(error, ModelError)
    assert str(error).startswith("OpenAI ")


def test_nothing_is_retried(replay: Replay) -> None:
    replay.plays.append(Play(503))

    failure(at(replay.url, "openai"), ASK)

    assert len(replay.got) == 1
    with pytest.raises(ModelError):
        run(at(replay.url, "openai").complete(PROMPT, ASK))
