"""Recorded calls decided again: what another configuration, policy or model would have changed.

Each distinct call is decided once without a model, by processes side by side: the same call in the
same folder gets the same answer, whoever made it. Only an allow rule, and a model, need what was
said and done before.
"""

import asyncio
import hashlib
import json
import os
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from functools import cached_property, lru_cache, partial
from itertools import count, islice
from typing import TypeAlias

from automode.assemble import build_classifier
from automode.classifier.prompt import new_key
from automode.classifier.redaction import Redactor
from automode.config.settings import Settings
from automode.core.decision import Decision, Failure, Verdict
from automode.core.paths import normal
from automode.core.session import Session
from automode.core.transcript import Transcript
from automode.core.workspace import Workspace
from automode.evaluation.deciding import Work, Workers, cost_of, decide_call, offline_gate
from automode.evaluation.outcomes import UNDECIDED
from automode.evaluation.recorded_calls import NOTHING_SAID, RecordedCall, Then
from automode.evaluation.running import OUTAGE_LIMIT
from automode.facts.place import live_workspace, recorded_workspace
from automode.gate.gate import Gate
from automode.guards.own_files import OwnFolders
from automode.llm.endpoints import Missing
from automode.llm.ledger import Ledger
from automode.llm.model import Model
from automode.llm.prices import cost_beside

HOST = "replay"
FAILED = "gate.replay-failed"
BY_RULE = "rules.allow"
OPEN = "open"
EMBEDDED = "the embedded judge"
WINDOW = 4096
"""Calls that are read before they are decided: their transcripts fit into memory."""
AT_ONCE = 48
"""Calls in one batch: several scripts then share a run of the second parser."""
LONGEST_ACTION = 400
MOST_LISTED = 10_000
"""Calls of one kind that are kept to be shown, the newest first; all are counted."""
MOST_ASKED = 5_000
REQUESTS_AT_ONCE = 4

_STRICTNESS = {
    Then.RAN: Verdict.ALLOW,
    Then.ALLOWED: Verdict.ALLOW,
    Then.ASKED: Verdict.ASK,
    Then.REFUSED: Verdict.DENY,
    Then.REJECTED: Verdict.DENY,
    Then.DENIED: Verdict.DENY,
    Then.HALTED: Verdict.DENY,
}

_NUMBERS = count()  # of sessions
Decided: TypeAlias = tuple[RecordedCall, Decision]


async def decide_again(
    gate: Gate, call: RecordedCall, before: Transcript = NOTHING_SAID, session: str = ""
) -> Decision:
    """Never raises: what cannot be decided is asked about or denied. Every call is a session of its
    own, so the breaker never has a say. `before` is what was said and done before the call, as far
    as it matters."""

    def around() -> Session:
        return Session(
            session or f"{HOST}/{next(_NUMBERS)}",
            workspace_of(call.root, call.cwd),
            host=call.host,
            parent=call.parent,
            transcript=before,
        )

    return await decide_call(gate, call.tool, call.input, around, FAILED)


@lru_cache(maxsize=4096)
def workspace_of(root: str, cwd: str) -> Workspace:
    """Around the folder that the session began in: as it is on this disk now, or an empty one of
    that name where it is gone."""
    project = root or cwd
    live = project.startswith("/") and os.path.isdir(project)
    place = live_workspace(project) if live else recorded_workspace(project)
    return replace(place, cwd=normal(cwd)) if cwd.startswith("/") else place


def name_of(call: RecordedCall) -> bytes:
    """The same for calls that get the same answer."""
    given = json.dumps(call.input, sort_keys=True, default=repr)
    parts = (call.tool, call.root, call.cwd, given)
    text = "\0".join(f"{len(part)} {part}" for part in parts)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@dataclass
class Distinct:
    """Use once. `decided` counts the distinct calls."""

    settings: Settings
    folders: OwnFolders | None = None
    jobs: int = 1
    decided: int = 0
    _known: dict[bytes, Decision] = field(default_factory=dict)

    @cached_property
    def own(self) -> Gate:
        return offline_gate(self.settings, folders=self.folders)

    def answers(self, calls: Iterable[RecordedCall], runner: asyncio.Runner) -> Iterator[Decided]:
        """Every call with its decision, in order. `runner` is for what is decided in this process.
        Raises AutomodeError when a process is lost, and what `calls` raises."""
        reading = iter(calls)
        arguments = (self.settings, self.folders)
        with Workers(call_work, arguments, self.jobs, "try again with --jobs 1") as workers:
            while window := list(islice(reading, WINDOW)):
                names = [name_of(call) for call in window]
                self._decide(dict(zip(names, window, strict=True)), workers, runner)
                yield from (
                    (call, self._known[name]) for call, name in zip(window, names, strict=True)
                )

    def _decide(
        self,
        calls: dict[bytes, RecordedCall],
        workers: Workers[RecordedCall, Decision],
        runner: asyncio.Runner,
    ) -> None:
        # The transcript is not needed there, and it may be large.
        fresh = [
            replace(call, transcript=NOTHING_SAID)
            for name, call in calls.items()
            if name not in self._known
        ]
        batches = [fresh[at : at + AT_ONCE] for at in range(0, len(fresh), AT_ONCE)]
        if self.jobs > 1 and len(batches) > 1:
            answers = workers.answers(batches)
        else:
            answers = (runner.run(_decide_all(self.own, batch)) for batch in batches)
        for batch, decisions in zip(batches, answers, strict=True):
            self._known |= zip(map(name_of, batch), decisions, strict=True)
        self.decided += len(fresh)


