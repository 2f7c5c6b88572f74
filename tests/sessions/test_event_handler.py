"""What follows from the beginning of a session where hooks are switched off, and from trouble."""

import json
from pathlib import Path

import pytest

from automode.agents.events import NO_REMARKS, Remarks, SessionStarted
from automode.core.errors import AutomodeError
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from tests.sessions.service_setup import KEY, Judging, Losing, Setup, records, said, working

HOST = "claude-code"
REFUSED = ("deny", "gate.hooks-switched-off")


@pytest.fixture
def switch(setup: Setup) -> Path:
    """A checked-in file that switches the hooks of an agent off."""
    path = setup.project / ".claude" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"disableAllHooks": True}))
    return path


def started(setup: Setup, session: str = "s", *, attended: bool = True) -> SessionStarted:
    return SessionStarted(setup.speaker(session, attended=attended))


def test_with_a_person_there_a_switch_is_told_and_nothing_is_stopped(
    setup: Setup, switch: Path
) -> None:
    async def work(service: DecisionService) -> None:
        remarks = await service.hear(started(setup), HOST)

        assert str(switch) in remarks.notice
        assert remarks.refusal == ""
        assert said(await service.decide(setup.bash("ls"), HOST)) == ("allow", "read-only")
        assert any(str(switch) in one for one in service.status().notices)
        switch.unlink()
        assert await service.hear(started(setup), HOST) == NO_REMARKS
        assert service.status().notices == ()

    working(setup, work)


def test_with_nobody_there_the_session_is_refused_while_the_switch_stands(
    setup: Setup, switch: Path
) -> None:
    async def first(service: DecisionService) -> None:
        remarks = await service.hear(started(setup, attended=False), HOST)

        assert str(switch) in remarks.refusal
        assert remarks.notice == ""
        # However often it tries: it is no policy that a breaker would count.
        for _ in range(5):
            assert said(await service.decide(setup.bash("ls"), HOST)) == REFUSED

    async def restarted(service: DecisionService) -> None:
        assert said(await service.decide(setup.bash("ls"), HOST)) == REFUSED
        below = setup.bash("ls", session="sub", parent="s")
        assert said(await service.decide(below, HOST)) == REFUSED
        other = setup.bash("ls", session="other")
        assert said(await service.decide(other, HOST)) == ("allow", "read-only")
        switch.unlink()
        assert said(await service.decide(setup.bash("ls"), HOST)) == ("allow", "read-only")

    working(setup, first, restarted)


def test_without_a_switch_there_is_nothing_to_say(setup: Setup) -> None:
    async def work(service: DecisionService) -> None:
        for attended in (True, False):
            assert await service.hear(started(setup, attended=attended), HOST) == NO_REMARKS
        assert said(await service.decide(setup.bash("ls"), HOST)) == ("allow", "read-only")

    working(setup, work)


def test_a_file_that_nobody_can_read_counts_as_a_switch(setup: Setup, switch: Path) -> None:
    switch.write_text("{ no json")

    async def work(service: DecisionService) -> None:
        remarks = await service.hear(started(setup, attended=False), HOST)
        assert str(switch) in remarks.refusal
        assert said(await service.decide(setup.bash("ls"), HOST)) == REFUSED

    working(setup, work)


def test_a_switch_below_the_root_is_seen_where_the_agent_was_started(setup: Setup) -> None:
    nested = setup.project / "part"
    (nested / ".claude").mkdir(parents=True)
    (nested / ".claude" / "settings.json").write_text(json.dumps({"disableAllHooks": True}))
    speaker = setup.speaker(cwd=str(nested), attended=False)

    async def work(service: DecisionService) -> None:
        assert (await service.hear(SessionStarted(speaker), HOST)).refusal
        assert said(await service.decide(setup.bash("ls"), HOST)) == REFUSED

    working(setup, work)


def test_in_shadow_a_switch_is_only_told_and_while_off_not_even_that(
    setup: Setup, switch: Path
) -> None:
    setup.settings = {"autoMode": {"mode": "shadow"}}

    async def work(service: DecisionService) -> None:
        remarks = await service.hear(started(setup, attended=False), HOST)
        assert remarks.refusal == ""
        assert str(switch) in remarks.notice
        ruling = await service.decide(setup.bash("ls"), HOST)
        assert said(ruling) == REFUSED
        assert ruling.decision is not None
        assert not ruling.decision.enforced
        key = next(one.key for one in service.registry.live())
        await service.person.set_mode(key, Override.OFF)
        assert await service.hear(started(setup, attended=False), HOST) == NO_REMARKS
        assert (await service.decide(setup.bash("ls"), HOST)).decision is None

    working(setup, work)


def test_a_refusal_is_given_also_where_nothing_can_be_kept(setup: Setup, switch: Path) -> None:
    setup.keeping = Losing

    async def work(service: DecisionService) -> None:
        remarks = await service.hear(started(setup, attended=False), HOST)
        assert str(switch) in remarks.refusal
        assert "the disk is full" in remarks.notice
        assert said(await service.decide(setup.bash("ls"), HOST)) == REFUSED

    working(setup, work)


def test_with_nothing_to_say_trouble_is_raised(setup: Setup) -> None:
    setup.keeping = Losing

    async def work(service: DecisionService) -> None:
        with pytest.raises(AutomodeError, match="the disk is full"):
            await service.hear(started(setup), HOST)

    working(setup, work)


def test_a_prompt_gets_no_remarks(setup: Setup) -> None:
    setup.layers = [Judging()]

    async def work(service: DecisionService) -> None:
        assert await service.hear(setup.typed("do it"), HOST) == Remarks()
        assert await records(service, KEY) == []

    working(setup, work)
