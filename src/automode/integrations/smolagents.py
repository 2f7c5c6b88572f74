"""smolagents: `guard(gate, agent)` once the agent is made.

The framework has no hooks. For a `ToolCallingAgent` every call of a tool is decided, for a
`CodeAgent` every piece of Python before it runs; agents that it manages are guarded as well.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import TracebackType
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

from automode.agents.shared.wording import undecided
from automode.core.errors import BadCall
from automode.integrations.ruling import Decides, fronted, ruled_sync, warned_sync
from automode.library import ToolCall

CODE = "python"
"""What rules call the tool of a `CodeAgent`."""
_LAST = "final_answer"
_PRINTED = "_print_outputs"

Executing: TypeAlias = Callable[[str, object], object]
A = TypeVar("A", bound=object)


class Executor(Protocol):
    """The framework's `PythonExecutor`: called with code."""

    def __call__(self, code_action: str) -> object: ...


@runtime_checkable
class RunsCode(Protocol):
    python_executor: Executor

    def interrupt(self) -> None: ...


@runtime_checkable
class CallsTools(Protocol):
    execute_tool_call: Executing
    tools: Mapping[str, object]

    def _substitute_state_variables(self, arguments: object) -> object: ...


@runtime_checkable
class Manages(Protocol):
    managed_agents: Mapping[str, object]


@runtime_checkable
class Printed(Protocol):
    logs: object
    output: object


def guard(gate: Decides, agent: A) -> A:
    """The same agent, guarded. BadCall for one that is neither kind."""
    match agent:
        case RunsCode():
            agent.python_executor = GuardedExecutor(gate, agent.python_executor, agent.interrupt)
        case CallsTools():
            agent.execute_tool_call = _deciding(gate, agent)
        case _:
            raise BadCall(f"`{type(agent).__name__}` has nothing that could be guarded")
    if isinstance(agent, Manages):
        for one in agent.managed_agents.values():
            guard(gate, one)
    return agent


def _deciding(gate: Decides, agent: CallsTools) -> Executing:
    """`meant` puts values of the agent's state in the place of their names, as `execute` does."""
    execute, meant = agent.execute_tool_call, agent._substitute_state_variables  # noqa: SLF001
    failure = import_module("smolagents").AgentError

    def execute_tool_call(tool_name: str, arguments: object) -> object:
        if tool_name == _LAST and _only_ends(agent):
            return execute(tool_name, arguments)
        real = meant(arguments)
        call = ToolCall(tool_name, real if isinstance(real, Mapping) else {"argument": real})
        said = ruled_sync(gate, call)
        if not said.runs:
            return said.stopped()
        if not _same(real, meant(real)):
            return undecided("a value of the agent's state is the name of another")
        try:
            result = execute(tool_name, real)
        except failure as error:  # the model reads its text
            warning = warned_sync(gate, call, str(error), failed=True)
            error.message = fronted(str(error), warning)
            error.args = (error.message,)
            raise
        return fronted(result, warned_sync(gate, call, result))

    return execute_tool_call


def _only_ends(agent: CallsTools) -> bool:
    """Whether the tool that ends a run is the framework's own, which does nothing else."""
    managed = agent.managed_agents if isinstance(agent, Manages) else {}
    last = {**agent.tools, **managed}.get(_LAST)
    return type(last) is import_module("smolagents").FinalAnswerTool


def _same(one: object, other: object) -> bool:
    """The very same values: what a state holds need not be comparable."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(other[name] is one[name] for name in one)
    return one is other


class _Failing:
    """Around code that runs. Of code that fails the model reads the error, and before it what the
    code has printed until then."""

    def __init__(self, gate: Decides, call: ToolCall, executor: Executor) -> None:
        self._gate = gate
        self._call = call
        self._executor = executor

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not isinstance(error, Exception):
            return
        state: object = getattr(self._executor, "state", None)
        printed = state.get(_PRINTED, "") if isinstance(state, dict) else ""
        warning = warned_sync(self._gate, self._call, f"{printed}\n{error}", failed=True)
        if not warning:
            return
        if isinstance(state, dict) and str(printed):
            state[_PRINTED] = fronted(str(printed), warning)
        raise RuntimeError(fronted(str(error), warning)) from error


class GuardedExecutor:
    """Everything else is the executor's own."""

    def __init__(self, gate: Decides, executor: Executor, stop: Callable[[], None]) -> None:
        self._gate = gate
        self._executor = executor
        self._stop = stop

    def __call__(self, code_action: str) -> object:
        """Raises what the framework shows its model as the error of the code."""
        call = ToolCall(CODE, {"code": code_action})
        said = ruled_sync(self._gate, call)
        if said.halts:
            self._stop()  # the framework takes what is raised here for an error of the code
        if not said.runs:
            raise PermissionError(said.text)
        with _Failing(self._gate, call, self._executor):
            found = self._executor(code_action)
        if isinstance(found, Printed):
            # The model reads both, the logs first.
            shown = f"{found.logs}\n{found.output}"
            found.logs = fronted(found.logs, warned_sync(self._gate, call, shown))
        return found

    def __getattr__(self, name: str) -> object:
        return getattr(self._executor, name)
