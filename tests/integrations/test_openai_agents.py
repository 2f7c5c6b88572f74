"""openai-agents, for real, on a scripted model."""

import asyncio
from importlib import import_module

import pytest

from automode import Gate
from automode.core.errors import BadCall
from automode.integrations.openai_agents import guard
from automode.testing.model_server import ModelServer
from automode.testing.script import ToolUse, saying, using
from tests.integrations.conftest import TASK, Scene, example, framework


@pytest.fixture(autouse=True)
def _framework() -> None:
    framework("agents")
    import_module("agents").set_tracing_disabled(True)


def scripted(model: ModelServer) -> object:
    client = import_module("openai").AsyncOpenAI(base_url=f"{model.address}/v1", api_key="none")
    made: object = import_module("agents").OpenAIChatCompletionsModel("scripted-model", client)
    return made


def test_the_agent_is_gated_and_its_results_are_screened(scene: Scene, model: ModelServer) -> None:
    scene.play(model)

    said = asyncio.run(example("openai_agents").run(scene.gate, TASK, scripted(model)))

    assert said == "all done"
    scene.check(model.results())


def test_without_a_gate_nothing_runs(scene: Scene, closed: Gate, model: ModelServer) -> None:
    scene.play(model)
    shown = example("openai_agents")
    agents = import_module("agents")
    agent = agents.Agent(name="w", tools=guard(closed, [shown.bash]), model=scripted(model))

    asyncio.run(agents.Runner.run(agent, TASK))

    scene.check_closed()
    assert all("this call must not run" in one for one in model.results())


@pytest.mark.parametrize("answer", [True, False])
def test_with_somebody_there_asking_interrupts_the_run(
    scene: Scene, model: ModelServer, answer: bool
) -> None:
    made = scene.project / "asked"
    model.plays(using(ToolUse("bash", {"command": f"make {made}; touch {made}"})), saying("ok"))
    agents = import_module("agents")

    async def answered(gate: Gate) -> None:
        tools = guard(gate, [example("openai_agents").bash])
        agent = agents.Agent(name="w", tools=tools, model=scripted(model))
        result = await agents.Runner.run(agent, TASK)
        (waiting,) = result.interruptions
        state = result.to_state()
        (state.approve if answer else state.reject)(waiting)
        await agents.Runner.run(agent, state)

    with scene.another(attended=True) as gate:
        asyncio.run(answered(gate))

    assert made.exists() is answer


def test_a_tool_that_takes_no_guardrail_is_refused(scene: Scene) -> None:
    with pytest.raises(BadCall, match="is no FunctionTool"):
        guard(scene.gate, [import_module("agents").WebSearchTool()])
