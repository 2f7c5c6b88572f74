"""One model during one decision: deadline, timeouts, the one wait for a busy provider, records."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from automode.classifier.circuit import Clock
from automode.llm.ledger import Ledger
from automode.llm.model import Ask, Model, ModelError, Prompt, Reply, Trouble

BACK_OFF_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 10.0
# A model is told its time limit; one that does not keep to it is stopped this much later.
GRACE_SECONDS = 0.25
_BUSY = frozenset({Trouble.RATE_LIMITED, Trouble.OVERLOADED, Trouble.SERVER})

Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class Line:
    """Raises ModelError; CancelledError passes through untouched."""

    model: Model
    session_id: str
    parent: str | None
    deadline: float  # on `clock`
    request_seconds: float
    clock: Clock
    sleep: Sleep
    ledger: Ledger | None = None
    _waited: bool = False

    async def reply(
        self,
        stage: str,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        choices: tuple[str, ...] = (),
    ) -> Reply:
        """Waits and asks again where the provider is busy: once in a decision, within its time."""
        try:
            return await self._request(stage, prompt, max_tokens, schema, choices)
        except ModelError as error:
            pause = self._pause(error)
            if pause is None:
                raise
        self._waited = True
        await self.sleep(pause)
        return await self._request(stage, prompt, max_tokens, schema, choices)

    async def _request(
        self,
        stage: str,
        prompt: Prompt,
        max_tokens: int,
        schema: Mapping[str, object] | None,
        choices: tuple[str, ...],
    ) -> Reply:
        started = self.clock()
        seconds = min(self.request_seconds, self.deadline - started)
        if seconds <= 0:
            raise ModelError(Trouble.TIMEOUT, "the time for one decision is used up")
        try:
            async with asyncio.timeout(seconds + GRACE_SECONDS):
                reply = await self.model.complete(prompt, Ask(max_tokens, seconds, schema, choices))
        except TimeoutError:
            raise ModelError(Trouble.TIMEOUT, f"no answer within {seconds:.1f} s") from None
        if self.ledger is not None:
            millis = round((self.clock() - started) * 1000)
            name = reply.by or self.model.name
            self.ledger.record(
                self.session_id, self.parent, stage, name, reply.usage, millis, reply.usd
            )
        return reply

    def _pause(self, error: ModelError) -> float | None:
        """How long to wait before asking again; None when there is no sense or no time in it."""
        if self._waited or error.trouble not in _BUSY:
            return None
        pause = BACK_OFF_SECONDS if error.retry_after is None else max(0.0, error.retry_after)
        in_time = self.clock() + pause < self.deadline
        return pause if pause <= LONGEST_WAIT_SECONDS and in_time else None
