"""The failure matrix: whatever a provider answers ends as the right kind, with a way out."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.llm.failures import Failures, printable
from automode.llm.formats import FORMATS, UnknownShape
from automode.llm.model import Ask, ModelError, ModelFault, Prompt, Reply, Usage
from automode.llm.providers import PROVIDERS
from tests.llm.conftest import ASK, KEY, MODELS, PROMPT, Play, Replay, at, failure, run
from tests.rows import each_row, rows


@each_row("provider, status, body, kind", rows("llm", "failures"))
def test_each_documented_error_is_told_apart(
    replay: Replay, provider: str, status: int, body: str, kind: str
) -> None:
    replay.plays = [Play(status, body.encode())]

    error = failure(at(replay.url, provider))

    assert error.kind is ModelFault[kind]
    assert MODELS[provider] in str(error)
    assert "`: " in str(error)  # and then a way out
    assert len(str(error)) < 500
    assert KEY not in str(error)


WAITS = [
    *(("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("999999", 3600.0), ("nan", None), ("inf", None)),
    *(("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0)),
    ("Wed, 21 Oct 2099 07:28:00 GMT", 3600.0),
]


@pytest.mark.parametrize(("header", "seconds"), WAITS)
def test_how_long_to_wait_is_read(replay: Replay, header: str, seconds: float | None) -> None:
    replay.play(429, {"error": {"message": "slow down"}}, retry_after=header)

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
    replay.play(status, {"error": {"message": f"you sent {secret} which is wrong"}})

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

    assert failure(at(replay.url, "openrouter", "x/y")).kind is ModelFault.RATE_LIMITED


@pytest.mark.parametrize("provider", MODELS)
@pytest.mark.parametrize(
    "body", [b"", b"no json", b"[]", b"null", b"{}", b'{"choices": [], "content": 1}', b"\xff\xfe"]
)
def test_what_is_not_documented_is_unreadable(replay: Replay, provider: str, body: bytes) -> None:
    replay.play(200, body)

    assert failure(at(replay.url, provider)).kind is ModelFault.UNREADABLE


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
    wire_format = FORMATS[PROVIDERS[provider].api]
    reply = Reply("", complete=False, usage=Usage())
    with suppress(UnknownShape):
        reply = wire_format.reply(payload, Ask(1, 1, choices=("0", "1")))

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

    assert error.kind is ModelFault.TOO_LARGE
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
