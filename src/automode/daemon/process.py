"""The daemon's own process: what it keeps of its starter, its log, and the service it runs."""

import asyncio
import faulthandler
import gc
import logging
import os
import pwd
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from types import TracebackType

from automode.agents.catalog import ADAPTERS
from automode.agents.events import Adapter
from automode.assemble import build_service, load_settings, own_folders
from automode.daemon.agents import Agents, markers_of, refusal
from automode.daemon.connections import Connections, Limits
from automode.daemon.frames import Tokens
from automode.daemon.one_daemon import OneDaemon
from automode.daemon.placement import Placement, own_version
from automode.daemon.server import Daemon
from automode.daemon.service import Service
from automode.daemon.upkeep import Archive, Notifier, desktop
from automode.daemon.verbs import Verbs
from automode.facts.place import home_folder
from automode.llm.providers import PROVIDERS
from automode.sessions.decision_service import DecisionService
from automode.store.folder import BadFolder, StateFolder, secret
from automode.store.retention import KEEP_DAYS
from automode.store.writer import Writer

STANDARD_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/opt/homebrew/bin"
_LANGUAGE = ("LANG", "LC_ALL", "LC_CTYPE")
_FIRST_DESCRIPTOR = 3
_MANY_DESCRIPTORS = 4096


def key_variables(own: Iterable[str] = ()) -> tuple[str, ...]:
    """Where keys of models are looked for: `own` are those that the person's settings name."""
    known = (name for provider in PROVIDERS.values() for name in provider.key_variables)
    return tuple(dict.fromkeys((*known, *own)))


def scrubbed(environment: Mapping[str, str], keys: Iterable[str] = ()) -> dict[str, str]:
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
    desk: DecisionService,
    keeper: Writer,
    *,
    limits: Limits | None = None,
    notifier: Notifier | None = None,
    adapters: Mapping[str, Adapter] = ADAPTERS,
    ready: Callable[[], None] | None = None,
    settings: frozenset[str] = frozenset(),
    keep_days: int = KEEP_DAYS,
) -> None:
    """`ready` is called once clients can connect. `settings`: the words by which senders may name
    the settings that the decision service reads."""
    limits, version = limits or Limits(), own_version()
    asyncio.get_running_loop().set_exception_handler(log_unhandled)
    archive = Archive(one.folder, keeper, desk, keep_days)
    daemon = Daemon(one, version, archive.daily, settings)
    agents = Agents(one.folder, markers_of(adapters.values()))
    verbs = Verbs(desk, agents, adapters, daemon, archive.purge, desk.projects.lent)
    service = Service(desk, Tokens.of(one.folder), agents, adapters, verbs, settings)
    noting = _noting(desk, notifier)
    # What is loaded by now stays for good: looking through it again and again only costs pauses.
    gc.freeze()
    gc.set_threshold(*COLLECTION)
    try:
        await daemon.serve(Connections(service, limits, version), ready)
    finally:
        if noting is not None:
            noting.cancel()


def _noting(desk: DecisionService, notifier: Notifier | None) -> asyncio.Task[None] | None:
    if notifier is None:
        return None
    return asyncio.ensure_future(notifier.follow(desk.subscribe()))


log = logging.getLogger(__name__)


def kept_environment(
    placement: Placement, given: Mapping[str, str], *, orphans: bool
) -> dict[str, str]:
    """What is left of the given one: keys of model providers only if no agent stands above."""
    if refusal(placement.state, os.getpid(), ADAPTERS, orphans=orphans) is not None:
        return scrubbed(given)
    own = load_settings(placement.places(None)).settings.providers
    return scrubbed(given, key_variables(one.api_key_env for one in own if one.api_key_env))


def run_here(placement: Placement, *, detached: bool) -> None:
    folder = placement.state.prepared()
    # A supervisor's child that nobody holds on to may have keys; a hook's may not.
    environment = kept_environment(placement, os.environ, orphans=not detached)
    isolate(environment, detached=detached)
    one = OneDaemon.claimed(folder)
    try:
        open_log(folder, also_here=not detached)
        # What keeps it from serving is still said to whoever started it.
        ready = let_go_of_streams if detached else None
        asyncio.run(_served(placement, one, environment, ready))
    finally:
        fault = sys.exc_info()[1]
        if fault is not None:
            log.error("ended by %s", type(fault).__name__, exc_info=fault)
        one.release()


async def _served(
    placement: Placement,
    one: OneDaemon,
    environment: dict[str, str],
    ready: Callable[[], None] | None,
) -> None:
    settings = load_settings(placement.places(None)).settings
    safe = settings.audit.power_loss_safe
    async with Writer(one.folder, settings.store, power_loss_safe=safe, checkpoints=True) as writer:
        desk = build_service(
            writer,
            places=placement.places,
            key=secret(one.folder.signing_key),
            account=pwd.getpwuid(os.getuid()).pw_name,
            environment=environment,
            folders=own_folders(placement.places(None), one.folder.path),
        )
        try:
            await serve(
                one,
                desk,
                writer,
                notifier=desktop() if settings.notifications else None,
                ready=ready,
                settings=placement.settings_words,
                keep_days=settings.audit.keep_days,
            )
        finally:
            await desk.close()