def call_work(settings: Settings, folders: OwnFolders | None) -> Work[RecordedCall, Decision]:
    return partial(_decide_all, offline_gate(settings, folders=folders))


async def _decide_all(gate: Gate, batch: Sequence[RecordedCall]) -> Sequence[Decision]:
    """Without the trails: they are not needed, and there are many."""
    found = await asyncio.gather(*(decide_again(gate, call) for call in batch))
    return [replace(one, trail=()) for one in found]


class VerdictChange(StrEnum):
    """How a verdict differs from what happened."""

    STOPPED = "stopped"  # it would be denied now
    ASKED = "asked"  # it would be asked about now
    LET_THROUGH = "let through"  # it was asked about or stopped, and would run now
    EASED = "eased"  # it was stopped, and would only be asked about now


@dataclass(frozen=True, slots=True)
class ChangedCall:
    """One call whose verdict differs, without the secrets that were in it: `call` has no input."""

    turn: VerdictChange
    call: RecordedCall
    action: str
    now: Verdict
    source: str
    reason: str


@dataclass(slots=True)
class ReplayResult:
    """What came of it. `now` counts verdicts, and calls that are left for the classifier as `open`;
    `denied` is how many of all calls would be stopped, whatever became of them then."""

    calls: int = 0
    ran: int = 0
    shadow: int = 0
    distinct: int = 0
    now: Counter[str] = field(default_factory=Counter)
    then: Counter[str] = field(default_factory=Counter)
    turns: Counter[VerdictChange] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)  # of the changed ones
    changed: list[ChangedCall] = field(default_factory=list)
    stopped_of_those_that_ran: int = 0
    judge: str = ""  # who judged what the layers before left open; empty: nobody
    asked_model: int = 0
    usd: Decimal | None = Decimal(0)  # None: a price is not known
    model_stopped: str = ""  # why calls are left that the model was not asked about

    _redactor: Redactor = field(default_factory=lambda: Redactor(new_key()))

    def count(self, call: RecordedCall, now: Decision) -> None:
        self.calls += 1
        self.shadow += call.shadow
        self.ran += call.ran is True
        self.then[call.then.value] += 1
        failed = now.error is not None and now.verdict < Verdict.DENY
        self.now[OPEN if now.source == UNDECIDED or failed else now.verdict.word] += 1
        if call.ran is True and now.verdict >= Verdict.DENY:
            self.stopped_of_those_that_ran += 1
        turn = compare_verdicts(call.then, now)
        if turn is not None:
            self.turns[turn] += 1
            self.sources[now.source] += 1
            if self.turns[turn] <= MOST_LISTED:
                clean = self._redactor
                action = clean.excerpt(_action(clean, call), LONGEST_ACTION)
                reason = clean.excerpt(now.reason, LONGEST_ACTION)
                bare = replace(call, input={}, transcript=NOTHING_SAID)
                self.changed.append(
                    ChangedCall(turn, bare, action, now.verdict, now.source, reason)
                )

    @property
    def denied(self) -> int:
        return self.now["deny"] + self.now["halt"]

    @property
    def open(self) -> int:
        return self.now[OPEN]


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """`model` None leaves the classifier out; Missing: no model can be had, and the classifier
    does what it then does for an agent. `tell` is told how many calls were decided, and how many
    distinct ones."""

    settings: Settings
    folders: OwnFolders | None = None
    jobs: int = 1
    model: Model | Missing | None = None
    cost_cap: float | None = None
    finish: Callable[[], Awaitable[None]] | None = None
    most_asked: int = MOST_ASKED
    tell: Callable[[int, int], None] = field(default=lambda _calls, _distinct: None)


