"""What a session hears between two calls: prompts, finished calls, its own beginning and end."""

from automode.adapters.seam import (
    CallFinished,
    CallProposed,
    HostEvent,
    Ignored,
    PromptTyped,
    SessionEnded,
    SessionStarted,
)
from automode.classifier.cutting import cut_in_the_middle
from automode.classifier.events import Origin, ToolFinished, ToolProposed, UserPrompt
from automode.core.call import Other, ToolCall
from automode.core.errors import BadCall
from automode.core.tools import tool_call
from automode.core.transcript import Outcome
from automode.gate.breaker import Limits, resumed
from automode.sessions.book import Live
from automode.sessions.event_text import call_text
from automode.sessions.scribe import Scribe, Written
from automode.store.changes import Heard

LONGEST_PROMPT = 65_536  # characters
_RAN = (Outcome.OK, Outcome.ERROR)


def heard(live: Live, event: HostEvent, scribe: Scribe, limits: Limits, now: float) -> list[Heard]:
    """Changes the session, and returns what is to be kept of its transcript."""
    match event:
        case PromptTyped():
            return [live.hear(_prompt(live, event), scribe.clean)]
        case CallFinished():
            return _finished(live, event, scribe, limits)
        case SessionEnded():
            live.ended = now
            return []
        case SessionStarted() | CallProposed() | Ignored():
            return []


def proposed(live: Live, given: ToolProposed, written: Written, outcome: Outcome | None) -> Heard:
    """A call joins the transcript; with `outcome` it has ended already."""
    live.recorder.hear(given)
    if outcome is not None:
        live.recorder.hear(ToolFinished(given.id, outcome))
    return live.position(call_text(given.id, written.tool, written.input, outcome))


def _prompt(live: Live, event: PromptTyped) -> UserPrompt:
    """Inside a sub-agent it is the agent above that speaks, whatever the host calls it."""
    origin = Origin.PERSON
    if event.machine:
        origin = Origin.MACHINE
    if live.parent is not None:
        origin = Origin.ORCHESTRATOR
    return UserPrompt(cut_in_the_middle(event.text, LONGEST_PROMPT), origin)


def _finished(live: Live, event: CallFinished, scribe: Scribe, limits: Limits) -> list[Heard]:
    written = scribe.written(_call(event))
    identity = next((one for one in (event.id, written.own) if live.recorder.running(one)), "")
    asked = [live.asked.pop(one, None) for one in (event.id, written.own)]
    if any(asked) and event.outcome in _RAN:
        # It ran although a person was asked: they said yes.
        live.session.history = resumed(live.session.history, limits)
    if identity:
        return [live.hear(ToolFinished(identity, event.outcome), scribe.clean)]
    if event.outcome not in _RAN:
        return []
    # Nobody asked about it, and it ran: what it wrote counts all the same.
    given = ToolProposed(event.id or written.own, event.tool, event.input)
    return [proposed(live, given, written, event.outcome)]


def _call(event: CallFinished) -> ToolCall:
    try:
        return tool_call(event.tool, event.input)
    except BadCall:
        return ToolCall(event.tool, Other(), event.input)
