"""Tells a person elsewhere of the calls that wait, and takes the answers that come back.

    ask waits → a few seconds for others → message → button → reply topic → token → answer

No decision waits for any of this. Whatever fails is a notice in `status`. Answers are listened for
only while a call waits.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from automode.config.settings import Asks, FromPhone
from automode.core.errors import AutomodeError
from automode.core.recent import Recent
from automode.notify import ntfy, others
from automode.notify.addresses import Address, Ntfy, Other, read_address
from automode.notify.limits import HourlyLimit, RefusedAnswers, is_quiet
from automode.notify.messages import Message, one_call, several_calls
from automode.notify.ntfy import Button, Heard, NotSent
from automode.notify.tokens import DENY, ONCE, AnswerTokens
from automode.sessions.waiting import (
    AnswerKind,
    Ended,
    PersonsAnswer,
    Taken,
    Via,
    WaitingAsk,
    WaitingAsks,
)

BATCH_SECONDS = 3.0
MOST_APART = 3
"""Of calls that come together so many have a message of their own where it can be answered, because
a button answers one call. The others share one message."""
RETRY_SECONDS = 2.0
LONGEST_RETRY_SECONDS = 60.0
PAUSE_SECONDS = 0.02
REFUSED_PER_PAUSE = 100
"""After so many refused answers comes a pause, so that a flood of them takes little time from
decisions. A pause after each would hold up the genuine answer behind them."""
SKEW_SECONDS = 30.0
MOST_SEEN = 4096
REFUSED_ANSWER = "refused-answer"
"""What a record of one is called, behind `gate.`."""
LABELS = {ONCE: "Allow once", DENY: "Deny"}
ANSWERS: Mapping[FromPhone, Sequence[str]] = {
    FromPhone.ONCE: (ONCE, DENY),
    FromPhone.DENY: (DENY,),
    FromPhone.NONE: (),
}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Letter:
    """A message, and the tokens by which it is answered: none where it cannot be."""

    message: Message
    record: str = ""
    tokens: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Notifications:
    waiting: WaitingAsks
    settings: Callable[[], Asks]  # reads the person's own file
    tokens: AnswerTokens
    record_refusal: Callable[[str], Awaitable[None]]
    clock: Callable[[], float] = time.time
    batch_seconds: float = BATCH_SECONDS
    retry_seconds: float = RETRY_SECONDS
    webhook: bool = False  # whether answers are taken on loopback, by the settings read last
    limit: HourlyLimit = field(init=False)
    refused: RefusedAnswers = field(init=False)
    _batch: list[WaitingAsk] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _following: dict[Ntfy, asyncio.Task[None]] = field(default_factory=dict)
    _troubles: dict[str, str] = field(default_factory=dict)
    _unreadable: list[str] = field(default_factory=list)
    _seen: Recent[tuple[str, str], None] = field(default_factory=lambda: Recent(MOST_SEEN))
    _leave: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        self.limit, self.refused = HourlyLimit(self.clock), RefusedAnswers(self.clock)

    def start(self) -> None:
        self._leave = self.waiting.listen(self._on_change)

    async def close(self) -> None:
        if self._leave is not None:
            self._leave()
            self._leave = None
        ending = [*self._tasks, *self._following.values()]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)

    def notices(self) -> tuple[str, ...]:
        """For `status`, one sentence each. None names an address whole."""
        held = self.limit.held_back
        kept = f"{held} calls were not told to your addresses: {_LIMITED}" if held else ""
        return tuple(one for one in (*self._unreadable, *self._troubles.values(), kept) if one)

    async def take(self, token: str, by: Via) -> Taken:
        """An answer from elsewhere. One that is refused changes nothing and is recorded. Raises
        AutomodeError, which says why and quotes nothing of it."""
        try:
            said = self.tokens.redeem(token)
            answer = PersonsAnswer(AnswerKind(said.answer), by)
            return await self.waiting.answer(said.record, answer)
        except AutomodeError as error:
            told = self.refused.told(str(error), by)
            if told is not None:
                log.warning("%s", told)
                await self.record_refusal(told)
            raise

    def _on_change(self, ask: WaitingAsk, ended: Ended | None) -> None:
        if ended is not None:
            if not self.waiting.list():
                for task in self._following.values():
                    task.cancel()
                self._following.clear()
            return
        self._batch.append(ask)
        if len(self._batch) == 1:
            self._run(self._send_soon())

    def _run(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._after)
        return task

    def _after(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            told = str(error) if isinstance(error, AutomodeError) else type(error).__name__
            log.error("a notification failed: %s", type(error).__name__, exc_info=error)
            self._troubles["own"] = f"a notification failed: {told}"

    async def _send_soon(self) -> None:
        await asyncio.sleep(self.batch_seconds)
        batch, self._batch = self._batch, []
        asks = await asyncio.to_thread(self.settings)
        self.webhook = asks.webhook
        waits = [one for one in batch if self.waiting.find(one.record.id) is not None]
        addresses = self._addresses(asks)
        if not waits or not addresses or is_quiet(asks.quiet_hours, self.clock()):
            return
        left = self.limit.left(asks.notify_per_hour)
        apart, rest = waits[: min(MOST_APART, left)], waits[min(MOST_APART, left) :]
        letters = [self._letter(one, asks) for one in apart]
        if rest and left > len(apart):
            letters.append(Letter(several_calls([one.record for one in rest])))
            rest = []
        for _ in letters:
            self.limit.note()
        self.limit.held_back += len(rest)
        if not letters:
            return
        together = letters[0].message if len(waits) == 1 else _together(waits)
        await asyncio.gather(
            *(self._send_ntfy(one, letters) for one in addresses if isinstance(one, Ntfy)),
            self._send_others(addresses, together, letters if asks.webhook else []),
        )

    def _addresses(self, asks: Asks) -> list[Address]:
        found: list[Address] = []
        self._unreadable.clear()
        for rule in asks.notify:
            try:
                found.append(read_address(rule.text))
            except AutomodeError as error:
                self._unreadable.append(f"{error} ({error.hint})")
        return found

    def _letter(self, ask: WaitingAsk, asks: Asks) -> Letter:
        record = ask.record
        message = one_call(record, ask.until - self.clock(), ask.until)
        answers = [one for one in ANSWERS[asks.from_phone] if message.whole or one == DENY]
        tokens = self.tokens.issue(record.id, record.digest, ask.until, answers)
        return Letter(message, record.id, tokens)

    async def _send_ntfy(self, to: Ntfy, letters: Sequence[Letter]) -> None:
        if any(one.tokens for one in letters) and to not in self._following:
            self._following[to] = self._run(self._follow(to))
        topic = to.reply_topic(self.tokens.key)
        for one in letters:
            buttons = [Button(LABELS[answer], token) for answer, token in one.tokens.items()]
            try:
                await ntfy.publish(to, one.message, buttons, topic)
                self._note(to, "")
            except NotSent as error:
                self._note(to, str(error))

    async def _send_others(
        self, addresses: Sequence[Address], together: Message, apart: Sequence[Letter]
    ) -> None:
        plain = [one for one in addresses if isinstance(one, Other)]
        bridges = [one for one in plain if one.bridge and apart]
        plain = [one for one in plain if one not in bridges]
        for one, why in zip(plain, await others.send(plain, together), strict=True):
            self._note(one, why)
        for letter in apart:
            told = [others.with_tokens(one, letter.tokens, letter.record) for one in bridges]
            for one, why in zip(bridges, await others.send(told, letter.message), strict=True):
                self._note(one, why)

    def _note(self, to: Address, why: str, doing: str = "no message could be sent to") -> None:
        key = f"{doing} {to.shown}"
        if why:
            log.warning("%s: %s", key, why)
            self._troubles[key] = f"{key}: {why}"
        else:
            self._troubles.pop(key, None)

    async def _follow(self, to: Ntfy) -> None:
        """Hears the reply topic for as long as anything waits."""
        topic, pause = to.reply_topic(self.tokens.key), self.retry_seconds
        while waits := self.waiting.list():
            since = self.clock() - min(one.since for one in waits) + SKEW_SECONDS
            why = "the server ended the connection"
            try:
                async with aclosing(ntfy.replies(to, topic, since)) as lines:
                    async for line in lines:
                        self._note(to, "", _HEARING)
                        pause = self.retry_seconds
                        if line is not None:
                            await self._hear(to, line)
            except NotSent as error:
                why = str(error)
            self._note(to, why, _HEARING)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_RETRY_SECONDS)

    async def _hear(self, to: Ntfy, line: Heard) -> None:
        """The same message comes again after a connection broke off: that is no second answer."""
        known = (to.server, line.id)
        if line.id and known in self._seen:
            return
        self._seen[known] = None
        try:
            await self.take(line.text, Via.PHONE)
        except AutomodeError:  # it was recorded
            rests = self.refused.total % REFUSED_PER_PAUSE == 0
            await asyncio.sleep(PAUSE_SECONDS if rests else 0)


_LIMITED = "`autoMode.asks.notifyPerHour` is reached; see `automode inbox`"
_HEARING = "answers cannot be heard from"


def _together(waits: Sequence[WaitingAsk]) -> Message:
    return several_calls([one.record for one in waits])
