"""What is told of a confined command: credentials, services and the network that it tried."""

import json
import os
from pathlib import Path

import pytest

from automode.confine.traps import MOST, Traps
from tests.confine.conftest import World

pytestmark = [pytest.mark.real]
PYTHON = "/usr/bin/env python3 -I -S -c"
SERVICE = "/run/automode-test/docker.sock"

TRIED = {
    "cat ../token": ["read"],
    "ln -s ../../token src/t; cat src/t": ["read"],
    f"{PYTHON} 'import os; os.open(\"../token\", os.O_RDONLY)'": ["read"],
    f'{PYTHON} \'import os; f = os.open("../token", os.O_PATH);'
    ' os.open(f"/proc/self/fd/{f}", os.O_RDONLY)\'': ["read"],
    "(cat ../secrets/key &) ; sleep 0.2": ["read"],
    "stat ../token ../secrets/key; ls -la ..": [],
    "cat ../other/file; touch src/x": [],
    f"{PYTHON} 'import socket; s = socket.socket(socket.AF_UNIX);"
    f' s.connect("{SERVICE}"); print(s.recv(9))\'': ["socket"],
    "(exec 3<>/dev/tcp/192.0.2.1/9)": ["network"],
    "(exec 3<>/dev/udp/192.0.2.1/9)": ["network"],
    f"{PYTHON} 'import socket; socket.create_connection((\"2001:db8::1\", 9))'": ["network"],
    f'{PYTHON} \'import socket; s = socket.create_server(("127.0.0.1", 0));'
    " socket.create_connection(s.getsockname())'": [],
    "cat ../token; (exec 3<>/dev/tcp/192.0.2.1/9)": ["read", "network"],
}


def refused(world: World) -> list[str]:
    (end,) = world.orders.glob("*.end.json")
    return [one["kind"] for one in json.loads(end.read_text())["refused"]]


@pytest.fixture
def watched(wrapped: World) -> World:
    secrets = (str(wrapped.home / "token"), str(wrapped.home / "secrets/key"))
    return wrapped.with_profile(watched=secrets, services=(SERVICE,))


@pytest.mark.parametrize("text", TRIED)
def test_what_was_tried_is_told_once_and_nothing_else(text: str, watched: World) -> None:
    done = watched.run(text)

    assert refused(watched) == TRIED[text], done
    assert "top secret" not in done.stdout
    assert not list(watched.orders.glob("*.traps"))


def test_the_agent_reads_what_was_refused_also_after_a_good_end(watched: World) -> None:
    token = watched.home / "token"

    assert f"Refused: a credential ({token})" in watched.run("cat ../token").stderr
    assert watched.run("(exec 3<>/dev/tcp/192.0.2.1/9); true").stderr.count("automode:") == 0
    failed = watched.run("exec 3<>/dev/tcp/192.0.2.1/9").stderr
    assert "Refused: the network (1 attempt)" in failed
    assert "make the same call again" in failed


def test_who_connects_to_a_service_does_not_wait_for_it(watched: World) -> None:
    many = (
        f"import socket\nfor _ in range(300):\n s = socket.socket(socket.AF_UNIX)\n"
        f" s.connect('{SERVICE}')\n assert s.recv(9) == b''\nprint('all')"
    )

    assert watched.run(f'{PYTHON} "{many}"').stdout == "all\n"


def test_more_attempts_than_the_kernel_keeps_are_told_too(watched: World) -> None:
    """Alternating, because the same event twice in a row is one."""
    many = "for _ in range(20000): open('../token').close(); open('../secrets/key').close()"

    assert watched.run(f'{PYTHON} "{many}"').returncode == 0
    assert set(refused(watched)) == {"read"}


def test_landlock_tells_of_nothing(landlocked: World) -> None:
    secret = landlocked.with_profile(watched=(str(landlocked.home / "token"),))

    assert secret.run("cat ../token").returncode == 1
    assert refused(secret) == []


def test_there_is_a_bound_and_nothing_is_left(world: World, tmp_path: Path) -> None:
    many = world.with_profile(watched=tuple(f"/home/x/{number}" for number in range(MOST + 9)))
    traps = Traps(str(tmp_path / "traps"))

    assert len(traps.set(many.profile)) == MOST
    traps.remove()
    assert os.listdir(tmp_path) == []
