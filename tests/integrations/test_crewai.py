"""CrewAI, for real, on a scripted model."""

from collections.abc import Iterator
from importlib import import_module

import pytest

from automode import Decision, Gate, ToolCall
from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import ToolUse, saying, using
from automode.integrations.crewai import Guard, guard
from tests.integrations.conftest import TASK, Scene, example, framework

QUIET = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_TRACKING": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "OTEL_SDK_DISABLED": "true",
    "OPENAI_API_KEY": "none",
}


@pytest.fixture(autouse=True)
def _framework(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    framework("crewai")
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    yield
    hooks = import_module("crewai.hooks")
    assert hooks.get_before_tool_call_hooks() == []
    assert hooks.get_after_tool_call_hooks() == []
    assert hooks.get_before_llm_call_hooks() == []


def scripted(model: ModelServer) -> object:
    made: object = import_module("crewai").LLM(
        model="openai/scripted-model", base_url=f"{model.url}/v1", api_key="none"
    )
    return made


def test_the_agent_is_gated_and_its_results_are_screened(scene: Scene, model: ModelServer) -> None:
    scene.play(model)

    said = example("crewai").run(scene.gate, TASK, scripted(model))

    assert "all done" in said
    scene.check(model.results())


def test_without_a_gate_nothing_runs(scene: Scene, closed: Gate, model: ModelServer) -> None:
    """The framework passes over a hook that raises, and the tool would run."""
    scene.play(model)
    shown = example("crewai")
    take_away = guard(closed)
    agent = shown.Agent(
        role="w", goal="g", backstory="b", tools=[shown.bash], llm=scripted(model), max_iter=5
    )

    agent.kickoff(TASK)
    take_away()

    scene.check_closed()
    assert all("this call must not run" in one for one in model.results())


class Broken(Gate):
    """Fails in a way that nobody foresaw."""

    def decide_sync(self, call: ToolCall) -> Decision:
        raise OSError("no disk")


def test_a_gate_that_raises_blocks(scene: Scene, model: ModelServer) -> None:
    scene.play(model)
    shown = example("crewai")
    with Broken(
        str(scene.project),
        attended=False,
        config_folder=str(scene.folder / "config"),
        state_folder=str(scene.folder / "state"),
    ) as broken:
        take_away = guard(broken)
        agent = shown.Agent(
            role="w", goal="g", backstory="b", tools=[shown.bash], llm=scripted(model), max_iter=5
        )
        agent.kickoff(TASK)
        take_away()

    scene.check_closed()


class Odd:
    """What a hook could be given by another version of the framework."""

    tool_result = "a result"


def test_what_the_hooks_cannot_read_is_blocked_and_said_to_be_unseen(scene: Scene) -> None:
    guarding = Guard(scene.gate)
    odd = Odd()

    assert guarding.before(odd) is False  # type: ignore[arg-type]  # on purpose
    told = guarding.after(odd)  # type: ignore[arg-type]

    assert told is not None
    assert "was not looked at" in told
    assert told.endswith("a result")


def test_a_halt_ends_the_run(scene: Scene, model: ModelServer) -> None:
    turns = [using(ToolUse("bash", {"command": f"touch {scene.denied}{n}"})) for n in range(8)]
    model.plays(*turns, saying("all done"))
    shown = example("crewai")
    take_away = guard(scene.gate)
    agent = shown.Agent(
        role="w", goal="g", backstory="b", tools=[shown.bash], llm=scripted(model), max_iter=20
    )

    with pytest.raises(Exception, match="blocked"):
        agent.kickoff(TASK)
    take_away()

    scene.check_closed()
    assert len(model.results()) < len(turns)
