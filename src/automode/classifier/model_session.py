"""One model during one decision: its deadline, one wait when busy, records; the circuit breaker."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from automode.classifier.failures import Broken
from automode.core.decision import Failure
from automode.llm.ledger import Ledger
from automode.llm.model import Ask, Model, ModelError, ModelFault, Prompt, Reply

FIRST_PAUSE_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 120.0

Clock = Callable[[], float]  # monotonic seconds


@dataclass(slots=True)
class _Outage:
    since: float
    until: float
    failures: int
    broken: Broken


@dataclass(slots=True)
class Circuit:
    """Circuit breaker with exponential back-off: a model that failed is not asked for a while.
    Models are known by their names."""

    clock: Clock
    _outages: dict[str, _Outage] = field(default_factory=dict)

    def refusal(self, model: str) -> Broken | None:
        """Why the model is not to be asked now; None when it may be.

        Once a pause is over one caller goes first, and the others wait for what it finds."""
        outage = self._outages.get(model)
        if outage is None:
            return None
        now = self.clock()
        if now >= outage.until:
            outage.until = now + FIRST_PAUSE_SECONDS
            return None
        pause = (
            f"failing for {_seconds(now - outage.since)}, "
            f"asked again in {_seconds(outage.until - now)}"
        )
        detail = f"{outage.broken.detail}; {pause}" if outage.broken.detail else pause
        return replace(outage.broken, detail=detail)

    def record(self, model: str, broken: Broken | None) -> None:
        """What came of asking the model. An answer ends an outage, even one that cannot be read."""
        if broken is None or broken.kind.failure is Failure.UNREADABLE:
            self._outages.pop(model, None)
        elif broken.kind.lasting:
            self._pause_model(model, broken)

    def _pause_model(self, model: str, broken: Broken) -> None:
        now = self.clock()
        before = self._outages.get(model)
        failures = before.failures + 1 if before else 1
        grown = FIRST_PAUSE_SECONDS * 2.0 ** min(failures - 1, 10)
        pause = min(max(grown, broken.retry_after or 0.0), LONGEST_PAUSE_SECONDS)
        since = before.since if before else now
        self._outages[model] = _Outage(since, now + pause, failures, broken)


def _seconds(seconds: float) -> str:
    return f"{max(1, round(seconds))} s"


BACK_OFF_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 10.0
# A model is told its time limit; one that does not keep to it is stopped this much later.
GRACE_SECONDS = 0.25
_BUSY = frozenset({ModelFault.RATE_LIMITED, ModelFault.OVERLOADED, ModelFault.SERVER})

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a decision must be there; `request_seconds` is the limit of one request."""

    clock: Clock
    until: float
    request_seconds: float

    @property
    def seconds(self) -> float:
        """For the next request."""
        return min(self.request_seconds, self.until - self.clock())


@dataclass(slots=True)
class ModelSession:
    """Raises ModelError; CancelledError passes through untouched."""

    model: Model
    session_id: str
    parent: str | None
    deadline: Deadline
    sleep: Sleep
    ledger: Ledger | None = None
    _waited: bool = False

    async def reply(self, stage: str, prompt: Prompt, ask: Ask, tokens: int) -> Reply:
        """The answer to a prompt of about so many `tokens`, in the time that is left. Waits and
        asks again where the provider is busy: once in a decision, within its time."""
        window = self.model.context_tokens
        if 0 < window < tokens + ask.max_tokens:
            detail = f"about {tokens} tokens, and the model takes {window}"
            raise ModelError(ModelFault.TOO_LARGE, detail)
        try:
            return await self._request(stage, prompt, ask)
        except ModelError as error:
            pause = self._pause(error)
            if pause is None:
                raise
        self._waited = True
        await self.sleep(pause)
        return await self._request(stage, prompt, ask)

    async def _request(self, stage: str, prompt: Prompt, ask: Ask) -> Reply:
        clock, seconds = self.deadline.clock, self.deadline.seconds
        if seconds <= 0:
            raise ModelError(ModelFault.TIMEOUT, "the time for one decision is used up")
        started = clock()
        try:
            async with asyncio.timeout(seconds + GRACE_SECONDS):
                reply = await self.model.complete(prompt, replace(ask, timeout_seconds=seconds))
        except TimeoutError:
            raise ModelError(ModelFault.TIMEOUT, f"no answer within {seconds:.1f} s") from None
        if self.ledger is not None:
            millis, name = round((clock() - started) * 1000), reply.by or self.model.name
            self.ledger.record(
                self.session_id, self.parent, stage, name, reply.usage, millis, reply.usd
            )
        return reply

    def _pause(self, error: ModelError) -> float | None:
        """How long to wait before asking again; None when there is no sense or no time in it."""
        if self._waited or error.kind not in _BUSY:
            return None
        pause = BACK_OFF_SECONDS if error.retry_after is None else max(0.0, error.retry_after)
        in_time = self.deadline.clock() + pause < self.deadline.until
        return pause if pause <= LONGEST_WAIT_SECONDS and in_time else None
