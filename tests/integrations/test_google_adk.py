"""Google ADK, for real, on a scripted model."""

import asyncio
from collections.abc import AsyncIterator
from importlib import import_module

from automode import Gate
from tests.integrations.conftest import TASK, Scene, example

FRAMEWORKS = ("google.adk",)


def parts(contents: list[object]) -> list[object]:
    return [part for one in contents for part in getattr(one, "parts", None) or ()]


def scripted(commands: list[str]) -> object:
    models, kinds = import_module("google.adk.models"), import_module("google.genai.types")

    async def generate(
        self: object, request: object, stream: object = None
    ) -> AsyncIterator[object]:
        given = parts(getattr(request, "contents", []))
        done = sum(bool(getattr(one, "function_response", None)) for one in given)
        if done < len(commands):
            call = kinds.FunctionCall(id=f"c{done}", name="bash", args={"command": commands[done]})
            part = kinds.Part(function_call=call)
        else:
            part = kinds.Part(text="all done")
        yield models.LlmResponse(content=kinds.Content(role="model", parts=[part]))

    kind = type("Scripted", (models.BaseLlm,), {"generate_content_async": generate})
    made: object = kind(model="scripted")
    return made


def results(events: list[object]) -> list[str]:
    found = parts([getattr(one, "content", None) for one in events])
    return [
        "\n".join(str(value) for value in one.function_response.response.values())  # type: ignore[attr-defined]  # no types are published here
        for one in found
        if getattr(one, "function_response", None)
    ]


def test_the_agent_is_gated_and_its_results_are_screened(scene: Scene) -> None:
    events = asyncio.run(example("google_adk").run(scene.gate, TASK, scripted(scene.commands)))

    scene.check(results(events))


def test_without_a_gate_nothing_runs(scene: Scene, closed: Gate) -> None:
    shown, adk = example("google_adk"), import_module("google.adk.agents")
    agent = adk.LlmAgent(name="worker", model=scripted(scene.commands), tools=[shown.bash])
    runner = shown.InMemoryRunner(agent=agent, plugins=[shown.plugin(closed)])

    events = asyncio.run(runner.run_debug(TASK, quiet=True))

    scene.check_closed()
    assert all("this call must not run" in one for one in results(events))
