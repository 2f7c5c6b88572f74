"""Takes a proposed call through the gate of its project: where, by which settings, in what time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain

from automode.agents.catalog import AGENTS
from automode.agents.events import CallProposed, SessionRef
from automode.config.settings import Probe, Settings
from automode.core.call import Other, ToolCall
from automode.core.decision import Decision, Failure, ask, deny
from automode.core.errors import AutomodeError, BadCall
from automode.core.paths import within
from automode.core.session import Mode, Session
from automode.core.tools import tool_call
from automode.core.transcript import Entry, Transcript
from automode.facts.files import OneLook
from automode.gate.breaker import APPROVAL, Limits
from automode.gate.gate import Gate, fail_closed
from automode.gate.layer import Layer
from automode.llm.ledger import Ledger
from automode.programs.call_facts import CallFacts
from automode.sessions.confinement import call_key
from automode.sessions.host_checks import NOTHING_SWITCHED, HostChecks, Switched
from automode.sessions.layers import asked_as_suspect
from automode.sessions.live_session import LiveSession, Override, PastUnknown
from automode.sessions.precedents import Precedents
from automode.sessions.projects import Project, Projects, WrittenFiles
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.registry import SessionRegistry, with_words_above
from automode.sessions.transcript_text import Clean, PromptDisowned, event_text, said_by_agent
from automode.sessions.usage import bill_of
from automode.store import tables
from automode.store.writer import Writer


async def agents_words(
    registry: SessionRegistry, builder: RecordBuilder, live: LiveSession, text: str
) -> bool:
    """In a thread: a family may have written megabytes."""
    top = [live, *registry.ancestors(live)][-1]
    entries = [one.recorder.transcript.entries for one in (top, *registry.below(top))]
    if not any(entries):
        return False
    # What came back from the store is without secrets, so the words are looked for without, too.
    forms = dict.fromkeys((text, builder.brief(text)))
    return await asyncio.to_thread(_any_said, tuple(forms), entries)


def _any_said(forms: tuple[str, ...], entries: list[tuple[Entry, ...]]) -> bool:
    return any(said_by_agent(form, chain.from_iterable(entries)) for form in forms)


PAUSES = (0.05, 0.1, 0.2, 0.3)
"""Seconds. Measured: what an instant model answers comes before the record has the prompt."""


@dataclass(frozen=True, slots=True)
class CrossChecks:
    store: Writer
    host_checks: HostChecks
    clean: Clean
    pauses: Sequence[float] = PAUSES

    def of(
        self, live: LiveSession, above: Sequence[LiveSession]
    ) -> Callable[[], Awaitable[Transcript]] | None:
        """Gives the session's words without prompts of a machine; None: nothing to look up."""
        family = (live, *above)
        if not any(one.words.unchecked and one.words.record for one in family):
            return None

        async def persons_words() -> Transcript:
            for one in family:
                await self._look(one)
            return with_words_above(live.words.persons(live.recorder.transcript), above)

        return persons_words

    async def _look(self, live: LiveSession) -> None:
        """In one step after the look: nobody holds the turn of a session above."""
        words = live.words
        if not (words.unchecked and words.record):
            return
        disowned = words.check(await self._marks(live))
        if disowned and live.restored:
            lines = [live.add_line(event_text(PromptDisowned(one), self.clean)) for one in disowned]
            await self.store.append(lines)

    async def _marks(self, live: LiveSession) -> Mapping[str, bool]:
        """Waits a moment for the newest prompt, once: agents write their records in portions."""
        words = live.words
        newest = next(reversed(words.unchecked))
        pauses = () if words.awaited == newest else self.pauses
        words.awaited = newest
        asked = (live.key.host, words.record, tuple(words.unchecked))
        marks = await asyncio.to_thread(self.host_checks.prompts, *asked)
        for pause in pauses:
            if marks is None or newest in marks:
                break
            await asyncio.sleep(pause)
            marks = await asyncio.to_thread(self.host_checks.prompts, *asked)
        return marks or {}


MOST_NESTED = 100
_NESTS = (dict, list, tuple, Mapping)


def too_deep(value: object) -> bool:
    """Whether it is nested deeper than anything that agents really send."""
    level: list[object] = [value]
    for _ in range(MOST_NESTED):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return False
    return True


