"""Daemons that die, hang, race and lose their files.

After each: nothing allowed that should not be, no acknowledged record lost, the next call works.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from automode.core.decision import Verdict
from automode.daemon.client import NotAnswering, request, running
from automode.daemon.frames import BadFrame, Refused, Replies
from automode.store.chain import Chain
from automode.store.open import reading
from automode.store.verify import from_database, verify
from tests.daemon.conftest import PATIENCE, SERVED, Running, Start, agent_of, until


def answered(daemon: Running, count: int) -> list[str]:
    """So many decisions that somebody has the answer of; their records' ids."""
    event = json.loads(daemon.proposal("ls", "before"))
    return [str(daemon.answer(daemon.verb("decide", event=event))["record"]) for _ in range(count)]


def sound(daemon: Running) -> bool:
    """Whether the chain of records verifies."""
    with reading(daemon.folder) as db:
        return not verify(from_database(db, Chain.of(daemon.folder).id), secret_of(daemon)).fault


def secret_of(daemon: Running) -> bytes:
    return Chain.of(daemon.folder).key


def what_came(connection: socket.socket) -> bytes:
    try:
        return b"".join(iter(lambda: connection.recv(65_536), b""))
    except ConnectionResetError:
        return b""


def permitted(data: bytes) -> bool:
    """Whether a hook could read a permission out of these bytes."""
    replies = Replies()
    replies.feed(data)
    try:
        reply = replies.next()
    except (BadFrame, Refused):
        return False
    return reply is not None and b'"allow"' in reply.stdout


# Where it dies → whether the call is recorded then: always when it was, never half.
POINTS = {"received": False, "decided": False, "recorded": True}


@pytest.mark.parametrize(("point", "recorded"), POINTS.items())
def test_killed_on_the_way_of_a_call(start: Start, point: str, recorded: bool) -> None:
    first = start()
    known = answered(first, 3)
    first.pause(point)

    with first.connected() as connection:
        connection.sendall(first.hook("ls", "victim").encode())
        first.reached(point)
        first.kill()
        came = what_came(connection)
    first.go_on(point)
    second = start()

    assert not permitted(came)
    ids = [one.id for one in second.records()]
    assert ids[:3] == known
    assert (len(ids) == 4) is recorded
    assert second.works()
    assert sound(second)


def test_killed_with_fifty_calls_in_flight_no_answer_is_without_its_record(start: Start) -> None:
    first = start()
    connections = [first.connected() for _ in range(50)]
    event = json.loads(first.proposal("ls"))
    for number, connection in enumerate(connections):
        one = {**event, "session": f"s{number}"}
        connection.sendall(first.verb("decide", event=one).encode())
    for connection in connections[:10]:
        connection.recv(1)
    first.kill()

    given = [_record(what_came(connection)) for connection in connections]
    for connection in connections:
        connection.close()
    second = start()

    ids = {one.id for one in second.records()}
    assert {one for one in given if one is not None} <= ids
    assert second.works()
    assert sound(second)


def _record(came: bytes) -> str | None:
    _, found, rest = came.partition(b'"record":"')
    return rest.partition(b'"')[0].decode() if found else None


def test_stopped_in_its_tracks_it_is_not_taken_for_an_answer_until_it_goes_on(
    daemon: Running,
) -> None:
    daemon.process.send_signal(signal.SIGSTOP)
    with daemon.connected() as connection:
        connection.sendall(daemon.hook("rm -rf /").encode())
        try:
            assert running(daemon.folder) is None
            with pytest.raises(NotAnswering, match=f"pid {daemon.process.pid}, does not answer"):
                request(daemon.folder, "status")
        finally:
            daemon.process.send_signal(signal.SIGCONT)
        connection.shutdown(socket.SHUT_WR)
        assert b'"deny"' in what_came(connection)

    until(lambda: running(daemon.folder) is not None, "it does not go on")
    assert daemon.works()


def test_of_many_that_race_exactly_one_serves(base: Path, start: Start) -> None:
    words = [sys.executable, str(SERVED), str(base / "state"), str(base / "config")]
    environment = {"PATH": os.environ["PATH"], "HOME": str(base)}
    daemons = [
        subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL) for _ in range(6)
    ]
    try:
        until(lambda: sum(one.poll() is None for one in daemons) == 1, "more than one is left")
        (left,) = (one for one in daemons if one.poll() is None)
        winner = Running(base, left)

        until(lambda: running(winner.folder) is not None, "the winner does not answer")
        assert winner.answer(winner.verb("ping"))["pid"] == left.pid
        assert winner.works()
        assert all(one.returncode != 0 for one in daemons if one is not left)
    finally:
        for one in daemons:
            one.kill()
            one.wait(PATIENCE)


