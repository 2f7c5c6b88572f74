"""smolagents, for real, on a scripted model: an agent that calls tools, one that writes code."""

from importlib import import_module

import pytest

from automode import Gate
from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import ToolUse, using
from automode.core.errors import BadCall
from automode.integrations.smolagents import guard
from tests.integrations.conftest import ATTACK, TASK, Scene, example

FRAMEWORKS = ("smolagents", "openai")


def scripted(model: ModelServer) -> object:
    made: object = import_module("smolagents").OpenAIServerModel(
        "scripted-model", api_base=f"{model.url}/v1", api_key="none"
    )
    return made


def writing(code: str) -> object:
    """A model that writes this code, whatever it is told."""
    library = import_module("smolagents")

    def generate(self: object, messages: object, **_: object) -> object:
        role = library.MessageRole.ASSISTANT
        return library.ChatMessage(role=role, content=f"<code>\n{code}\n</code>")

    made: object = type("Writing", (library.Model,), {"generate": generate})()
    return made


def play(scene: Scene, model: ModelServer) -> None:
    turns = [using(ToolUse("bash", {"command": one})) for one in scene.commands]
    model.plays(*turns, using(ToolUse("final_answer", {"answer": "all done"})))


def observed(agent: object) -> list[str]:
    steps = getattr(getattr(agent, "memory", None), "steps", [])
    found = [str(getattr(one, "observations", None) or "") for one in steps]
    return [one for one in found if one]


def test_the_agent_is_gated_and_its_results_are_screened(scene: Scene, model: ModelServer) -> None:
    play(scene, model)
    agent = example("smolagents").agent(scene.gate, scripted(model))

    assert agent.run(TASK) == "all done"
    scene.check(observed(agent)[:3])


def test_without_a_gate_nothing_runs(scene: Scene, closed: Gate, model: ModelServer) -> None:
    play(scene, model)
    agent = example("smolagents").agent(closed, scripted(model))

    agent.run(TASK)

    scene.check_closed()
    assert all("this call must not run" in one for one in observed(agent)[:3])


def test_code_is_decided_before_it_runs(scene: Scene, model: ModelServer) -> None:
    library = import_module("smolagents")
    inner = library.ToolCallingAgent(
        tools=[example("smolagents").bash], model=scripted(model), name="inner", description="d"
    )
    agent = library.CodeAgent(
        tools=[],
        model=writing(f"open({str(scene.denied)!r}, 'w').close()"),
        managed_agents=[inner],
        additional_authorized_imports=["*"],
        max_steps=1,
        verbosity_level=0,
    )
    own = inner.execute_tool_call

    assert guard(scene.gate, agent) is agent
    agent.run(TASK)

    scene.check_closed()
    assert "automode (" in str(agent.memory.steps[1].error)
    assert inner.execute_tool_call is not own


def test_what_cannot_be_guarded_is_refused(scene: Scene) -> None:
    with pytest.raises(BadCall, match="nothing that could be guarded"):
        guard(scene.gate, object())


def test_what_is_decided_is_what_the_state_of_the_agent_makes_of_it(scene: Scene) -> None:
    """The framework puts values of the agent's state in the place of their names."""
    library = import_module("smolagents")
    agent = library.ToolCallingAgent(
        tools=[example("smolagents").bash], model=writing(""), verbosity_level=0
    )
    guard(scene.gate, agent)
    allowed, denied = f"touch {scene.allowed}", f"touch {scene.denied}"
    agent.state.update({"notes": denied, "first": "second", "second": denied, "good": allowed})

    said = [
        str(agent.execute_tool_call("bash", {"command": one})) for one in ("notes", "first", "good")
    ]

    assert "rules.deny" in said[0]
    assert "automode" in said[1]
    assert (scene.allowed.exists(), scene.denied.exists()) == (True, False)


def test_the_error_of_a_tool_is_screened(scene: Scene) -> None:
    library = import_module("smolagents")

    def bash(command: str) -> str:
        """Brings a page.

        Args:
            command: which
        """
        raise OSError(ATTACK)

    agent = library.ToolCallingAgent(
        tools=[library.tool(bash)], model=writing(""), verbosity_level=0
    )
    guard(scene.gate, agent)

    with pytest.raises(library.AgentError) as caught:
        agent.execute_tool_call("bash", {"command": scene.commands[2]})

    for text in (str(caught.value), caught.value.message):
        assert text.index("[automode] Warning:") < text.index(ATTACK)


def test_a_tool_that_is_called_like_the_one_that_ends_a_run_is_decided(scene: Scene) -> None:
    library = import_module("smolagents")
    made = scene.project / "made"

    def final_answer(answer: str) -> str:
        """Does more than to end.

        Args:
            answer: the answer
        """
        made.touch()
        return answer

    agent = library.ToolCallingAgent(
        tools=[library.tool(final_answer)], model=writing(""), verbosity_level=0
    )
    guard(scene.gate, agent)

    said = str(agent.execute_tool_call("final_answer", {"answer": "done"}))

    assert "automode (" in said
    assert not made.exists()


CODE = {
    "printed": "print({attack!r})",
    "the last value": "{attack!r}",
    "printed before an error": "print({attack!r})\n1 / 0",
    "the text of an error": "raise ValueError({attack!r})",
}


@pytest.mark.parametrize("how", CODE)
def test_whatever_code_shows_the_model_is_screened(scene: Scene, how: str) -> None:
    """Code is decided before: the rules here ask about all of it."""
    (scene.folder / "config" / "config.json").write_text('{"permissions": {"allow": ["python"]}}')
    library = import_module("smolagents")
    with scene.another() as gate:
        agent = library.CodeAgent(
            tools=[], model=writing(CODE[how].format(attack=ATTACK)), max_steps=1, verbosity_level=0
        )
        guard(gate, agent).run(TASK)

    step = agent.memory.steps[1]
    shown = f"{step.observations or ''}\n{step.error or ''}"
    assert shown.index("[automode] Warning:") < shown.index(ATTACK)


def test_a_halt_ends_an_agent_that_writes_code(scene: Scene) -> None:
    library = import_module("smolagents")
    agent = library.CodeAgent(tools=[], model=writing("1 + 1"), max_steps=9, verbosity_level=0)

    with pytest.raises(library.AgentError, match="interrupted"):
        guard(scene.gate, agent).run(TASK)

    assert len(agent.memory.steps) < 9
