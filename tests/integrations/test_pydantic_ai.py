"""pydantic-ai, for real, on a scripted model."""

import asyncio
from importlib import import_module

import pytest

from automode import Gate
from automode.integrations.pydantic_ai import gated
from tests.integrations.conftest import ATTACK, TASK, Scene, example

FRAMEWORKS = ("pydantic_ai",)


def scripted(commands: list[str]) -> object:
    kinds = import_module("pydantic_ai.messages")

    def answer(messages: list[object], info: object) -> object:
        done = sum(
            part.part_kind == "tool-return"
            for one in messages
            for part in getattr(one, "parts", ())
        )
        if done < len(commands):
            call = kinds.ToolCallPart("bash", {"command": commands[done]}, f"c{done}")
            return kinds.ModelResponse(parts=[call])
        return kinds.ModelResponse(parts=[kinds.TextPart("all done")])

    made: object = import_module("pydantic_ai.models.function").FunctionModel(answer)
    return made


def results(messages: list[object]) -> list[str]:
    parts = [part for one in messages for part in getattr(one, "parts", ())]
    return [str(part.content) for part in parts if part.part_kind == "tool-return"]


def test_the_agent_is_gated_and_its_results_are_screened(scene: Scene) -> None:
    found = asyncio.run(example("pydantic_ai").run(scene.gate, TASK, scripted(scene.commands)))

    assert found.output == "all done"
    scene.check(results(found.all_messages()))


def test_without_a_gate_nothing_runs(scene: Scene, closed: Gate) -> None:
    tools = example("pydantic_ai").tools
    agent = import_module("pydantic_ai").Agent(
        scripted(scene.commands), toolsets=[gated(closed, tools)]
    )

    found = asyncio.run(agent.run(TASK))

    scene.check_closed()
    assert all("this call must not run" in one for one in results(found.all_messages()))


def shown(scene: Scene, kind: str) -> str:
    """What the model reads of a tool that hands the attack over in this way."""
    library = import_module("pydantic_ai")
    tools = library.FunctionToolset()

    def bash(command: str) -> object:
        if kind == "retry":
            raise library.ModelRetry(ATTACK)
        return library.ToolReturn(return_value={"page": ATTACK}, metadata="for the program")

    tools.tool_plain(bash)
    agent = library.Agent(scripted([scene.commands[2]]), toolsets=[gated(scene.gate, tools)])
    messages = asyncio.run(agent.run(TASK)).all_messages()
    (part,) = (part for one in messages for part in one.parts if part.part_kind == "tool-return")
    assert kind == "retry" or part.metadata == "for the program"
    return str(part.content)


@pytest.mark.parametrize("kind", ["retry", "return"])
def test_what_a_tool_hands_over_in_another_way_is_screened(scene: Scene, kind: str) -> None:
    text = shown(scene, kind)

    assert text.index("[automode] Warning:") < text.index(ATTACK)


@pytest.mark.parametrize("answer", [True, False])
def test_with_somebody_there_asking_defers_the_call(scene: Scene, answer: bool) -> None:
    made = scene.project / "asked"
    library = import_module("pydantic_ai")
    with scene.another(attended=True) as gate:
        agent = library.Agent(
            scripted([f"make {made}; touch {made}"]),
            toolsets=[gated(gate, example("pydantic_ai").tools)],
            output_type=[str, library.DeferredToolRequests],
        )
        first = asyncio.run(agent.run(TASK))
        (waiting,) = first.output.approvals
        asked = first.output.metadata[waiting.tool_call_id]["automode"]
        given = library.DeferredToolResults()
        given.approvals[waiting.tool_call_id] = answer
        asyncio.run(agent.run(message_history=first.all_messages(), deferred_tool_results=given))

    assert "automode (" in asked
    assert made.exists() is answer
