"""LangChain and LangGraph, for real, on a scripted model."""

import asyncio
from importlib import import_module
from typing import TypeAlias

import pytest

from automode import Gate
from automode.integrations.langchain import around, around_async, middleware
from tests.integrations.conftest import ATTACK, TASK, Scene, example

Calls: TypeAlias = list[str]

FRAMEWORKS = ("langchain",)


def scripted(commands: Calls) -> object:
    """A chat model that calls `bash` with each command, then ends."""
    messages = import_module("langchain_core.messages")
    fake = import_module("langchain_core.language_models.fake_chat_models").GenericFakeChatModel
    turns = [
        messages.AIMessage(
            "", tool_calls=[{"name": "bash", "args": {"command": one}, "id": f"c{at}"}]
        )
        for at, one in enumerate(commands)
    ]
    kind = type("Scripted", (fake,), {"bind_tools": lambda self, tools, **_: self})
    made: object = kind(messages=iter([*turns, messages.AIMessage("all done")]))
    return made


def results(messages: list[object]) -> list[str]:
    kind = import_module("langchain_core.messages").ToolMessage
    return [str(getattr(one, "content", "")) for one in messages if isinstance(one, kind)]


def test_the_agent_is_gated_and_its_results_are_screened(scene: Scene) -> None:
    messages = example("langchain").run(scene.gate, TASK, scripted(scene.commands))

    assert messages[-1].content == "all done"
    scene.check(results(messages))


def test_without_a_gate_nothing_runs(scene: Scene, closed: Gate) -> None:
    agent = import_module("langchain.agents").create_agent(
        scripted(scene.commands), tools=[example("langchain").bash], middleware=[middleware(closed)]
    )

    found = asyncio.run(agent.ainvoke({"messages": [("user", TASK)]}))["messages"]

    scene.check_closed()
    assert all("this call must not run" in one for one in results(found))


@pytest.mark.parametrize("answer", [True, False])
def test_with_somebody_there_asking_interrupts_the_graph(scene: Scene, answer: bool) -> None:
    made = scene.project / "asked"
    saver = import_module("langgraph.checkpoint.memory").InMemorySaver()
    here = {"configurable": {"thread_id": "1"}}
    with scene.another(attended=True) as gate:
        agent = import_module("langchain.agents").create_agent(
            scripted([f"make {made}; touch {made}"]),
            tools=[example("langchain").bash],
            middleware=[middleware(gate)],
            checkpointer=saver,
        )
        first = agent.invoke({"messages": [("user", TASK)]}, here)
        asked = first["__interrupt__"][0].value["automode"]
        agent.invoke(import_module("langgraph.types").Command(resume=answer), here)

    assert "automode (" in asked
    assert made.exists() is answer


def test_a_graph_of_its_own_is_gated_as_well(scene: Scene) -> None:
    node = import_module("langgraph.prebuilt").ToolNode(
        [example("langchain").bash],
        wrap_tool_call=around(scene.gate),
        awrap_tool_call=around_async(scene.gate),
    )
    graph = import_module("langgraph.graph")
    builder = graph.StateGraph(graph.MessagesState)
    builder.add_node("tools", node)
    builder.add_edge(graph.START, "tools")
    compiled = builder.compile()
    message = import_module("langchain_core.messages").AIMessage
    calls = [
        {"name": "bash", "args": {"command": one}, "id": f"c{at}"}
        for at, one in enumerate(scene.commands)
    ]

    found = compiled.invoke({"messages": [message("", tool_calls=calls)]})["messages"]

    scene.check(results(found))


@pytest.mark.parametrize("several", [True, False])
def test_messages_that_a_tool_writes_itself_are_screened(scene: Scene, several: bool) -> None:
    """A tool may change the state of the graph, and bring its own result there."""
    messages = import_module("langchain_core.messages")
    changing = import_module("langgraph.types").Command

    def bash(command: str) -> object:
        """Brings a page."""
        one = changing(update={"messages": [messages.ToolMessage(ATTACK, tool_call_id="c0")]})
        return [one] if several else one

    node = import_module("langgraph.prebuilt").ToolNode([bash], wrap_tool_call=around(scene.gate))
    graph = import_module("langgraph.graph")
    builder = graph.StateGraph(graph.MessagesState)
    builder.add_node("tools", node)
    builder.add_edge(graph.START, "tools")
    calls = [{"name": "bash", "args": {"command": scene.commands[2]}, "id": "c0"}]

    found = builder.compile().invoke({"messages": [messages.AIMessage("", tool_calls=calls)]})

    (text,) = results(found["messages"])
    assert text.index("[automode] Warning:") < text.index(ATTACK)


def asking(scene: Scene, gate: Gate, calls: list[tuple[str, str]]) -> tuple[object, object]:
    """A graph whose one message holds these calls (id and file), and where it runs."""
    node = import_module("langgraph.prebuilt").ToolNode(
        [example("langchain").bash], wrap_tool_call=around(gate)
    )
    graph = import_module("langgraph.graph")
    builder = graph.StateGraph(graph.MessagesState)
    builder.add_node("tools", node)
    builder.add_edge(graph.START, "tools")
    saver = import_module("langgraph.checkpoint.memory").InMemorySaver()
    message = import_module("langchain_core.messages").AIMessage
    made = [
        {
            "name": "bash",
            "args": {"command": f"make {scene.project / name}; touch {scene.project / name}"},
            "id": identity,
        }
        for identity, name in calls
    ]
    return builder.compile(checkpointer=saver), message("", tool_calls=made)


ANSWERS = {
    # calls: id and file                answer                                      what then runs
    "a bare yes to one": ([("c0", "a")], True, {"a"}),
    "a named yes to one": ([("c0", "a")], {"id": "c0", "type": "approve"}, {"a"}),
    "a yes to another": ([("c0", "a")], {"id": "c1", "type": "approve"}, set()),
    "a no": ([("c0", "a")], {"id": "c0", "type": "reject"}, set()),
    "a bare yes to two": ([("c0", "a"), ("c1", "b")], True, set()),
    "a bare approval of two": ([("c0", "a"), ("c1", "b")], {"type": "approve"}, set()),
    "a yes to two of one id": ([("c0", "a"), ("c0", "b")], {"id": "c0", "type": "approve"}, set()),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_a_yes_runs_the_call_that_it_names_and_no_other(scene: Scene, case: str) -> None:
    calls, answer, expected = ANSWERS[case]
    here = {"configurable": {"thread_id": "1"}}
    command = import_module("langgraph.types").Command
    with scene.another(attended=True) as gate:
        graph, message = asking(scene, gate, calls)
        invoke = graph.invoke  # type: ignore[attr-defined]  # the framework's own
        found = invoke({"messages": [message]}, here)
        for _ in calls:
            if "__interrupt__" in found:
                found = invoke(command(resume=answer), here)

    assert {name for _, name in calls if (scene.project / name).exists()} == expected


def test_of_two_calls_only_the_named_one_runs(scene: Scene) -> None:
    here = {"configurable": {"thread_id": "1"}}
    command = import_module("langgraph.types").Command
    with scene.another(attended=True) as gate:
        graph, message = asking(scene, gate, [("c0", "a"), ("c1", "b")])
        invoke = graph.invoke  # type: ignore[attr-defined]  # the framework's own
        found = invoke({"messages": [message]}, here)
        for _ in range(2):
            if "__interrupt__" in found:
                found = invoke(command(resume={"id": "c1", "type": "approve"}), here)

    assert not (scene.project / "a").exists()
