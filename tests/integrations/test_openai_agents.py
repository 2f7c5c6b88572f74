"""openai-agents, for real, on a scripted model."""

import asyncio
import json
from importlib import import_module
from types import SimpleNamespace

import pytest

from automode import Decision, Gate, ToolCall
from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import ToolUse, saying, using
from automode.core.errors import BadCall
from automode.integrations.openai_agents import Guard, guard
from tests.integrations.conftest import TASK, Scene, example, framework


@pytest.fixture(autouse=True)
def _framework() -> None:
    framework("agents")
    import_module("agents").set_tracing_disabled(True)


def scripted(model: ModelServer) -> object:
    client = import_module("openai").AsyncOpenAI(base_url=f"{model.url}/v1", api_key="none")
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


class Counting(Gate):
    """Counts how often it was asked."""

    asked = 0

    async def decide(self, call: ToolCall) -> Decision:
        self.asked += 1
        return await super().decide(call)


def test_a_denial_is_one_though_the_framework_asks_twice_and_the_next_is_another(
    scene: Scene,
) -> None:
    given = {"command": f"touch {scene.denied}"}
    context = SimpleNamespace(tool_name="bash", tool_call_id="k", tool_arguments=json.dumps(given))

    async def asked_twice(guarding: Guard) -> object:
        assert not await guarding.approval("bash", False)(None, given, "k")
        return await guarding.before(SimpleNamespace(context=context))

    with Counting(
        str(scene.project),
        attended=True,
        config_folder=str(scene.folder / "config"),
        state_folder=str(scene.folder / "state"),
    ) as gate:
        guarding = Guard(gate)
        counts: list[int] = []
        for _ in range(2):
            said = asyncio.run(asked_twice(guarding))
            assert "rules.deny" in str(said)
            counts.append(gate.asked)

    assert counts == [1, 2]
