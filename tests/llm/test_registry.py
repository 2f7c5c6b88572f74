"""From a name to a model, or to the reason why there is none."""

import subprocess
import sys
from dataclasses import dataclass

import pytest

from automode.llm.endpoints import Missing, Sources
from automode.llm.model import Model, ModelFault
from automode.llm.providers import Api, OwnServer
from automode.llm.registry import resolve
from tests.llm.conftest import ASK, PROMPT, Replay, run

KEYS = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "OPENROUTER_API_KEY": "r"}


@dataclass(frozen=True)
class Row:
    chosen: str | None
    host: str | None
    name: str


ROWS = [
    Row("anthropic/claude-haiku-4-5", None, "anthropic/claude-haiku-4-5"),
    Row("anthropic/claude-haiku-4-5", "openai/gpt-4o", "anthropic/claude-haiku-4-5"),
    Row(None, "openai/gpt-4o", "openai/gpt-4o"),
    Row("openrouter/openai/gpt-4o", None, "openrouter/openai/gpt-4o"),
    Row("ollama/qwen2.5-coder:7b", None, "ollama/qwen2.5-coder:7b"),
    Row("gguf//models/judge.gguf", None, "gguf//models/judge.gguf"),
    Row("gguf//models/judge.gguf#" + "0f" * 32, "openai/gpt-4o", "gguf//models/judge.gguf"),
]


@pytest.mark.usefixtures("asks_files")
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_the_chosen_model_comes_before_the_sessions(row: Row) -> None:
    model = resolve(row.chosen, Sources(KEYS), host_model=row.host)

    assert not isinstance(model, Missing)
    assert model.name == row.name


REASONS = {
    None: (ModelFault.UNKNOWN_MODEL, "no model is chosen"),
    "gpt-4o": (ModelFault.UNKNOWN_MODEL, "provider/model-id"),
    "openai/": (ModelFault.UNKNOWN_MODEL, "provider/model-id"),
    "/gpt-4o": (ModelFault.UNKNOWN_MODEL, "provider/model-id"),
    "nobody/x": (ModelFault.UNKNOWN_MODEL, "unknown provider"),
    "google/gemini-2.5-flash": (ModelFault.NO_KEY, "GEMINI_API_KEY"),
    "gguf/judge.gguf": (ModelFault.UNKNOWN_MODEL, "whole path"),
}


@pytest.mark.parametrize("chosen", REASONS)
def test_no_model_has_a_reason_a_person_can_act_on(chosen: str | None) -> None:
    kind, words = REASONS[chosen]

    found = resolve(chosen, Sources(KEYS))

    assert isinstance(found, Missing)
    assert found.kind is kind
    assert words in found.reason


def test_a_chosen_model_that_cannot_be_used_is_not_replaced() -> None:
    found = resolve("google/gemini-2.5-flash", Sources(KEYS), host_model="openai/gpt-4o")

    assert isinstance(found, Missing)


def test_a_server_from_the_settings_is_asked(replay: Replay) -> None:
    answer = {"choices": [{"message": {"content": "0"}, "finish_reason": "stop"}]}
    replay.play(200, answer)
    own = (OwnServer("mine", Api.OPENAI, f"{replay.url}/v1", "MY_KEY"),)
    model = resolve("mine/some-model", Sources({"MY_KEY": "mine"}, own=own))
    assert not isinstance(model, Missing)

    reply = run(model.complete(PROMPT, ASK))

    assert reply.text == "0"
    assert replay.got[0].headers["authorization"] == "Bearer mine"
    assert replay.got[0].path == "/v1/chat/completions"


def test_a_resolved_model_is_a_model() -> None:
    model: Model | Missing = resolve("openai/gpt-4o", Sources(KEYS))

    assert not isinstance(model, Missing)
    assert (model.reasons, model.context_tokens) == (False, 128_000)


def test_choosing_a_model_loads_no_http_client() -> None:
    code = "import sys, automode.llm.registry; print('httpx2' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
