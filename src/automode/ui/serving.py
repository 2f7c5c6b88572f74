"""Serves the window on loopback until the person ends it."""

import asyncio
import socket
import sys
import threading
from collections.abc import Callable

import uvicorn

from automode.core.errors import AutomodeError
from automode.daemon.placement import LOOPBACK
from automode.ui.app import build_app
from automode.ui.window import Window

_BACKLOG = 64
_ENDING_SECONDS = 1


class PortTaken(AutomodeError):
    pass


def serve(window: Window, say: Callable[[str], None]) -> None:
    """Prints a link, and another one whenever the person presses Enter."""
    listening = _listen(window)
    config = uvicorn.Config(
        build_app(window),
        log_level="critical",  # a traceback could hold parts of a call
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=_ENDING_SECONDS,
        h11_max_incomplete_event_size=16 * 1024,
    )
    say(window.access.new_link())
    if sys.stdin is not None and sys.stdin.isatty():
        threading.Thread(target=_more_links, args=(window, say), daemon=True).start()
    with listening:
        asyncio.run(uvicorn.Server(config).serve(sockets=[listening]))


def _listen(window: Window) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, window.access.port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise PortTaken(
            f"port {window.access.port} of this machine is taken ({error.strerror})",
            "another `automode ui` runs: press Enter in its terminal for a new link; or remove"
            f" `{window.state.ui_port}`, so that another port is chosen",
        ) from error
    return listening


def _more_links(window: Window, say: Callable[[str], None]) -> None:
    for _ in sys.stdin:
        say(window.access.new_link())
