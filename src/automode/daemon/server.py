"""The daemon at work: opens its doors, looks after them, and closes them in good order."""

import asyncio
import json
import logging
import os
import signal
import socket
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from automode.core.errors import AutomodeError
from automode.daemon.connections import Connections, SocketConnection
from automode.daemon.loopback import HttpConnection
from automode.daemon.one_daemon import BACKLOG, OneDaemon
from automode.daemon.placement import LOOPBACK, CodeState, code_state, http_port
from automode.daemon.upkeep import Daily, UnusedMemory

TICK_SECONDS = 2.0
GRACE_SECONDS = 0.05

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Daemon:
    """A `Station`. `daily` is what is done once a day, such as letting old records go: see
    `Daily`."""

    one: OneDaemon
    version: str
    daily: Callable[[], Awaitable[None]]
    settings: frozenset[str] = frozenset()  # the words for what it serves
    started: float = field(default_factory=time.time)
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)
    _code: CodeState = field(default_factory=code_state)
    _socket: asyncio.Server | None = None
    _http: asyncio.Server | None = None
    _port: int | None = None
    _port_trouble: str = ""
    _daily: Daily = field(init=False)
    _memory: UnusedMemory = field(default_factory=UnusedMemory)

    def __post_init__(self) -> None:
        self._daily = Daily(self.daily)

    def facts(self) -> dict[str, object]:
        return {
            "pid": os.getpid(),
            "version": self.version,
            "started": self.started,
            "http_port": self._port,
            "settings": sorted(self.settings),
        }

    def notices(self) -> tuple[str, ...]:
        return tuple(one for one in (self._port_trouble, self._daily.notice) if one)

    def stop(self, why: str) -> None:
        if not self._stopped.is_set():
            log.info("stopping: %s", why)
        self._stopped.set()

    async def serve(
        self, connections: Connections, ready: Callable[[], None] | None = None
    ) -> None:
        """Until it is told to stop, has nothing to do for long, or is out of date."""
        connections.outdated = lambda version: self.stop(
            f"a client has the newer version {version}"
        )
        self._catch_signals()
        await self._open(connections)
        self._tell()
        if ready is not None:
            ready()
        log.info("serving, version %s, process %d", self.version, os.getpid())
        keeping = asyncio.ensure_future(self._look_after(connections))
        # Without its upkeep a daemon may not notice that it is no longer the one.
        keeping.add_done_callback(lambda _: self.stop("the upkeep has ended"))
        await self._stopped.wait()
        keeping.cancel()
        await self._close(connections)

    async def _open(self, connections: Connections) -> None:
        await self._open_socket(connections)
        await self._open_http(connections)

    async def _open_socket(self, connections: Connections) -> None:
        previous, listening = self._socket, self.one.bind()
        loop = asyncio.get_running_loop()
        self._socket = await loop.create_unix_server(
            lambda: SocketConnection(connections), sock=listening, backlog=BACKLOG
        )
        if previous is not None:
            previous.close()

    async def _open_http(self, connections: Connections) -> None:
        """The same port as ever: installed hooks name it. Another one would help nobody."""
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            port = http_port(self.one.folder)
            listening.bind((LOOPBACK, port))
        except (OSError, AutomodeError) as error:
            listening.close()
            self._no_port(error)
            return
        loop = asyncio.get_running_loop()
        self._http = await loop.create_server(
            lambda: HttpConnection(connections), sock=listening, backlog=BACKLOG
        )
        self._port, self._port_trouble = port, ""

    def _no_port(self, error: OSError | AutomodeError) -> None:
        """Never the end of the daemon: who speaks over the socket needs no port."""
        said = error.strerror if isinstance(error, OSError) else str(error)
        trouble = f"no hooks over HTTP: their port cannot be had ({said})"
        if trouble != self._port_trouble:
            log.error("%s; calls of agents that use it are blocked", trouble)
        self._port_trouble = trouble

    async def _look_after(self, connections: Connections) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            if why := self._outlived(connections):
                self.stop(why)
                return
            if not self.one.reachable:
                log.warning("the socket was taken away: making it again")
                await self._open_socket(connections)
                self._tell()
            if self._http is None:
                await self._open_http(connections)
            self._memory.give_back(connections.last_used)
            await self._daily.look()

    def _outlived(self, connections: Connections) -> str:
        if not self.one.owns_the_lock:
            return "the lock file was taken away"
        if code_state() != self._code:
            return "the program on disk is another one now"
        if connections.idle > connections.limits.idle_seconds:
            if connections.service.agents.any_lives():
                # Its hooks over HTTP cannot start another daemon.
                connections.touch()
                return ""
            return f"nobody has asked anything for {connections.limits.idle_seconds:g} seconds"
        return ""

    def _catch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(name, self.stop, f"signal {name.name}")

    def _tell(self) -> None:
        folder = self.one.folder
        with suppress(OSError):  # only for people who look
            descriptor, temporary = tempfile.mkstemp(dir=folder.path, prefix=".new-")
            with open(descriptor, "w", encoding="ascii") as file:
                json.dump(self.facts(), file)
            os.replace(temporary, folder.daemon_facts)

    async def _close(self, connections: Connections) -> None:
        self.one.withdraw()
        # Whoever connected just before that is let in, and may say what it wants.
        await asyncio.sleep(GRACE_SECONDS)
        for server in (self._socket, self._http):
            if server is not None:
                server.close()
        await connections.drain()
        with suppress(OSError):
            os.unlink(self.one.folder.daemon_facts)
        log.info("stopped")