def shallow(given: Mapping[str, object]) -> Mapping[str, object]:
    """The input, or a word in the place of one that is nested too deeply."""
    return {"cut": f"nested more than {MOST_NESTED} levels deep"} if too_deep(given) else given


def _inside(value: object) -> list[object]:
    if isinstance(value, (list, tuple)):
        inner: Iterable[object] = value
    elif isinstance(value, (dict, Mapping)):
        inner = value.values()
    else:
        return []
    # Texts are by far the most, and asking whether one is a mapping takes its time.
    return [one for one in inner if not isinstance(one, str) and isinstance(one, _NESTS)]


@dataclass(frozen=True, slots=True)
class Understood:
    """A proposed call as it was understood; with `fault` it was not."""

    call: ToolCall
    fault: BadCall | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    """`decision` None: auto mode is off. `session` is what the call was judged by, where that is
    not the session itself. `facts`: what the gate read the call as, where it came to a gate."""

    call: ToolCall
    decision: Decision | None
    session: Session | None = None
    facts: CallFacts | None = None


@dataclass(slots=True)
class GateRun:
    registry: SessionRegistry
    projects: Projects
    ledger: Ledger
    files: WrittenFiles
    host_checks: HostChecks
    checks: CrossChecks
    precedents: Precedents
    clock: Callable[[], float] = time.time
    holds: bool = False  # whether an ask can be answered from elsewhere

    async def ready(self, live: LiveSession, ref: SessionRef) -> None:
        """Makes a session whole: what the store knows of it, the sessions above it, and where it
        began. Raises what the store raises, and PastUnknown."""
        await self.registry.recall(live)
        live.ended = None
        parent = None if live.parent is None else self.registry.get(live.parent)
        alone = live.orphan and parent is None
        if live.parent is not None and not (alone or (parent and parent.current)):
            await self._restore_above(live)
        above = self.registry.ancestors(live)
        live.session.above = tuple(one.session for one in above)
        if live.standing.unattended or any(one.standing.unattended for one in above):
            live.session.attended = False
        if not live.root:
            live.root = self.began(above, ref.cwd)

    async def run(self, live: LiveSession, event: CallProposed) -> GateResult:
        """May raise anything; the caller then asks or denies: see `failed_decision` and
        `degraded`."""
        call = understood(event)
        await self.ready(live, event.ref)
        above = self.registry.ancestors(live)
        override = overridden(live, above)
        session = live.session
        try:
            project, further = self._project_and_walls(live, above, event.ref, session)
        except BadCall as error:
            if override is Override.OFF:
                return GateResult(call.call, None)
            return conclude(live, call, bad(error))
        settings, gate = project.settings, project.gate
        if self.holds and session.mode is Mode.ENFORCE:
            session.hold = settings.asks.hold
        live.root, live.limits = session.workspace.root, gate.limits
        session.written_around = await self.files.around(live.root)
        session.precedents = await self.precedents.around(live, above, settings.local.learn)
        self._tell_of_host(live, event, session)
        session.transcript = with_words_above(live.words.persons(live.recorder.transcript), above)
        found = self._find_switch(live, above, event.ref.cwd)
        if found.refuses(attended=session.attended) and session.mode is not Mode.OFF:
            return conclude(live, call, switched_off(found))
        if call.fault is not None:
            if session.mode is Mode.OFF and not settings.managed_deny:
                return GateResult(call.call, None)
            return conclude(live, call, bad(call.fault))
        if settings.budget_usd is not None:
            await self._budget(live)
        session.recheck = self.checks.of(live, above)
        session.ran_around = next(filter(None, (one.standing.silent for one in (live, *above))), "")
        session.suspect = "" if settings.probe is Probe.OFF else live.standing.suspect
        session.not_looked_at = found.told if found.asks else ""
        milliseconds = settings.deadline_ms
        bound = nullcontext() if milliseconds is None else asyncio.timeout(milliseconds / 1000)
        async with bound:
            facts = await gate.facts(call.call, session.workspace)
            decision = await gate.decide(call.call, session, further, facts)
        approved = decision is not None and decision.source == APPROVAL
        if approved and settings.probe is Probe.ASK:
            live.standing.suspect = ""
        if asked_as_suspect(decision):
            live.standing.told = live.standing.suspect
        return GateResult(call.call, decision, facts=facts)

    def _tell_of_host(self, live: LiveSession, event: CallProposed, session: Session) -> None:
        """Whether this call can be changed, and how it ended when it last ran confined."""
        agent = AGENTS.get(live.key.host) if event.changeable else None
        session.confines = "" if agent is None else agent.abilities.confines
        key = call_key(event.input, event.ref.cwd)
        session.ran_confined = live.met_guard.get(key, "") or live.failed.get(key, "")

    def _project_and_walls(
        self, live: LiveSession, above: Sequence[LiveSession], ref: SessionRef, session: Session
    ) -> tuple[Project, Sequence[Layer]]:
        """The project a session belongs to, and the walls of where it is now: elsewhere the rules
        of that place hold as well, but it opens nothing. `session` is told. Raises BadCall."""
        place = self.projects.workspace(ref.cwd)
        root = live.root or self.began(above, ref.cwd)
        session.workspace = replace(place, root=root, files=OneLook())
        project = self.projects.at(root, ref.model, _lender(session), ref.variables)
        session.mode = mode(project.settings, overridden(live, above))
        if place.root == root:
            return project, ()
        there = self.projects.at(place.root, ref.model, variables=ref.variables)
        return project, there.gate.walls

    def _find_switch(self, live: LiveSession, above: Sequence[LiveSession], cwd: str) -> Switched:
        """What leads around the gate where a session works that must not go on; looked at anew
        with each call of such a session, and of another where it may have changed."""
        folder = cwd if not live.root or within(cwd, live.root) else live.root
        stamp = self.host_checks.stamp(folder, live.key.host) if live.parent is None else ""
        if live.parent is None and (not live.looked or stamp != live.stamp):
            # What takes the place of hooks may have kept its beginning from us.
            live.looked, live.stamp = True, stamp
            first = self.host_checks.switched(folder, live.key.host)
            if first.asks or first.refuses(attended=live.session.attended):
                live.standing.switched = live.standing.switched or folder
        folders = [one.standing.switched for one in (live, *above) if one.standing.switched]
        return self.host_checks.switched(folders[0], live.key.host) if folders else NOTHING_SWITCHED

    async def degraded(
        self, live: LiveSession, event: CallProposed, instead: Decision, deadline: float | None
    ) -> GateResult:
        """Walls alone, for a session whose past cannot be read, or without time. `instead` is the
        answer where none denies. Nobody need hold the session's turn, so it is judged by a copy,
        and only its history is changed. `deadline` is on the loop's clock."""
        call, session = understood(event), replace(live.session, hold=0.0)
        seconds = None
        if deadline is not None:
            seconds = max(deadline - asyncio.get_running_loop().time(), GRACE_SECONDS)
        limits = live.limits
        try:
            async with asyncio.timeout(seconds):
                judging = self._forbidden(live, event, call, session)
                found, limits = await fail_closed(judging, lambda _: (None, limits))
        except TimeoutError:
            found = None
        decision = _apply_mode(instead, session) if found is None else found
        session.history = live.session.history
        said = Gate((), (), (), limits=limits).conclude(decision, session)
        live.session.history = session.history
        return GateResult(call.call, said, session)

    async def _forbidden(
        self, live: LiveSession, event: CallProposed, call: Understood, session: Session
    ) -> tuple[Decision | None, Limits]:
        """What a wall denies, and the breaker's limits where the call runs."""
        above = self.registry.ancestors(live)
        session.above = tuple(one.session for one in above)
        try:
            project, further = self._project_and_walls(live, above, event.ref, session)
        except BadCall as error:
            return _apply_mode(bad(error), session), live.limits
        limits, off = project.gate.limits, session.mode is Mode.OFF
        if call.fault is not None:
            unheard = off and not project.settings.managed_deny
            return None if unheard else _apply_mode(bad(call.fault), session), limits
        denied = await project.gate.forbidden(call.call, session, further)
        if denied is None and not off:
            found = self._find_switch(live, above, event.ref.cwd)
            refused = found.refuses(attended=session.attended)
            denied = _apply_mode(switched_off(found), session) if refused else None
        return denied, limits

    def project(self, live: LiveSession, ref: SessionRef) -> Project | None:
        """Where a session works; None while that is not known."""
        if not live.root:
            return None
        lender = _lender(live.session)
        return self.projects.at(live.root, ref.model, lender, ref.variables)

    def began(self, above: Sequence[LiveSession], cwd: str) -> str:
        """The project of a session: that of the first above it, else where it is seen first."""
        known = [one.root for one in above if one.root]
        try:
            return known[-1] if known else self.projects.workspace(cwd).root
        except BadCall:
            return ""

    async def _restore_above(self, live: LiveSession) -> None:
        """What the user said to the agents above counts here too."""
        above, seen = live.parent, {live.key}
        while above is not None and above not in seen:
            seen.add(above)
            parent = await self.registry.find(above)
            if parent is None:
                live.orphan = above == live.parent
                return
            if not parent.current:
                async with parent.turn:
                    await self.registry.recall(parent)
            above = parent.parent

    async def _budget(self, live: LiveSession) -> None:
        """What was spent before this process began counts for the budget as well."""
        name = live.session.parent or live.session.id
        if self.ledger.knows(name):
            return
        above = self.registry.ancestors(live)
        since = min(one.created for one in (live, *above))
        rows = await self.registry.store.read(lambda db: tables.usage_rows(db, since=since))
        if not self.ledger.knows(name):  # another call of the family may have been quicker
            bill = bill_of(rows)
            self.ledger.add_earlier(name, bill.spent(bill.root(name)))


