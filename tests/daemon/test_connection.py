"""The unix socket: what is no request, too slow, too large or too much is cut off, nothing else."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from automode.daemon.frames import HEARD, LONGEST_PAYLOAD, Refused, Replies, Request
from tests.daemon.conftest import PATIENCE, Running, Start, reply, until
from tests.rows import each_row


@pytest.fixture
def daemon(shared: Running) -> Running:
    return shared


def everything(connection: socket.socket) -> bytes:
    """All that comes until the daemon hangs up."""
    got = b""
    try:
        while data := connection.recv(65_536):
            got += data
    except ConnectionResetError:
        pass
    return got


GARBAGE = {
    "another protocol": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "zeros": b"\0" * 4000,
    "a line without end": b"x" * 4000,
    "a wrong version": b"AM9 hook plain proposed - 1 0\n",
    "an endless payload": b"AM1 hook plain proposed - 1 999999999\n",
}


@each_row("garbage", GARBAGE.values())
def test_garbage_gets_one_line_and_the_end(daemon: Running, garbage: bytes) -> None:
    with daemon.connected() as connection:
        connection.sendall(garbage)
        got = everything(connection)

    assert got.startswith(b"AM1 refused ")
    assert got.count(b"\n") == 1
    assert daemon.works()


def test_a_payload_at_the_limit_is_read_and_one_past_it_is_not(daemon: Running) -> None:
    largest = daemon.proposal("ls", padding="x" * LONGEST_PAYLOAD)
    payload = largest[: -(len(largest) - LONGEST_PAYLOAD + 2)] + b'"}'

    answer = daemon.ask(Request("hook", payload, daemon.token(), "plain", "proposed"))
    with daemon.connected() as connection:
        head = f"AM1 hook plain proposed {daemon.token()} 1000 {LONGEST_PAYLOAD + 1}\n"
        connection.sendall(head.encode())
        refused = everything(connection)

    assert len(payload) == LONGEST_PAYLOAD
    assert json.loads(answer.stdout)["verdict"] == "allow"
    assert b"too large" in refused


def test_a_client_that_takes_its_time_is_cut_off(start: Start) -> None:
    daemon = start(request_seconds=0.3)

    for begun in (b"", b"AM1 hook", b"AM1 json - - - 1000 50\n{"):
        with daemon.connected() as connection:
            connection.sendall(begun)
            got = everything(connection)

        assert got == b"AM1 refused no whole request within 0.3 seconds\n", begun
    assert daemon.works()


def test_between_two_requests_there_is_no_hurry(start: Start) -> None:
    daemon = start(request_seconds=0.3)

    with daemon.connected() as connection:
        connection.sendall(daemon.hook("ls").encode())
        first = reply(connection)
        connection.settimeout(1.0)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(PATIENCE)
        connection.sendall(daemon.hook("ls").encode())

        again = reply(connection)
        assert (again.exit, again.stderr) == (first.exit, first.stderr)
        assert _without_record(again.stdout) == _without_record(first.stdout)


def _without_record(answer: bytes) -> dict[str, object]:
    told: dict[str, object] = json.loads(answer)
    return {name: value for name, value in told.items() if name != "record"}


def test_requests_on_one_connection_are_answered_in_their_order(daemon: Running) -> None:
    commands = ["ls", "rm -rf /", "pwd", "rm -rf ~"]
    with daemon.connected() as connection:
        connection.sendall(b"".join(daemon.hook(command).encode() for command in commands))
        replies = Replies()
        verdicts: list[str] = []
        while len(verdicts) < len(commands):
            replies.feed(connection.recv(65_536))
            while (found := replies.next()) is not None:
                verdicts.append(json.loads(found.stdout)["verdict"])

    assert verdicts == ["allow", "deny", "allow", "deny"]


def test_a_slow_decision_is_heard_first(daemon: Running) -> None:
    daemon.pause("decided")
    with daemon.connected() as connection:
        connection.sendall(daemon.hook("ls").encode())
        daemon.reached("decided")
        heard = connection.recv(len(HEARD))
        daemon.go_on("decided")
        found = reply(connection)

    assert heard == HEARD
    assert json.loads(found.stdout)["verdict"] == "allow"


def test_a_client_may_stop_sending_and_still_get_its_answers(daemon: Running) -> None:
    with daemon.connected() as connection:
        connection.sendall(daemon.hook("ls").encode() + daemon.hook("rm -rf /").encode())
        connection.shutdown(socket.SHUT_WR)
        got = everything(connection)

    assert got.count(HEARD) == 2
    assert got.find(b'"verdict":"allow"') < got.find(b'"verdict":"deny"')
    assert b'"verdict":"allow"' in got


def test_more_connections_than_the_limit_are_told_so(start: Start) -> None:
    daemon = start(connections=2)
    with daemon.connected() as one, daemon.connected() as two:
        for connection in (one, two):
            connection.sendall(daemon.hook("ls").encode())
            reply(connection)
        with daemon.connected() as three:
            assert everything(three) == b"AM1 refused 2 connections are open already\n"

    until(daemon.works, "room again")


@pytest.mark.parametrize("point", ["received", "decided"])
def test_a_client_that_hangs_up_leaves_no_half_decision(daemon: Running, point: str) -> None:
    daemon.pause(point)
    with daemon.connected() as connection:
        connection.sendall(daemon.hook("ls", "gone").encode())
        daemon.reached(point)
    until(lambda: daemon.answer(daemon.verb("ping"))["pid"] == daemon.process.pid, "no daemon")
    daemon.go_on(point)

    assert daemon.works()
    assert daemon.verdict("ls", "gone") == "allow"
    recorded = [one for one in daemon.records() if one.session.id == "gone"]
    assert recorded
    assert all(one.source == "read-only" or one.error is not None for one in recorded)


def test_a_client_that_does_not_take_its_reply_is_let_go(start: Start) -> None:
    daemon = start(request_seconds=0.5, connections=1)
    with daemon.connected() as connection:
        connection.sendall(daemon.verb("ping").encode() * 20_000)

        until(lambda: _room(daemon), "the stuck client still has its place")

        assert daemon.works()


def _room(daemon: Running) -> bool:
    try:
        return daemon.ask(daemon.verb("ping")).exit == 0
    except Refused:
        return False


OTHER_ACCOUNT = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
client = socket.socket(socket.AF_UNIX)
try:
    client.connect(sys.argv[1])
    print("connected", client.recv(1000).decode(), end="")
except PermissionError:
    print("not permitted", end="")
"""


@pytest.mark.skipif(os.getuid() != 0, reason="NOT ROOT: no other account can be tried")
def test_another_account_gets_nowhere(start: Start) -> None:
    daemon = start()

    def tried() -> str:
        words = [sys.executable, "-c", OTHER_ACCOUNT, daemon.folder.socket]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    kept_out = tried()
    # Even where every folder and the socket are open to all, the kernel says who connects.
    for folder in [Path(daemon.folder.path), *Path(daemon.folder.path).parents][:-1]:
        if folder.stat().st_uid == os.getuid() and folder != Path("/tmp"):
            folder.chmod(0o755)
    os.chmod(daemon.folder.socket, 0o666)
    let_in = tried()

    assert kept_out == "not permitted"
    assert let_in == "connected AM1 refused this daemon belongs to another account\n"
    assert daemon.works()
