"""Hears what happens in sessions, and says what follows from it: warnings, notices, refusals."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from automode.agents.events import (
    NO_REMARKS,
    BranchTaken,
    CallFinished,
    PromptTyped,
    Remarks,
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
)
from automode.classifier.hygiene import cut_in_the_middle
from automode.classifier.transcript import last_paragraph
from automode.config.load import findings_sentence
from automode.config.settings import AssistantText, Probe
from automode.core.call import ToolCall
from automode.core.decision import Decision, Verdict
from automode.core.errors import AutomodeError
from automode.core.recent import Recent
from automode.core.record import Record, SessionKey
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
from automode.sessions.gate_run import GateRun, agents_words, mode, overridden, shallow
from automode.sessions.host_checks import HostChecks, screen_result, suspect_fact
from automode.sessions.layers import SUSPECT_RESULT
from automode.sessions.live_session import LiveSession, Override, decline
from automode.sessions.person import Deeds, NotKept
from automode.sessions.projects import Project, WrittenFiles
from automode.sessions.record_builder import RecordBuilder, Written
from automode.sessions.registry import SessionRegistry
from automode.sessions.reviews import Reviews, ended_below
from automode.sessions.status import Notices, is_halted, stand_in_text
from automode.sessions.transcript_text import InstructionsGiven, call_text, clean_files, event_text
from automode.store import tables
from automode.store.changes import Change, Heard, RecordQuery, SessionKept
from automode.store.database import Database

LONGEST_PROMPT = 65_536  # characters
MOST_ANSWERS = 16  # to one call
MOST_WORDS = 1024  # of a branch
MOST_LOOKED_AT = 64  # records, for the one of a call that a person declined
MOST_TOLD = 512  # sessions
BACKGROUND = "background-task"
"""What the result of a sub-agent or command in the background is said to come from."""


def proposed(
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
    """Inside a sub-agent it is the agent above that speaks, whatever the host calls it."""
    origin = Origin.PERSON
    if event.machine:
        origin = Origin.MACHINE
    if live.parent is not None:
        origin = Origin.ORCHESTRATOR
    return UserPrompt(cut_in_the_middle(event.text, LONGEST_PROMPT), origin)


def _bounded(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(cut_in_the_middle(one, LONGEST_PROMPT) for one in texts[-MOST_WORDS:])


def _asked_as_suspect(decision: Decision | None) -> bool:
    return (
        decision is not None
        and decision.verdict is Verdict.ASK
        and decision.source == SUSPECT_RESULT
    )


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
        live.standing.begin(attended=event.speaker.attended, doubted=event.doubted)


def refuse_if_stopped(live: LiveSession) -> Remarks:
    session = live.session
    enforced = session.mode is Mode.ENFORCE and live.override is not Override.OFF
    if session.attended or not enforced or not is_halted(session.history):
        return NO_REMARKS
    return Remarks(refusal=f"automode: {session.history.last_reason}")


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
    missed_calls: MissedCalls
    switches: Switches
    deeds: Deeds
    clock: Callable[[], float] = time.time
    _told: Recent[SessionKey, str] = field(default_factory=lambda: Recent(MOST_TOLD))

    async def hear(self, event: Happening, live: LiveSession) -> Remarks:
        """Raises AutomodeError when the store is in trouble and there is nothing else to say."""
        noticed, trouble = Noticed(), None
        try:
            noticed = await self._take(live, event)
        except AutomodeError as error:
            # A suspect result is no less suspect because nothing can be written down.
            trouble = error
        remarks = await self._remarks(live, event, noticed)
        if trouble is None:
            return remarks
        if remarks == NO_REMARKS:
            raise trouble
        return replace(remarks, notice=_join([remarks.notice, f"automode: {trouble}"]))

    async def _take(self, live: LiveSession, event: Happening) -> Noticed:
        noticed = Noticed()
        async with live.turn:
            await self.gate_run.ready(live, event.speaker)
            if isinstance(event, PromptTyped) and self._is_echo(live, event):
                return noticed
            if isinstance(event, PromptTyped) and await self._by_agent(live, event):
                event = replace(event, machine=True)
            if isinstance(event, CallFinished) and _told_before(live, event):
                return noticed
            if isinstance(event, CallFinished):
                event = replace(event, input=shallow(event.input))
                ran = (
                    was_changed(live, event, self.builder),
                    self.missed_calls.ran_denied(live, event),
                )
                noticed = replace(noticed, changed=ran[0], ignored=ran[1])
            if isinstance(event, (CallFinished, TurnEnded)):
                missed = await self.missed_calls.count(live, event)
                noticed = replace(noticed, missed=missed)
            no = await self._declines(live, event)
            changes = [*no, *self._hear(live, event)]
            if isinstance(event, SessionStarted):
                changes += await self._begun(live, event)
            if isinstance(event, SessionEnded):
                self._end(live)
            await self._keep(live, changes)
        return noticed

    async def _declines(self, live: LiveSession, event: Happening) -> list[Change]:
        """Calls that the person said no to in the agent's own dialog, as the agent tells, or its
        record of the session. Each is denied by them, once."""
        found: list[Record] = []
        if isinstance(event, CallFinished) and event.outcome is Outcome.REJECTED:
            written = self.builder.written(finished_call(event.tool, event.input))
            found = await self.registry.store.read(lambda db: _proposal(db, live.key, written))
        elif isinstance(event, (PromptTyped, TurnEnded, SessionEnded)) and event.speaker.record:
            open_calls = live.rulings.unfinished()
            asked = (live.key.host, event.speaker.record, tuple(open_calls))
            said = await asyncio.to_thread(self.host_checks.declined, *asked) if open_calls else ()
            names = [open_calls[call] for call in said if not live.rulings.ended_before(call)]
            found = await self.registry.store.read(lambda db: _recorded(db, names)) if names else []
        changes: list[Change] = []
        for one in found:
            told = self.deeds.declined(one)
            live.session.history = decline(live.session.history, told.record)
            changes.append(told)
        return changes

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
                return [live.hear(given, self.builder.clean)]
            case BranchTaken(_, words, left):
                taken = (_bounded(words), _bounded(left))
                return [live.hear(branch.BranchTaken(*taken), self.builder.clean)]
            case CallFinished():
                return self._finish(live, event)
            case SessionStarted(speaker):
                live.standing.begin(attended=speaker.attended, doubted=event.doubted)
                live.session.attended = not live.standing.unattended
            case TurnEnded():
                return self._last_words(live, event)
            case SessionEnded():
                live.ended = self.clock()
        return []

    def _last_words(self, live: LiveSession, event: TurnEnded) -> list[Change]:
        """Nobody says yes to a sub-agent but the agent above it."""
        said, project = last_paragraph(event.words), self.gate_run.project(live, event.speaker)
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
        if ran and ruled is not None and _asked_as_suspect(ruled.decision):
            live.standing.suspect = ""
        identity = next((one for one in (event.id, written.own) if live.recorder.running(one)), "")
        yes: list[Change] = []
        asked = "" if event.doubted else live.standing.asked.pop(event.id or written.own, "")
        if asked == written.own and ran:
            # The very call that a person was asked about ran: they said yes. What failed may have
            # been refused as well: not every host tells the one from the other.
            project = self.gate_run.project(live, event.speaker)
            limits = USUAL_LIMITS if project is None else project.gate.limits
            for session in (live.session, *live.session.above):
                session.history = resume(session.history, limits)
            told = "said yes to a call, so auto mode goes on"
            yes = [self.deeds.person_did("resume", told, live.row(str))]
        kept = [*yes, *self._answers(live, event)]
        if rewritten:
            kept.append(live.hear(FactNoted(changed_fact(event.tool)), self.builder.clean))
        if identity:
            ended = live.hear(ToolFinished(identity, event.outcome), self.builder.clean)
            kept.insert(0, ended)
        if event.outcome not in RAN or (identity and not rewritten):
            return kept
        # Nobody asked about it, and it ran: what it wrote counts all the same.
        given = ToolProposed(
            written.own if rewritten else event.id or written.own, event.tool, event.input
        )
        wrote = noted_paths(live, call, event.speaker.cwd, self.builder, self.files)
        return [*kept, proposed(live, given, written, event.outcome, wrote)]

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

    async def _remarks(self, live: LiveSession, event: Happening, noticed: Noticed) -> Remarks:
        if isinstance(event, (SessionEnded, BranchTaken)):
            return self._summary(live, event)
        project = self.gate_run.project(live, event.speaker)
        if project is None:
            return NO_REMARKS
        holds = mode(project.settings, overridden(live, self.registry.ancestors(live)))
        if holds is Mode.OFF:
            return NO_REMARKS
        match event:
            case CallFinished():
                told = await self._screen(live, event.result, event.tool, project)
                notice = self._notice(live, event.tool, noticed)
                if holds is Mode.ENFORCE:
                    reviewed = await self.reviews.warning(live, event, project)
                    ends = await self._ends(live, noticed)
                    return Remarks(_join([told, reviewed]), notice, ends)
                return Remarks(notice=notice)
            case SessionStarted():
                remarks = await self.switches.remarks(live, event, holds)
                found = self._findings(live, project)
                return replace(remarks, notice=_join([remarks.notice, found]))
            case PromptTyped():
                remarks = await self.switches.remarks(live, event, holds)
                return replace(remarks, warning=await self._of_task(live, event, project, holds))
            case TurnEnded():
                if holds is Mode.ENFORCE:
                    await self._ends(live, noticed)
                return Remarks(notice=self.missed_calls.notice(live, noticed.missed))

    def _findings(self, live: LiveSession, project: Project) -> str:
        """What is wrong with the settings: once in a session, and again when it is something else.
        Agents tell of a beginning more than once."""
        said = "" if live.parent is not None else findings_sentence(project.loaded)
        if self._told.get(live.key, "") == said:
            return ""
        self._told[live.key] = said
        return said and f"automode: {said}"

    async def _of_task(
        self, live: LiveSession, event: PromptTyped, project: Project, holds: Mode
    ) -> str:
        """The warning in front of the result of a sub-agent that ran in the background."""
        if not event.returned:
            return ""
        told = await self._screen(live, event.text, BACKGROUND, project)
        if holds is not Mode.ENFORCE:
            return ""
        return _join([told, await self.reviews.warning(live, event, project)])

    def _summary(self, live: LiveSession, event: SessionEnded | BranchTaken) -> Remarks:
        """What a person should know of a session that has ended."""
        history = live.session.history
        if not history.stood_in or isinstance(event, BranchTaken):
            return NO_REMARKS
        said = stand_in_text(history)
        self.notices.tell(live.key, "stand-in", said)
        return Remarks(notice=f"automode: {said}")

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

    async def _screen(self, live: LiveSession, result: str, tool: str, project: Project) -> str:
        """In shadow mode nobody is warned, but what was found out is remembered all the same."""
        probe = project.settings.probe
        found = None
        if probe is not Probe.OFF and result:
            found = await screen_result(self.host_checks.screen, result, tool)
        if found is not None and found.asked and live.restored:
            async with live.turn:
                noted = live.hear(FactNoted(suspect_fact(tool, found)), self.builder.clean)
                if probe is Probe.ASK:
                    live.standing.suspect = found.asked
                # What cannot be kept of a warning is no reason not to give it.
                await self.registry.store.append([noted, SessionKept(live.row(self.builder.brief))])
        return "" if found is None else found.warning


def _proposal(db: Database, key: SessionKey, written: Written) -> list[Record]:
    """The record of the call as it was last decided, unless it was denied."""
    found = tables.records(db, RecordQuery(session=key, limit=MOST_LOOKED_AT))
    same = [
        one.record
        for one in found
        if one.record and (one.record.tool, one.record.input) == (written.tool, written.input)
    ]
    return [one for one in same[:1] if one.enforced and not one.denied]


def _recorded(db: Database, names: Sequence[str]) -> list[Record]:
    found = (tables.record(db, name).record for name in names)
    return [one for one in found if one is not None]


def _told_before(live: LiveSession, event: CallFinished) -> bool:
    return live.rulings.ended_before(event.id, doubted=event.doubted)


def _join(texts: Iterable[str]) -> str:
    return "\n\n".join(text for text in texts if text)
