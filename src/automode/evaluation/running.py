"""A run: every case that was drawn is decided once and written down, however often it starts."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from automode.config.settings import Settings
from automode.core.decision import Failure
from automode.core.errors import AutomodeError
from automode.evaluation.cases import Corpus, DrawnCase, draw
from automode.evaluation.deciding import CaseDecider, Work, Workers, case_decider
from automode.evaluation.outcomes import CLASSIFIER, Outcome
from automode.evaluation.run_folder import Decisions, Row, prepare_folder, run_facts
from automode.llm.endpoints import Missing
from automode.llm.model import Model

ShowProgress = Callable[[int, int | None, str], None]
"""Hears how many of how many cases are decided, and what that cost."""
AT_ONCE = 16
"""Cases in one batch: enough that nobody waits for the pipe, few enough to lose little."""
OUTAGE_LIMIT = 8
"""So many cases in a row without an answer of the model: it is down, and nothing is learnt."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """`sample`: at most so many cases of each corpus. `model`: the name of who judges; None leaves
    the classifier out. `jobs` and `cost_cap` change how a run goes, never what it decides: they may
    differ when it goes on."""

    corpora: tuple[Corpus, ...]
    sample: int | None = None
    seed: int = 0
    stages: str = ""
    model: str | None = None
    jobs: int = 1
    cost_cap: float | None = None

    def facts(self, settings: Settings) -> Row:
        deciding = {
            "sample": self.sample,
            "seed": self.seed,
            "stages": self.stages if self.model else None,
            "model": self.model,
        }
        sizes = (len(corpus.cases) for corpus in self.corpora)
        planned = sum(size if self.sample is None else min(size, self.sample) for size in sizes)
        return run_facts(deciding, self.corpora, settings) | {"planned": planned}


@dataclass(frozen=True, slots=True)
class RunResult:
    """`stopped` says why cases are left; empty when none are. `unpriced` cases were judged by a
    model whose price is not known; `spent` leaves them out."""

    planned: int
    found: int  # decided earlier, and not again
    decided: int
    spent: float
    unpriced: int = 0
    stopped: str = ""

    @property
    def some(self) -> bool:
        """Whether there is anything to count."""
        return self.found + self.decided > 0

    @property
    def left(self) -> int:
        return self.planned - self.found - self.decided


@dataclass(slots=True)
class _Intake:
    """Takes outcomes one by one. Answers of a model that is down are held back until it answers
    again, and lost with the run when it does not: they say nothing about the policy and cost
    nothing."""

    decisions: Decisions
    cost_cap: float | None
    progress: ShowProgress = lambda done, total, note: None
    total: int = 0
    decided: int = 0
    spent: float = 0.0
    unpriced: int = 0
    stopped: str = ""
    outage: str = ""
    _held: list[Outcome] = field(default_factory=list)

    def take(self, one: Outcome) -> bool:
        """Whether to go on."""
        if _is_outage(one):
            self._held.append(one)
            if len(self._held) >= OUTAGE_LIMIT:
                self.outage = one.reason
        else:
            self.settle()
            self._keep(one)
        return self.goes_on()

    def goes_on(self) -> bool:
        if self.cost_cap is not None and self.spent >= self.cost_cap:
            self.stopped = f"the cost cap of ${self.cost_cap:.2f} is reached"
        return not self.stopped and not self.outage

    def settle(self) -> None:
        """What is held back is kept, unless it is an outage."""
        if not self.outage:
            for one in self._held:
                self._keep(one)
        self._held.clear()

    def count(self, one: Outcome) -> None:
        self.spent += one.usd or 0.0
        self.unpriced += one.unpriced

    def _keep(self, one: Outcome) -> None:
        self.decisions.add(one)
        self.decided += 1
        self.count(one)
        self.progress(
            self.decided, self.total, f"{self.decided:,} of {self.total:,} cases, {self.cost()}"
        )

    def cost(self) -> str:
        unknown = " and unknown cost" if self.unpriced else ""
        return f"${self.spent:.2f}{unknown}"


def run(
    plan: RunPlan,
    folder: Path,
    settings: Settings,
    *,
    model: Model | Missing | None = None,
    finish: Callable[[], Awaitable[None]] | None = None,
    progress: ShowProgress = lambda done, total, note: None,
) -> RunResult:
    """Goes on where an earlier run in the folder stopped. `finish` is awaited when the last
    request was made; `progress` hears how far it is. Raises AutomodeError where the folder belongs
    to another run, where the model is needed and does not answer, or where a process is lost."""
    prepare_folder(folder, plan.facts(settings))
    work = draw(plan.corpora, plan.sample, plan.seed)
    with closing(Decisions(folder)) as decisions:
        known = {(one.corpus, one.id) for one in decisions.outcomes}
        waiting = [(name, case) for name, case in work if (name, case.id) not in known]
        intake = _Intake(decisions, plan.cost_cap)
        for one in decisions.outcomes:
            intake.count(one)
        if intake.goes_on():
            intake.total, intake.progress = len(waiting), progress
            _decide(plan, waiting, settings, model, intake, finish)
    if intake.outage:
        raise AutomodeError(
            f"the model does not answer: {intake.outage}",
            "what was decided is kept: run the same command again to go on",
        )
    return RunResult(
        planned=len(work),
        found=len(work) - len(waiting),
        decided=intake.decided,
        spent=intake.spent,
        unpriced=intake.unpriced,
        stopped=intake.stopped,
    )


def _decide(
    plan: RunPlan,
    waiting: Sequence[DrawnCase],
    settings: Settings,
    model: Model | Missing | None,
    intake: _Intake,
    finish: Callable[[], Awaitable[None]] | None,
) -> None:
    if model is not None or plan.jobs == 1:
        asyncio.run(_decide_here(waiting, case_decider(settings, model), plan.jobs, intake, finish))
        return
    batches = [waiting[at : at + AT_ONCE] for at in range(0, len(waiting), AT_ONCE)]
    hint = "run the same command again to go on"
    with Workers(case_work, (settings,), plan.jobs, hint) as workers:
        for outcomes in workers.answers(batches):
            for one in outcomes:
                intake.take(one)


def case_work(settings: Settings) -> Work[DrawnCase, Outcome]:
    deciding = case_decider(settings, None)

    async def outcomes(batch: Sequence[DrawnCase]) -> Sequence[Outcome]:
        return [await deciding.outcome(drawn) for drawn in batch]

    return outcomes


async def _decide_here(
    waiting: Iterable[DrawnCase],
    deciding: CaseDecider,
    jobs: int,
    intake: _Intake,
    finish: Callable[[], Awaitable[None]] | None,
) -> None:
    """At most `jobs` cases at once. Whatever was begun is finished and kept, also when a person
    interrupts: it may be paid for."""
    rest, running, going = iter(waiting), set[asyncio.Task[Outcome]](), True
    try:
        while going or running:
            while going and len(running) < jobs:
                one = next(rest, None)
                if one is None:
                    going = False
                else:
                    running.add(asyncio.create_task(deciding.outcome(one)))
            if running:
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    going = intake.take(task.result()) and going
    finally:
        for left in await asyncio.gather(*running):
            intake.take(left)
        intake.settle()
        if finish is not None:
            await finish()


def _is_outage(one: Outcome) -> bool:
    """Whether the model was asked for and gave nothing, for nothing."""
    unanswered = one.source.startswith(CLASSIFIER) and one.error == Failure.UNAVAILABLE
    return unanswered and not one.used_model
