"""A window on a store with some records in it, and a browser's side of it."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import uvicorn
from starlette.testclient import TestClient

from automode.assemble import load_settings
from automode.config.places import Places
from automode.core.decision import Remark, Verdict
from automode.core.record import Record, SessionKey
from automode.store.folder import StateFolder
from automode.ui.access import Access
from automode.ui.app import build_app
from automode.ui.window import Window
from tests.cli.stored import keep, record, spent

PORT = 24_999
NAME = "a1b2c3"
HOME = f"http://{NAME}.localhost:{PORT}"
PATIENCE_SECONDS = 20.0

SESSION = SessionKey("claude-code", "0123456789abcdef")
OTHER = SessionKey("pi", "fedcba9876543210")
DENIED = replace(
    record(
        2,
        verdict=Verdict.DENY,
        action="kubectl delete namespace prod",
        source="classifier.deliberate",
        reason="nobody asked to delete production",
        session=SESSION,
        stages=(spent("0.0021"),),
    ),
    input='{"command": "kubectl delete namespace prod"}',
    clearable=True,
    digest="d" * 64,
    trail=(Remark("read-only", "not-proved", "`kubectl` changes the cluster"),),
)
RECORDS = (
    replace(record(1, session=SESSION), input='{"command": "git status"}'),
    DENIED,
    replace(
        record(3, verdict=Verdict.ASK, action="git push", source="rules.ask", session=OTHER),
        input='{"command": "git push"}',
        clearable=True,
    ),
)
HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)> '",
    "{{ 7*7 }} {% raw %}",
    "\x1b[31mred\x1b]0;title\x07",
    "a\u202egnp.exe\u2066b",
    "\u200bzero\ufeffwidth\x00\x7f",
    "x" * 6000,
    "lone \ud800 surrogate \\ud800",
)


def window_on(folder: Path, *records: Record, port: int = PORT, read_only: bool = False) -> Window:
    """The store is in `folder`; settings are the built-in ones."""
    state = StateFolder(str(folder / "state")).prepared()
    if records:
        keep(state, *records)
    places = Places.of(home=str(folder / "home"), environment={}, project=None)

    return Window(
        state,
        "sqlite",
        Access(port, name=NAME),
        lambda _project: load_settings(places),
        read_only=read_only,
    )


class Client(TestClient):
    """A browser that was led here by our own pages. Addresses are those below the secret word."""

    def __init__(self, window: Window, *, raises: bool = True) -> None:
        app = build_app(window)
        super().__init__(
            app,
            base_url=HOME,
            follow_redirects=False,
            headers={"origin": HOME},
            raise_server_exceptions=raises,
        )
        self.window, self.app_routes = window, app.routes

    def sign_in(self) -> "Client":
        link = self.window.access.new_link()
        assert super().get(link.removeprefix(HOME)).status_code == 200
        return self

    def at(self, path: str) -> str:
        return f"{self.window.access.base}{path}"

    def csrf(self) -> str:
        """As our own forms carry it."""
        return self.window.access.visitor(
            {"cookie": "; ".join(f"{one.name}={one.value}" for one in self.cookies.jar)}
        ).csrf


@contextmanager
def served(window: Window) -> Iterator[Window]:
    """By a real server on a port of its own."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        window.access.port = listening.getsockname()[1]
        config = uvicorn.Config(
            build_app(window), log_level="critical", lifespan="off", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        until = time.monotonic() + PATIENCE_SECONDS
        while not server.started and time.monotonic() < until:
            time.sleep(0.01)
        try:
            yield window
        finally:
            server.should_exit = True
            thread.join(PATIENCE_SECONDS)
