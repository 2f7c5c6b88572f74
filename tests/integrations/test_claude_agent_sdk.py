"""claude-agent-sdk, for real: the Claude Code that it brings along, on a scripted model."""

import asyncio
from collections.abc import Mapping
from importlib import import_module

import pytest

from automode import Gate
from automode.agents.events import Adapter, Answer, Moment
from automode.agents.scripted.driver import ScratchFolders, driver_of
from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import ToolUse, saying, using
from automode.integrations.claude_agent_sdk import EVENTS, hook, hooks
from tests.integrations.conftest import TASK, Scene, example

FRAMEWORKS = ("claude_agent_sdk",)


def run(scene: Scene, gate: Gate, model: ModelServer, **more: object) -> str:
    scratch = ScratchFolders(str(scene.folder / "home"), str(scene.project), model.url)
    agent = driver_of("claude-code", "claude")
    agent.prepare(scratch)
    settings = {"cwd": str(scene.project), "model": "claude-sonnet-4-5"}
    environment = agent.environment(scratch)
    said = asyncio.run(
        example("claude_agent_sdk").run(gate, TASK, env=environment, **settings, **more)
    )
    assert isinstance(said, str)
    return said


def test_the_agent_is_gated_and_its_results_are_screened(scene: Scene, model: ModelServer) -> None:
    scene.play(model, "Bash")

    assert run(scene, scene.gate, model) == "all done"
    scene.check(model.results())


def test_without_a_gate_nothing_runs(scene: Scene, closed: Gate, model: ModelServer) -> None:
    scene.play(model, "Bash")

    run(scene, closed, model)

    scene.check_closed()


@pytest.mark.parametrize("answer", [True, False])
def test_with_somebody_there_the_sdk_asks(scene: Scene, model: ModelServer, answer: bool) -> None:
    made = scene.project / "asked"
    command = f"make {made}; touch {made}"
    model.plays(using(ToolUse("Bash", {"command": command})), saying("all done"))
    sdk = import_module("claude_agent_sdk")

    async def asked(tool: str, given: object, context: object) -> object:
        return sdk.PermissionResultAllow() if answer else sdk.PermissionResultDeny(message="no")

    with scene.another(attended=True) as gate:
        run(scene, gate, model, can_use_tool=asked)

    assert made.exists() is answer


def test_every_event_is_registered_and_proposed_calls_block_on_failure(scene: Scene) -> None:
    found = hooks(scene.gate)

    assert found.keys() == EVENTS.keys()
    matcher = import_module("claude_agent_sdk").HookMatcher
    assert all(isinstance(one, matcher) for row in found.values() for one in row)
    assert getattr(found["PreToolUse"][0], "on_failure", None) == "block"


class Broken(Gate):
    def __init__(self) -> None:
        self.attended = True

    async def hooked(
        self, adapter: Adapter, moment: Moment, payload: Mapping[str, object]
    ) -> Answer:
        raise ValueError("secret")


def test_a_gate_that_raises_denies() -> None:
    answer = asyncio.run(hook(Broken(), Moment.PROPOSED)({}, None, None))

    match answer:
        case {"hookSpecificOutput": {"permissionDecision": "deny", **rest}}:
            assert "secret" not in str(rest)
        case _:
            pytest.fail(str(answer))
