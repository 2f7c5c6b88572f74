"""What goes over the wire, held against the types and the clients that the providers publish.

They take seconds to load, so only the tests that need them do: every process of a test run collects
this file.
"""

import json
import warnings
from collections.abc import Mapping
from pathlib import Path

import pytest

from automode.llm.model import Ask, Reply, Usage
from tests.llm.conftest import ASK, KEY, MODELS, PROMPT, Replay, at, run

WIRE_FOLDER = Path(__file__).with_name("wire")
SCHEMA = {
    "type": "object",
    "properties": {"decision": {"type": "string"}},
    "required": ["decision"],
    "additionalProperties": False,
}
JUDGING = Ask(max_tokens=700, timeout_seconds=20, schema=SCHEMA)
CHOOSING = Ask(max_tokens=16, timeout_seconds=20, choices=("0", "1"))


def sent(replay: Replay, number: int = -1) -> Mapping[str, object]:
    body = replay.got[number].json
    assert isinstance(body, dict)
    return body


WIRE = {name: json.loads(WIRE_FOLDER.joinpath(f"{name}.json").read_text()) for name in MODELS}
STOPS = {"anthropic": "end_turn", "openai": "stop", "google": "STOP", "bedrock": "end_turn"}


def answer(provider: str, stop: str = "") -> dict[str, object]:
    """What the provider answers, with another reason to stop."""
    text, usual = json.dumps(WIRE[provider]["answer"]), STOPS[provider]
    made: dict[str, object] = json.loads(text.replace(f'"{usual}"', f'"{stop or usual}"'))
    return made


def requested(provider: str) -> object:
    """The request in which PROMPT is judged."""
    texts = {"SYSTEM": PROMPT.system, "CONTEXT": PROMPT.context, "QUESTION": PROMPT.question}
    text = json.dumps(WIRE[provider]["request"]).replace('"SCHEMA"', json.dumps(SCHEMA))
    for name, one in texts.items():
        text = text.replace(name, one)
    return json.loads(text)


def test_the_answers_are_what_the_providers_publish() -> None:
    with warnings.catch_warnings():
        # The source of one has a string that newer Pythons warn of.
        warnings.simplefilter("ignore")
        from anthropic.types import Message
        from google.genai.types import GenerateContentResponse
        from openai.types.chat import ChatCompletion
        from pydantic import BaseModel

    kinds: dict[str, type[BaseModel]]
    kinds = {"anthropic": Message, "google": GenerateContentResponse, "openai": ChatCompletion}
    for provider, kind in kinds.items():
        kind.model_validate(answer(provider))
        assert answer(provider, "x") != answer(provider)


