"""What follows from the beginning of a session where hooks are switched off, and from trouble."""

import json
from pathlib import Path

import pytest

from automode.agents.events import NO_REMARKS, Remarks, SessionStarted
from automode.core.errors import AutomodeError
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from tests.sessions.offices import KEY, Judging, Losing, Office, records, said, working

HOST = "claude-code"
REFUSED = ("deny", "gate.hooks-switched-off")


@pytest.fixture
def switch(office: Office) -> Path:
    """A checked-in file that switches the hooks of an agent off."""
    path = office.project / ".claude" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"disableAllHooks": True}))
    return path


def started(office: Office, session: str = "s", *, attended: bool = True) -> SessionStarted:
    return SessionStarted(office.speaker(session, attended=attended))


def test_with_a_person_there_a_switch_is_told_and_nothing_is_stopped(
    office: Office, switch: Path
) -> None:
    async def work(desk: DecisionService) -> None:
        remarks = await desk.hear(started(office), HOST)

        assert str(switch) in remarks.notice
        assert remarks.refusal == ""
        assert said(await desk.decide(office.bash("ls"), HOST)) == ("allow", "read-only")
        assert any(str(switch) in one for one in desk.status().notices)
        switch.unlink()
        assert await desk.hear(started(office), HOST) == NO_REMARKS
        assert desk.status().notices == ()

    working(office, work)


def test_with_nobody_there_the_session_is_refused_while_the_switch_stands(
    office: Office, switch: Path
) -> None:
    async def first(desk: DecisionService) -> None:
        remarks = await desk.hear(started(office, attended=False), HOST)

        assert str(switch) in remarks.refusal
        assert remarks.notice == ""
        # However often it tries: it is no policy that a breaker would count.
        for _ in range(5):
            assert said(await desk.decide(office.bash("ls"), HOST)) == REFUSED

    async def restarted(desk: DecisionService) -> None:
        assert said(await desk.decide(office.bash("ls"), HOST)) == REFUSED
        below = office.bash("ls", session="sub", parent="s")
        assert said(await desk.decide(below, HOST)) == REFUSED
        other = office.bash("ls", session="other")
        assert said(await desk.decide(other, HOST)) == ("allow", "read-only")
        switch.unlink()
        assert said(await desk.decide(office.bash("ls"), HOST)) == ("allow", "read-only")

    working(office, first, restarted)


def test_without_a_switch_there_is_nothing_to_say(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        for attended in (True, False):
            assert await desk.hear(started(office, attended=attended), HOST) == NO_REMARKS
        assert said(await desk.decide(office.bash("ls"), HOST)) == ("allow", "read-only")

    working(office, work)


def test_a_file_that_nobody_can_read_counts_as_a_switch(office: Office, switch: Path) -> None:
    switch.write_text("{ no json")

    async def work(desk: DecisionService) -> None:
        remarks = await desk.hear(started(office, attended=False), HOST)
        assert str(switch) in remarks.refusal
        assert said(await desk.decide(office.bash("ls"), HOST)) == REFUSED

    working(office, work)


def test_a_switch_below_the_root_is_seen_where_the_agent_was_started(office: Office) -> None:
    nested = office.project / "part"
    (nested / ".claude").mkdir(parents=True)
    (nested / ".claude" / "settings.json").write_text(json.dumps({"disableAllHooks": True}))
    speaker = office.speaker(cwd=str(nested), attended=False)

    async def work(desk: DecisionService) -> None:
        assert (await desk.hear(SessionStarted(speaker), HOST)).refusal
        assert said(await desk.decide(office.bash("ls"), HOST)) == REFUSED

    working(office, work)


def test_in_shadow_a_switch_is_only_told_and_while_off_not_even_that(
    office: Office, switch: Path
) -> None:
    office.settings = {"autoMode": {"mode": "shadow"}}

    async def work(desk: DecisionService) -> None:
        remarks = await desk.hear(started(office, attended=False), HOST)
        assert remarks.refusal == ""
        assert str(switch) in remarks.notice
        ruling = await desk.decide(office.bash("ls"), HOST)
        assert said(ruling) == REFUSED
        assert ruling.decision is not None
        assert not ruling.decision.enforced
        key = next(one.key for one in desk.registry.live())
        await desk.set_mode(key, Override.OFF)
        assert await desk.hear(started(office, attended=False), HOST) == NO_REMARKS
        assert (await desk.decide(office.bash("ls"), HOST)).decision is None

    working(office, work)


def test_a_refusal_is_given_also_where_nothing_can_be_kept(office: Office, switch: Path) -> None:
    office.keeping = Losing

    async def work(desk: DecisionService) -> None:
        remarks = await desk.hear(started(office, attended=False), HOST)
        assert str(switch) in remarks.refusal
        assert "the disk is full" in remarks.notice
        assert said(await desk.decide(office.bash("ls"), HOST)) == REFUSED

    working(office, work)


def test_with_nothing_to_say_trouble_is_raised(office: Office) -> None:
    office.keeping = Losing

    async def work(desk: DecisionService) -> None:
        with pytest.raises(AutomodeError, match="the disk is full"):
            await desk.hear(started(office), HOST)

    working(office, work)


def test_a_prompt_gets_no_remarks(office: Office) -> None:
    office.layers = [Judging()]

    async def work(desk: DecisionService) -> None:
        assert await desk.hear(office.typed("do it"), HOST) == Remarks()
        assert await records(desk, KEY) == []

    working(office, work)
