"""The mode that is shown of a session is the one that its next call will meet."""

import pytest

from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from tests.sessions.service_setup import HOST, KEY, Setup, working

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


async def shown(service: DecisionService) -> set[str]:
    """In both places where sessions are listed."""
    listed = {state.mode for state in await service.person.sessions()}
    return listed | {state.mode for state in service.status().sessions}


@pytest.mark.parametrize("restart", [False, True])
def test_what_a_person_or_the_settings_say_is_shown_before_the_next_call(
    setup: Setup, restart: bool
) -> None:
    async def first(service: DecisionService) -> None:
        await service.decide(setup.bash("ls"), HOST)
        if not restart:
            await second(service)

    async def second(service: DecisionService) -> None:
        for (settings, override), expected in SHOWN.items():
            setup.configure(**SETTINGS[settings])
            await service.person.set_mode(KEY, override)
            assert await shown(service) == {expected}, (settings, override)

    working(setup, first, *([second] if restart else []))


@pytest.mark.parametrize("restart", [False, True])
def test_a_sub_agent_is_off_with_the_session_above_it(setup: Setup, restart: bool) -> None:
    async def first(service: DecisionService) -> None:
        await service.decide(setup.bash("ls"), HOST)
        await service.decide(setup.bash("ls", session="below", parent="s"), HOST)
        assert await shown(service) == {"enforce"}
        await service.person.set_mode(KEY, Override.OFF)
        if not restart:
            await second(service)

    async def second(service: DecisionService) -> None:
        assert len(await service.person.sessions()) == 2
        assert await shown(service) == {"off"}

    working(setup, first, *([second] if restart else []))


def test_settings_that_cannot_be_read_are_not_shown_as_off(setup: Setup) -> None:
    setup.configure(**SETTINGS["off"])

    async def work(service: DecisionService) -> None:
        await service.decide(setup.bash("ls"), HOST)
        assert await shown(service) == {"off"}
        (setup.config / "config.json").write_text("{")
        assert await shown(service) == {"enforce"}

    working(setup, work)
