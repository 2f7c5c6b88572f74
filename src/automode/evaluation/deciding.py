"""Calls that are not about to run, decided by the real gate, here or in processes side by side;
and the outcome of one case."""

import asyncio
import json
import logging
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Generic, Literal, Self, TypeAlias, TypedDict, TypeVar, cast

from automode.assemble import build_classifier, build_gate, call_reader
from automode.classifier.model_session import Circuit
from automode.classifier.transcript import transcript_of_row
from automode.config.settings import Settings
from automode.core.decision import TEACHES, Decision, Failure, Verdict, ask, deny, taught_by
from automode.core.errors import AutomodeError, BadCall
from automode.core.paths import within
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Transcript
from automode.core.workspace import Workspace
from automode.evaluation.cases import ActionCase, Case, DrawnCase, ResultCase
from automode.evaluation.outcomes import Outcome
from automode.facts.place import recorded_workspace
from automode.facts.reader import ShellReader
from automode.gate.gate import Gate, fail_closed
from automode.gate.layer import Layer
from automode.guards.own_files import OwnFolders
from automode.judge.confined import Confining
from automode.llm.endpoints import Missing
from automode.llm.ledger import Ledger, Request
from automode.llm.model import Model, Usage
from automode.llm.prices import cost_beside
from automode.probe.screening import Screened, screen
from automode.programs.call_facts import CallFacts

HOST = "eval"
NEUTRAL_FOLDER = "/workspace/project"
NEUTRAL_HOME = "/home/user"
BAD_CALL = "gate.bad-call"
FAILED = "gate.evaluation-failed"
LONGEST_ACTION = 1_000
LONGEST_ASKED = 300
_READER = ShellReader(60.0)  # patient: this machine may be busy


async def _prepare_nothing(facts: CallFacts, session: Session, moved: str) -> str:
    return "confined"


# Nothing is run: whether a call may run confined is asked, and no order is written.
_PRETENDING = Confining(_prepare_nothing, lambda: "", call_reader())
Task = TypeVar("Task")
Answer = TypeVar("Answer")
Work: TypeAlias = Callable[[Sequence[Task]], Awaitable[Sequence[Answer]]]


async def decide_call(
    gate: Gate,
    tool: str,
    given: Mapping[str, object],
    session: Callable[[], Session],
    failed: str,
) -> Decision:
    """Never raises: what cannot be read is denied, what cannot be decided is asked about, with
    `failed` as its source."""

    async def decide() -> Decision:
        try:
            call = tool_call(tool, given)
        except BadCall as error:
            return deny(BAD_CALL, f"the call cannot be read: {error}", error=Failure.UNREADABLE)
        decision = await gate.decide(call, session())
        if decision is None:
            return ask(failed, "the gate gave no answer", error=Failure.UNAVAILABLE)
        return decision

    def undecided_decision(error: Exception) -> Decision:
        reason = f"deciding failed ({type(error).__name__})"
        return ask(failed, reason, error=Failure.UNAVAILABLE)

    return await fail_closed(decide(), undecided_decision)


def offline_gate(
    settings: Settings, judges: Sequence[Layer] = (), folders: OwnFolders | None = None
) -> Gate:
    """Every call is a session of its own, so the budget of a session means nothing; and what is
    decided must not depend on how busy this machine is."""
    unpriced = replace(settings, budget_usd=None)
    return build_gate(
        unpriced, judges=judges, reader=_READER, folders=folders, confining=_PRETENDING
    )


class Workers(Generic[Task, Answer]):
    """Processes that answer batches of tasks; use it with `with`. `make` is called in each process
    with `arguments` and returns what answers a batch. `hint`: what to do when a process is lost.
    They end with the process that started them."""

    def __init__(
        self,
        make: Callable[..., Work[Task, Answer]],
        arguments: tuple[object, ...],
        jobs: int,
        hint: str,
    ) -> None:
        # A forked child would share locks and open files with whatever runs here already.
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(jobs, context, _prepare, (make, arguments))
        self._hint = hint

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def answers(self, batches: Sequence[Sequence[Task]]) -> Iterator[Sequence[Answer]]:
        """The answers to each batch, in order. Raises AutomodeError when a process is lost."""
        # Not by `map`: it cancels what is left while the pool itself says that it is broken.
        try:
            waiting = deque(self._pool.submit(_answer, batch) for batch in batches)
            while waiting:
                yield cast("Sequence[Answer]", waiting.popleft().result())
        except BrokenProcessPool as error:
            raise AutomodeError("a process that decides has died", self._hint) from error


_works: list[Callable[[object], object]] = []


def _prepare(make: Callable[..., Work[Task, Answer]], arguments: tuple[object, ...]) -> None:
    # An interrupt on the terminal reaches everybody; the process that asks says when this ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("automode").addHandler(logging.NullHandler())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    work = make(*arguments)
    runner = asyncio.Runner()

    async def answer(batch: Sequence[Task]) -> Sequence[Answer]:
        return await work(batch)

    _works.append(lambda batch: runner.run(answer(cast("Sequence[Task]", batch))))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _answer(batch: object) -> object:
    return _works[0](batch)


class NeverRefusing(Circuit):
    """Never holds requests back: the next case is another question, and without an answer it would
    be counted wrongly. A run notices an outage by itself."""

    def refusal(self, model: str) -> None:
        return None


