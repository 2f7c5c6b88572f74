"""Looks over what a sub-agent did when its result comes back. It warns, and never blocks."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from automode.agents.events import CallFinished, PromptTyped, SessionRef
from automode.classifier.layer import Classifier
from automode.classifier.review import Returned, Step, unreviewed_text
from automode.core.call import Delegate
from automode.core.decision import Decision, Verdict
from automode.core.errors import AutomodeError, BadCall
from automode.core.recent import Recent
from automode.core.record import Record, SessionKey
from automode.core.tools import tool_call
from automode.core.transcript import Outcome, PriorCall
from automode.guards.reads.read_only import SOURCE as READ_ONLY
from automode.llm.ledger import Ledger
from automode.sessions.bypasses import finished_call
from automode.sessions.live_session import LiveSession
from automode.sessions.projects import Project
from automode.sessions.record_builder import Ids, RecordBuilder, session_key
from automode.sessions.registry import SessionRegistry
from automode.sessions.usage import spent
from automode.store import tables
from automode.store.changes import RecordQuery, usage_of

MOST_STEPS = 5000
MOST_REVIEWED = 512
MOST_RETURNED = 16
_NONE: Iterator[Outcome | None] = iter(())
SECONDS = 40.0
"""Below the time that agents give a hook, with room for the rest of it."""


@dataclass(slots=True)
class Reviews:
    registry: SessionRegistry
    builder: RecordBuilder
    ledger: Ledger
    ids: Ids
    # The last record that was looked at.
    _seen: Recent[SessionKey, str] = field(default_factory=lambda: Recent(MOST_REVIEWED))

    async def warning(
        self, live: LiveSession, event: CallFinished | PromptTyped, project: Project
    ) -> str:
        """What is to stand in front of the result of the call, or of a sub-agent that ran in the
        background; mostly nothing."""
        if isinstance(event, PromptTyped):
            children = {
                _child_key(live, event.ref, child): live.tasks.get(call, "")
                for child, call in event.returned
            }
        else:
            task = _task(event)
            if task is not None and event.id:
                live.tasks[event.id] = task
            children = dict.fromkeys(
                _ended_children(live, event, delegated=task is not None), task or ""
            )
        live.returned[:] = [one for one in live.returned if one not in children]
        if project.reviewer is None:
            return ""
        warnings = [await self._review(project.reviewer, live, *one) for one in children.items()]
        return "\n\n".join(dict.fromkeys(one for one in warnings if one))

    async def _review(
        self, judge: Classifier, live: LiveSession, child: SessionKey, task: str
    ) -> str:
        try:
            steps = await self._steps(child)
        except AutomodeError as error:
            return unreviewed_text(f"its calls could not be looked up: {error}.")
        # What only reads does no harm that a model would have to be there for.
        if not steps or (judge.model is None and all(_only_reads(step) for step in steps)):
            return ""
        try:
            async with asyncio.timeout(SECONDS):
                returned = Returned(str(child), str(live.key), task, steps)
                return await judge.review(returned) or ""
        except TimeoutError:
            return unreviewed_text("There was not enough time.")
        finally:
            await self.record_cost(child, live.key.id)

    async def _steps(self, child: SessionKey) -> tuple[Step, ...]:
        """What was decided since it was last looked at."""
        query = RecordQuery(session=child, limit=MOST_STEPS)
        found = await self.registry.store.run(lambda db: tables.records(db, query))
        before = self._seen.get(child, "")
        records = [one.record for one in reversed(found) if one.record and one.id > before]
        if records:
            self._seen[child] = records[-1].id
        outcomes = self._outcomes(child)
        return tuple(
            _step(record, next(outcomes.get((record.tool, record.input), _NONE), None))
            for record in records
            if not record.source.startswith("person.")
        )

    def _outcomes(self, child: SessionKey) -> Mapping[tuple[str, str], Iterator[Outcome | None]]:
        """What became of each call of a session that is in memory, by tool and input."""
        live = self.registry.get(child)
        found: dict[tuple[str, str], list[Outcome | None]] = {}
        for one in () if live is None else live.recorder.transcript.entries:
            if isinstance(one, PriorCall):
                written = self.builder.written(finished_call(one.tool, one.input))
                found.setdefault((written.tool, written.input), []).append(one.outcome)
        return {key: iter(outcomes) for key, outcomes in found.items()}

    async def record_cost(self, child: SessionKey, parent: str) -> None:
        """What a review, or a look, costs has no decision that it could be written down with."""
        requests = self.ledger.take(str(child))
        if requests:
            stages = [spent(one) for one in requests]
            rows = usage_of(self.ids.new(), requests[0].at, child, parent, stages)
            await self.registry.store.append(list(rows))


def ended_below(parent: LiveSession, child: SessionKey) -> None:
    """The next result of a delegating tool may be this session's."""
    if child not in parent.returned:
        parent.returned.append(child)
    del parent.returned[:-MOST_RETURNED]


def _ended_children(
    live: LiveSession, event: CallFinished, *, delegated: bool
) -> tuple[SessionKey, ...]:
    if event.child:
        return (_child_key(live, event.ref, event.child),)
    return () if not delegated or event.doubted else tuple(live.returned)


def _child_key(live: LiveSession, above: SessionRef, child: str) -> SessionKey:
    return session_key(live.key.host, SessionRef(child, above.cwd, parent=above.session))


def _task(event: CallFinished) -> str | None:
    """What was handed over; None when the call hands nothing over."""
    try:
        action = tool_call(event.tool, event.input).action
    except BadCall:
        return None
    return action.prompt if isinstance(action, Delegate) else None


def _step(record: Record, outcome: Outcome | None) -> Step:
    decision = Decision(record.verdict, record.source, record.reason, enforced=record.enforced)
    return Step(finished_call(record.tool, _input(record.input)), decision, outcome)


def _input(text: str) -> Mapping[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {"input": text}
    return value if isinstance(value, Mapping) else {"input": value}


def _only_reads(step: Step) -> bool:
    return step.decision.verdict is Verdict.ALLOW and step.decision.source == READ_ONLY
