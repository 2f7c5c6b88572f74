"""From a name to a model, or to the reason why there is none."""

import subprocess
import sys

import pytest

from automode.llm.endpoints import Missing, Sources
from automode.llm.model import Model
from automode.llm.providers import Api, OwnServer
from automode.llm.registry import resolve
from tests.llm.conftest import ASK, PROMPT, Replay, run
from tests.rows import each_row, rows

KEYS = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "OPENROUTER_API_KEY": "r"}


@pytest.mark.usefixtures("asks_files")
@each_row("chosen, host, name", rows("llm", "chosen-models"))
def test_the_chosen_model_comes_before_the_sessions(chosen: str, host: str, name: str) -> None:
    model = resolve(chosen or None, Sources(KEYS), host_model=host or None)

    assert not isinstance(model, Missing)
    assert model.name == name


@each_row("chosen, kind, words", rows("llm", "no-models"))
def test_no_model_has_a_reason_a_person_can_act_on(chosen: str, kind: str, words: str) -> None:
    found = resolve(chosen or None, Sources(KEYS))

    assert isinstance(found, Missing)
    assert found.kind == kind
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
