"""What both doors, socket and loopback, share: who is inside, what is in flight, when it ends."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from automode.daemon.feed import Feed
from automode.daemon.frames import Refused, Reply, Request
from automode.daemon.peers import Peer
from automode.daemon.service import Service
from automode.daemon.version import newer


@dataclass(frozen=True, slots=True)
class Limits:
    connections: int = 256
    network_connections: int = 64  # apart: whoever fills these has no token yet
    request_seconds: float = 10.0  # to send a request, and to take its reply
    kept_seconds: float = 60.0  # an HTTP connection between two requests
    drain_seconds: float = 10.0  # for what is in flight when the daemon stops
    idle_seconds: float = 4 * 3600.0


class Guest(Protocol):
    """An open connection."""

    @property
    def over_network(self) -> bool: ...

    def stop(self) -> None:
        """Ends it now if nothing is in flight on it, else after the reply."""
        ...


def _nobody(version: str) -> None:
    """A newer client has come, and there is nothing to be done about it."""


@dataclass(slots=True)
class Front:
    service: Service
    limits: Limits
    version: str
    outdated: Callable[[str], None] = _nobody
    stopping: bool = False
    last_used: float = field(default_factory=time.monotonic)
    _guests: set[Guest] = field(default_factory=set)
    _in_flight: set[asyncio.Task[Reply | Feed]] = field(default_factory=set)

    def enter(self, guest: Guest) -> str | None:
        """Why there is no room; None when there is."""
        if self.stopping:
            return "the daemon is stopping"
        limits, network = self.limits, guest.over_network
        most = limits.network_connections if network else limits.connections
        if sum(one.over_network is network for one in self._guests) >= most:
            return f"{most} connections are open already"
        self._guests.add(guest)
        return None

    def leave(self, guest: Guest) -> None:
        self._guests.discard(guest)

    def begin(self, request: Request, peer: Peer | None) -> asyncio.Task[Reply | Feed]:
        self.last_used = time.monotonic()
        task = asyncio.ensure_future(self.service.answer(request, peer))
        self._in_flight.add(task)
        task.add_done_callback(self._in_flight.discard)
        if request.version and newer(request.version, self.version):
            self.outdated(request.version)
        return task

    def outcome(self, request: Request, task: asyncio.Task[Reply | Feed]) -> Reply | Feed | Refused:
        """What a finished task has to say. Whatever it ended with, this never loosens it."""
        if task.cancelled():
            return self.service.failed(request, None)
        error = task.exception()
        return task.result() if error is None else self.service.failed(request, error)

    @property
    def idle(self) -> float:
        """Seconds since the last request; none while anybody is connected."""
        return 0.0 if self._guests or self.busy else time.monotonic() - self.last_used

    @property
    def busy(self) -> bool:
        return bool(self._in_flight or self.service.unfinished)

    @property
    def guests(self) -> int:
        return len(self._guests)

    async def drained(self) -> None:
        """Nobody new; what is in flight may end, for a while; what is left is cut off closed."""
        self.stopping = True
        deadline = time.monotonic() + self.limits.drain_seconds
        for guest in tuple(self._guests):
            guest.stop()
        while self.busy and time.monotonic() < deadline:
            waiting = {*self._in_flight, *self.service.unfinished}
            await asyncio.wait(waiting, timeout=max(0.0, deadline - time.monotonic()))
        for task in (*self._in_flight, *self.service.unfinished):
            task.cancel()
        while self._guests and time.monotonic() < deadline + 1:
            await asyncio.sleep(0.01)
