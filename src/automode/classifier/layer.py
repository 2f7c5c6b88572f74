"""The classifier as a layer of the gate: the last one, and the only one that asks a model."""

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar

from automode.classifier.cache import Cache, Context
from automode.classifier.circuit import Circuit, Clock
from automode.classifier.failures import NO_MODEL, OVER_BUDGET, Broken, failed
from automode.classifier.line import Line, Sleep
from automode.classifier.prompt import Built, Prompts
from automode.classifier.reply import Tier
from automode.classifier.review import Returned, Reviewer, unreviewed
from automode.classifier.stages import (
    Blocked,
    Cleared,
    Judge,
    ModelStages,
    NotCleared,
    Outcome,
    Stage,
    Thresholds,
    Undone,
    local_stage,
    plan,
)
from automode.core.call import ToolCall
from automode.core.decision import Decision, Failure, Verdict, allow, ask, deny
from automode.core.session import Session
from automode.gate.layer import Trail
from automode.llm.ledger import Ledger
from automode.llm.model import Model
from automode.programs.call_facts import CallFacts

DEADLINE_SECONDS = 50.0  # below the usual limit of a host for a hook, which is a minute
DEFAULT_THRESHOLDS = Thresholds()


@dataclass(frozen=True, slots=True)
class Terms:
    """What people configured about the classifier."""

    stages: tuple[Stage, ...] = plan("both")
    thresholds: Thresholds = DEFAULT_THRESHOLDS
    fast_max_tokens: int | None = None  # None: by the kind of model
    request_seconds: float = 20.0
    deadline_seconds: float = DEADLINE_SECONDS
    on_failure: Verdict = Verdict.ASK  # or DENY
    stand_in: bool = False  # the embedded judge decides while the model is unavailable
    budget_usd: float | None = None  # for a session with its sub-sessions


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
        deadline = self.clock() + self.terms.deadline_seconds
        if self.model is None and self.judge is None:
            # Nobody to ask: no prompt is made, however large the call is.
            broken = Broken(NO_MODEL, self.no_model_detail)
            return self._decision(Undone(self.terms.stages[0], broken))
        local = self._local(facts, session, trail)
        if isinstance(local, Cleared) or (local is not None and not self._later):
            return self._decision(local)
        if self.model is None:
            undone = Undone(self._later[0], Broken(NO_MODEL, self.no_model_detail))
            return self._without_model(undone, facts, session, trail)
        built = self.prompts(facts, session, trail)
        known = self._context(facts.call, session, trail, built)
        remembered = self.cache.recall(known) if self.cache and known else None
        if remembered is not None:
            return remembered
        outcome = await self._outcome(self.model, session, built, deadline)
        if isinstance(outcome, Undone):
            return self._without_model(outcome, facts, session, trail)
        decision = self._decision(outcome)
        if self.cache and known:
            self.cache.keep(known, decision)
        return decision

    async def review(self, returned: Returned) -> str | None:
        """What is to stand in front of a sub-agent's result, by the same model, policy and
        budget."""
        broken = self._over_budget(returned.parent or returned.session_id)
        if broken is not None:
            return unreviewed(broken.reason)
        reviewer = Reviewer(
            self.prompts.policy,
            self.prompts.process_key,
            self.model,
            self.circuit,
            self.ledger,
            self.prompts.redact,
            self.clock,
            self.sleep,
        )
        return await reviewer.review(returned)

    def _context(
        self, call: ToolCall, session: Session, trail: Trail, built: Built
    ) -> Context | None:
        if self.cache is None:
            return None
        judge = repr((self.model.name if self.model else "", self.terms, self.judge is not None))
        prompt = (built.deliberate.system, built.deliberate.context)
        return self.cache.context(call, session, trail, prompt=prompt, judge=judge)

    @property
    def _later(self) -> tuple[Stage, ...]:
        return tuple(stage for stage in self.terms.stages if stage is not Stage.LOCAL)

    def _local(self, facts: CallFacts, session: Session, trail: Trail) -> Outcome | None:
        """None: it is not for the embedded judge, so the next stage looks."""
        if Stage.LOCAL not in self.terms.stages:
            return None
        if self.judge is None:
            broken = Broken(NO_MODEL, self.no_model_detail)
            return None if self._later else Undone(Stage.LOCAL, broken)
        limits = self.terms.thresholds
        below = limits.local_below if self._later else limits.local_below_alone
        return local_stage(self.judge, facts, session, trail, clear_below=below)

    def _without_model(
        self, undone: Undone, facts: CallFacts, session: Session, trail: Trail
    ) -> Decision:
        """A failure; or the embedded judge's answer during an outage, where the person wants that.
        An answer that cannot be read is no outage: hostile text may have caused it."""
        outage = undone.broken.kind.failure is Failure.UNAVAILABLE
        if not self.terms.stand_in or self.judge is None or not outage:
            return self._decision(undone)
        below = self.terms.thresholds.local_below_alone
        found = local_stage(self.judge, facts, session, trail, clear_below=below)
        reason = f"{found.reason} (it stands in for the model: {undone.broken.reason})"
        if isinstance(found, Cleared):
            return allow("classifier.stand-in", reason)
        return ask("classifier.stand-in", reason, undone.broken.advice)

    async def _outcome(
        self, model: Model, session: Session, built: Built, deadline: float
    ) -> Outcome:
        # A sub-session spends its parent's money, also before its own first request is known.
        refused = self._over_budget(session.parent or session.id) or self.circuit.refusal(
            model.name
        )
        if refused is not None:
            return Undone(self._later[0], refused)
        return await self._asked(model, self._later, session, built, deadline)

    def _over_budget(self, session: str) -> Broken | None:
        budget = self.terms.budget_usd
        if budget is None or self.ledger is None:
            return None
        spent = self.ledger.spent(self.ledger.root(session)).money
        if spent < Decimal(str(budget)):
            return None
        return Broken(OVER_BUDGET, f"${spent:.2f} of ${budget:.2f}")

    async def _asked(
        self, model: Model, stages: Sequence[Stage], session: Session, built: Built, deadline: float
    ) -> Outcome:
        line = Line(
            model,
            session.id,
            session.parent,
            deadline,
            self.terms.request_seconds,
            self.clock,
            self.sleep,
            self.ledger,
        )
        outcome = await ModelStages(
            line,
            built,
            session,
            stages,
            self.terms.thresholds.clear_from,
            self.terms.fast_max_tokens,
        ).outcome()
        broken = outcome.broken if isinstance(outcome, Undone) else None
        self.circuit.heard(model.name, broken)
        return outcome

    def _decision(self, outcome: Outcome) -> Decision:
        match outcome:
            case Cleared(stage, reason):
                return allow(f"classifier.{stage}", reason)
            case NotCleared(stage, reason):
                return ask(f"classifier.{stage}", reason, advice(Tier.NONE, reason, ()))
            case Blocked(tier, reason):
                way_out = advice(tier, reason, self.prompts.policy.soft_deny)
                hard = tier is Tier.HARD_DENY
                return deny("classifier.deliberate", reason, way_out, clearable=not hard)
            case Undone(stage, broken):
                return failed(f"classifier.{stage}", broken, self.terms.on_failure)


_HARD = (
    "Nothing anybody says lifts this. Do not work around it: find another way to the goal, or tell "
    "the person what you wanted to do and why."
)
_SOFT = (
    "Do not work around this: find a safer way, or ask the person. Only their own words that name "
    "this action and its target clear it."
)
_MUST_NAME = re.compile(r"To clear it the user must name: (.+?)\.?\s*$", re.DOTALL)


def advice(tier: Tier, reason: str, soft_rules: Sequence[str]) -> str:
    """`soft_rules` as configured: one that the reason starts with says what must be named."""
    if tier is Tier.HARD_DENY:
        return _HARD
    needed = _must_name(reason, soft_rules)
    return f"{_SOFT} They would have to name: {needed}." if needed else _SOFT


def _must_name(reason: str, soft_rules: Sequence[str]) -> str:
    told = reason.casefold().lstrip("[*`\"' ")
    for rule in soft_rules:
        name, colon, rest = rule.partition(":")
        found = _MUST_NAME.search(rest)
        if colon and found and told.startswith(name.strip().casefold()):
            return " ".join(found[1].split())
    return ""
