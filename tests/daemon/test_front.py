"""What is in flight ends at its deadline, whatever it waits for; and it ends closed."""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.catalog import ADAPTERS
from automode.assemble import build_service
from automode.daemon.agents import Agents
from automode.daemon.connections import Connections, Limits
from automode.daemon.frames import HOOK, Reply, Request, Right, Tokens, token_of
from automode.daemon.one_daemon import OneDaemon
from automode.daemon.placement import Placement
from automode.daemon.server import Daemon
from automode.daemon.service import Service
from automode.daemon.upkeep import Archive
from automode.daemon.verbs import Verbs
from automode.store.folder import StateFolder, secret
from automode.store.writer import Writer
from tests.daemon.conftest import Running

HELD_SECONDS = 1.6
TIME_SECONDS = 1.4


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


def test_the_time_of_a_request_runs_from_when_it_comes_to_its_turn(tmp_path: Path) -> None:
    """The desk counts from there as well. Whoever is cut off before the desk gives up is answered
    with a denial in place of what was decided and recorded."""
    answered = asyncio.run(_held_up(tmp_path))
    assert answered["verdict"] == "allow"


async def _held_up(base: Path) -> Mapping[str, object]:
    """What is said to a harmless call while something else holds the loop for all its time."""
    for name in ("config", "project/.git"):
        (base / name).mkdir(parents=True)
    placement = Placement(StateFolder(str(base / "state")).prepared(), str(base / "config"))
    folder = placement.state
    one = OneDaemon.claimed(folder)
    async with Writer(folder) as writer:
        key = secret(folder.signing_key)
        desk = build_service(
            writer, places=placement.places, key=key, account="somebody", environment={}
        )
        agents, archive = Agents(folder, ()), Archive(folder, writer, desk, 1)
        verbs = Verbs(desk, agents, ADAPTERS, Daemon(one, "1", archive.daily), archive.purge)
        connections = Connections(
            Service(desk, Tokens.of(folder), agents, ADAPTERS, verbs, frozenset()), Limits(), "1"
        )
        said = {"event": "proposed", "session": "s", "cwd": str(base / "project"), "tool": "bash"}
        body = json.dumps({**said, "input": {"command": "ls"}}).encode()
        token = token_of(folder, Right.DECIDE)
        request = Request(HOOK, body, token, "plain", "proposed", int(TIME_SECONDS * 1000))
        asyncio.get_running_loop().call_soon(time.sleep, HELD_SECONDS)
        task = connections.begin(request, None)
        await asyncio.wait([task])
        outcome = connections.outcome(request, task)
        await desk.close()
    one.release()
    assert isinstance(outcome, Reply)
    found: Mapping[str, object] = json.loads(outcome.stdout)
    return found