def test_anthropic_marks_what_both_stages_share(replay: Replay) -> None:
    replay.play(200, answer("anthropic"))

    run(at(replay.url, "anthropic").complete(PROMPT, JUDGING))

    got = replay.got[0]
    assert sent(replay) == requested("anthropic")
    assert got.path == "/v1/messages"
    assert (got.headers["x-api-key"], got.headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert "authorization" not in got.headers


def test_anthropics_own_client_writes_the_same_request_and_reads_the_same_answer(
    replay: Replay,
) -> None:
    import anthropic
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
    from pydantic import TypeAdapter

    replay.play(200, answer("anthropic"))
    ours = run(at(replay.url, "anthropic", "claude-opus-4-8").complete(PROMPT, JUDGING))
    body = dict(sent(replay))
    TypeAdapter(MessageCreateParamsNonStreaming).validate_python(body)

    with anthropic.Anthropic(base_url=replay.url, api_key=KEY, max_retries=0) as client:
        theirs = client.messages.create(**body)  # type: ignore[call-overload]  # untyped on purpose

    assert sent(replay, 1) == sent(replay, 0)
    assert replay.got[1].path == replay.got[0].path
    assert theirs.content[-1].text == ours.text
    assert theirs.stop_reason == ours.stop


def test_openai_gets_a_strict_schema_and_a_stable_cache_key(replay: Replay) -> None:
    replay.play(200, answer("openai"))

    run(at(replay.url, "openai").complete(PROMPT, JUDGING))

    body = dict(sent(replay))
    assert str(body.pop("prompt_cache_key")).startswith("automode-")
    assert body == requested("openai")
    assert replay.got[0].path == "/v1/chat/completions"
    assert replay.got[0].headers["authorization"] == f"Bearer {KEY}"


def test_openai_is_asked_for_the_probabilities_of_choices(replay: Replay) -> None:
    replay.play(200, answer("openai"))

    reply = run(at(replay.url, "openai").complete(PROMPT, CHOOSING))

    assert sent(replay)["logprobs"] is True
    assert reply.probabilities == pytest.approx({"0": 0.6563, "1": 0.2231}, abs=1e-3)


@pytest.mark.parametrize("ask", [JUDGING, CHOOSING], ids=["judging", "choosing"])
@pytest.mark.parametrize("model_id", ["gpt-4o", "gpt-5-mini", "gpt-5.4-mini", "gpt-6-luna"])
def test_openais_own_client_writes_the_same_request_and_reads_the_same_answer(
    replay: Replay, model_id: str, ask: Ask
) -> None:
    import openai
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
    from pydantic import TypeAdapter

    replay.play(200, answer("openai"))
    ours = run(at(replay.url, "openai", model_id).complete(PROMPT, ask))
    body = dict(sent(replay))
    TypeAdapter(CompletionCreateParamsNonStreaming).validate_python(body)

    with openai.OpenAI(base_url=f"{replay.url}/v1", api_key=KEY, max_retries=0) as client:
        theirs = client.chat.completions.create(**body)  # type: ignore[call-overload]  # as above

    assert sent(replay, 1) == sent(replay, 0)
    assert replay.got[1].path == replay.got[0].path
    assert theirs.choices[0].message.content == ours.text


@pytest.mark.parametrize("ask", [JUDGING, CHOOSING], ids=["judging", "choosing"])
@pytest.mark.parametrize("model_id", ["gemini-2.0-flash", "gemini-2.5-flash", "gemini-3.8-flash"])
def test_googles_own_client_writes_the_same_request_and_reads_the_same_answer(
    replay: Replay, model_id: str, ask: Ask
) -> None:
    replay.play(200, answer("google"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as above
        from google import genai
        from google.genai import types as gemini

    model = at(replay.url, "google", model_id)
    ours = run(model.complete(PROMPT, ask))
    options = gemini.HttpOptions(base_url=replay.url, api_version="v1beta")
    client = genai.Client(api_key=KEY, http_options=options)
    choosing = bool(ask.choices) and model.traits.probabilities
    schema = ask.schema is not None

    theirs = client.models.generate_content(
        model=model_id,
        contents=[
            gemini.Content(
                role="user",
                parts=[gemini.Part(text=PROMPT.context), gemini.Part(text=PROMPT.question)],
            )
        ],
        config=gemini.GenerateContentConfig(
            system_instruction=gemini.Content(parts=[gemini.Part(text=PROMPT.system)]),
            max_output_tokens=ask.max_tokens,
            temperature=0 if model.traits.temperature else None,
            thinking_config=gemini.ThinkingConfig.model_validate(dict(model.traits.thinking))
            if model.traits.thinking
            else None,
            response_mime_type="application/json" if schema else None,
            response_json_schema=ask.schema,
            response_logprobs=True if choosing else None,
            logprobs=5 if choosing else None,
        ),
    )
    client.close()

    assert _lower(sent(replay, 1)) == _lower(sent(replay, 0))
    assert replay.got[1].path == replay.got[0].path
    assert replay.got[1].headers["x-goog-api-key"] == replay.got[0].headers["x-goog-api-key"]
    assert theirs.text == ours.text
    assert (ours.probabilities is not None) == bool(ask.choices)


def _lower(body: Mapping[str, object]) -> object:
    """Google reads either spelling of names, and its client writes one of them the other way."""
    text = json.dumps(body).replace('"MINIMAL"', '"minimal"')
    return json.loads(
        text.replace("thinking_level", "thinkingLevel").replace("thinking_budget", "thinkingBudget")
    )


def test_amazons_own_client_writes_the_same_request_and_reads_the_same_answer(
    replay: Replay,
) -> None:
    import botocore.session  # type: ignore[import-untyped]  # no types are published
    from botocore import UNSIGNED
    from botocore.config import Config  # type: ignore[import-untyped]  # as above

    replay.play(200, answer("bedrock"))
    ours = run(at(replay.url, "bedrock").complete(PROMPT, JUDGING))
    client = botocore.session.Session().create_client(
        "bedrock-runtime",
        region_name="us-east-1",
        endpoint_url=replay.url,
        # It sends a key over TLS only, so here it sends none.
        config=Config(signature_version=UNSIGNED, retries={"total_max_attempts": 1}, proxies={}),
    )

    theirs = client.converse(modelId=MODELS["bedrock"], **sent(replay))
    client.close()

    assert sent(replay, 1) == sent(replay, 0)
    assert replay.got[1].path == replay.got[0].path
    assert replay.got[0].headers["authorization"] == f"Bearer {KEY}"
    assert theirs["output"]["message"]["content"][0]["text"] == ours.text
    assert {"cachePoint": {"type": "default"}} in sent(replay)["system"]  # type: ignore[operator]


COUNTED = Usage(input=20, output=3, cache_read=70, cache_write=10)
ANSWERS = {
    "anthropic": Reply("0", True, COUNTED, "end_turn"),
    "openai": Reply("0", True, COUNTED, "stop"),
    "google": Reply("0", True, Usage(30, 3, 70), "STOP"),
    "bedrock": Reply("0", True, COUNTED, "end_turn"),
}


@pytest.mark.parametrize("provider", ANSWERS)
def test_text_end_and_tokens_are_read(replay: Replay, provider: str) -> None:
    replay.play(200, answer(provider))

    assert run(at(replay.url, provider).complete(PROMPT, ASK)) == ANSWERS[provider]


REFUSED = answer("openai")
REFUSED["choices"] = [{"message": {"refusal": "I cannot help with that"}, "finish_reason": "stop"}]
CUT_OFF = [
    *(("anthropic", stop) for stop in "max_tokens refusal model_context_window_exceeded".split()),
    *(("openai", stop) for stop in ("length", "content_filter")),
    *(("google", stop) for stop in ("MAX_TOKENS", "SAFETY")),
    *(("bedrock", stop) for stop in ("max_tokens", "guardrail_intervened")),
    ("openai", REFUSED),
    ("google", {"promptFeedback": {"blockReason": "SAFETY"}}),
]


@pytest.mark.parametrize(("provider", "said"), CUT_OFF)
def test_a_reply_that_the_model_did_not_end_is_not_complete(
    replay: Replay, provider: str, said: str | dict[str, object]
) -> None:
    replay.play(200, answer(provider, said) if isinstance(said, str) else said)

    reply = run(at(replay.url, provider).complete(PROMPT, ASK))

    assert not reply.complete
    assert reply.stop


def test_openrouter_is_told_where_a_claude_prompt_may_be_cached(replay: Replay) -> None:
    replay.play(200, answer("openai"))

    run(at(replay.url, "openrouter", "anthropic/claude-haiku-4.5").complete(PROMPT, ASK))

    user = sent(replay)["messages"][1]  # type: ignore[index]
    marked, question = user["content"]
    assert marked["cache_control"] == {"type": "ephemeral"}
    assert question == {"type": "text", "text": PROMPT.question}


def test_an_answer_in_parts_is_joined_without_its_thoughts(replay: Replay) -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "0"},
    ]
    choice = {"message": {"content": parts}, "finish_reason": "stop"}
    replay.play(200, answer("openai") | {"choices": [choice]})

    assert run(at(replay.url, "mistral", "magistral-medium").complete(PROMPT, ASK)).text == "0"


def test_thinking_that_only_the_total_counts_is_output(replay: Replay) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 160}
    replay.play(200, answer("openai") | {"usage": usage})

    reply = run(at(replay.url, "xai", "grok-4.6").complete(PROMPT, ASK))

    assert reply.usage == Usage(input=100, output=60)
