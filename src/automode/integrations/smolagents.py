"""smolagents: `guard(gate, agent)` once the agent is made.

The framework has no hooks. For a `ToolCallingAgent` every call of a tool is decided, for a
`CodeAgent` every piece of Python before it runs; agents that it manages are guarded as well.
"""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

from automode.core.errors import BadCall
from automode.integrations.ruling import Decides, fronted, ruled_sync, warned_sync
from automode.library import ToolCall

CODE = "python"
"""What rules call the tool of a `CodeAgent`."""
_LAST = "final_answer"

Executing: TypeAlias = Callable[[str, object], object]
A = TypeVar("A", bound=object)


class Executor(Protocol):
    """The framework's `PythonExecutor`: called with code."""

    def __call__(self, code_action: str) -> object: ...


@runtime_checkable
class RunsCode(Protocol):
    python_executor: Executor


@runtime_checkable
class CallsTools(Protocol):
    execute_tool_call: Executing


@runtime_checkable
class Manages(Protocol):
    managed_agents: Mapping[str, object]


@runtime_checkable
class Printed(Protocol):
    logs: object


def guard(gate: Decides, agent: A) -> A:
    """The same agent, guarded. BadCall for one that is neither kind."""
    match agent:
        case RunsCode():
            agent.python_executor = GuardedExecutor(gate, agent.python_executor)
        case CallsTools():
            agent.execute_tool_call = _deciding(gate, agent.execute_tool_call)
        case _:
            raise BadCall(f"`{type(agent).__name__}` has nothing that could be guarded")
    if isinstance(agent, Manages):
        for one in agent.managed_agents.values():
            guard(gate, one)
    return agent


def _deciding(gate: Decides, execute: Executing) -> Executing:
    def execute_tool_call(tool_name: str, arguments: object) -> object:
        if tool_name == _LAST:
            return execute(tool_name, arguments)
        given = arguments if isinstance(arguments, Mapping) else {"argument": arguments}
        call = ToolCall(tool_name, given)
        said = ruled_sync(gate, call)
        if not said.runs:
            return said.stopped()
        result = execute(tool_name, arguments)
        return fronted(result, warned_sync(gate, call, result))

    return execute_tool_call


class GuardedExecutor:
    """Everything else is the executor's own."""

    def __init__(self, gate: Decides, executor: Executor) -> None:
        self._gate = gate
        self._executor = executor

    def __call__(self, code_action: str) -> object:
        """Raises what the framework shows its model as the error of the code."""
        call = ToolCall(CODE, {"code": code_action})
        said = ruled_sync(self._gate, call)
        if not said.runs:
            raise PermissionError(said.stopped())
        found = self._executor(code_action)
        if isinstance(found, Printed):
            found.logs = fronted(found.logs, warned_sync(self._gate, call, found.logs))
        return found

    def __getattr__(self, name: str) -> object:
        return getattr(self._executor, name)