@dataclass(slots=True)
class CaseDecider:
    gate: Gate
    ledger: Ledger = field(default_factory=Ledger)
    session_of: Callable[[str, ActionCase], Session] | None = None

    async def outcome(self, drawn: DrawnCase) -> Outcome:
        """Never raises: what cannot be decided is asked about, what cannot be screened suspect."""
        start = time.perf_counter_ns()
        corpus, case = drawn
        if isinstance(case, ActionCase):
            found = await self._decide(corpus, case)
        else:
            found = _screen_case(corpus, case, await fail_closed(_screen(case), lambda _: None))
        micros = (time.perf_counter_ns() - start) // 1000
        return replace(found, micros=micros)

    async def _decide(self, corpus: str, case: ActionCase) -> Outcome:
        session = f"{corpus}/{case.id}"
        around = partial(self.session_of or case_session, session, case)
        decision = await decide_call(self.gate, case.tool, case.input, around, FAILED)
        requests = self.ledger.take(session)
        teaches = await self._enough(case, around, decision)
        used = sum((one.usage for one in requests), start=Usage())
        money = cost_of(requests)
        user = [one.content for one in case.messages if one.role == "user"]
        command = case.input.get("command")
        written = json.dumps(case.input, ensure_ascii=False, sort_keys=True)
        return Outcome(
            case.id,
            corpus,
            good=case.label == "allow",
            verdict=cast("Literal['allow', 'ask', 'deny', 'halt']", decision.verdict.word),
            source=decision.source,
            reason=decision.reason,
            clearable=decision.clearable,
            error=None if decision.error is None else decision.error.value,
            trail=tuple(one.mark for one in decision.trail if one.mark != TEACHES),
            tokens=asdict(used) if requests else {},
            usd=None if money is None else float(money),
            tool=case.tool,
            action=_shorten(command if isinstance(command, str) else written, LONGEST_ACTION),
            asked_for=_shorten(user[-1] if user else "", LONGEST_ASKED),
            pair=case.pair,
            origin=case.origin,
            teaches=teaches,
            expected=case.expected,
            **_common(case),
        )

    async def _enough(
        self, case: ActionCase, around: Callable[[], Session], asked: Decision
    ) -> tuple[str, ...]:
        """What a person's yes covers, where the gate lets the same call through after it."""
        teaches = taught_by(asked.trail)
        if asked.verdict is not Verdict.ASK or not teaches:
            return ()
        said = dict.fromkeys(teaches, "an equal call")

        def taught() -> Session:
            return replace(around(), precedents=said)

        again = await decide_call(self.gate, case.tool, case.input, taught, FAILED)
        return teaches if again.verdict is Verdict.ALLOW else ()


def _screen_case(corpus: str, case: ResultCase, found: Screened | None) -> Outcome:
    suspect = found is None or found.suspect
    findings = () if found is None else found.findings
    begin = max(0, min((one.start for one in findings), default=0) - LONGEST_ASKED // 2)
    kinds = [one.kind for one in findings[:1]] if suspect else []
    return Outcome(
        case.id,
        corpus,
        good=case.label == "benign",
        verdict="warn" if suspect else "pass",
        source=".".join(["probe", *kinds]),
        score=1.0 if found is None else round(found.score, 6),
        error=Failure.UNAVAILABLE.value if found is None else None,
        action=_shorten(case.text[begin : begin + LONGEST_ACTION + 1], LONGEST_ACTION),
        **_common(case),
    )


class _Common(TypedDict):
    category: str
    group: str
    grade: str
    weight: float
    headline: bool


def _common(case: Case) -> _Common:
    return _Common(
        category=case.category,
        group=case.group,
        grade=case.grade,
        weight=case.weight,
        headline=case.headline,
    )


def case_decider(settings: Settings, model: Model | Missing | None) -> CaseDecider:
    """`model` None leaves the classifier out."""
    if model is None:
        return CaseDecider(offline_gate(settings))
    ledger = Ledger(price=cost_beside({server.name for server in settings.providers}))
    judge = build_classifier(replace(settings, budget_usd=None), model, ledger=ledger)
    judge.circuit = NeverRefusing(judge.clock)
    return CaseDecider(offline_gate(settings, [judge]), ledger)


def case_session(name: str, case: ActionCase) -> Session:
    return Session(
        name,
        case_workspace(case.cwd or NEUTRAL_FOLDER, case.home),
        host=HOST,
        confines="nothing",
        parent=case.parent or None,
        precedents={},
        transcript=case_transcript(case),
    )


def case_workspace(folder: str, home: str = "") -> Workspace:
    """Where a folder says nothing of a home, none of this machine may stand in for it: the same
    case would be decided differently elsewhere."""
    found = recorded_workspace(folder, home or None)
    known = bool(home) or (found.home != "/" and within(found.cwd, found.home))
    return found if known else recorded_workspace(folder, NEUTRAL_HOME)


def case_transcript(case: ActionCase) -> Transcript:
    return transcript_of_row(
        [{"role": one.role, "content": one.content} for one in case.messages],
        [
            {"tool": one.tool, "input": one.input, "outcome": one.outcome or None}
            for one in case.prior_calls
        ],
    )


async def _screen(case: ResultCase) -> Screened | None:
    return screen(case.text)


def cost_of(requests: Iterable[Request]) -> Decimal | None:
    """None where a price is not known: that is not the same as nothing."""
    total = Decimal(0)
    for one in requests:
        if one.money is None:
            return None
        total += one.money
    return total


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
