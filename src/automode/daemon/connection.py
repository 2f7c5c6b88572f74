"""One connection on the unix socket: bytes in, requests out, replies back, and limits on all three.

Requests on one connection are answered one after the other. A client that hangs up while its call
is being decided has ended its turn, and the decision is cut off.
"""

import asyncio
import select
import socket
from contextlib import suppress

from automode.daemon.feed import Feed
from automode.daemon.frames import (
    HEARD,
    LONGEST_LINE,
    LONGEST_PAYLOAD,
    BadFrame,
    Refused,
    Reply,
    Request,
    Requests,
    refusal,
)
from automode.daemon.front import Front
from automode.daemon.peers import Peer, peer_of

QUICK_BYTES = 16 * 1024
HEARD_SECONDS = 0.25
"""A small request is mostly answered sooner than this, and its reply says that it was heard."""


class Connection(asyncio.Protocol):
    over_network = False
    known = True

    def __init__(self, front: Front) -> None:
        self._front = front
        self._requests = Requests()
        self._transport: asyncio.Transport | None = None
        self._peer: Peer | None = None
        self._task: asyncio.Task[Reply | Feed] | None = None
        self._stream: asyncio.Task[None] | None = None
        self._stuck: asyncio.TimerHandle | None = None
        self._fresh = True  # was never waited for
        self._hurried = False  # has to send a whole request soon
        self._unheard = False  # the request in flight was not said to be heard
        self._writable = asyncio.Event()
        self._writable.set()
        self._last = False  # nothing after what is in flight is answered
        self._ended = False  # the client sends no more

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if not isinstance(transport, asyncio.Transport):
            transport.close()
            return
        self._transport = transport
        self._peer = peer_of(transport.get_extra_info("socket"))
        if self._peer is None or not self._peer.ours:
            self._refuse("this daemon belongs to another account")
        elif full := self._front.enter(self):
            self._refuse(full)
        else:
            self._wait_for_more()

    def data_received(self, data: bytes) -> None:
        if self._stream is not None or self._last:
            return
        self._requests.feed(data)
        if self._task is None:
            self._next()
        elif self._requests.waiting > LONGEST_LINE + LONGEST_PAYLOAD and self._transport:
            self._transport.pause_reading()

    def eof_received(self) -> bool:
        """A client may say that it sends no more and still wait; True keeps the other half open."""
        self._ended = True
        return self._task is not None and not self._hung_up()

    def connection_lost(self, error: Exception | None) -> None:
        self._front.alarms.call_off(self)
        if self._stuck is not None:
            self._stuck.cancel()
        self._front.leave(self)
        self._writable.set()
        for task in (self._task, self._stream):
            if task is not None:
                task.cancel()
        # Transport and timer lead back here: a circle would wait for the collector.
        self._transport = self._stuck = None

    def pause_writing(self) -> None:
        self._writable.clear()
        if self._transport is not None:
            seconds = self._front.limits.request_seconds
            self._stuck = asyncio.get_running_loop().call_later(seconds, self._transport.abort)

    def resume_writing(self) -> None:
        self._writable.set()
        if self._stuck is not None:
            self._stuck.cancel()
        if self._task is None and self._stream is None and not self._last and self._transport:
            self._transport.resume_reading()
            self._next()

    def stop(self) -> None:
        self._last = True
        if self._stream is not None:
            self._stream.cancel()
        if self._task is None and self._transport is not None:
            self._transport.close()

    def _next(self) -> None:
        try:
            request = self._requests.next()
        except BadFrame as fault:
            self._refuse(str(fault))
            return
        if request is None:
            self._wait_for_more()
            return
        self._disarm()
        # One write wakes the client once. What takes long to read may hold up the loop: heard now.
        if len(request.payload) > QUICK_BYTES:
            self._write(HEARD)
        else:
            self._unheard = True
            self._front.alarms.set(self, HEARD_SECONDS, self._say_heard)
        task = self._task = self._front.begin(request, self._peer)
        task.add_done_callback(lambda done: self._answered(request, done))

    def _say_heard(self) -> None:
        self._unheard = False
        self._write(HEARD)

    def _answered(self, request: Request, task: asyncio.Task[Reply | Feed]) -> None:
        self._task = None
        outcome = self._front.outcome(request, task)
        if self._transport is None or self._transport.is_closing():
            return
        match outcome:
            case Feed() as feed:
                self._write(Reply(0, b"{}").encoded())
                self._stream = asyncio.ensure_future(self._streamed(feed))
                return
            case Refused() as refused:
                self._refuse(str(refused))
                return
            case Reply() as reply:
                self._write(reply.encoded())
        if self._last or self._front.stopping:
            self._transport.close()
            return
        if self._writable.is_set():
            self._transport.resume_reading()
            self._next()

    async def _streamed(self, feed: Feed) -> None:
        try:
            async for line in feed.lines():
                self._write(line)
                await self._writable.wait()
        finally:
            feed.close()
            if self._transport is not None:
                self._transport.close()

    def _write(self, data: bytes) -> None:
        if self._unheard:
            self._front.alarms.call_off(self)
            self._unheard, data = False, HEARD + data
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def _refuse(self, sentence: str) -> None:
        """One line, and the end: what else arrives on this connection is not looked at."""
        self._last = True
        self._disarm()
        self._write(refusal(sentence))
        if self._transport is not None:
            self._transport.close()

    def _wait_for_more(self) -> None:
        """Whoever has begun a request finishes it soon; between two of them there is no hurry."""
        if self._ended and self._transport is not None:
            self._transport.close()
            return
        begun = self._requests.waiting > 0
        if (self._fresh or begun) and not self._hurried:
            self._fresh, self._hurried = False, True
            seconds = self._front.limits.request_seconds
            self._front.alarms.set(self, seconds, self._too_slow)

    def _too_slow(self) -> None:
        seconds = self._front.limits.request_seconds
        self._refuse(f"no whole request within {seconds:g} seconds")

    def _disarm(self) -> None:
        if self._hurried:
            self._hurried = False
            self._front.alarms.call_off(self)

    def _hung_up(self) -> bool:
        """Whether the other end is closed altogether, not only for writing."""
        if self._transport is None:
            return True
        connection: socket.socket = self._transport.get_extra_info("socket")
        with suppress(OSError, ValueError):
            asked = select.poll()
            asked.register(connection.fileno(), 0)
            return any(state & select.POLLHUP for _, state in asked.poll(0))
        return True
