"""Tries addresses out: one message to each, and for ntfy the way back."""

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

from automode.notify import ntfy, others
from automode.notify.addresses import Address, Ntfy, Other
from automode.notify.messages import Message
from automode.notify.ntfy import Button, NotSent
from automode.notify.tokens import AnswerTokens, RefusedToken

PRESS = "It works"
TEST = "test"  # no answer of a person's: nothing but a trial takes it
MARGIN_SECONDS = 10.0
_PLAIN = Message("automode: a test", "Asks of your agents will be told here.")
_WITH_BUTTON = Message("automode: a test", f"Press `{PRESS}` to show that answers come back.")


@dataclass(frozen=True, slots=True)
class Trial:
    tokens: AnswerTokens
    _records: dict[Ntfy, str] = field(default_factory=dict)

    async def send(self, to: Sequence[Address], seconds: float) -> tuple[str, ...]:
        """For each address why it failed; empty for those that did not. With `seconds` a message of
        ntfy has a button that can be pressed for so long."""
        rest = [one for one in to if isinstance(one, Other)]
        topics = [one for one in to if isinstance(one, Ntfy)]
        sent = await asyncio.gather(
            others.send(rest, _PLAIN), *(self._publish(one, seconds) for one in topics)
        )
        found: dict[Address, str] = dict(zip(rest, sent[0], strict=True))
        found |= dict(zip(topics, map(str, sent[1:]), strict=True))
        return tuple(found[one] for one in to)

    async def _publish(self, to: Ntfy, seconds: float) -> str:
        record = self._records[to] = f"{TEST}-{secrets.token_hex(4)}"
        until = self.tokens.clock() + seconds + MARGIN_SECONDS
        token = self.tokens.issue(record, "", until, (TEST,))[TEST]
        buttons = [Button(PRESS, token)] if seconds else []
        message = _WITH_BUTTON if seconds else _PLAIN
        try:
            await ntfy.publish(to, message, buttons, to.reply_topic(self.tokens.key))
        except NotSent as error:
            return str(error)
        return ""

    async def wait_for_press(self, to: Ntfy, seconds: float) -> str:
        """Why it did not come back within `seconds`; empty when it did."""
        topic, wanted = to.reply_topic(self.tokens.key), self._records[to]
        try:
            async with (
                asyncio.timeout(seconds),
                aclosing(ntfy.replies(to, topic, MARGIN_SECONDS)) as lines,
            ):
                async for line in lines:
                    with suppress(RefusedToken):
                        if line is not None and self.tokens.redeem(line.text).record == wanted:
                            return ""
        except TimeoutError:
            return f"no press came within {seconds:g} seconds"
        except NotSent as error:
            return f"the reply topic cannot be read: {error}"
        return "the server ended the connection"
