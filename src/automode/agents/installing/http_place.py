"""Where hooks over HTTP find the daemon: the port and the token that the state folder keeps."""

import os

from automode.agents.installing.claude_hooks import Http
from automode.daemon.placement import http_port
from automode.daemon.tokens import Right, token_of
from automode.store.folder import BadFolder, StateFolder

UNKNOWN = Http(0, "0" * 64)
"""For showing what would be written while nothing may be made."""


def http_place(folder: StateFolder) -> Http:
    """Made on the first call, then always the same. Raises BadFolder."""
    return Http(http_port(folder), token_of(folder, Right.HTTP))


def known_http_place(folder: StateFolder) -> Http | None:
    """The same where it has been made; None where it has not, or cannot be read."""
    if not all(map(os.path.lexists, (folder.http_port, folder.token(Right.HTTP.value)))):
        return None
    try:
        return http_place(folder)
    except BadFolder:
        return None
