"""What a person does to sessions holds at once, for the right one, and over a restart."""

import pytest

from automode.core.decision import Verdict
from automode.core.errors import AutomodeError, BadCall
from automode.core.record import SessionKey
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from automode.sessions.person import NO_SESSION
from tests.sessions.service_setup import (
    HOST,
    KEY,
    Judging,
    Losing,
    Setup,
    in_two_lives,
    records,
)

OTHER = SessionKey(HOST, "other")


@pytest.mark.parametrize("restart", [False, True])
def test_reset_begins_anew_and_keeps_the_audit(setup: Setup, restart: bool) -> None:
    """Of one session, or of all."""
    setup.layers = [Judging()]

    async def first(service: DecisionService) -> None:
        for session in ("s", "other"):
            await setup.deny(3, session, attended=False)

    async def second(service: DecisionService) -> None:
        assert await service.person.reset(KEY) == (KEY,)
        assert await setup.says("ls", attended=False) == ("allow", "read-only")
        still = await setup.says("ls", "other", attended=False)
        assert still == ("halt", "breaker.consecutive")
        assert len([one for one in await records(service) if one.tool != "automode"]) == 4
        state = next(one for one in await service.person.sessions() if one.key == KEY)
        assert (state.history.checked, state.history.denials) == (1, ())
        assert set(await service.person.reset(None)) == {KEY, OTHER}
        assert await setup.says("ls", "other", attended=False) == ("allow", "read-only")

    in_two_lives(setup, first, second, restart=restart)


@pytest.mark.parametrize("restart", [False, True])
def test_what_a_person_did_stands_in_the_audit_and_counts_for_nothing(
    setup: Setup, restart: bool
) -> None:
    setup.layers = [Judging()]

    async def first(service: DecisionService) -> None:
        ruling = await service.decide(setup.bash("deny"), HOST)
        await service.person.approve(ruling.record or "")

    async def second(service: DecisionService) -> None:
        before = (await service.person.sessions())[0].history
        await service.person.set_mode(KEY, Override.OFF)
        await service.person.set_mode(None, Override.ON)
        assert (await service.person.sessions())[0].history == before
        await service.person.reset(KEY)
        await service.person.record_purge("had nothing removed")

        denied, *deeds = await records(service)
        [purge] = await records(service, NO_SESSION)
        sources = ["person.approve", "person.off", "person.on", "person.reset", "person.purge"]
        assert [one.source for one in (*deeds, purge)] == sources
        for one in (*deeds, purge):
            assert (one.tool, one.verdict, one.account) == ("automode", Verdict.ALLOW, "tester")
            assert one.reason.startswith("tester ")
        assert denied.id in deeds[0].action
        assert {one.root for one in deeds} == {str(setup.project)}

    in_two_lives(setup, first, second, restart=restart)


async def test_a_mode_holds_over_a_restart_and_reset_keeps_it(setup: Setup) -> None:
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        assert await service.person.set_mode(KEY, Override.OFF) == (KEY,)
        await service.person.reset(KEY)
    async with setup.open() as service:
        [state] = await service.person.sessions()
        assert (state.override, state.mode) == (Override.OFF, "off")
        assert (await service.decide(setup.bash("ls"), HOST)).decision is None
        await service.person.set_mode(KEY, Override.NONE)
        assert await setup.says("ls") == ("allow", "read-only")


async def test_a_session_that_is_not_known_is_said(setup: Setup) -> None:
    async with setup.open() as service:
        for change in (service.person.reset(KEY), service.person.set_mode(KEY, Override.OFF)):
            with pytest.raises(BadCall, match="no session is called `plain/s`"):
                await change


async def test_what_cannot_be_written_down_does_not_hold_and_is_told_to_nobody(
    setup: Setup,
) -> None:
    setup.keeping = lambda writer: Losing(writer, losing=False)
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        watching, store = service.subscribe(), service.registry.store
        assert isinstance(store, Losing)
        store.losing = True
        for change in (
            service.person.set_mode(KEY, Override.OFF),
            service.person.reset(KEY),
            service.person.record_purge("x"),
        ):
            with pytest.raises(AutomodeError, match="the disk is full"):
                await change
        store.losing = False
        watching.close()

        assert [one async for one in watching] == []
        assert await setup.says("ls") == ("allow", "read-only")
        assert (await records(service))[0].action == "ls"


async def test_whoever_watches_sees_what_a_person_does(setup: Setup) -> None:
    setup.layers = [Judging()]
    async with setup.open() as service:
        ruling = await service.decide(setup.bash("deny"), HOST)
        watching = service.subscribe()
        await service.person.approve(ruling.record or "")
        await service.person.set_mode(KEY, Override.OFF)
        await service.person.reset(KEY)
        service.registry.drop(KEY)
        await service.person.set_mode(KEY, Override.ON)
        await service.person.record_purge("had nothing removed")
        watching.close()

        seen = [one async for one in watching]
        *told, purge = [one.source for one in seen]
        assert told == ["person.approve", "person.off", "person.reset", "person.on"]
        assert purge == "person.purge"
        kept = {one.id for key in (KEY, NO_SESSION) for one in await records(service, key)}
        assert {one.id for one in seen} <= kept


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

    async def second(service: DecisionService) -> None:
        for (settings, override), expected in SHOWN.items():
            setup.configure(**SETTINGS[settings])
            await service.person.set_mode(KEY, override)
            assert await shown(service) == {expected}, (settings, override)

    in_two_lives(setup, first, second, restart=restart)


@pytest.mark.parametrize("restart", [False, True])
def test_a_sub_agent_is_off_with_the_session_above_it(setup: Setup, restart: bool) -> None:
    async def first(service: DecisionService) -> None:
        await service.decide(setup.bash("ls"), HOST)
        await service.decide(setup.bash("ls", session="below", parent="s"), HOST)
        assert await shown(service) == {"enforce"}
        await service.person.set_mode(KEY, Override.OFF)

    async def second(service: DecisionService) -> None:
        assert len(await service.person.sessions()) == 2
        assert await shown(service) == {"off"}

    in_two_lives(setup, first, second, restart=restart)


async def test_settings_that_cannot_be_read_are_not_shown_as_off(setup: Setup) -> None:
    setup.configure(**SETTINGS["off"])
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        assert await shown(service) == {"off"}
        (setup.config / "config.json").write_text("{")
        assert await shown(service) == {"enforce"}
