"""What goes over the wire, held against the types and the clients that the providers publish.

They take seconds to load, so only the tests that need them do: every process of a test run collects
this file.
"""

import json
import warnings
from collections.abc import Callable, Mapping

import pytest

from automode.llm.model import Ask, Reply, Usage
from tests.llm.conftest import ASK, KEY, MODELS, PROMPT, Replay, at, run

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


def anthropic_answer(stop: str = "end_turn") -> bytes:
    from anthropic.types import Message, TextBlock, ThinkingBlock
    from anthropic.types import Usage as AnthropicUsage

    return (
        Message(
            id="msg_1",
            type="message",
            role="assistant",
            model=MODELS["anthropic"],
            content=[
                ThinkingBlock(type="thinking", thinking="hm", signature="s"),
                TextBlock(type="text", text="0"),
            ],
            stop_reason=stop,  # type: ignore[arg-type]  # also what the types do not list
            usage=AnthropicUsage(
                input_tokens=20,
                output_tokens=3,
                cache_read_input_tokens=70,
                cache_creation_input_tokens=10,
            ),
        )
        .model_dump_json(exclude_none=True)
        .encode()
    )


def openai_answer(stop: str = "stop", *, refusal: str | None = None) -> bytes:
    from openai.types import CompletionUsage
    from openai.types.chat import ChatCompletion

    listed = [
        {"token": "0", "logprob": -0.5, "bytes": None},
        {"token": " 0", "logprob": -3.0, "bytes": None},
        {"token": "1", "logprob": -1.5, "bytes": None},
    ]
    answer = ChatCompletion.model_validate(
        {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": MODELS["openai"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": stop,
                    "message": {"role": "assistant", "content": "0", "refusal": refusal},
                    "logprobs": {"content": [{**listed[0], "top_logprobs": listed}]},
                }
            ],
            "usage": CompletionUsage.model_validate(
                {
                    "prompt_tokens": 100,
                    "completion_tokens": 3,
                    "total_tokens": 103,
                    "prompt_tokens_details": {"cached_tokens": 70, "cache_write_tokens": 10},
                    "completion_tokens_details": {"reasoning_tokens": 2},
                }
            ),
        }
    )
    return answer.model_dump_json().encode()


def google_answer(stop: str = "STOP") -> bytes:
    with warnings.catch_warnings():
        # Its source has a string that newer Pythons warn of.
        warnings.simplefilter("ignore")
        from google.genai import types as gemini

    first = [
        gemini.LogprobsResultCandidate(token="0", log_probability=-0.5),
        gemini.LogprobsResultCandidate(token="1", log_probability=-1.5),
    ]
    answer = gemini.GenerateContentResponse(
        candidates=[
            gemini.Candidate(
                content=gemini.Content(
                    role="model",
                    parts=[gemini.Part(text="hm", thought=True), gemini.Part(text="0")],
                ),
                finish_reason=gemini.FinishReason(stop),
                logprobs_result=gemini.LogprobsResult(
                    top_candidates=[gemini.LogprobsResultTopCandidates(candidates=first)]
                ),
            )
        ],
        usage_metadata=gemini.GenerateContentResponseUsageMetadata(
            prompt_token_count=100,
            cached_content_token_count=70,
            candidates_token_count=1,
            thoughts_token_count=2,
            total_token_count=103,
        ),
    )
    return answer.model_dump_json(by_alias=True, exclude_none=True).encode()


def bedrock_answer(stop: str = "end_turn") -> bytes:
    return json.dumps(
        {
            "output": {"message": {"role": "assistant", "content": [{"text": "0"}]}},
            "stopReason": stop,
            "usage": {
                "inputTokens": 20,
                "outputTokens": 3,
                "totalTokens": 103,
                "cacheReadInputTokens": 70,
                "cacheWriteInputTokens": 10,
            },
            "metrics": {"latencyMs": 1},
        }
    ).encode()


def test_anthropic_marks_what_both_stages_share(replay: Replay) -> None:
    replay.play(200, anthropic_answer())

    run(at(replay.url, "anthropic").complete(PROMPT, JUDGING))

    marked = {"type": "ephemeral"}
    assert sent(replay) == {
        "model": "claude-haiku-4-5",
        "max_tokens": 700,
        "temperature": 0,
        "system": [{"type": "text", "text": PROMPT.system, "cache_control": marked}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": PROMPT.context, "cache_control": marked},
                    {"type": "text", "text": PROMPT.question},
                ],
            }
        ],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }
    assert replay.got[0].path == "/v1/messages"
    assert replay.got[0].headers["x-api-key"] == KEY
    assert replay.got[0].headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in replay.got[0].headers


