"""What is in flight ends at its deadline, whatever it waits for; and it ends closed."""

import json
from dataclasses import replace

import pytest

from automode.daemon.frames import Request
from tests.daemon.conftest import Running


@pytest.fixture
def daemon(shared: Running) -> Running:
    return shared


def finished(daemon: Running) -> Request:
    told = {"event": "finished", "session": "hangs", "cwd": "/", "id": "1", "outcome": "ok"}
    body = json.dumps({**told, "tool": "bash", "input": {"command": "ls"}}).encode()
    return replace(daemon.hook("ls"), payload=body, moment="finished")


def test_a_request_that_hangs_is_closed_at_its_deadline(daemon: Running) -> None:
    """Neither of the two has a deadline of its own further in."""
    daemon.pause("received")

    asked = daemon.answer(replace(daemon.verb("sessions"), deadline_ms=300))
    told = daemon.ask(replace(finished(daemon), deadline_ms=300))

    daemon.go_on("received")
    assert asked["error"] == "there was not enough time to decide"
    assert b"there was not enough time to decide" in told.stderr
    assert daemon.works()
