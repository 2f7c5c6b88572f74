"""Connections: who is connected, what is in flight, when it ends; and those on the unix socket.

Requests on one connection are answered one after the other. A client that hangs up while its call
is being decided has ended its turn, and the decision is cut off.
"""

import asyncio
import select
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

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
from automode.daemon.peers import Peer, peer_of
from automode.daemon.service import MARGIN_SECONDS, Service, seconds_to_decide

QUICK_BYTES = 16 * 1024
HEARD_SECONDS = 0.25
"""A small request is mostly answered sooner than this, and its reply says that it was heard."""


@dataclass(frozen=True, slots=True)
class Limits:
    connections: int = 256
    network_connections: int = 64  # apart: whoever fills these has no token yet
    request_seconds: float = 10.0  # to send a request, and to take its reply
    kept_seconds: float = 60.0  # an HTTP connection between two requests
    drain_seconds: float = 10.0  # for what is in flight when the daemon stops
    idle_seconds: float = 4 * 3600.0


@dataclass(slots=True)
class Connections:
    """All that are open, on the socket and over loopback."""

    service: Service
    limits: Limits
    stopping: bool = False
    last_used: float = field(default_factory=time.monotonic)
    _open: dict["Connection", None] = field(default_factory=dict)  # the oldest first
    _in_flight: set[asyncio.Task[Reply]] = field(default_factory=set)

    def enter(self, client: "Connection") -> str | None:
        """Why there is no room; None when there is."""
        if self.stopping:
            return "the daemon is stopping"
        limits, network = self.limits, client.over_network
        most = limits.network_connections if network else limits.connections
        if sum(one.over_network is network for one in self._open) >= most:
            return f"{most} connections are open already"
        self._open[client] = None
        return None

    def leave(self, client: "Connection") -> None:
        self._open.pop(client, None)

    def begin(self, request: Request, peer: Peer | None) -> asyncio.Task[Reply]:
        """Whoever begins a request asks for its outcome once the task is done."""
        self.touch()
        task = asyncio.get_running_loop().create_task(self._answer(request, peer))
        self._in_flight.add(task)
        return task

    async def _answer(self, request: Request, peer: Peer | None) -> Reply:
        # Counted from the same moment as the decision service's own deadline: the margin between
        # the two must not go into waiting for a turn.
        async with asyncio.timeout(seconds_to_decide(request) + MARGIN_SECONDS):
            return await self.service.answer(request, peer)

    def outcome(self, request: Request, task: asyncio.Task[Reply]) -> Reply | Refused:
        """What a finished task has to say. Whatever it ended with, this never loosens it."""
        self._in_flight.discard(task)
        if task.cancelled():
            return self.service.failure(request, None)
        error = task.exception()
        return task.result() if error is None else self.service.failure(request, error)

    def touch(self) -> None:
        """Notes that the daemon is in use."""
        self.last_used = time.monotonic()

    @property
    def idle(self) -> float:
        """Seconds since the last request; none while anybody is connected."""
        return 0.0 if self._open or self.busy else time.monotonic() - self.last_used

    @property
    def busy(self) -> bool:
        return bool(self._in_flight or self.service.unfinished)

    async def drain(self) -> None:
        """Takes no new requests; waits a while for those in flight, then denies the rest."""
        self.stopping = True
        deadline = time.monotonic() + self.limits.drain_seconds
        self.service.decisions.waiting.close()
        for client in tuple(self._open):
            client.stop()
        while self.busy and time.monotonic() < deadline:
            waiting = {*self._in_flight, *self.service.unfinished}
            await asyncio.wait(waiting, timeout=max(0.0, deadline - time.monotonic()))
        for task in (*self._in_flight, *self.service.unfinished):
            task.cancel()
        while self._open and time.monotonic() < deadline + 1:
            await asyncio.sleep(0.01)


class Connection(asyncio.Protocol):
    """One that is open: its transport, the request in flight, and one timer."""

    over_network = False

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._transport: asyncio.Transport | None = None
        self._peer: Peer | None = None
        self._task: asyncio.Task[Reply] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - asyncio's own promise
        self._transport = transport
        self._greet(transport.get_extra_info("socket"))

    def connection_lost(self, error: Exception | None) -> None:
        self._disarm()
        self._connections.leave(self)
        if self._task is not None:
            self._task.cancel()
        self._transport = None  # it leads back here: a circle would wait for the collector

    def stop(self) -> None:
        """Ends it now if nothing is in flight on it, else after the reply."""
        raise NotImplementedError

    def _greet(self, connection: socket.socket) -> None:
        raise NotImplementedError

    def _finish(self, request: Request, outcome: Reply | Refused) -> None:
        raise NotImplementedError

    def _begin(self, request: Request) -> None:
        task = self._task = self._connections.begin(request, self._peer)
        task.add_done_callback(lambda done: self._after(request, done))

    def _after(self, request: Request, task: asyncio.Task[Reply]) -> None:
        self._task = None
        outcome = self._connections.outcome(request, task)
        if self._transport is not None and not self._transport.is_closing():
            self._finish(request, outcome)

    def _arm(self, seconds: float, ring: Callable[[], None]) -> None:
        self._disarm()
        self._timer = asyncio.get_running_loop().call_later(seconds, ring)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None


class SocketConnection(Connection):
    def __init__(self, connections: Connections) -> None:
        super().__init__(connections)
        self._requests = Requests()
        self._stuck: asyncio.TimerHandle | None = None
        self._fresh = True  # was never waited for
        self._unheard = False  # the request in flight was not said to be heard
        self._writable = True
        self._last = False  # nothing after what is in flight is answered
        self._ended = False  # the client sends no more

    def _greet(self, connection: socket.socket) -> None:
        self._peer = peer_of(connection)
        if self._peer is None or not self._peer.ours:
            self._refuse("this daemon belongs to another account")
        elif full := self._connections.enter(self):
            self._refuse(full)
        else:
            self._wait_for_more()

    def data_received(self, data: bytes) -> None:
        if self._last:
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
        super().connection_lost(error)
        if self._stuck is not None:
            self._stuck.cancel()
        self._stuck = None

    def pause_writing(self) -> None:
        self._writable = False
        if self._transport is not None:
            seconds = self._connections.limits.request_seconds
            self._stuck = asyncio.get_running_loop().call_later(seconds, self._transport.abort)

    def resume_writing(self) -> None:
        self._writable = True
        if self._stuck is not None:
            self._stuck.cancel()
        if self._task is None and not self._last and self._transport:
            self._transport.resume_reading()
            self._next()

    def stop(self) -> None:
        self._last = True
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
            self._arm(HEARD_SECONDS, self._say_heard)
        self._begin(request)

    def _say_heard(self) -> None:
        self._unheard, self._timer = False, None
        self._write(HEARD)

    def _finish(self, request: Request, outcome: Reply | Refused) -> None:
        match outcome:
            case Refused():
                self._refuse(str(outcome))
            case Reply():
                self._write(outcome.encode())
                self._go_on()

    def _go_on(self) -> None:
        if self._transport is None:
            return
        if self._last or self._connections.stopping:
            self._transport.close()
        elif self._writable:
            self._transport.resume_reading()
            self._next()

    def _write(self, data: bytes) -> None:
        if self._unheard:
            self._disarm()
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
        if (self._fresh or begun) and self._timer is None:
            self._fresh = False
            self._arm(self._connections.limits.request_seconds, self._too_slow)

    def _too_slow(self) -> None:
        seconds = self._connections.limits.request_seconds
        self._refuse(f"no whole request within {seconds:g} seconds")

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
