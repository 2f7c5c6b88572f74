"""Hears what happens in sessions, and says what follows from it: warnings, notices, refusals."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from automode.agents.events import (
    NO_FEEDBACK,
    BranchTaken,
    CallFinished,
    Feedback,
    PromptTyped,
    SessionEnded,
    SessionStarted,
    TurnEnded,
)
from automode.classifier import events as branch
from automode.classifier.budget import MESSAGE_CHARACTERS
from automode.classifier.events import (
    AgentParagraph,
    FactNoted,
    HostQuestionAnswered,
    Origin,
    ToolFinished,
    ToolProposed,
    UserPrompt,
    person_words,
)
from automode.classifier.hygiene import cut_in_the_middle
from automode.classifier.transcript import last_paragraph
from automode.config.load import findings_sentence
from automode.config.settings import AssistantText
from automode.core.call import ToolCall
from automode.core.decision import Verdict, taught_by
from automode.core.errors import AutomodeError
from automode.core.recent import Recent
from automode.core.record import SessionKey
from automode.core.session import Mode
from automode.core.transcript import Outcome
from automode.gate.breaker import resume
from automode.gate.gate import USUAL_LIMITS
from automode.programs.call_facts import CallFacts
from automode.sessions.bypasses import (
    CHANGED,
    RAN,
    MissedCalls,
    Switches,
    changed_fact,
    changed_sentence,
    finished_call,
    was_changed,
)
from automode.sessions.confined_calls import ConfinedCalls
from automode.sessions.confinement import as_proposed
from automode.sessions.declines import Declines
from automode.sessions.gate_run import GateRun, agents_words, mode, overridden, shallow
from automode.sessions.host_checks import HostChecks
from automode.sessions.layers import asked_as_suspect
from automode.sessions.live_session import LiveSession, Override, Ruled
from automode.sessions.person import Deeds, NotKept
from automode.sessions.precedents import Precedents
from automode.sessions.projects import Project, WrittenFiles
from automode.sessions.record_builder import RecordBuilder, Written
from automode.sessions.registry import SessionRegistry
from automode.sessions.result_screening import ResultScreening
from automode.sessions.reviews import Reviews, ended_below
from automode.sessions.status import Notices, doubted_prompts, is_halted, stand_in_text
from automode.sessions.transcript_text import InstructionsGiven, call_text, clean_files, event_text
from automode.store.changes import Change, Heard, SessionKept

LONGEST_PROMPT = 65_536  # characters
MOST_ANSWERS = 16  # to one call
MOST_WORDS = 1024  # of a branch
MOST_TOLD = 512  # sessions
DOUBTED = "doubted-prompts"  # the kind of notice


def add_call(
    live: LiveSession,
    given: ToolProposed,
    written: Written,
    outcome: Outcome | None,
    wrote: Sequence[str] = (),
) -> Heard:
    """A call joins the transcript; with `outcome` it has ended. `wrote` is without secrets."""
    live.recorder.hear(given)
    if outcome is not None:
        live.recorder.hear(ToolFinished(given.id, outcome))
    return live.add_line(call_text(given.id, written.tool, written.input, outcome, wrote))


def _prompt(live: LiveSession, event: PromptTyped) -> UserPrompt:
    """Inside a sub-agent a prompt comes from the agent above it, not from a person."""
    origin = Origin.PERSON
    if event.machine:
        origin = Origin.MACHINE
    if live.parent is not None:
        origin = Origin.ORCHESTRATOR
    return UserPrompt(cut_in_the_middle(event.text, LONGEST_PROMPT), origin)


def _cut_texts(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(cut_in_the_middle(one, LONGEST_PROMPT) for one in texts[-MOST_WORDS:])


def _said_yes(ruled: Ruled | None, own: str) -> bool:
    """Whether this very call ran because a person said yes to it in the agent's dialog."""
    if ruled is None or ruled.own != own or ruled.decision is None:
        return False
    return ruled.decision.enforced and ruled.decision.verdict is Verdict.ASK


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
    """Also while the store cannot be read: then nothing else notes the start."""
    live.began = live.began or not event.doubted
    if not live.restored:
        live.standing.begin(attended=event.ref.attended, doubted=event.doubted)


