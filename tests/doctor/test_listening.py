"""Whose a port is, with real sockets and real processes."""

import os
import socket
import subprocess
import sys

import pytest

from automode.doctor.listening import listener

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ONLY LINUX SHOWS WHOSE A PORT IS")


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6], ids=["v4", "v6"])
def test_a_port_belongs_to_the_process_that_listens(family: socket.AddressFamily) -> None:
    address = "127.0.0.1" if family == socket.AF_INET else "::1"
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        try:
            listening.bind((address, 0))
        except OSError:
            pytest.skip(f"NO {family.name} HERE")
        listening.listen()
        port: int = listening.getsockname()[1]

        assert listener(port, os.getpid()) is True
        with subprocess.Popen(("sleep", "60")) as other:
            assert listener(port, other.pid) is False
            other.kill()


def test_a_port_on_which_nobody_listens_belongs_to_nobody() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))

        assert listener(bound.getsockname()[1], os.getpid()) is False


def test_of_a_process_that_is_gone_nothing_can_be_seen() -> None:
    with subprocess.Popen(("true",)) as gone:
        gone.wait()

    assert listener(1, gone.pid) is None