def _lender(session: Session) -> str:
    """Whose keys count: those of the agent that a person started."""
    return (session, *session.above)[-1].id


def overridden(live: LiveSession, above: Sequence[LiveSession]) -> Override:
    """What a person typed for a session, or for the nearest above it."""
    return next((one.override for one in (live, *above) if one.override), Override.NONE)


def conclude(live: LiveSession, call: Understood, decision: Decision) -> GateResult:
    """The last word on a call that did not get through a gate."""
    enforced = live.session.mode is not Mode.SHADOW
    no_gate = Gate((), (), (), limits=live.limits)
    said = no_gate.conclude(replace(decision, enforced=enforced), live.session)
    return GateResult(call.call, said)


def mode(settings: Settings, override: Override) -> Mode:
    """What holds for a session: what a person typed for it, else what is configured."""
    match override:
        case Override.OFF:
            return Mode.OFF
        case Override.ON:
            return Mode.ENFORCE if settings.mode is Mode.OFF else settings.mode
        case Override.NONE:
            return settings.mode if settings.enabled else Mode.OFF


def understood(event: CallProposed) -> Understood:
    if too_deep(event.input):
        fault = f"its input is nested more than {MOST_NESTED} levels deep"
        return unread_call(event, BadCall(fault, "hand over flatter data"))
    try:
        return Understood(tool_call(event.tool, event.input))
    except BadCall as error:
        return unread_call(event, error)


