"""The daemon's own process: what it keeps of its starter, its log, and the doors to the service."""

import asyncio
import faulthandler
import gc
import json
import logging
import os
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from logging.handlers import RotatingFileHandler
from types import TracebackType

from automode.agents.catalog import ADAPTERS
from automode.agents.events import Adapter
from automode.assemble import build_service, load_settings, own_folders
from automode.config.settings import Asks, Confine
from automode.core.errors import AutomodeError
from automode.daemon.agents import Agents, markers_of, refusal
from automode.daemon.connections import Connections, Limits, SocketConnection
from automode.daemon.frames import Tokens
from automode.daemon.loopback import HttpConnection
from automode.daemon.placement import (
    BACKLOG,
    LOOPBACK,
    CodeState,
    OneDaemon,
    Placement,
    code_state,
    http_port,
    own_version,
)
from automode.daemon.service import Service
from automode.daemon.upkeep import Archive, Notifier, UnusedMemory, desktop
from automode.daemon.verbs import Verbs
from automode.facts.place import account_name, home_folder
from automode.llm.providers import PROVIDERS
from automode.notify.notifications import REFUSED_ANSWER, Notifications
from automode.notify.tokens import AnswerTokens
from automode.sessions.decision_service import DecisionService
from automode.store.folder import BadFolder, StateFolder, secret
from automode.store.retention import KEEP_DAYS
from automode.store.writer import Writer

TICK_SECONDS = 2.0
GRACE_SECONDS = 0.05

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Daemon:
    """A `Station`."""

    one: OneDaemon
    version: str
    archive: Archive
    settings: frozenset[str] = frozenset()  # the words for what it serves
    started: float = field(default_factory=time.time)
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)
    _code: CodeState = field(default_factory=code_state)
    _socket: asyncio.Server | None = None
    _http: asyncio.Server | None = None
    _port: int | None = None
    _port_trouble: str = ""
    notifications: Notifications | None = None
    _memory: UnusedMemory = field(default_factory=UnusedMemory)

    def facts(self) -> dict[str, object]:
        return {
            "pid": os.getpid(),
            "version": self.version,
            "started": self.started,
            "http_port": self._port,
            "settings": sorted(self.settings),
        }

    def notices(self) -> tuple[str, ...]:
        sent = () if self.notifications is None else self.notifications.notices()
        return tuple(one for one in (self._port_trouble, self.archive.notice, *sent) if one)

    def stop(self, why: str) -> None:
        if not self._stopped.is_set():
            log.info("stopping: %s", why)
        self._stopped.set()

    async def serve(
        self, connections: Connections, ready: Callable[[], None] | None = None
    ) -> None:
        """Until it is told to stop, has nothing to do for long, or is out of date."""
        self._catch_signals()
        await self._open_socket(connections)
        await self._open_http(connections)
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

    async def _open_socket(self, connections: Connections) -> None:
        previous, listening = self._socket, self.one.bind()
        loop = asyncio.get_running_loop()
        self._socket = await loop.create_unix_server(
            lambda: SocketConnection(connections), sock=listening, backlog=BACKLOG
        )
        if previous is not None:
            previous.close()

    async def _open_http(self, connections: Connections) -> None:
        """Always the same port: installed hooks name it, so another one is useless."""
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
            if why := self._reason_to_end(connections):
                self.stop(why)
                return
            if not self.one.reachable:
                log.warning("the socket was taken away: making it again")
                await self._open_socket(connections)
                self._tell()
            if self._http is None:
                await self._open_http(connections)
            self._memory.give_back(connections.last_used)
            await self.archive.look()

    def _reason_to_end(self, connections: Connections) -> str:
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


STANDARD_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/opt/homebrew/bin"
_LANGUAGE = ("LANG", "LC_ALL", "LC_CTYPE")
_FIRST_DESCRIPTOR = 3
_MANY_DESCRIPTORS = 4096


def key_variables(own: Iterable[str] = ()) -> tuple[str, ...]:
    """Where keys of models are looked for: `own` are those that the person's settings name."""
    known = (name for provider in PROVIDERS.values() for name in provider.key_variables)
    return tuple(dict.fromkeys((*known, *own)))


def clean_environment(environment: Mapping[str, str], keys: Iterable[str] = ()) -> dict[str, str]:
    """A fresh environment; of the given one only the language and the variables in `keys`."""
    kept = {name: environment[name] for name in (*_LANGUAGE, *keys) if name in environment}
    runtime = f"/run/user/{os.getuid()}"
    session = {"XDG_RUNTIME_DIR": runtime} if _ours(runtime) else {}
    return {"PATH": STANDARD_PATH, "HOME": home_folder(), **session, **kept}


def isolate(environment: Mapping[str, str], *, detached: bool) -> None:
    """Replaces the environment, and lets go of folder, terminal and open files of the starter."""
    for name in tuple(os.environ):
        del os.environ[name]
    os.environ.update(environment)
    os.chdir("/")
    os.umask(0o077)
    if detached:
        with suppress(OSError):  # it leads a session of its own already
            os.setsid()
        os.closerange(_FIRST_DESCRIPTOR, _most_descriptors())