def test_anthropics_own_client_writes_the_same_request_and_reads_the_same_answer(
    replay: Replay,
) -> None:
    import anthropic
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
    from pydantic import TypeAdapter

    replay.play(200, anthropic_answer())
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
    replay.play(200, openai_answer())

    run(at(replay.url, "openai").complete(PROMPT, JUDGING))

    body = dict(sent(replay))
    cache_key = body.pop("prompt_cache_key")
    assert isinstance(cache_key, str)
    assert cache_key.startswith("automode-")
    assert body == {
        "model": "gpt-4o",
        "max_completion_tokens": 700,
        "temperature": 0,
        "messages": [
            {"role": "system", "content": PROMPT.system},
            {"role": "user", "content": f"{PROMPT.context}\n\n{PROMPT.question}"},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
    }
    assert replay.got[0].path == "/v1/chat/completions"
    assert replay.got[0].headers["authorization"] == f"Bearer {KEY}"


def test_openai_is_asked_for_the_probabilities_of_choices(replay: Replay) -> None:
    replay.play(200, openai_answer())

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

    replay.play(200, openai_answer())
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
    replay.play(200, google_answer())
    # Only now: the answer let the warnings pass that loading them for the first time brings.
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

    replay.play(200, bedrock_answer())
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
    "anthropic": (anthropic_answer, Reply("0", True, COUNTED, "end_turn")),
    "openai": (openai_answer, Reply("0", True, COUNTED, "stop")),
    "google": (google_answer, Reply("0", True, Usage(30, 3, 70), "STOP")),
    "bedrock": (bedrock_answer, Reply("0", True, COUNTED, "end_turn")),
}


@pytest.mark.parametrize("provider", ANSWERS)
def test_text_end_and_tokens_are_read(replay: Replay, provider: str) -> None:
    answer, expected = ANSWERS[provider]
    replay.play(200, answer())

    assert run(at(replay.url, provider).complete(PROMPT, ASK)) == expected


CUT_OFF: dict[str, tuple[str, Callable[[], bytes]]] = {
    "anthropic cut": ("anthropic", lambda: anthropic_answer("max_tokens")),
    "anthropic refused": ("anthropic", lambda: anthropic_answer("refusal")),
    "anthropic full": ("anthropic", lambda: anthropic_answer("model_context_window_exceeded")),
    "openai cut": ("openai", lambda: openai_answer("length")),
    "openai filtered": ("openai", lambda: openai_answer("content_filter")),
    "openai refused": ("openai", lambda: openai_answer(refusal="I cannot help with that")),
    "google cut": ("google", lambda: google_answer("MAX_TOKENS")),
    "google filtered": ("google", lambda: google_answer("SAFETY")),
    "google blocked": ("google", lambda: b'{"promptFeedback": {"blockReason": "SAFETY"}}'),
    "bedrock cut": ("bedrock", lambda: bedrock_answer("max_tokens")),
    "bedrock guarded": ("bedrock", lambda: bedrock_answer("guardrail_intervened")),
}


@pytest.mark.parametrize("case", CUT_OFF)
def test_a_reply_that_the_model_did_not_end_is_not_complete(replay: Replay, case: str) -> None:
    provider, answer = CUT_OFF[case]
    replay.play(200, answer())

    reply = run(at(replay.url, provider).complete(PROMPT, ASK))

    assert not reply.complete
    assert reply.stop


def test_openrouter_is_told_where_a_claude_prompt_may_be_cached(replay: Replay) -> None:
    replay.play(200, openai_answer())

    run(at(replay.url, "openrouter", "anthropic/claude-haiku-4.5").complete(PROMPT, ASK))

    user = sent(replay)["messages"][1]  # type: ignore[index]
    marked, question = user["content"]
    assert marked["cache_control"] == {"type": "ephemeral"}
    assert question == {"type": "text", "text": PROMPT.question}


def test_an_answer_in_parts_is_joined_without_its_thoughts(replay: Replay) -> None:
    answer = json.loads(openai_answer())
    answer["choices"][0]["message"]["content"] = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "0"},
    ]
    replay.play(200, answer)

    assert run(at(replay.url, "mistral", "magistral-medium").complete(PROMPT, ASK)).text == "0"


def test_thinking_that_only_the_total_counts_is_output(replay: Replay) -> None:
    answer = json.loads(openai_answer())
    answer["usage"] = {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 160}
    replay.play(200, answer)

    reply = run(at(replay.url, "xai", "grok-4.6").complete(PROMPT, ASK))

    assert reply.usage == Usage(input=100, output=60)