def unread_call(event: CallProposed, fault: BadCall | None = None) -> Understood:
    """A call that could not be understood."""
    return Understood(ToolCall(event.tool, Other(), shallow(event.input)), fault)


def late() -> Decision:
    return ask(
        "gate.deadline",
        "there was not enough time to decide this call",
        "try it again",
        error=Failure.UNAVAILABLE,
        remedy="run it",
    )


def switched_off(found: Switched) -> Decision:
    """An outage of the gate, not a policy: it ends when the switch is removed."""
    why = "nobody would see it" if found.blinds else "nobody is there to see it"
    return deny(
        "gate.hooks-switched-off",
        f"the project can lead calls around automode, and {why}: {found.told}",
        error=Failure.UNAVAILABLE,
        remedy="take the switch away: then calls are decided again",
    )


def failed_decision(error: Exception) -> Decision:
    """Errors that are not ours may quote the call: only their kind is told."""
    if isinstance(error, TimeoutError):
        return late()
    known = isinstance(error, AutomodeError)
    reason = f"deciding failed: {error}" if known else f"deciding failed ({type(error).__name__})"
    hint = error.hint if isinstance(error, AutomodeError) else ""
    # No yes to one call tells whether the session may go on.
    lasting = isinstance(error, PastUnknown)
    error_kind = Failure.UNAVAILABLE
    return ask("gate.service-failed", reason, clearable=not lasting, error=error_kind, remedy=hint)


def bad(error: BadCall) -> Decision:
    return deny(
        "gate.bad-call",
        f"the call cannot be read: {error}",
        error.hint,
        error=Failure.UNREADABLE,
    )


GRACE_SECONDS = 0.1
"""Of the time for bringing the answer home, walls may take so much when all other time is spent."""


def _apply_mode(decision: Decision, session: Session) -> Decision:
    return replace(decision, enforced=session.mode is not Mode.SHADOW)