def refuse_if_stopped(live: LiveSession) -> Feedback:
    session = live.session
    enforced = session.mode is Mode.ENFORCE and live.override is not Override.OFF
    if session.attended or not enforced or not is_halted(session.history):
        return NO_FEEDBACK
    return Feedback(refusal=f"automode: {session.history.last_reason}")


Happening: TypeAlias = (
    PromptTyped | BranchTaken | CallFinished | SessionStarted | TurnEnded | SessionEnded
)


@dataclass(frozen=True, slots=True)
class Noticed:
    """`missed`: calls that nobody proposed. `changed`: another call ran than was decided.
    `ignored`: a denied call ran."""

    missed: int = 0
    changed: bool = False
    ignored: bool = False

    @property
    def silent(self) -> bool:
        return bool(self.missed) or self.ignored


@dataclass(slots=True)
class EventHandler:
    registry: SessionRegistry
    gate_run: GateRun
    builder: RecordBuilder
    files: WrittenFiles
    host_checks: HostChecks
    notices: Notices
    reviews: Reviews
    results: ResultScreening
    missed_calls: MissedCalls
    switches: Switches
    deeds: Deeds
    declines: Declines
    confined_calls: ConfinedCalls
    precedents: Precedents
    clock: Callable[[], float] = time.time
    _told: Recent[SessionKey, str] = field(default_factory=lambda: Recent(MOST_TOLD))

    async def hear(self, event: Happening, live: LiveSession) -> Feedback:
        """Raises AutomodeError when the store is in trouble and there is nothing else to say."""
        noticed, trouble = Noticed(), None
        try:
            noticed = await self._take(live, event)
        except AutomodeError as error:
            # A suspect result is no less suspect because nothing can be written down.
            trouble = error
        feedback = await self._feedback(live, event, noticed)
        if trouble is None:
            return feedback
        if feedback == NO_FEEDBACK:
            raise trouble
        return replace(feedback, notice=_join([feedback.notice, f"automode: {trouble}"]))

    async def _take(self, live: LiveSession, event: Happening) -> Noticed:
        noticed = Noticed()
        async with live.turn:
            await self.gate_run.ready(live, event.ref)
            if isinstance(event, PromptTyped) and self._is_echo(live, event):
                return noticed
            if isinstance(event, PromptTyped) and await self._by_agent(live, event):
                event = replace(event, machine=True, doubted=True)
            if isinstance(event, CallFinished) and _told_before(live, event):
                return noticed
            over: list[Change] = []
            if isinstance(event, CallFinished):
                told = replace(event, input=shallow(event.input))
                event = as_proposed(told)
                over, bypassed = await self.confined_calls.finish(live, told, event)
                ran = (
                    bypassed or was_changed(live, event, self.builder),
                    self.missed_calls.ran_denied(live, event),
                )
                noticed = replace(noticed, changed=ran[0], ignored=ran[1])
            if isinstance(event, (CallFinished, TurnEnded)):
                missed = await self.missed_calls.count(live, event)
                noticed = replace(noticed, missed=missed)
            no = await self.declines.take(live, event)
            changes = [*no, *over, *self._hear(live, event)]
            if isinstance(event, SessionStarted):
                changes += await self._begun(live, event)
            if isinstance(event, SessionEnded):
                self._end(live)
            await self._keep(live, changes)
        return noticed

    async def _by_agent(self, live: LiveSession, event: PromptTyped) -> bool:
        """What the agent passed to a tool comes back as a prompt when it was scheduled."""
        if event.machine or live.parent is not None:
            return False
        return await agents_words(self.registry, self.builder, live, event.text)

    def _hear(self, live: LiveSession, event: Happening) -> list[Change]:
        """Changes the session, and returns what is to be kept of its transcript."""
        match event:
            case PromptTyped():
                given = _prompt(live, event)
                if given.origin is Origin.PERSON:
                    live.words.add_typed(given.text)
                    live.standing.go_on()
                if event.doubted and live.parent is None and person_words(event.text):
                    live.standing.doubted += 1
                    self.notices.tell(live.key, DOUBTED, doubted_prompts(live))
                return [live.hear(given, self.builder.clean)]
            case BranchTaken(_, words, left):
                taken = (self._known_forms(words), self._known_forms(left))
                return [live.hear(branch.BranchTaken(*taken), self.builder.clean)]
            case CallFinished():
                return self._finish(live, event)
            case SessionStarted(ref):
                live.standing.begin(attended=ref.attended, doubted=event.doubted)
                live.session.attended = not live.standing.unattended
            case TurnEnded():
                return self._last_words(live, event)
            case SessionEnded():
                live.ended = self.clock()
        return []

    def _known_forms(self, texts: Sequence[str]) -> tuple[str, ...]:
        """The texts, and each without secrets where it had any: a session that was read back from
        the store knows it so."""
        cut = _cut_texts(texts)
        clean = map(self.builder.clean, cut)
        return (*cut, *(one for one, raw in zip(clean, cut, strict=True) if one != raw))

    def _last_words(self, live: LiveSession, event: TurnEnded) -> list[Change]:
        """Only the agent above answers a sub-agent, so its words are not kept."""
        said, project = last_paragraph(event.words), self.gate_run.project(live, event.ref)
        if not said or live.parent is not None:
            return []
        kept = None if project is None else project.settings.transcript.assistant_text
        if kept is AssistantText.NONE:
            return []
        shown = kept is AssistantText.VISIBLE
        text = cut_in_the_middle(event.words, MESSAGE_CHARACTERS) if shown else said
        return [live.hear(AgentParagraph(text, shown), self.builder.clean)]

    def _finish(self, live: LiveSession, event: CallFinished) -> list[Change]:
        call = finished_call(event.tool, event.input)
        written = self.builder.written(call)
        rewritten = was_changed(live, event, self.builder)
        ruled = live.rulings.finish(event.id, written.own)
        ran = event.outcome is Outcome.OK and not event.doubted
        if ran and ruled is not None and asked_as_suspect(ruled.decision):
            live.standing.suspect = ""
        identity = next((one for one in (event.id, written.own) if live.recorder.running(one)), "")
        yes: list[Change] = []
        asked = "" if event.doubted else live.standing.asked.pop(event.id or written.own, "")
        if asked == written.own and ran:
            # The very call that a person was asked about ran: they said yes. What failed may have
            # been refused as well: not every host tells the one from the other.
            project = self.gate_run.project(live, event.ref)
            limits = USUAL_LIMITS if project is None else project.gate.limits
            for session in (live.session, *live.session.above):
                session.history = resume(session.history, limits)
            told = "said yes to a call, so auto mode goes on"
            yes = [self.deeds.person_did("resume", told, live.row(str))]
        kept = [*yes, *self._answers(live, event)]
        if rewritten:
            kept.append(live.hear(FactNoted(changed_fact(event.tool)), self.builder.clean))
        approved = ran and _said_yes(ruled, written.own)
        if approved and ruled is not None and ruled.decision is not None:
            covers = taught_by(ruled.decision.trail)
            kept += self.precedents.said_yes(live.root, live.key, covers, written.action)
        if identity:
            finished = ToolFinished(identity, event.outcome, approved)
            kept.insert(0, live.hear(finished, self.builder.clean))
        if event.outcome not in RAN or (identity and not rewritten):
            return kept
        # It ran without being proposed: what it wrote counts all the same.
        given = ToolProposed(
            written.own if rewritten else event.id or written.own, event.tool, event.input
        )
        wrote = noted_paths(live, call, event.ref.cwd, self.builder, self.files)
        return [*kept, add_call(live, given, written, event.outcome, wrote)]

    def _answers(self, live: LiveSession, event: CallFinished) -> list[Change]:
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
        return [live.hear(one, self.builder.clean) for one in answered]

    async def _begun(self, live: LiveSession, event: SessionStarted) -> list[Heard]:
        """A sub-agent has what the agent above it was given."""
        if live.parent is not None or not live.root:
            return []
        if event.doubted and live.session.instructions:
            return []
        given = None if event.doubted else event.instructions
        if given is None:
            given = await asyncio.to_thread(self.host_checks.instructions, live.root)
        files = clean_files(given, self.builder)
        if files == live.session.instructions:
            return []
        live.session.instructions = files
        return [live.add_line(event_text(InstructionsGiven(files), self.builder.clean))]

    def _end(self, live: LiveSession) -> None:
        above = None if live.parent is None else self.registry.get(live.parent)
        if above is not None:
            ended_below(above, live.key)

    async def _keep(self, live: LiveSession, changes: Sequence[Change]) -> None:
        row = SessionKept(live.row(self.builder.brief))
        kept = await self.registry.store.append([*changes, row])
        if kept.lost:
            raise NotKept(f"what was heard is not kept: {kept.reason}", "see `automode status`")

    def _is_echo(self, live: LiveSession, event: PromptTyped) -> bool:
        """An agent with two hooks for a prompt says the same twice, and a "yes" answers once."""
        return live.words.is_echo(f"{event.machine} {event.text}", live.heard, self.clock())

    async def _feedback(self, live: LiveSession, event: Happening, noticed: Noticed) -> Feedback:
        if isinstance(event, (SessionEnded, BranchTaken)):
            return self._summary(live, event)
        project = self.gate_run.project(live, event.ref)
        if project is None:
            return NO_FEEDBACK
        holds = mode(project.settings, overridden(live, self.registry.ancestors(live)))
        if holds is Mode.OFF:
            return NO_FEEDBACK
        match event:
            case CallFinished():
                told = await self.results.warning(live, event, project)
                notice = self._notice(live, event.tool, noticed)
                if holds is Mode.ENFORCE:
                    reviewed = await self.reviews.warning(live, event, project)
                    ends = await self._ends(live, noticed)
                    return Feedback(_join([told, reviewed]), notice, ends)
                return Feedback(notice=notice)
            case SessionStarted():
                feedback = await self.switches.feedback(live, event, holds)
                found = self._findings(live, project)
                return replace(feedback, notice=_join([feedback.notice, found]))
            case PromptTyped():
                feedback = await self.switches.feedback(live, event, holds)
                return replace(
                    feedback, warning=await self._task_warning(live, event, project, holds)
                )
            case TurnEnded():
                if holds is Mode.ENFORCE:
                    await self._ends(live, noticed)
                return Feedback(notice=self.missed_calls.notice(live, noticed.missed))

    def _findings(self, live: LiveSession, project: Project) -> str:
        """What is wrong with the settings, and which prompts did not count: once in a session, and
        again when it is something else. Agents tell of a beginning more than once."""
        if live.parent is not None:
            return ""
        said = _join([findings_sentence(project.loaded), doubted_prompts(live)])
        if self._told.get(live.key, "") == said:
            return ""
        self._told[live.key] = said
        return said and f"automode: {said}"

    async def _task_warning(
        self, live: LiveSession, event: PromptTyped, project: Project, holds: Mode
    ) -> str:
        """The warning in front of the result of a sub-agent that ran in the background."""
        if not event.returned:
            return ""
        told = await self.results.warning(live, event, project)
        if holds is not Mode.ENFORCE:
            return ""
        return _join([told, await self.reviews.warning(live, event, project)])

    def _summary(self, live: LiveSession, event: SessionEnded | BranchTaken) -> Feedback:
        """What a person should know of a session that has ended."""
        history = live.session.history
        if not history.stood_in or isinstance(event, BranchTaken):
            return NO_FEEDBACK
        said = stand_in_text(history)
        self.notices.tell(live.key, "stand-in", said)
        return Feedback(notice=f"automode: {said}")

    async def _ends(self, live: LiveSession, noticed: Noticed) -> str:
        """Why a turn must not go on; empty where it may."""
        if not noticed.silent:
            return ""
        return await self.missed_calls.enforce(live, noticed.missed, ignored=noticed.ignored)

    def _notice(self, live: LiveSession, tool: str, noticed: Noticed) -> str:
        """What a person should know of a call that has run."""
        silent = self.missed_calls.notice(live, noticed.missed, ignored=noticed.ignored)
        if not noticed.changed:
            return silent
        said = changed_sentence(tool)
        self.notices.tell(live.key, CHANGED, said)
        return _join([silent, f"automode: {said}"])


def _told_before(live: LiveSession, event: CallFinished) -> bool:
    return live.rulings.ended_before(event.id, doubted=event.doubted)


def _join(texts: Iterable[str]) -> str:
    return "\n\n".join(text for text in texts if text)