def test_a_socket_that_was_taken_away_or_is_a_strangers_is_made_again(daemon: Running) -> None:
    known = answered(daemon, 1)
    os.unlink(daemon.folder.socket)
    until(lambda: running(daemon.folder) is not None, "no socket again")
    os.unlink(daemon.folder.socket)
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.bind(daemon.folder.socket)
        stranger.listen()
        until(lambda: running(daemon.folder) is not None, "the stranger is still there")

    assert daemon.works()
    assert daemon.records()[0].id == known[0]


def test_without_its_lock_a_daemon_gives_up_and_the_next_one_serves(start: Start) -> None:
    first = start()
    known = answered(first, 2)
    os.unlink(first.folder.daemon_lock)

    assert first.process.wait(PATIENCE) == 0
    second = start()
    assert [one.id for one in second.records()] == known
    assert second.works()


def test_a_state_folder_that_is_deleted_ends_it_and_permits_nothing(start: Start) -> None:
    daemon = start()
    daemon.verdict("ls")
    shutil.rmtree(daemon.folder.path)

    assert daemon.process.wait(PATIENCE) == 0


def test_what_does_not_finish_is_closed(start: Start) -> None:
    daemon = start(drain_seconds=0.3)
    daemon.pause("decided")
    with daemon.connected() as connection:
        connection.sendall(daemon.hook("ls").encode())
        daemon.reached("decided")
        daemon.process.send_signal(signal.SIGTERM)
        came = what_came(connection)

    assert b"the daemon is stopping" in came
    assert not permitted(came)
    assert daemon.process.wait(PATIENCE) == 0


def test_told_to_stop_it_finishes_what_is_in_flight_and_the_next_one_waits(start: Start) -> None:
    first = start()
    first.pause("decided")
    with first.connected() as connection, ThreadPoolExecutor(1) as pool:
        connection.sendall(first.hook("ls", "old").encode())
        first.reached("decided")
        first.process.send_signal(signal.SIGTERM)
        until(lambda: not os.path.exists(first.folder.socket), "it still listens")
        starting = pool.submit(start)
        first.go_on("decided")
        came = what_came(connection)
        second = starting.result(PATIENCE)

    assert permitted(came)
    assert first.process.wait(PATIENCE) == 0
    assert [one.verdict for one in second.records()] == [Verdict.ALLOW]
    assert second.works()
    assert sound(second)


def test_nobody_asking_it_ends_by_itself(base: Path) -> None:
    words = [sys.executable, str(SERVED), str(base / "state"), str(base / "config")]
    environment = {"PATH": os.environ["PATH"], "HOME": str(base)}
    with subprocess.Popen([*words, "idle_seconds=0.1"], env=environment) as process:
        daemon = Running(base, process)

        assert process.wait(PATIENCE) == 0
    assert "nobody has asked anything for 0.1 seconds" in daemon.log()
    assert not os.path.exists(daemon.folder.socket)
    assert not os.path.exists(daemon.folder.daemon_facts)


BREAKING: dict[str, Callable[[Running], object]] = {
    "it is gone": lambda daemon: os.unlink(daemon.folder.database),
    "it is garbage": lambda daemon: Path(daemon.folder.database).write_bytes(b"no database" * 999),
}


@pytest.mark.parametrize("breaks", BREAKING.values(), ids=BREAKING.keys())
def test_a_broken_store_loosens_nothing(
    daemon: Running, breaks: Callable[[Running], object]
) -> None:
    daemon.verdict("ls")
    breaks(daemon)

    verdicts = [daemon.verdict("rm -rf /", "other"), daemon.verdict("ls", "other")]

    assert verdicts[0] == "deny"
    assert verdicts[1] in ("allow", "ask")
    # One that was not heard to begin may have been stopped before: nobody knows that any more.
    for session in ("later", "after"):
        daemon.begins(session)
    until(lambda: daemon.verdict("ls", "later") == "allow", "it does not recover")
    assert daemon.works()


@pytest.fixture
def brief(start: Start) -> Running:
    """Whoever is slow holds a connection meanwhile, so that it does not end too early."""
    return start(idle_seconds=2.5)


def test_it_stays_while_somebody_is_connected_or_an_agent_that_it_knows_lives(
    brief: Running,
) -> None:
    """Hooks over HTTP cannot start another one."""
    with agent_of(brief) as agent:
        with brief.connected(), pytest.raises(subprocess.TimeoutExpired):
            brief.process.wait(5.5)
        agent.says("hook", brief.hook("ls"))
        with pytest.raises(subprocess.TimeoutExpired):
            brief.process.wait(5.0)

    assert brief.process.wait(PATIENCE) == 0
