"""What both doors, socket and loopback, share: who is inside, what is in flight, when it ends."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from automode.daemon.alarms import Alarms
from automode.daemon.feed import Feed
from automode.daemon.frames import Refused, Reply, Request
from automode.daemon.peers import Peer
from automode.daemon.service import MARGIN_SECONDS, Service, seconds_to_decide
from automode.daemon.version import newer, own_version


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

    @property
    def known(self) -> bool:
        """Whether it has shown who it is: over the network by a token, else by its account."""
        ...

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
    alarms: Alarms = field(default_factory=Alarms)
    _guests: dict[Guest, None] = field(default_factory=dict)  # the oldest first
    _over_network: int = 0
    _in_flight: set[asyncio.Task[Reply | Feed]] = field(default_factory=set)
    _overdue: set[asyncio.Task[Reply | Feed]] = field(default_factory=set)

    def enter(self, guest: Guest) -> str | None:
        """Why there is no room; None when there is."""
        if self.stopping:
            return "the daemon is stopping"
        limits, network = self.limits, guest.over_network
        most = limits.network_connections if network else limits.connections
        inside = self._over_network if network else len(self._guests) - self._over_network
        if inside >= most and not self._made_room(over_network=network):
            return f"{most} connections are open already"
        self._guests[guest] = None
        self._over_network += network
        return None

    def _made_room(self, *, over_network: bool) -> bool:
        """Who only sits there goes first: anybody on the machine can open connections."""
        inside = (one for one in self._guests if one.over_network is over_network)
        idle = next((one for one in inside if not one.known), None)
        if idle is not None:
            self.leave(idle)
            idle.stop()
        return idle is not None

    def leave(self, guest: Guest) -> None:
        if guest in self._guests:
            del self._guests[guest]
            self._over_network -= guest.over_network

    def begin(self, request: Request, peer: Peer | None) -> asyncio.Task[Reply | Feed]:
        """Whoever begins a request asks for its outcome once the task is done."""
        self.touch()
        if self._outdated_by(request):
            self.outdated(request.version)
        task = asyncio.get_running_loop().create_task(self._answer(request, peer))
        self._in_flight.add(task)
        return task

    async def _answer(self, request: Request, peer: Peer | None) -> Reply | Feed:
        task = asyncio.current_task()
        # Counted from the same moment as the decision service's own deadline: the margin between
        # the two must not go into waiting for a turn.
        seconds = seconds_to_decide(request) + MARGIN_SECONDS
        self.alarms.set(task, seconds, lambda: self._cut_off(task))
        return await self.service.answer(request, peer)

    def _outdated_by(self, request: Request) -> bool:
        """Anybody can name a number: what counts is which release is installed by now."""
        if not request.version or request.version == self.version:
            return False
        named = newer(request.version, self.version)
        known = named and bool(self.service.tokens.rights(request.token))
        return known and newer(own_version(), self.version)

    def outcome(self, request: Request, task: asyncio.Task[Reply | Feed]) -> Reply | Feed | Refused:
        """What a finished task has to say. Whatever it ended with, this never loosens it."""
        late = task in self._overdue
        self._in_flight.discard(task)
        self._overdue.discard(task)
        self.alarms.call_off(task)
        if task.cancelled():
            return self.service.failed(request, TimeoutError() if late else None)
        error = task.exception()
        return task.result() if error is None else self.service.failed(request, error)

    def _cut_off(self, task: asyncio.Task[Reply | Feed] | None) -> None:
        if task is not None:
            self._overdue.add(task)
            task.cancel()

    def touch(self) -> None:
        """Somebody may still need us."""
        self.last_used = time.monotonic()

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