def let_go_of_streams() -> None:
    """Whoever started this waits for the end of what it prints."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _most_descriptors() -> int:
    try:
        return max(int(name) for name in os.listdir("/dev/fd")) + 1
    except (OSError, ValueError):
        return _MANY_DESCRIPTORS


def _ours(folder: str) -> bool:
    try:
        return os.lstat(folder).st_uid == os.getuid()
    except OSError:
        return False


LOG_BYTES = 1024 * 1024
LOG_FILES = 3


class _Discreet(logging.Formatter):
    def formatException(  # noqa: N802 - its name there
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        kind, _, place = ei
        frames = traceback.extract_tb(place)
        where = "\n".join(f"  {one.filename}:{one.lineno} in {one.name}" for one in frames[-8:])
        return f"{kind.__name__ if kind else 'nothing'} at\n{where}"


def open_log(folder: StateFolder, *, also_here: bool) -> None:
    """From now on what is logged goes to the file, and to standard error with `also_here`."""
    layout = _Discreet("%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        file = RotatingFileHandler(
            folder.log, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8"
        )
        os.chmod(folder.log, 0o600)
    except OSError as error:
        raise BadFolder(
            f"`{folder.log}` cannot be written: {error.strerror}", "name another --state-folder"
        ) from error
    handlers: list[logging.Handler] = [file]
    if also_here:
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setFormatter(layout)
    logging.basicConfig(level=logging.WARNING, handlers=handlers, force=True)
    logging.getLogger("automode").setLevel(logging.INFO)
    # A handler that cannot write would print its trouble, and the record with it.
    logging.raiseExceptions = False
    # A descriptor of its own: the file's is closed when it is rotated, and then means another file.
    faulthandler.enable(file=os.open(folder.log, os.O_WRONLY | os.O_APPEND), all_threads=False)


def log_unhandled(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    """For what nobody waited for. The usual report would print tasks with their arguments."""
    error = context.get("exception")
    known = error if isinstance(error, BaseException) else None
    log.error("%s", context.get("message", "something failed"), exc_info=known)


COLLECTION = (10_000, 5, 1_000)
"""What is remembered lives long: searching it for rubbish as often as Python usually does takes a
tenth of the time, and next to nothing is found. Few young objects at once, so that nobody waits
for more than some milliseconds; the old ones in quiet moments, see `unused_memory`."""


async def serve(
    one: OneDaemon,
    decisions: DecisionService,
    writer: Writer,
    *,
    limits: Limits | None = None,
    notifier: Notifier | None = None,
    adapters: Mapping[str, Adapter] = ADAPTERS,
    ready: Callable[[], None] | None = None,
    settings: frozenset[str] = frozenset(),
    keep_days: int = KEEP_DAYS,
    asks: Callable[[], Asks] = Asks,
) -> None:
    """`ready` is called once clients can connect. `settings`: how senders may name what is
    served. `asks` reads what the person's own file says of asks."""
    limits, version = limits or Limits(), own_version()
    asyncio.get_running_loop().set_exception_handler(log_unhandled)
    archive = Archive(one.folder, writer, decisions, keep_days)
    daemon = Daemon(one, version, archive, settings)
    agents = Agents(one.folder, markers_of(adapters.values()))
    verbs = Verbs(
        decisions, agents, adapters, daemon, archive.purge, decisions.projects.session_keys
    )
    notifications = daemon.notifications = Notifications(
        decisions.waiting,
        asks,
        AnswerTokens(secret(one.folder.answer_key)),
        partial(decisions.person.record_notice, REFUSED_ANSWER),
    )
    service = Service(
        *(decisions, Tokens.of(one.folder), agents, adapters, verbs),
        notifications=notifications,
        settings=settings,
    )
    notifications.start()
    noting = None
    if notifier is not None:
        noting = asyncio.ensure_future(notifier.follow(decisions.subscribe()))
    # What is loaded by now stays for good: looking through it again and again only costs pauses.
    gc.freeze()
    gc.set_threshold(*COLLECTION)
    try:
        await daemon.serve(Connections(service, limits), ready)
    finally:
        await notifications.close()
        if noting is not None:
            noting.cancel()


def kept_environment(
    placement: Placement, given: Mapping[str, str], *, orphans: bool
) -> dict[str, str]:
    """What is left of the given one: keys of model providers only if no agent stands above."""
    if refusal(placement.state, os.getpid(), ADAPTERS, orphans=orphans) is not None:
        return clean_environment(given)
    own = load_settings(placement.places(None)).settings.providers
    return clean_environment(
        given, key_variables(one.api_key_env for one in own if one.api_key_env)
    )


def run_here(placement: Placement, *, detached: bool) -> None:
    folder = placement.state.prepared()
    # A supervisor's child that nobody holds on to may have keys; a hook's may not.
    environment = kept_environment(placement, os.environ, orphans=not detached)
    isolate(environment, detached=detached)
    one = OneDaemon.claim(folder)
    try:
        open_log(folder, also_here=not detached)
        # What keeps it from serving is still said to whoever started it.
        ready = let_go_of_streams if detached else None
        asyncio.run(_serve(placement, one, environment, ready))
    finally:
        fault = sys.exc_info()[1]
        if fault is not None:
            log.error("ended by %s", type(fault).__name__, exc_info=fault)
        one.release()


async def _serve(
    placement: Placement,
    one: OneDaemon,
    environment: dict[str, str],
    ready: Callable[[], None] | None,
) -> None:
    settings = load_settings(placement.places(None)).settings
    safe = settings.audit.power_loss_safe
    async with Writer(one.folder, settings.store, power_loss_safe=safe, checkpoints=True) as writer:
        decisions = build_service(
            writer,
            places=placement.places,
            key=secret(one.folder.signing_key),
            account=account_name(),
            environment=environment,
            folders=own_folders(placement.places(None), one.folder.path),
            confines=True,
            holds=True,
        )
        if settings.confine is not Confine.OFF and decisions.confinement is not None:
            decisions.confinement.start()
        try:
            await serve(
                one,
                decisions,
                writer,
                notifier=desktop() if settings.notifications else None,
                ready=ready,
                settings=placement.settings_words,
                keep_days=settings.audit.keep_days,
                asks=lambda: load_settings(placement.places(None)).settings.asks,
            )
        finally:
            await decisions.close()
