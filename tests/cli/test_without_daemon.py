"""What was decided while no daemon ran counts as if one had."""

import asyncio
import json
from pathlib import Path

from automode.agents.catalog import ADAPTERS
from automode.cli.without_daemon import answer_call
from automode.daemon.placement import Placement
from automode.sessions.decision_service import DecisionService
from automode.store.writer import Writer
from tests.cli.daemons import Place
from tests.sessions.service_setup import HOST, KEY, Setup, said, working

SESSION = "s1"
DENIED = ("rm -rf /usr/1", "rm -rf /usr/2", "rm -rf /usr/3")


def alone(place: Place, *commands: str) -> list[tuple[object, object]]:
    """What a hook is answered that finds no daemon. All of them decide at the same time."""

    async def all_at_once() -> list[tuple[object, object]]:
        answers = await asyncio.gather(*(_answer(place, one) for one in commands))
        return [(one["verdict"], one["source"]) for one in answers]

    return asyncio.run(all_at_once())


async def _answer(place: Place, command: str) -> dict[str, object]:
    call = {"event": "proposed", "tool": "bash", "input": {"command": command}}
    payload = json.dumps({"session": SESSION, "cwd": place.project} | call).encode()
    placement = Placement(place.state.prepared(), place.config)
    found = json.loads((await answer_call(ADAPTERS["plain"], "plain", payload, placement)).stdout)
    assert isinstance(found, dict)
    return found


def counters(place: Place) -> tuple[object, object, object]:
    found = place.json("status", "--session", SESSION)
    return found["checkedActions"], found["blockedActions"], found["deniedInARow"]


def test_denials_without_a_daemon_stop_the_session_before_and_after_one_is_there(
    place: Place, a_person: None
) -> None:
    denied = alone(place, *DENIED)
    before = counters(place)
    asked = alone(place, "ls")
    place.run("daemon", "start")
    answer = place.proposed("pwd", SESSION)

    assert {verdict for verdict, _ in denied} == {"deny"}
    assert before == (3, 3, 3)
    assert asked == [("ask", "breaker.consecutive")]
    assert (answer["verdict"], answer["source"]) == ("ask", "breaker.consecutive")
    assert counters(place) == (5, 3, 3)


def test_twenty_hooks_at_once_are_all_answered_and_all_counted(place: Place) -> None:
    denied = alone(place, *(f"rm -rf /usr/{number}" for number in range(20)))

    assert {verdict for verdict, _ in denied} == {"deny"}
    assert counters(place) == (20, 20, 20)
    assert alone(place, "ls") == [("ask", "breaker.total")]


def test_a_reset_without_a_daemon_lets_the_session_begin_anew(place: Place, a_person: None) -> None:
    alone(place, "ls")
    place.run("status")
    alone(place, *DENIED)

    done = place.run("reset", "--session", SESSION)

    assert done.returncode == 0, done.stderr
    assert counters(place) == (0, 0, 0)
    assert alone(place, "ls") == [("allow", "read-only")]


def test_a_session_that_a_daemon_has_in_memory_misses_no_denial_beside_it(
    tmp_path: Path,
) -> None:
    setup = Setup(tmp_path)

    async def beside() -> tuple[int, int]:
        async with Writer(setup.folder.prepared(), patience_seconds=60) as writer:
            daemon = setup.service(writer)
            await daemon.decide(setup.bash("ls"), HOST)
            for command in DENIED:
                async with Writer(setup.folder, patience_seconds=60) as own:
                    await setup.service(own).decide(setup.bash(command), HOST)
            await daemon.decide(setup.bash("rm -rf /usr/4"), HOST)
            await daemon.decide(setup.bash("rm -rf /usr/5"), HOST)
            live = daemon.registry.get(KEY)
        assert live is not None
        return live.session.history.checked, live.session.history.row

    async def after_a_restart(service: DecisionService) -> None:
        answers.append(said(await service.decide(setup.bash("ls"), HOST)))

    (setup.project / ".git").mkdir(parents=True)
    answers: list[tuple[str, str]] = []
    counted = asyncio.run(beside())
    working(setup, after_a_restart)

    assert counted == (6, 5)
    assert answers == [("ask", "breaker.consecutive")]
