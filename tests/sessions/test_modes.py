"""The mode that is shown of a session is the one that its next call will meet."""

import pytest

from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from tests.sessions.offices import HOST, KEY, Office, working

SETTINGS: dict[str, dict[str, object]] = {
    "enforce": {},
    "shadow": {"autoMode": {"mode": "shadow"}},
    "off": {"autoMode": {"enabled": False}},
}
SHOWN = {
    ("enforce", Override.NONE): "enforce",
    ("enforce", Override.OFF): "off",
    ("enforce", Override.ON): "enforce",
    ("shadow", Override.NONE): "shadow",
    ("shadow", Override.OFF): "off",
    ("shadow", Override.ON): "shadow",
    ("off", Override.NONE): "off",
    ("off", Override.OFF): "off",
    ("off", Override.ON): "enforce",
}


async def shown(desk: DecisionService) -> set[str]:
    """In both places where sessions are listed."""
    listed = {state.mode for state in await desk.sessions()}
    return listed | {state.mode for state in desk.status().sessions}


@pytest.mark.parametrize("restart", [False, True])
def test_what_a_person_or_the_settings_say_is_shown_before_the_next_call(
    office: Office, restart: bool
) -> None:
    async def first(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        if not restart:
            await second(desk)

    async def second(desk: DecisionService) -> None:
        for (settings, override), expected in SHOWN.items():
            office.configure(**SETTINGS[settings])
            await desk.set_mode(KEY, override)
            assert await shown(desk) == {expected}, (settings, override)

    working(office, first, *([second] if restart else []))


@pytest.mark.parametrize("restart", [False, True])
def test_a_sub_agent_is_off_with_the_session_above_it(office: Office, restart: bool) -> None:
    async def first(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        await desk.decide(office.bash("ls", session="below", parent="s"), HOST)
        assert await shown(desk) == {"enforce"}
        await desk.set_mode(KEY, Override.OFF)
        if not restart:
            await second(desk)

    async def second(desk: DecisionService) -> None:
        assert len(await desk.sessions()) == 2
        assert await shown(desk) == {"off"}

    working(office, first, *([second] if restart else []))


def test_settings_that_cannot_be_read_are_not_shown_as_off(office: Office) -> None:
    office.configure(**SETTINGS["off"])

    async def work(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        assert await shown(desk) == {"off"}
        (office.config / "config.json").write_text("{")
        assert await shown(desk) == {"enforce"}

    working(office, work)
