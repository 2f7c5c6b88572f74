"""What a session hears between two calls: prompts, finished calls, its own beginning and end."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from automode.adapters.seam import (
    CallFinished,
    CallProposed,
    HostEvent,
    Ignored,
    PermissionSought,
    PromptTyped,
    SessionEnded,
    SessionStarted,
    TurnEnded,
)
from automode.classifier.cutting import cut_in_the_middle
from automode.classifier.events import (
    AgentParagraph,
    HostQuestionAnswered,
    Origin,
    ToolFinished,
    ToolProposed,
    UserPrompt,
)
from automode.classifier.transcript import last_paragraph
from automode.core.call import Other, ToolCall
from automode.core.decision import Decision, Verdict
from automode.core.errors import BadCall
from automode.core.tools import tool_call
from automode.core.transcript import Outcome
from automode.gate.breaker import Limits, resumed
from automode.sessions.book import Live
from automode.sessions.event_text import call_text
from automode.sessions.scribe import Scribe, Written
from automode.sessions.suspect import SOURCE as SUSPECT
from automode.sessions.written_files import WrittenFiles
from automode.store.changes import Heard

LONGEST_PROMPT = 65_536  # characters
MOST_ANSWERS = 16  # to one call
_RAN = (Outcome.OK, Outcome.ERROR)


@dataclass(frozen=True, slots=True)
class Ear:
    """What hearing needs besides the session. `limits` are the breaker's; `referents`: whether
    the agent's last words are kept, for a "yes" that may answer them."""

    scribe: Scribe
    files: WrittenFiles
    limits: Limits
    now: float
    referents: bool = True


def heard(live: Live, event: HostEvent, ear: Ear) -> list[Heard]:
    """Changes the session, and returns what is to be kept of its transcript."""
    match event:
        case PromptTyped():
            return [live.hear(_prompt(live, event), ear.scribe.clean)]
        case CallFinished():
            return _finished(live, event, ear)
        case SessionStarted(speaker):
            # Only here it is known for certain: see `Live.unattended`.
            live.unattended = not speaker.attended
            live.session.attended = speaker.attended
            return []
        case TurnEnded():
            return _last_words(live, event, ear)
        case SessionEnded():
            live.ended = ear.now
            return []
        case CallProposed() | PermissionSought() | Ignored():
            return []


def proposed(
    live: Live,
    given: ToolProposed,
    written: Written,
    outcome: Outcome | None,
    wrote: Sequence[str] = (),
) -> Heard:
    """A call joins the transcript; with `outcome` it has ended already. `wrote` is without
    secrets."""
    live.recorder.hear(given)
    if outcome is not None:
        live.recorder.hear(ToolFinished(given.id, outcome))
    return live.position(call_text(given.id, written.tool, written.input, outcome, wrote))


def _prompt(live: Live, event: PromptTyped) -> UserPrompt:
    """Inside a sub-agent it is the agent above that speaks, whatever the host calls it."""
    origin = Origin.PERSON
    if event.machine:
        origin = Origin.MACHINE
    if live.parent is not None:
        origin = Origin.ORCHESTRATOR
    return UserPrompt(cut_in_the_middle(event.text, LONGEST_PROMPT), origin)


def _last_words(live: Live, event: TurnEnded, ear: Ear) -> list[Heard]:
    """Nobody says yes to a sub-agent but the agent above it."""
    said = last_paragraph(event.words)
    if not (said and ear.referents and live.parent is None):
        return []
    return [live.hear(AgentParagraph(said), ear.scribe.clean)]


def _finished(live: Live, event: CallFinished, ear: Ear) -> list[Heard]:
    call = _call(event)
    written = ear.scribe.written(call)
    ruled = live.rulings.finished(event.id, written.own)
    if event.outcome is Outcome.OK and ruled is not None and _asked_as_suspect(ruled.decision):
        live.suspect = ""
    identity = next((one for one in (event.id, written.own) if live.recorder.running(one)), "")
    asked = live.asked.pop(event.id or written.own, "")
    if asked == written.own and event.outcome is Outcome.OK:
        # The very call that a person was asked about ran: they said yes. What failed may as well
        # have been refused: not every host tells the one from the other.
        for session in (live.session, *live.session.above):
            session.history = resumed(session.history, ear.limits)
    answers = _answers(live, event, ear)
    if identity:
        ended = live.hear(ToolFinished(identity, event.outcome), ear.scribe.clean)
        return [ended, *answers]
    if event.outcome not in _RAN:
        return answers
    # Nobody asked about it, and it ran: what it wrote counts all the same.
    given = ToolProposed(event.id or written.own, event.tool, event.input)
    wrote = noted_paths(live, call, event.speaker.cwd, ear.scribe, ear.files)
    return [proposed(live, given, written, event.outcome, wrote), *answers]


def _answers(live: Live, event: CallFinished, ear: Ear) -> list[Heard]:
    """Adapters fill in answers for the host's own question tool alone."""
    given = event.answers[:MOST_ANSWERS] if event.outcome is Outcome.OK else ()
    answered = [
        HostQuestionAnswered(
            cut_in_the_middle(question, LONGEST_PROMPT),
            cut_in_the_middle(answer, LONGEST_PROMPT),
            own_tool=True,
        )
        for question, answer in given
    ]
    return [live.hear(one, ear.scribe.clean) for one in answered]


def _asked_as_suspect(decision: Decision | None) -> bool:
    return decision is not None and decision.verdict is Verdict.ASK and decision.source == SUSPECT


def finished_id(event: CallFinished, scribe: Scribe) -> str:
    """The name under which a call was proposed, if it was."""
    return event.id or scribe.written(_call(event)).own


def noted_paths(
    live: Live, call: ToolCall, cwd: str, scribe: Scribe, files: WrittenFiles
) -> list[str]:
    """The files that a call may write are known from now on to every session of the project."""
    place = live.session.workspace
    here = replace(place, cwd=cwd) if cwd.startswith("/") else place
    return [scribe.brief(path) for path in files.note(call, here, live.roots)]


def _call(event: CallFinished) -> ToolCall:
    try:
        return tool_call(event.tool, event.input)
    except BadCall:
        return ToolCall(event.tool, Other(), event.input)
