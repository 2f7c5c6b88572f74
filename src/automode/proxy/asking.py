"""Asks the daemon about calls and results, as a hook does. Every error is a denial.

Asynchronous, so that hanging up takes a question back: the daemon then stops deciding it.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from automode.agents.catalog import UNATTENDED
from automode.agents.events import Moment
from automode.agents.plain.payloads import Plain
from automode.agents.shared.wording import LONGEST, printable_text, undecided_text
from automode.core.errors import AutomodeError
from automode.daemon.frames import (
    HOOK,
    Refused,
    Replies,
    Reply,
    Request,
    Right,
    settings_word,
    token_of,
)
from automode.daemon.lifecycle import start_detached
from automode.daemon.peers import peer_of
from automode.daemon.placement import Placement, own_version

DECIDING_SECONDS = 55.0  # clients wait a minute for a tool, as a rule
LOOKING_SECONDS = 10.0
HEARD_SECONDS = 10.0
ATTEMPTS = 3
_CHUNK = 65_536
_ID = re.compile(r"[0-9a-z]{1,64}")
_ASKED = (
    "No person was asked, because an MCP server cannot ask: tell the person what you need and why."
)
_APPROVE = (
    "They can let exactly this call through, once: by `automode approve {record}` in a terminal of"
    " their own. After that make it again, unchanged, within ten minutes and without starting this"
    " server anew."
)


class Unreached(AutomodeError):
    """No daemon answers, or not as it should."""


class _Lost(Exception):
    """It went away in the middle: another one may do better."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """`text` is for the model where the call must not run."""

    runs: bool
    text: str = ""


@dataclass(slots=True)
class Asking:
    placement: Placement
    attended: bool = True
    deciding_seconds: float = DECIDING_SECONDS
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def decide(self, event: Mapping[str, object]) -> Ruling:
        """Raises Unreached, and BadFrame for a call that is too large to be asked about."""
        return _read_ruling(await self._reply(Moment.PROPOSED, event, self.deciding_seconds))

    async def warning(self, event: Mapping[str, object]) -> str:
        """What is to stand in front of a result; mostly nothing. Raises the same."""
        reply = await self._reply(Moment.FINISHED, event, LOOKING_SECONDS)
        if not reply.stdout:
            if reply.stderr:
                raise Unreached(_sentence(reply.stderr))
            return ""
        match _object(reply.stdout):
            case {"warning": str(text)}:
                return text
            case _:
                raise Unreached("the daemon's answer cannot be read")

    async def _reply(self, moment: Moment, event: Mapping[str, object], seconds: float) -> Reply:
        try:
            async with asyncio.timeout(seconds):
                return await self._answer(await self._request(moment, event, seconds))
        except TimeoutError:
            raise Unreached("the daemon did not answer in time") from None
        except OSError as error:
            what = error.strerror or type(error).__name__
            raise Unreached(f"the daemon cannot be reached ({what})") from None
        except Refused as error:
            raise Unreached(f"the daemon refuses: {error}") from None

    async def _request(self, moment: Moment, event: Mapping[str, object], seconds: float) -> bytes:
        # Where nothing was ever installed there is no folder yet, and no token in it.
        folder = await asyncio.to_thread(self.placement.state.prepared)
        return Request(
            HOOK,
            json.dumps(event).encode("ascii"),
            token_of(folder, Right.DECIDE),
            Plain().name + ("" if self.attended else UNATTENDED),
            moment.value,
            int(seconds * 1000),
            own_version(),
            settings_word(self.placement.config),
        ).encode()

    async def _answer(self, request: bytes) -> Reply:
        for _ in range(ATTEMPTS):
            try:
                async with self._connection() as (reader, writer):
                    writer.write(request)
                    return await _read_reply(reader, Replies())
            except (_Lost, ConnectionError):
                await asyncio.sleep(0.05)  # a dying daemon's socket still takes calls for a moment
        raise Unreached("the daemon broke off again and again", "see `automode daemon logs`")

    @asynccontextmanager
    async def _connection(
        self,
    ) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await self._dial()
        try:
            peer = peer_of(writer.get_extra_info("socket"))
            if peer is None or not peer.ours:
                raise Unreached("the daemon's socket belongs to another account")
            yield reader, writer
        finally:
            writer.close()

    async def _dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        path = self.placement.state.socket
        try:
            return await asyncio.open_unix_connection(path)
        except (FileNotFoundError, ConnectionRefusedError):
            async with self._starting:
                await asyncio.to_thread(start_detached, self.placement)
        return await asyncio.open_unix_connection(path)


async def _read_reply(reader: asyncio.StreamReader, replies: Replies) -> Reply:
    while (reply := replies.next()) is None:
        try:
            async with asyncio.timeout(None if replies.heard else HEARD_SECONDS):
                data = await reader.read(_CHUNK)
        except TimeoutError:
            hint = "run `automode daemon restart`"
            raise Unreached("the daemon takes the question and does not respond", hint) from None
        if not data:
            raise _Lost
        replies.feed(data)
    return reply


def _read_ruling(reply: Reply) -> Ruling:
    """Only what the daemon plainly says runs: an answer in another shape is a no. How a person lets
    a call through is told only where one can."""
    match _object(reply.stdout):
        case {"verdict": None} if reply.exit == 0:
            return Ruling(runs=True)  # auto mode is off, and the client's own flow goes on
        case {"verdict": "allow"} | {"enforced": False} if reply.exit == 0:
            return Ruling(runs=True)
        case {"verdict": "ask", "source": str(source), "reason": str(reason), **rest} if reply.exit:
            # What the daemon prints is for the person, whom nobody here can ask.
            head = printable_text(f"automode ({source}): {reason.rstrip('.')}.")
            return Ruling(runs=False, text=f"{head} {_ASKED} {_way_out(rest)}".rstrip())
        case {"verdict": str(), **rest} if reply.exit:
            return Ruling(runs=False, text=f"{_sentence(reply.stderr)} {_way_out(rest)}".strip())
        case _:
            return Ruling(runs=False, text=undecided_text("the daemon's answer cannot be read"))


def _way_out(decision: object) -> str:
    match decision:
        case {"clearable": True, "record": str(record)} if _ID.fullmatch(record):
            return _APPROVE.format(record=record)
        case _:
            return ""


def _object(data: bytes) -> object:
    try:
        return json.loads(data)
    except ValueError:
        return None


def _sentence(said: bytes) -> str:
    return printable_text(said.decode("utf-8", "replace").strip())[:LONGEST]
