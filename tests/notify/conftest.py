"""A real ntfy server for the tests, where one is installed."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from automode.notify.addresses import Ntfy, read_address

PROGRAM = os.environ.get("AUTOMODE_NTFY") or shutil.which("ntfy")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail("the ntfy server did not start")


@pytest.fixture
def real_server(tmp_path: Path) -> Iterator[Ntfy]:
    """A topic `t` that only a user may read, and topics `t-…` that anybody may write."""
    if PROGRAM is None:
        pytest.skip("no ntfy server: install Debian's package `ntfy`, or name it in AUTOMODE_NTFY")
    port, settings = free_port(), tmp_path / "server.yml"
    settings.write_text(
        f'listen-http: "127.0.0.1:{port}"\nbase-url: "http://127.0.0.1:{port}"\n'
        f'cache-file: "{tmp_path}/cache.db"\n'
        f'auth-file: "{tmp_path}/users.db"\nauth-default-access: "deny-all"\n'
    )
    serving = subprocess.Popen(
        (PROGRAM, "serve", "--config", str(settings)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        for words in ("user add me", "access me t* rw", "access everyone t-* write-only"):
            verb, *given = words.split()
            subprocess.run(
                (PROGRAM, verb, "--config", str(settings), *given),
                env={**os.environ, "NTFY_PASSWORD": "hidden"},
                check=True,
                capture_output=True,
            )
        to = read_address(f"ntfy://me:hidden@127.0.0.1:{port}/t")
        assert isinstance(to, Ntfy)
        yield to
    finally:
        serving.terminate()
        serving.wait()
