"""Calls that ran around the gate: never proposed, changed after the decision, or denied and run all
the same; and projects that switch the hooks off.

A hook was not called, or was lost, or something else answered: what automode says does not count
in such a session. So a person is asked about every further call.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from automode.agents.events import (
    NO_FEEDBACK,
    CallFinished,
    Feedback,
    PromptTyped,
    SessionStarted,
    TurnEnded,
)
from automode.core.call import Other, ToolCall
from automode.core.decision import Verdict
from automode.core.errors import BadCall
from automode.core.session import Mode
from automode.core.tools import tool_call
from automode.core.transcript import Fact, Outcome
from automode.sessions.host_checks import HostChecks, tool_in_words
from automode.sessions.live_session import LiveSession, binding
from automode.sessions.person import Deeds
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.registry import SessionRegistry
from automode.sessions.status import Notices
from automode.store.changes import Decided, SessionKept

CHANGED = "call-changed"
RAN = (Outcome.OK, Outcome.ERROR)
_LOOK_AT_HOOKS = "look at the hooks of the project and of your plugins, see `automode doctor`"


def was_changed(live: LiveSession, event: CallFinished, builder: RecordBuilder) -> bool:
    """Whether this is not the call that was decided under its id. Ask before the session hears that
    it has finished."""
    if event.outcome not in RAN or not live.rulings.has(event.id):
        return False
    left = {name: value for name, value in event.input.items() if name not in event.added}
    known = [builder.written(finished_call(event.tool, given)).own for given in (event.input, left)]
    return live.rulings.another(event.id, *known)


def finished_call(tool: str, given: Mapping[str, object]) -> ToolCall:
    """The call as it is recorded; also one of an unknown tool."""
    try:
        return tool_call(tool, given)
    except BadCall:
        return ToolCall(tool, Other(), given)


def changed_sentence(tool: str) -> str:
    """For people; it quotes no call."""
    return (
        f"a call of {tool_in_words(tool)} was changed after automode decided it; {_LOOK_AT_HOOKS}"
    )


def changed_fact(tool: str) -> Fact:
    """For the classifier."""
    return Fact(
        "changed-call", f"a call of {tool_in_words(tool)} ran with an input that was not decided"
    )


def finished_id(event: CallFinished, builder: RecordBuilder) -> str:
    """The name under which a call was proposed, if it was."""
    return event.id or builder.written(finished_call(event.tool, event.input)).own


MISSED = "gate-silent"
_WAY_OUT = "see `automode doctor`"
_AGAIN = "a person is asked about every further call until they have looked and `automode reset`"


@dataclass(slots=True)
class MissedCalls:
    registry: SessionRegistry
    builder: RecordBuilder
    host_checks: HostChecks
    notices: Notices
    deeds: Deeds

    async def count(self, live: LiveSession, event: CallFinished | TurnEnded) -> int:
        """How many calls nobody proposed; each counts once. For who holds the turn. Raises what the
        store raises."""
        made = await self._made_calls(live, event)
        unknown = live.rulings.unknown(call for call in dict.fromkeys(made) if call)
        if unknown:
            # A hook that found no daemon decides alone: the store knows of that, memory does not.
            # And a call of a sub-agent is known to the sub-agent's session.
            await self.registry.catch_up(live)
            for one in (live, *self.registry.below(live)):
                unknown = one.rulings.unknown(unknown)
        for call in unknown:
            live.rulings.note_proposed(call)
        return len(unknown)

    def ran_denied(self, live: LiveSession, event: CallFinished) -> bool:
        """Whether a denied call ran. Ask before the session hears that it has finished."""
        if event.outcome is not Outcome.OK:
            return False  # not every agent tells a refused call from one that failed
        known = live.rulings.ruling_of(finished_id(event, self.builder))
        ruled = None if known is None else binding(known.decision)
        return ruled is not None and ruled.verdict >= Verdict.DENY

    async def enforce(self, live: LiveSession, missed: int, *, ignored: bool) -> str:
        """From now on a person is asked about every call, here and above, in memory if nowhere
        else. Returns why the turn must end."""
        never = f"{_calls(missed)} never reached automode" if missed else ""
        said = "; ".join(filter(None, (never, "a denied call ran" if ignored else "")))
        async with live.turn:
            family = (live, *self.registry.ancestors(live))
            for one in family:
                one.standing.silent = said
            rows = [SessionKept(one.row(self.builder.brief)) for one in family if one.whole]
            record: Decided = self.deeds.notice(MISSED, f"gate silent: {said}", live.row(str))
            await self.registry.store.append([record, *rows])
        return f"automode: gate silent: {said}, so it was not decided; {_AGAIN}"

    def notice(self, live: LiveSession, missed: int, *, ignored: bool = False) -> str:
        """For the person; also for `status` and the log."""
        if not missed and not ignored:
            return ""
        what = "a call ran that automode denied"
        if not ignored:
            what = f"{_calls(missed)} never reached automode, so it was not decided"
        sentence = f"gate silent: {what}; {_WAY_OUT}"
        self.notices.tell(live.key, MISSED, sentence)
        return f"automode: {sentence}"

    async def _made_calls(
        self, live: LiveSession, event: CallFinished | TurnEnded
    ) -> Sequence[str]:
        if isinstance(event, CallFinished):
            return [finished_id(event, self.builder)] if event.outcome in RAN else ()
        if event.calls is not None or not event.ref.record:
            return event.calls or ()
        read = asyncio.to_thread(self.host_checks.calls, live.key.host, event.ref.record)
        return await read or ()


def _calls(count: int) -> str:
    return "1 call" if count == 1 else f"{count} calls"


SWITCHED = "hooks-switched-off"


@dataclass(slots=True)
class Switches:
    """Looked for when a session begins and with every prompt: agents stop at a refused prompt, not
    at the beginning of a session."""

    registry: SessionRegistry
    builder: RecordBuilder
    host_checks: HostChecks
    notices: Notices

    async def feedback(
        self, live: LiveSession, event: SessionStarted | PromptTyped, holds: Mode
    ) -> Feedback:
        if live.parent is not None:
            return NO_FEEDBACK
        folder = event.ref.cwd
        if isinstance(event, PromptTyped) or event.doubted:
            folder = live.standing.switched or folder
        found = await asyncio.to_thread(self.host_checks.switched, folder, live.key.host)
        refused = found.refuses(attended=live.session.attended)
        await self._keep(live, folder if refused or found.asks else "")
        if not found.told:
            self.notices.drop(live.key, SWITCHED)
            return NO_FEEDBACK
        news = self.notices.tell(live.key, SWITCHED, found.told)
        if refused and holds is Mode.ENFORCE:
            return Feedback(refusal=f"automode: this session must not go on: {found.told}")
        if news or isinstance(event, SessionStarted):
            return Feedback(notice=f"automode: {found.told}")
        return NO_FEEDBACK

    async def _keep(self, live: LiveSession, folder: str) -> None:
        live.looked = True
        before, live.standing.switched = live.standing.switched, folder
        if folder != before and live.restored:
            async with live.turn:
                await self.registry.store.append([SessionKept(live.row(self.builder.brief))])
