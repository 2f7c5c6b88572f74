"""Recorded calls decided again: what another configuration, policy or model would have changed."""

import asyncio
import json
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from automode.assemble import build_classifier
from automode.classifier.framing import new_key
from automode.classifier.redaction import Redactor
from automode.config.settings import Settings
from automode.core.decision import Decision, Failure, Verdict
from automode.evaluation.distinct import BY_RULE, Decided, Deciding, Distinct, deciding
from automode.evaluation.transcripts.gathering import RecordedCall, Then
from automode.guards.own_files import OwnFolders
from automode.llm.ledger import Ledger, total_of
from automode.llm.model import Model
from automode.llm.prices import cost_beside

UNDECIDED = "gate.undecided"
LONGEST_ACTION = 400
MOST_LISTED = 10_000
"""Calls of one kind that are kept to be shown, the newest first; all are counted."""
MOST_ASKED = 5_000
REQUESTS_AT_ONCE = 4
OUTAGE_LIMIT = 8

_STRICTNESS = {
    Then.RAN: Verdict.ALLOW,
    Then.ALLOWED: Verdict.ALLOW,
    Then.ASKED: Verdict.ASK,
    Then.REFUSED: Verdict.DENY,
    Then.REJECTED: Verdict.DENY,
    Then.DENIED: Verdict.DENY,
    Then.HALTED: Verdict.DENY,
}


class Turn(StrEnum):
    """How a verdict differs from what happened."""

    STOPPED = "stopped"  # it would be denied now
    ASKED = "asked"  # it would be asked about now
    LET_THROUGH = "let through"  # it was asked about or stopped, and would run now
    EASED = "eased"  # it was stopped, and would only be asked about now


@dataclass(frozen=True, slots=True)
class ChangedCall:
    """One call whose verdict differs, without the secrets that were in it."""

    turn: Turn
    at: float
    host: str
    session: str
    id: str
    tool: str
    action: str
    cwd: str
    then: Then
    then_source: str
    shadow: bool
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
    turns: Counter[Turn] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)  # of the changed ones
    changed: list[ChangedCall] = field(default_factory=list)
    stopped_of_those_that_ran: int = 0
    asked_model: int = 0
    usd: Decimal | None = Decimal(0)  # None: a price is not known
    model_stopped: str = ""  # why calls are left that the model was not asked about

    @property
    def denied(self) -> int:
        return self.now["deny"] + self.now["halt"]

    @property
    def open(self) -> int:
        return self.now[OPEN]


OPEN = "open"


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """`model` None leaves the classifier out."""

    settings: Settings
    folders: OwnFolders | None = None
    jobs: int = 1
    model: Model | None = None
    cost_cap: float | None = None
    finish: Callable[[], Awaitable[None]] | None = None  # awaited after the last request
    most_asked: int = MOST_ASKED
    tell: Callable[[int, int], None] = field(default=lambda _calls, _distinct: None)
    """Told how many calls were decided, and how many distinct ones."""


def replay(calls: Iterable[RecordedCall], plan: ReplayPlan) -> ReplayResult:
    """Raises AutomodeError when a process is lost, and what `calls` raises."""
    tally = _Tally(Redactor(new_key()))
    distinct = Distinct(plan.settings, plan.folders, plan.jobs)
    for_model: list[Decided] = []
    with asyncio.Runner() as runner:
        answers = distinct.answers(calls, runner)
        for call, first in _looked_at_again(answers, plan, runner):
            if plan.model is None or not _judges_would_see(first):
                tally.count(call, first)
            elif len(for_model) < plan.most_asked:
                for_model.append((call, first))
            else:
                tally.found.model_stopped = f"at most {plan.most_asked:,} calls are asked about"
                tally.count(call, first)
            plan.tell(tally.found.calls + len(for_model), distinct.decided)
        tally.found.distinct = distinct.decided
        if plan.model is not None:
            runner.run(_ask_model(for_model, plan, plan.model, tally))
        if plan.finish is not None:
            runner.run(_finish(plan.finish))
    return tally.ended()


def _looked_at_again(
    answers: Iterable[Decided], plan: ReplayPlan, runner: asyncio.Runner
) -> Iterator[Decided]:
    """A rule does not allow what runs a file that its session wrote: only there it matters what
    was done before."""
    own: Deciding | None = None
    for call, decision in answers:
        if decision.source == BY_RULE and call.transcript.entries:
            own = own or deciding(plan.settings, plan.folders)
            yield call, runner.run(own.again(call))
        else:
            yield call, decision


def _judges_would_see(decision: Decision) -> bool:
    return decision.verdict is Verdict.ASK and decision.error is None