def replay(calls: Iterable[RecordedCall], plan: ReplayPlan) -> ReplayResult:
    """Raises AutomodeError when a process is lost, and what `calls` raises."""
    found = ReplayResult(judge=_judge_name(plan))
    distinct = Distinct(plan.settings, plan.folders, plan.jobs)
    offline = _classifier_gate(plan) if isinstance(plan.model, Missing) else None
    for_model: list[Decided] = []
    with asyncio.Runner() as runner:
        for call, first in distinct.answers(calls, runner):
            # A rule does not allow what runs a file that its session wrote.
            if first.source == BY_RULE and call.transcript.entries:
                first = runner.run(decide_again(distinct.own, call, call.transcript))
            if plan.model is None or first.verdict is not Verdict.ASK or first.error is not None:
                found.count(call, first)
            elif offline is not None:
                judged = decide_again(offline[0], call, call.transcript)
                found.count(call, runner.run(judged))
            elif len(for_model) < plan.most_asked:
                for_model.append((call, first))
            else:
                found.model_stopped = f"at most {plan.most_asked:,} calls are asked about"
                found.count(call, first)
            plan.tell(found.calls + len(for_model), distinct.decided)
        found.distinct = distinct.decided
        if for_model:
            runner.run(_ask_model(for_model, plan, found))
        if plan.finish is not None:
            runner.run(_finish(plan.finish))
    # In an order that does not depend on which answer came first.
    order = list(VerdictChange)
    found.changed.sort(key=lambda one: (order.index(one.turn), -one.call.at, one.call.id))
    return found


def compare_verdicts(then: Then, now: Decision) -> VerdictChange | None:
    """None where nothing changed, and where it cannot be said: what became of the call is not
    known, only a model could decide it, or nothing could be decided."""
    before = _STRICTNESS.get(then)
    outage = now.error not in (None, Failure.UNREADABLE)
    if before is None or outage or now.source == UNDECIDED or before == min(now.verdict, 2):
        return None
    if now.verdict > before:
        return VerdictChange.STOPPED if now.verdict >= Verdict.DENY else VerdictChange.ASKED
    return VerdictChange.LET_THROUGH if now.verdict is Verdict.ALLOW else VerdictChange.EASED


def _action(redactor: Redactor, call: RecordedCall) -> str:
    for name in ("command", "cmd", "file_path", "path", "url"):
        text = call.input.get(name)
        if isinstance(text, str):
            return text
    return json.dumps(redactor.value(call.input, limit=LONGEST_ACTION), default=repr)


async def _finish(finish: Callable[[], Awaitable[None]]) -> None:
    await finish()


def _judge_name(plan: ReplayPlan) -> str:
    if plan.model is None:
        return ""
    if isinstance(plan.model, Missing):
        return plan.model.reason if plan.settings.chooses_model else EMBEDDED
    return plan.model.name


def _classifier_gate(plan: ReplayPlan) -> tuple[Gate, Ledger]:
    ledger = Ledger(price=cost_beside({server.name for server in plan.settings.providers}))
    judges = (
        [] if plan.model is None else [build_classifier(plan.settings, plan.model, ledger=ledger)]
    )
    return offline_gate(plan.settings, judges, plan.folders), ledger


async def _ask_model(waiting: Sequence[Decided], plan: ReplayPlan, found: ReplayResult) -> None:
    """The newest first, until the money is spent or the model is down."""
    asking = _Asking(*_classifier_gate(plan), plan, found)
    newest = deque(sorted(waiting, key=lambda one: (-one[0].at, one[0].id)))
    async with asyncio.TaskGroup() as group:
        for number in range(REQUESTS_AT_ONCE):
            group.create_task(asking.work(newest, number))


@dataclass(slots=True)
class _Asking:
    gate: Gate
    ledger: Ledger
    plan: ReplayPlan
    found: ReplayResult
    over: bool = False
    unanswered: int = 0  # in a row

    async def work(self, waiting: deque[Decided], worker: int) -> None:
        found = self.found
        while waiting:
            call, now = waiting.popleft()
            if not self._is_stopped():
                session = f"replay/{worker}/{found.asked_model}"
                found.asked_model += 1
                now = await decide_again(self.gate, call, call.transcript, session)
                cost = cost_of(self.ledger.take(session))
                found.usd = None if found.usd is None or cost is None else found.usd + cost
                failed = now.error is Failure.UNAVAILABLE
                self.unanswered = self.unanswered + 1 if failed else 0
                if self.unanswered >= OUTAGE_LIMIT:
                    self.over = True
                    found.model_stopped = f"the model does not answer: {now.reason}"
            found.count(call, now)
            self.plan.tell(found.calls, found.distinct)

    def _is_stopped(self) -> bool:
        found, cap = self.found, self.plan.cost_cap
        if cap is not None and (found.usd or Decimal(0)) >= Decimal(str(cap)):
            self.over = True
            found.model_stopped = f"the cost cap of ${cap:.2f} is reached"
        return self.over
