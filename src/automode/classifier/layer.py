"""The classifier as a layer of the gate: the last one, and the only one that asks a model."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar

from automode.classifier.cache import Cache, Context
from automode.classifier.failures import Broken, failure_decision, kind_of, no_model
from automode.classifier.model_session import Circuit, Clock, Deadline, ModelSession, Sleep
from automode.classifier.prompt import Built, Prompts
from automode.classifier.review import (
    LOOK_SECONDS,
    REVIEW_SECONDS,
    Returned,
    look,
    review,
    unreviewed_text,
)
from automode.classifier.stages import Judge, ModelStages, Stage, Terms, Undecided, local_stage
from automode.core.call import ToolCall
from automode.core.decision import Decision, Failure, Verdict, allow, ask, deny
from automode.core.session import Session
from automode.core.workspace import is_judge_folder
from automode.gate.breaker import STAND_IN
from automode.gate.layer import Trail
from automode.llm.ledger import Ledger
from automode.llm.model import Model
from automode.programs.call_facts import CallFacts

DEFAULT_TERMS = Terms()


@dataclass(slots=True)
class Classifier:
    """`model` None: none is configured, or none could be made. `ledger` None: nothing is recorded,
    and then no budget can be kept. `cache` None: every call is judged anew."""

    name: ClassVar[str] = "classifier"

    prompts: Prompts
    model: Model | None = None
    terms: Terms = DEFAULT_TERMS
    judge: Judge | None = None
    ledger: Ledger | None = None
    cache: Cache | None = None
    no_model_detail: str = ""  # why there is none, for the person
    clock: Clock = time.monotonic
    sleep: Sleep = asyncio.sleep
    circuit: Circuit = field(init=False)

    def __post_init__(self) -> None:
        self.circuit = Circuit(self.clock)

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Decision:
        if facts.call.cancelled:
            return deny("gate.cancelled", "the agent's turn was cancelled", error=Failure.CANCELLED)
        until = min(self.clock() + self.terms.deadline_seconds, session.answer_by or float("inf"))
        later = self.terms.model_stages
        if self.judge is not None and Stage.LOCAL in self.terms.stages:
            below = self.terms.local_below if later else self.terms.local_below_alone
            local = local_stage(self.judge, facts, session, trail, clear_below=below)
            if local.verdict is Verdict.ALLOW or not later:
                return local
        if self.model is None or not later:
            # No prompt is made, however large the call is.
            stage = later[0] if later and self.judge is not None else self.terms.stages[0]
            found: Decision | Undecided = Undecided(stage, no_model(self.no_model_detail))
        else:
            found = await self._ask(self.model, facts, session, trail, until)
        if isinstance(found, Undecided):
            return self._stand_in(found, facts, session, trail)
        return found

    async def _ask(
        self, model: Model, facts: CallFacts, session: Session, trail: Trail, until: float
    ) -> Decision | Undecided:
        built = self.prompts(facts, session, trail)
        known = self._context(model, facts.call, session, trail, built)
        remembered = self.cache.recall(known) if self.cache and known else None
        if remembered is not None:
            return remembered
        # A sub-session spends its parent's money, also before its own first request is known.
        refused = self._refusal(model, session.parent or session.id)
        if refused is not None:
            return Undecided(self.terms.model_stages[0], refused)
        asked = self._model_session(model, session.id, session.parent, until)
        soft_rules = self.prompts.policy.soft_deny
        found = await ModelStages(asked, built, session.transcript, soft_rules, self.terms).decide()
        self.circuit.record(model.name, found.broken if isinstance(found, Undecided) else None)
        if self.cache and known and isinstance(found, Decision):
            self.cache.keep(known, found)
        return found

    async def review(self, returned: Returned) -> str | None:
        """What is to stand in front of a sub-agent's result, by the same model, policy and
        budget. Cancellation passes through."""
        if not returned.steps:
            return None
        model, session = self.model, returned.session_id
        if model is None:
            return unreviewed_text(no_model().reason)
        refused = self._refusal(model, returned.parent or session)
        if refused is not None:
            return unreviewed_text(refused.reason)
        until = self.clock() + REVIEW_SECONDS
        found = await review(
            self._model_session(model, session, returned.parent, until), self.prompts, returned
        )
        self.circuit.record(model.name, found if isinstance(found, Broken) else None)
        return unreviewed_text(found.reason) if isinstance(found, Broken) else found

    async def look(
        self, result: str, words: Sequence[str], session: str, parent: str
    ) -> bool | Broken:
        """Whether a result tries to make its reader do what the user did not ask for. `session`
        pays from the budget of `parent`."""
        model = self.model
        if model is None:
            return no_model()
        refused = self._refusal(model, parent)
        if refused is not None:
            return refused
        until = self.clock() + LOOK_SECONDS
        asked = self._model_session(model, session, parent, until)
        found = await look(asked, self.prompts, result, words)
        self.circuit.record(model.name, found if isinstance(found, Broken) else None)
        return found

    def _model_session(
        self, model: Model, session: str, parent: str | None, until: float
    ) -> ModelSession:
        deadline = Deadline(self.clock, until, self.terms.request_seconds)
        return ModelSession(model, session, parent, deadline, self.sleep, self.ledger)

    def _context(
        self, model: Model, call: ToolCall, session: Session, trail: Trail, built: Built
    ) -> Context | None:
        if self.cache is None:
            return None
        judge = repr((model.name, self.terms, self.judge is not None))
        prompt = (built.deliberate.system, built.deliberate.context)
        return self.cache.context(call, session, trail, prompt=prompt, judge=judge)

    def _stand_in(
        self, undecided: Undecided, facts: CallFacts, session: Session, trail: Trail
    ) -> Decision:
        """A failure; or the embedded judge's answer during an outage, where the person wants that.
        An answer that cannot be read is no outage: hostile text may have caused it."""
        broken = undecided.broken
        outage = broken.kind.failure is Failure.UNAVAILABLE
        if not self.terms.stand_in or self.judge is None or not outage:
            return failure_decision(f"classifier.{undecided.stage}", broken, self.terms.on_failure)
        below = self.terms.local_below_alone
        found = local_stage(self.judge, facts, session, trail, clear_below=below)
        reason = f"{found.reason} (it stands in for the model: {broken.reason})"
        if found.verdict is Verdict.ALLOW:
            return allow(STAND_IN, reason)
        return ask(STAND_IN, reason, remedy=broken.remedy)

    def _refusal(self, model: Model, session: str) -> Broken | None:
        """Why the model is not asked now: the budget, or an outage."""
        budget = self.terms.budget_usd
        if budget is not None and self.ledger is not None:
            spent = self.ledger.spent(session).money
            if spent >= Decimal(str(budget)):
                return Broken(kind_of("over-budget"), f"${spent:.2f} of ${budget:.2f}")
        return self.circuit.refusal(model.name)


class NotTheJudge:
    """A layer. The judge has no tools; one that calls a tool was manipulated."""

    name: ClassVar[str] = "not-the-judge"

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Decision | None:
        if not is_judge_folder(facts.workspace.root):
            return None
        reason = "this program was started to judge calls, so it may make none itself"
        return deny("gate.judge", reason, "answer the question without tools")
