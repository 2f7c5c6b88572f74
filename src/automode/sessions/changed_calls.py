"""Calls that ran with another input than the one that was decided: another hook of the agent can
rewrite a call afterwards. It has run by then; what is left is to say so."""

from collections.abc import Mapping

from automode.agents.events import CallFinished
from automode.core.call import Other, ToolCall
from automode.core.errors import BadCall
from automode.core.tools import tool_call
from automode.core.transcript import Fact, Outcome
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.registry import LiveSession
from automode.sessions.suspect import named

KIND = "call-changed"
RAN = (Outcome.OK, Outcome.ERROR)
_WAY_OUT = "look at the hooks of the project and of your plugins, see `automode doctor`"


def changed(live: LiveSession, event: CallFinished, builder: RecordBuilder) -> bool:
    """Whether this call of the host is not the one that was decided under its id. To be asked
    before the session hears that it has finished."""
    if event.outcome not in RAN or not live.rulings.has(event.id):
        return False
    left = {name: value for name, value in event.input.items() if name not in event.added}
    known = [builder.written(finished_call(event.tool, given)).own for given in (event.input, left)]
    return live.rulings.another(event.id, *known)


def finished_call(tool: str, given: Mapping[str, object]) -> ToolCall:
    """As it is written down; also one of which nobody knows what it does."""
    try:
        return tool_call(tool, given)
    except BadCall:
        return ToolCall(tool, Other(), given)


def sentence(tool: str) -> str:
    """For people; it quotes no call."""
    return f"a call of {named(tool)} was changed after automode decided it; {_WAY_OUT}"


def fact(tool: str) -> Fact:
    """For the classifier."""
    return Fact("changed-call", f"a call of {named(tool)} ran with an input nobody decided about")