@dataclass(slots=True)
class _Tally:
    redactor: Redactor
    found: ReplayResult = field(default_factory=ReplayResult)

    def count(self, call: RecordedCall, now: Decision) -> None:
        found = self.found
        found.calls += 1
        found.shadow += call.shadow
        found.ran += call.ran is True
        found.then[call.then.value] += 1
        found.now[_word(now)] += 1
        if call.ran is True and now.verdict >= Verdict.DENY:
            found.stopped_of_those_that_ran += 1
        turn = compare_verdicts(call.then, now)
        if turn is not None:
            found.turns[turn] += 1
            found.sources[now.source] += 1
            if found.turns[turn] <= MOST_LISTED:
                found.changed.append(self._changed(turn, call, now))

    def ended(self) -> ReplayResult:
        """In an order that does not depend on who was quicker."""
        order = list(Turn)
        self.found.changed.sort(key=lambda one: (order.index(one.turn), -one.at, one.id))
        return self.found

    def _changed(self, turn: Turn, call: RecordedCall, now: Decision) -> ChangedCall:
        clean = self.redactor
        return ChangedCall(
            turn,
            call.at,
            call.host,
            call.session,
            call.id,
            call.tool,
            clean.excerpt(_action(clean, call), LONGEST_ACTION),
            call.cwd,
            call.then,
            call.source,
            call.shadow,
            now.verdict,
            now.source,
            clean.excerpt(now.reason, LONGEST_ACTION),
        )


def compare_verdicts(then: Then, now: Decision) -> Turn | None:
    """None where nothing changed, and where it cannot be said: what became of the call is not
    known, only a model could decide it, or nothing could be decided."""
    before = _STRICTNESS.get(then)
    outage = now.error not in (None, Failure.UNREADABLE)
    if before is None or outage or now.source == UNDECIDED or before == min(now.verdict, 2):
        return None
    if now.verdict > before:
        return Turn.STOPPED if now.verdict >= Verdict.DENY else Turn.ASKED
    return Turn.LET_THROUGH if now.verdict is Verdict.ALLOW else Turn.EASED


def _word(now: Decision) -> str:
    failed = now.error is not None and now.verdict < Verdict.DENY
    return OPEN if now.source == UNDECIDED or failed else now.verdict.word


def _action(redactor: Redactor, call: RecordedCall) -> str:
    match call.input:
        case {"command": str(text)} | {"cmd": str(text)} | {"file_path": str(text)}:
            return text
        case {"path": str(text)} | {"url": str(text)}:
            return text
        case given:
            return json.dumps(redactor.value(given, limit=LONGEST_ACTION), default=repr)


async def _finish(finish: Callable[[], Awaitable[None]]) -> None:
    await finish()


async def _ask_model(
    waiting: Sequence[Decided], plan: ReplayPlan, model: Model, tally: _Tally
) -> None:
    """The newest first, until the money is spent or the model is down."""
    ledger = Ledger(price=cost_beside({server.name for server in plan.settings.providers}))
    judge = build_classifier(plan.settings, model, ledger=ledger)
    asking = _Asking(deciding(plan.settings, plan.folders, [judge]), ledger, plan, tally)
    newest = deque(sorted(waiting, key=lambda one: (-one[0].at, one[0].id)))
    async with asyncio.TaskGroup() as group:
        for number in range(REQUESTS_AT_ONCE):
            group.create_task(asking.work(newest, number))


@dataclass(slots=True)
class _Asking:
    own: Deciding
    ledger: Ledger
    plan: ReplayPlan
    tally: _Tally
    over: bool = False
    silent: int = 0  # answers in a row that never came

    async def work(self, waiting: deque[Decided], worker: int) -> None:
        found = self.tally.found
        while waiting:
            call, first = waiting.popleft()
            if self._stopped():
                self.tally.count(call, first)
                continue
            session = f"replay/{worker}/{found.asked_model}"
            found.asked_model += 1
            now = await self.own.again(call, session)
            self._pay(session)
            self.silent = self.silent + 1 if now.error is Failure.UNAVAILABLE else 0
            if self.silent >= OUTAGE_LIMIT:
                self.over = True
                found.model_stopped = f"the model does not answer: {now.reason}"
            self.tally.count(call, now)
            self.plan.tell(found.calls, found.distinct)

    def _stopped(self) -> bool:
        found, cap = self.tally.found, self.plan.cost_cap
        if cap is not None and (found.usd or Decimal(0)) >= Decimal(str(cap)):
            self.over = True
            found.model_stopped = f"the cost cap of ${cap:.2f} is reached"
        return self.over

    def _pay(self, session: str) -> None:
        requests, found = self.ledger.taken(session), self.tally.found
        if any(one.money is None for one in requests):
            found.usd = None
        elif found.usd is not None:
            found.usd += sum((total_of(one).money for one in requests), start=Decimal(0))
