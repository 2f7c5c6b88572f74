"""A real model on the processor: what the replays promise, a real server keeps."""

import json

import pytest

from automode.llm.endpoints import Endpoint
from automode.llm.hosted import HostedModel
from automode.llm.model import Ask, Prompt
from automode.llm.providers import Api, Provider
from automode.llm.registry import hosted
from automode.llm.wire import Wire
from tests.llm.conftest import run

PATIENT = 120.0
SHARED = "The agent runs one command after the other in a small web project. " * 14
SYSTEM = "You judge actions of an agent."
FAST = Prompt(SYSTEM, "The agent ran `ls`.", "Is this fine? Answer with 0 or 1 only.")
DELIBERATE = Prompt(SYSTEM, FAST.context, "Is this fine? Answer with one JSON object.")
SCHEMA = {
    "type": "object",
    "properties": {"decision": {"enum": ["allow", "block"]}},
    "required": ["decision"],
    "additionalProperties": False,
}
QUESTION_TOKENS = 12  # at most, with what the model's template puts behind it


def model(url: str, api: Api) -> HostedModel:
    base_url = f"{url}/v1" if api is Api.OPENAI else url
    own = Provider("real", "the real server", api, base_url)
    return hosted(Endpoint(own, base_url), "smollm2", Wire())


@pytest.mark.parametrize("api", [Api.OPENAI, Api.ANTHROPIC])
def test_the_second_stage_reads_the_first_ones_prompt_from_the_cache(
    real_server: str, api: Api
) -> None:
    asked = model(real_server, api)

    # Words of its own at the front, so that the other format's run has not warmed the cache.
    system = f"{api}: {SYSTEM}"
    first = run(asked.complete(Prompt(system, SHARED, "Answer 0 or 1."), Ask(1, PATIENT)))
    second = run(asked.complete(Prompt(system, SHARED, "Say why."), Ask(2, PATIENT)))

    shared = second.usage.prompt - QUESTION_TOKENS
    assert first.text
    assert first.usage.input > 0.9 * shared
    assert second.usage.cache_read > 0.9 * shared > 150


def test_one_token_comes_with_the_probabilities_of_the_choices(real_server: str) -> None:
    ask = Ask(1, PATIENT, choices=("0", "1"))

    reply = run(model(real_server, Api.OPENAI).complete(FAST, ask))

    assert reply.probabilities is not None
    assert set(reply.probabilities) == {"0", "1"}
    assert 0 < sum(reply.probabilities.values()) <= 1


def test_a_schema_forces_the_answer_into_its_shape(real_server: str) -> None:
    ask = Ask(20, PATIENT, schema=SCHEMA)

    reply = run(model(real_server, Api.OPENAI).complete(DELIBERATE, ask))

    assert reply.complete
    assert json.loads(reply.text)["decision"] in {"allow", "block"}


def test_an_answer_cut_at_the_limit_is_not_complete(real_server: str) -> None:
    reply = run(model(real_server, Api.ANTHROPIC).complete(DELIBERATE, Ask(2, PATIENT)))

    assert not reply.complete
