"""An ask that waits when something ends: nothing is allowed by it, and no connection stays."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from automode.core.decision import Verdict
from tests.daemon.conftest import Running, Start, reply, until
from tests.daemon.test_faults import permitted, what_came

HOLD = {"autoMode": {"asks": {"hold": 300}}, "permissions": {"ask": ["bash(make *)"]}}


@pytest.fixture
def holding(start: Start) -> Running:
    daemon = start()
    (daemon.base / "config" / "config.json").write_text(json.dumps(HOLD))
    return daemon


def waiting(daemon: Running) -> int:
    found = daemon.answer(daemon.verb("inbox", only_waiting=True))["waiting"]
    assert isinstance(found, list)
    return len(found)


@contextmanager
def asked(daemon: Running, host: str) -> Iterator[socket.socket]:
    """The connection of a call that waits."""
    with daemon.connected() as connection:
        connection.sendall(daemon.hook("make all", host=host).encode())
        until(lambda: waiting(daemon) == 1, "nothing waits")
        yield connection


@pytest.mark.parametrize("host", ["plain", "plain+unattended"])
def test_a_killed_daemon_allows_nothing_and_the_next_one_knows_nothing_that_waits(
    holding: Running, start: Start, host: str
) -> None:
    with asked(holding, host) as connection:
        holding.kill()
        came = what_came(connection)
    again = start()

    assert not permitted(came)
    assert waiting(again) == 0
    assert [one.verdict for one in again.records()] == [Verdict.ASK]
    assert again.works()


@pytest.mark.parametrize(("host", "verdict"), [("plain", "ask"), ("plain+unattended", "deny")])
def test_a_daemon_that_stops_answers_what_waits_as_if_nobody_had_been_waited_for(
    holding: Running, host: str, verdict: str
) -> None:
    with asked(holding, host) as connection:
        holding.process.terminate()
        told = json.loads(reply(connection).stdout)

    assert (told["verdict"], told["source"]) == (verdict, "rules.ask")
    assert holding.process.wait(60) == 0


def test_who_hangs_up_is_not_waited_for(holding: Running) -> None:
    with asked(holding, "plain"):
        pass
    until(lambda: waiting(holding) == 0, "it still waits")

    assert [one.verdict for one in holding.records()] == [Verdict.ASK]
    assert holding.works()
