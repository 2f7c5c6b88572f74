"""What a session hears between two calls: prompts, finished calls, its own beginning and end."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from automode.agents.events import (
    NO_REMARKS,
    CallFinished,
    CallProposed,
    HostEvent,
    Ignored,
    PermissionSought,
    PersonSaid,
    PromptTyped,
    Remarks,
    SessionEnded,
    SessionStarted,
    TurnContinues,
    TurnEnded,
)
from automode.classifier.cutting import cut_in_the_middle
from automode.classifier.events import (
    AgentParagraph,
    FactNoted,
    HostQuestionAnswered,
    Origin,
    ToolFinished,
    ToolProposed,
    UserPrompt,
)
from automode.classifier.transcript import last_paragraph
from automode.core.call import ToolCall
from automode.core.decision import Decision, Verdict
from automode.core.session import Mode
from automode.core.transcript import Outcome
from automode.gate.breaker import Limits, resumed
from automode.programs.call_facts import CallFacts
from automode.sessions.changed_calls import RAN, changed, fact, finished_call
from automode.sessions.deeds import Deeds, Place
from automode.sessions.record_builder import RecordBuilder, Written
from automode.sessions.registry import LiveSession, Override
from automode.sessions.status import halted
from automode.sessions.suspect import SOURCE as SUSPECT
from automode.sessions.transcript_text import call_text
from automode.sessions.written_files import WrittenFiles
from automode.store.changes import Change, Heard

LONGEST_PROMPT = 65_536  # characters
MOST_ANSWERS = 16  # to one call


@dataclass(frozen=True, slots=True)
class EventContext:
    """What hearing needs besides the session. `limits` are the breaker's; `referents`: whether
    the agent's last words are kept, for a "yes" that may answer them."""

    builder: RecordBuilder
    files: WrittenFiles
    deeds: Deeds
    limits: Limits
    now: float
    referents: bool = True


def heard(live: LiveSession, event: HostEvent, context: EventContext) -> list[Change]:
    """Changes the session, and returns what is to be kept of its transcript."""
    match event:
        case PromptTyped():
            given = _prompt(live, event)
            if given.origin is Origin.PERSON:
                live.words.typed(given.text)
            return [live.hear(given, context.builder.clean)]
        case CallFinished():
            return _finished(live, event, context)
        case SessionStarted(speaker):
            # Only here it is known for certain: see `LiveSession.unattended`.
            live.unattended = not speaker.attended or (event.doubted and live.unattended)
            live.session.attended = not live.unattended
            return []
        case TurnEnded():
            return _last_words(live, event, context)
        case SessionEnded():
            live.ended = context.now
            return []
        case CallProposed() | PermissionSought() | PersonSaid() | TurnContinues() | Ignored():
            return []


def proposed(
    live: LiveSession,
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


def _prompt(live: LiveSession, event: PromptTyped) -> UserPrompt:
    """Inside a sub-agent it is the agent above that speaks, whatever the host calls it."""
    origin = Origin.PERSON
    if event.machine:
        origin = Origin.MACHINE
    if live.parent is not None:
        origin = Origin.ORCHESTRATOR
    return UserPrompt(cut_in_the_middle(event.text, LONGEST_PROMPT), origin)


def _last_words(live: LiveSession, event: TurnEnded, context: EventContext) -> list[Change]:
    """Nobody says yes to a sub-agent but the agent above it."""
    said = last_paragraph(event.words)
    if not (said and context.referents and live.parent is None):
        return []
    return [live.hear(AgentParagraph(said), context.builder.clean)]


def _finished(live: LiveSession, event: CallFinished, context: EventContext) -> list[Change]:
    call = finished_call(event.tool, event.input)
    written = context.builder.written(call)
    rewritten = changed(live, event, context.builder)
    ruled = live.rulings.finished(event.id, written.own)
    ran = event.outcome is Outcome.OK and not event.doubted
    if ran and ruled is not None and _asked_as_suspect(ruled.decision):
        live.suspect = ""
    identity = next((one for one in (event.id, written.own) if live.recorder.running(one)), "")
    yes: list[Change] = []
    asked = "" if event.doubted else live.asked.pop(event.id or written.own, "")
    if asked == written.own and ran:
        # The very call that a person was asked about ran: they said yes. What failed may as well
        # have been refused: not every host tells the one from the other.
        for session in (live.session, *live.session.above):
            session.history = resumed(session.history, context.limits)
        yes = [
            context.deeds.done("resume", "said yes to a call, so auto mode goes on", Place.of(live))
        ]
    told = [*yes, *_answers(live, event, context)]
    if rewritten:
        told.append(live.hear(FactNoted(fact(event.tool)), context.builder.clean))
    if identity:
        ended = live.hear(ToolFinished(identity, event.outcome), context.builder.clean)
        told.insert(0, ended)
    if event.outcome not in RAN or (identity and not rewritten):
        return told
    # Nobody asked about it, and it ran: what it wrote counts all the same.
    given = ToolProposed(
        written.own if rewritten else event.id or written.own, event.tool, event.input
    )
    wrote = noted_paths(live, call, event.speaker.cwd, context.builder, context.files)
    return [*told, proposed(live, given, written, event.outcome, wrote)]


def _answers(live: LiveSession, event: CallFinished, context: EventContext) -> list[Change]:
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
    return [live.hear(one, context.builder.clean) for one in answered]


def _asked_as_suspect(decision: Decision | None) -> bool:
    return decision is not None and decision.verdict is Verdict.ASK and decision.source == SUSPECT


def finished_id(event: CallFinished, builder: RecordBuilder) -> str:
    """The name under which a call was proposed, if it was."""
    return event.id or builder.written(finished_call(event.tool, event.input)).own


def noted_paths(
    live: LiveSession,
    call: ToolCall,
    cwd: str,
    builder: RecordBuilder,
    files: WrittenFiles,
    facts: CallFacts | None = None,
) -> list[str]:
    """The files that a call may write are known from now on to every session of the project."""
    place = live.session.workspace
    elsewhere = cwd.startswith("/") and cwd != place.cwd
    here = replace(place, cwd=cwd) if elsewhere else place
    return [builder.brief(path) for path in files.note(call, here, live.roots, facts)]


def begin(live: LiveSession, event: SessionStarted) -> None:
    """Also while the store cannot be read: then nobody else takes notice of it."""
    live.began = live.began or not event.doubted
    if not live.restored:
        live.unattended = not event.speaker.attended or (event.doubted and live.unattended)


def refuse_if_stopped(live: LiveSession) -> Remarks:
    session = live.session
    enforced = session.mode is Mode.ENFORCE and live.override is not Override.OFF
    if session.attended or not enforced or not halted(session.history):
        return NO_REMARKS
    return Remarks(refusal=f"automode: {session.history.last_reason}")
