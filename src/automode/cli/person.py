"""What only a person may do: asks the running daemon for it, or does it on the store."""

import os
from collections.abc import Mapping

from automode.cli.options import Surroundings
from automode.core.errors import AutomodeError
from automode.daemon.client import NoDaemon, request
from automode.daemon.frames import Right
from automode.facts.place import home_folder
from automode.store.folder import StateFolder, default_folder

SECONDS = 60.0  # a purge of a large store takes a while


class NotAPerson(AutomodeError):
    pass


def person_request(
    surroundings: Surroundings, verb: str, data: Mapping[str, object]
) -> dict[str, object]:
    """The answer of `verb` (`approve`, `purge`, `reset`, `mode`, `reload`): by the daemon when one
    runs, else by this process. AutomodeError says what went wrong."""
    folder = surroundings.known_state()
    refuse_agents(folder)
    try:
        return request(folder, verb, data, token=Right.PERSON, seconds=SECONDS)
    except NoDaemon:
        from automode.cli.without_daemon import change_store

        return change_store(surroundings, verb, data)


def refuse_agents(folder: StateFolder, *besides: StateFolder) -> None:
    """Raises NotAPerson for a process below an agent that one of these folders knows, or the
    account's usual one. The daemon refuses them too; this is for when none runs."""
    from automode.agents.catalog import ADAPTERS
    from automode.daemon.agents import refusal

    usual = default_folder(home_folder(), {})
    why = refusal(folder, os.getpid(), ADAPTERS, besides=(usual, *besides))
    if why is not None:
        raise NotAPerson(
            f"only a person may do this, and {why}", "type it in a terminal of your own"
        )
