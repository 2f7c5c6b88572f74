"""The daemon's own process, from what it keeps of its starter to the last record written."""

import asyncio
import logging
import os
import pwd
import sys
from collections.abc import Callable, Mapping

from automode.agents.catalog import ADAPTERS
from automode.assemble import build_service, load_settings, own_folders
from automode.daemon import logbook
from automode.daemon.agents import refusal
from automode.daemon.isolation import isolate, key_variables, let_go_of_streams, scrubbed
from automode.daemon.notify import desktop
from automode.daemon.one_daemon import OneDaemon
from automode.daemon.placement import Placement
from automode.daemon.serving import serve
from automode.store.folder import secret
from automode.store.writer import Writer

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
        logbook.opened(folder, also_here=not detached)
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
    async with Writer(one.folder, settings.store, power_loss_safe=safe) as writer:
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
