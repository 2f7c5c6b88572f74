"""Walls, then doors, then judges: the whole walk, and the one place that fails closed."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from automode.core.call import ToolCall
from automode.core.decision import (
    Decision,
    Failure,
    Remark,
    Verdict,
    ask,
    deny,
    settle,
    strictest,
)
from automode.core.session import Mode, Session
from automode.core.workspace import Workspace
from automode.gate.breaker import Limits, after, after_below, escalate
from automode.gate.layer import Answer, Layer
from automode.programs.call_facts import CallFacts
from automode.shell.script import NoReader

log = logging.getLogger(__name__)

T = TypeVar("T")
Read: TypeAlias = Callable[[ToolCall, Workspace], Awaitable[CallFacts]]
View: TypeAlias = tuple[CallFacts, Session]
"""A call as it is judged with one of the folders that pass for home."""
USUAL_LIMITS = Limits()
_FAILED = "failed"


async def _unread_facts(call: ToolCall, workspace: Workspace) -> CallFacts:
    return CallFacts(call, workspace, NoReader())


@dataclass(slots=True)
class Gate:
    """Walls can only tighten, and the strictest of them wins. Doors may allow, and the first that
    answers decides; behind an ask they stay shut. Judges decide what is left. An approval is a
    person's yes to exactly this call: it answers an ask of the walls that is clearable, and stands
    for the rest."""

    walls: Sequence[Layer]
    doors: Sequence[Layer]
    judges: Sequence[Layer]
    # Walls of the administrator: they hold even when auto mode is off.
    standing: Sequence[Layer] = ()
    approvals: Sequence[Layer] = ()
    limits: Limits = USUAL_LIMITS
    read: Read = _unread_facts  # makes the facts of a call, before the first layer is asked

    async def decide(
        self,
        call: ToolCall,
        session: Session,
        further: Sequence[Layer] = (),
        facts: CallFacts | None = None,
    ) -> Decision | None:
        """The decision, or None when auto mode is off and the host's own flow goes on. `further`
        are walls of another project that the call runs in; `facts` are the call's, if at hand.

        Whoever has several calls of one session decided holds the session's turn: see
        `LiveSession`."""
        trail: list[Remark] = []
        views = await self._views(call, session, facts)
        decision = await self._strictest(self.standing, views, trail)
        standing = decision is not None and decision.verdict >= Verdict.DENY
        if session.mode is not Mode.OFF and not standing:
            decision = await self._decision(views, further, trail)
            decision = _with_trail(decision, trail, enforced=session.mode is Mode.ENFORCE)
        elif decision is not None:
            decision = _with_trail(decision, trail, enforced=decision.enforced)
        return None if decision is None else self.conclude(decision, session)

    def conclude(self, decision: Decision, session: Session) -> Decision:
        """The last word on a decision: the breaker's. The session's history has it from now on,
        and that of the sessions above."""
        settled_now = settle(decision, attended=session.attended or session.hold > 0)
        if session.mode is not Mode.OFF:
            settled_now = escalate(
                settled_now,
                session.history,
                self.limits,
                attended=session.attended,
                above=[one.history for one in session.above],
            )
            for one in session.above:
                one.history = after_below(one.history, settled_now, self.limits)
        session.history = after(session.history, settled_now, self.limits)
        return settled_now

    async def forbidden(
        self, call: ToolCall, session: Session, further: Sequence[Layer] = ()
    ) -> Decision | None:
        """What the walls deny, as far as they can tell; None for whatever else they say. For a
        session of which too little is known for anything to open: only they are asked."""
        trail: list[Remark] = []
        views = await self._views(call, session)
        wall = await self._strictest(self.standing, views, trail)
        if wall is not None and wall.verdict >= Verdict.DENY:
            return _with_trail(wall, trail, enforced=wall.enforced)
        if session.mode is Mode.OFF:
            return None
        wall = await self._strictest((*self.walls, *further), views, trail)
        if wall is None or wall.verdict < Verdict.DENY:
            return None
        return _with_trail(wall, trail, enforced=session.mode is Mode.ENFORCE)

    async def _decision(
        self, views: Sequence[View], further: Sequence[Layer], trail: list[Remark]
    ) -> Decision:
        if views[0][0].call.cancelled:
            return deny("gate.cancelled", "the agent's turn was cancelled", error=Failure.CANCELLED)
        wall = await self._strictest((*self.walls, *further), views, trail)
        if wall is not None and wall.verdict >= Verdict.DENY:
            return wall
        # A wall that failed might have denied, and a rule that cannot be read might forbid the
        # call: no yes of a person answers for them.
        barred = any(remark.mark == _FAILED for remark in trail)
        barred = barred or (wall is not None and wall.lasting_ask)
        approved = None if barred else await self._first(self.approvals, views[:1], trail)
        if approved is not None:
            return approved
        if wall is not None:
            trail.append(
                Remark("gate", "asked", f"{wall.source} asks: no door may allow this call")
            )
            judged = await self._ask_judges(views[0], trail)
            return wall if judged is None else max(wall, judged, key=lambda one: one.verdict)
        answer = await self._first(self.doors, views, trail)
        if answer is None:
            answer = await self._ask_judges(views[0], trail)
        return _undecided_decision(trail) if answer is None else answer

    async def _ask_judges(self, view: View, trail: list[Remark]) -> Decision | None:
        """Judges see only prompts that a person typed. Looking that up takes time."""
        facts, session = view
        if self.judges and session.recheck is not None:
            try:
                session = replace(session, transcript=await session.recheck(), recheck=None)
            except Exception as error:  # noqa: BLE001 - the one place that fails closed
                return _fail(self.judges[0], error, trail)
        return await self._first(self.judges, [(facts, session)], trail)

    async def _strictest(
        self, layers: Sequence[Layer], views: Sequence[View], trail: list[Remark]
    ) -> Decision | None:
        found: list[Decision] = []
        for layer in layers:
            for view in views:
                answer = await self._answer(layer, view, trail)
                if answer is not None:
                    found.append(answer)
                    if answer.verdict >= Verdict.DENY:
                        return strictest(found)
        return strictest(found)

    async def _first(
        self, layers: Sequence[Layer], views: Sequence[View], trail: list[Remark]
    ) -> Decision | None:
        """What the first layer that answers says; with two homes one must answer for both."""
        found: list[Decision] = []
        for view in views:
            for layer in layers:
                answer = await self._answer(layer, view, trail)
                if answer is not None:
                    found.append(answer)
                    break
            else:
                return None
        return strictest(found)

    async def _views(
        self, call: ToolCall, session: Session, facts: CallFacts | None = None
    ) -> list[View]:
        """The call as it was read, once for each folder that passes for home."""
        workspace = session.workspace
        views = [(facts or await self.facts(call, workspace), session)]
        if workspace.other_home:
            other = replace(workspace, home=workspace.other_home, other_home=workspace.home)
            views.append((await self.facts(call, other), replace(session, workspace=other)))
        return views

    async def facts(self, call: ToolCall, workspace: Workspace) -> CallFacts:
        try:
            return await self.read(call, workspace)
        except Exception as error:  # noqa: BLE001 - the one place that fails closed
            log.warning("reading a call failed: %s", type(error).__name__)
            return await _unread_facts(
                call, workspace
            )  # a layer that needs to know more fails closed

    async def _answer(self, layer: Layer, view: View, trail: list[Remark]) -> Decision | None:
        try:
            answer: Answer = await layer(*view, tuple(trail))
        except Exception as error:  # noqa: BLE001 - the one place that fails closed
            return _fail(layer, error, trail)
        if isinstance(answer, Remark):
            trail.append(answer)
            return None
        return answer


def _fail(layer: Layer, error: Exception, trail: list[Remark]) -> Decision:
    # The call itself stays out of the log: it may hold secrets.
    log.warning("layer %s failed: %s", layer.name, type(error).__name__)
    reason = f"the check `{layer.name}` failed ({type(error).__name__})"
    trail.append(Remark("gate", _FAILED, reason))
    return ask(f"gate.{layer.name}-failed", reason, error=Failure.UNAVAILABLE)


def _undecided_decision(trail: list[Remark]) -> Decision:
    """No layer decided the call; the last remark says why."""
    noted = f": {trail[-1].text}" if trail else ""
    return ask("gate.undecided", f"no layer could vouch for this call{noted}")


def _with_trail(decision: Decision, trail: list[Remark], *, enforced: bool) -> Decision:
    if trail:
        return replace(decision, trail=(*trail, *decision.trail), enforced=enforced)
    return decision if decision.enforced is enforced else replace(decision, enforced=enforced)


async def fail_closed(deciding: Awaitable[T], otherwise: Callable[[Exception], T]) -> T:
    """What `deciding` gives; whatever it raises becomes `otherwise`. For whoever stands around a
    gate and must not raise either."""
    try:
        return await deciding
    except Exception as error:  # noqa: BLE001 - the one place that fails closed
        log.warning("deciding failed: %s", type(error).__name__)
        return otherwise(error)


def fail_closed_sync(deciding: Callable[[], T], otherwise: Callable[[Exception], T]) -> T:
    """The same for a program without an event loop."""
    try:
        return deciding()
    except Exception as error:  # noqa: BLE001 - as above
        log.warning("deciding failed: %s", type(error).__name__)
        return otherwise(error)
