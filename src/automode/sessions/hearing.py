"""What a session hears between two calls: prompts, finished calls, its own beginning and end."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from automode.agents.events import (
    CallFinished,
    CallProposed,
    HostEvent,
    Ignored,
    PermissionSought,
    PersonSaid,
    PromptTyped,
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
from automode.core.transcript import Outcome
from automode.gate.breaker import Limits, resumed
from automode.programs.call_facts import CallFacts
from automode.sessions.book import Live
from automode.sessions.changed_calls import RAN, changed, fact, finished_call
from automode.sessions.event_text import call_text
from automode.sessions.scribe import Scribe, Written
from automode.sessions.suspect import SOURCE as SUSPECT
from automode.sessions.written_files import WrittenFiles
from automode.store.changes import Heard

LONGEST_PROMPT = 65_536  # characters
MOST_ANSWERS = 16  # to one call


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
            given = _prompt(live, event)
            if given.origin is Origin.PERSON:
                live.words.typed(given.text)
            return [live.hear(given, ear.scribe.clean)]
        case CallFinished():
            return _finished(live, event, ear)
        case SessionStarted(speaker):
            # Only here it is known for certain: see `Live.unattended`.
            live.unattended = not speaker.attended or (event.doubted and live.unattended)
            live.session.attended = not live.unattended
            return []
        case TurnEnded():
            return _last_words(live, event, ear)
        case SessionEnded():
            live.ended = ear.now
            return []
        case CallProposed() | PermissionSought() | PersonSaid() | TurnContinues() | Ignored():
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
    call = finished_call(event.tool, event.input)
    written = ear.scribe.written(call)
    rewritten = changed(live, event, ear.scribe)
    ruled = live.rulings.finished(event.id, written.own)
    ran = event.outcome is Outcome.OK and not event.doubted
    if ran and ruled is not None and _asked_as_suspect(ruled.decision):
        live.suspect = ""
    identity = next((one for one in (event.id, written.own) if live.recorder.running(one)), "")
    asked = "" if event.doubted else live.asked.pop(event.id or written.own, "")
    if asked == written.own and ran:
        # The very call that a person was asked about ran: they said yes. What failed may as well
        # have been refused: not every host tells the one from the other.
        for session in (live.session, *live.session.above):
            session.history = resumed(session.history, ear.limits)
    told = _answers(live, event, ear)
    if rewritten:
        told.append(live.hear(FactNoted(fact(event.tool)), ear.scribe.clean))
    if identity:
        ended = live.hear(ToolFinished(identity, event.outcome), ear.scribe.clean)
        told.insert(0, ended)
    if event.outcome not in RAN or (identity and not rewritten):
        return told
    # Nobody asked about it, and it ran: what it wrote counts all the same.
    given = ToolProposed(
        written.own if rewritten else event.id or written.own, event.tool, event.input
    )
    wrote = noted_paths(live, call, event.speaker.cwd, ear.scribe, ear.files)
    return [*told, proposed(live, given, written, event.outcome, wrote)]


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
    return event.id or scribe.written(finished_call(event.tool, event.input)).own


def noted_paths(
    live: Live,
    call: ToolCall,
    cwd: str,
    scribe: Scribe,
    files: WrittenFiles,
    facts: CallFacts | None = None,
) -> list[str]:
    """The files that a call may write are known from now on to every session of the project."""
    place = live.session.workspace
    elsewhere = cwd.startswith("/") and cwd != place.cwd
    here = replace(place, cwd=cwd) if elsewhere else place
    return [scribe.brief(path) for path in files.note(call, here, live.roots, facts)]
