"""What is said of a call whose walk failed or took too long: walls still stand, nothing opens.

Walls need no store and remember nothing, so what nobody may permit is denied also while nobody
knows the session. All else is asked, or denied with nobody there.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from automode.agents.events import CallProposed
from automode.core.decision import Decision
from automode.core.errors import BadCall
from automode.core.session import Mode, Session
from automode.facts.files import OneLook
from automode.gate.breaker import Limits
from automode.gate.gate import Gate, closed
from automode.sessions.gate_run import (
    GateResult,
    GateRun,
    Understood,
    bad,
    mode,
    overridden,
    switched_off,
    understood,
)
from automode.sessions.live_session import LiveSession

GRACE_SECONDS = 0.1
"""Of the time for bringing the answer home, walls may take so much when all other time is spent."""


@dataclass(frozen=True, slots=True)
class DegradedMode:
    gate_run: GateRun

    async def run(
        self, live: LiveSession, event: CallProposed, instead: Decision, deadline: float | None
    ) -> GateResult:
        """`instead` is the answer where no wall denies. Nobody need hold the session's turn, so it
        is judged by a copy, and only its history is changed. `deadline` is on the loop's clock."""
        call, session = understood(event), replace(live.session)
        seconds = None
        if deadline is not None:
            seconds = max(deadline - asyncio.get_running_loop().time(), GRACE_SECONDS)
        limits = live.limits
        try:
            async with asyncio.timeout(seconds):
                judging = self._judged(live, event, call, session)
                found, limits = await closed(judging, lambda _: (None, limits))
        except TimeoutError:
            found = None
        decision = _in_mode(instead, session) if found is None else found
        session.history = live.session.history
        said = Gate((), (), (), limits=limits).concluded(decision, session)
        live.session.history = session.history
        return GateResult(call.call, said, session)

    async def _judged(
        self, live: LiveSession, event: CallProposed, call: Understood, session: Session
    ) -> tuple[Decision | None, Limits]:
        """What a wall denies, and the breaker's limits where the call runs. `session` learns what
        can be known without the store."""
        speaker, above = event.speaker, self.gate_run.registry.ancestors(live)
        try:
            place = self.gate_run.projects.workspace(speaker.cwd)
        except BadCall as error:
            return _in_mode(bad(error), session), live.limits
        session.above = tuple(one.session for one in above)
        root = live.root or self.gate_run.began(above, speaker.cwd)
        session.workspace = replace(place, root=root, files=OneLook())
        project, further = self.gate_run.ruled_by(root, place, speaker, session.id)
        session.mode = mode(project.settings, overridden(live, above))
        limits = project.gate.limits
        if call.fault is not None:
            off = session.mode is Mode.OFF and not project.settings.managed_deny
            return None if off else _in_mode(bad(call.fault), session), limits
        denied = await project.gate.forbidden(call.call, session, further)
        if denied is None:
            denied = self._switched(live, above, speaker.cwd, session)
        return denied, limits

    def _switched(
        self, live: LiveSession, above: Sequence[LiveSession], cwd: str, session: Session
    ) -> Decision | None:
        """What was found before may stand in the store alone: then it is looked for again."""
        unknown = [cwd] if live.parent is None and not live.whole else []
        folders = [one.switched for one in (live, *above) if one.switched] or unknown
        if not folders or session.mode is Mode.OFF:
            return None
        found = self.gate_run.host_checks.switched(folders[0], live.key.host)
        refused = found.refuses(attended=session.attended)
        return _in_mode(switched_off(found), session) if refused else None


def _in_mode(decision: Decision, session: Session) -> Decision:
    return replace(decision, enforced=session.mode is not Mode.SHADOW)
