"""Puts a daemon together around a decision service, and runs it until it is told to stop."""

import asyncio
import gc
from collections.abc import Callable, Mapping

from automode.agents.catalog import ADAPTERS
from automode.agents.events import Adapter
from automode.daemon.agents import Agents, markers_of
from automode.daemon.archive import Archive
from automode.daemon.front import Front, Limits
from automode.daemon.logbook import discreetly
from automode.daemon.notify import Notifier
from automode.daemon.one_daemon import OneDaemon
from automode.daemon.server import Daemon
from automode.daemon.service import Service
from automode.daemon.tokens import Tokens
from automode.daemon.verbs import Verbs
from automode.daemon.version import own_version
from automode.sessions.decision_service import DecisionService
from automode.sessions.store_access import StoreAccess
from automode.store.retention import KEEP_DAYS

COLLECTION = (10_000, 5, 1_000)
"""What is remembered lives long: searching it for rubbish as often as Python usually does takes a
tenth of the time, and next to nothing is found. Few young objects at once, so that nobody waits
for more than some milliseconds; the old ones in quiet moments, see `unused_memory`."""


async def serve(
    one: OneDaemon,
    desk: DecisionService,
    keeper: StoreAccess,
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
    asyncio.get_running_loop().set_exception_handler(discreetly)
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
        await daemon.serve(Front(service, limits, version), ready)
    finally:
        if noting is not None:
            noting.cancel()


def _noting(desk: DecisionService, notifier: Notifier | None) -> asyncio.Task[None] | None:
    if notifier is None:
        return None
    return asyncio.ensure_future(notifier.follow(desk.subscribe()))
