"""smolagents: `guard(gate, agent)` once the agent is made.

The framework has no hooks. For a `ToolCallingAgent` every call of a tool is decided, for a
`CodeAgent` every piece of Python before it runs; agents that it manages are guarded as well.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from types import TracebackType
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

from automode.agents.shared.wording import undecided_text
from automode.core.errors import BadCall
from automode.integrations.ruling import rule_sync, warning_of_sync, with_warning
from automode.library import Gate, ToolCall

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


def guard(gate: Gate, agent: A) -> A:
    """The same agent, guarded. BadCall for one that is neither kind."""
    match agent:
        case RunsCode():
            agent.python_executor = GuardedExecutor(gate, agent.python_executor, agent.interrupt)
        case CallsTools():
            agent.execute_tool_call = _gated_execute(gate, agent)
        case _:
            raise BadCall(f"`{type(agent).__name__}` has nothing that could be guarded")
    if isinstance(agent, Manages):
        for one in agent.managed_agents.values():
            guard(gate, one)
    return agent


def _gated_execute(gate: Gate, agent: CallsTools) -> Executing:
    """`meant` puts values of the agent's state in the place of their names, as `execute` does."""
    execute, meant = agent.execute_tool_call, agent._substitute_state_variables  # noqa: SLF001
    failure = import_module("smolagents").AgentError

    def execute_tool_call(tool_name: str, arguments: object) -> object:
        if tool_name == _LAST and _only_ends(agent):
            return execute(tool_name, arguments)
        real = meant(arguments)
        call = ToolCall(tool_name, real if isinstance(real, Mapping) else {"argument": real})
        ruling = rule_sync(gate, call)
        if not ruling.runs:
            return ruling.denial()
        if not _same(real, meant(real)):
            return undecided_text("a value of the agent's state is the name of another")
        try:
            result = execute(tool_name, real)
        except failure as error:  # the model reads its text
            warning = warning_of_sync(gate, call, str(error), failed=True)
            error.message = with_warning(str(error), warning)
            error.args = (error.message,)
            raise
        return with_warning(result, warning_of_sync(gate, call, result))

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


class GuardedExecutor:
    """Everything else is the executor's own."""

    def __init__(self, gate: Gate, executor: Executor, stop: Callable[[], None]) -> None:
        self._gate = gate
        self._executor = executor
        self._stop = stop

    def __call__(self, code_action: str) -> object:
        """Raises what the framework shows its model as the error of the code."""
        call = ToolCall(CODE, {"code": code_action})
        ruling = rule_sync(self._gate, call)
        if ruling.halts:
            self._stop()  # the framework takes what is raised here for an error of the code
        if not ruling.runs:
            raise PermissionError(ruling.text)
        with ExitStack() as stack:
            stack.push(partial(self._screen_error, call))
            found = self._executor(code_action)
        if isinstance(found, Printed):
            # The model reads both, the logs first.
            shown = f"{found.logs}\n{found.output}"
            found.logs = with_warning(found.logs, warning_of_sync(self._gate, call, shown))
        return found

    def _screen_error(
        self,
        call: ToolCall,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Of code that fails the model reads the error, and before it what the code has printed."""
        if not isinstance(error, Exception):
            return
        state: object = getattr(self._executor, "state", None)
        printed = state.get(_PRINTED, "") if isinstance(state, dict) else ""
        warning = warning_of_sync(self._gate, call, f"{printed}\n{error}", failed=True)
        if not warning:
            return
        if isinstance(state, dict) and str(printed):
            state[_PRINTED] = with_warning(str(printed), warning)
        raise RuntimeError(with_warning(str(error), warning)) from error

    def __getattr__(self, name: str) -> object:
        return getattr(self._executor, name)
