"""What a person does to sessions holds at once, for the right one, and over a restart."""

import pytest

from automode.agents.events import SessionStarted
from automode.core.decision import Verdict
from automode.core.errors import AutomodeError, BadCall
from automode.core.record import SessionKey
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from automode.sessions.person import NO_SESSION
from tests.sessions.offices import HOST, KEY, Judging, Losing, Office, records, said, working

OTHER = SessionKey(HOST, "other")


async def stopped(office: Office, desk: DecisionService, session: str = "s") -> None:
    for number in range(3):
        await desk.decide(office.bash(f"deny {number}", session=session, attended=False), HOST)


@pytest.mark.parametrize("restart", [False, True])
def test_reset_begins_anew_and_keeps_the_audit(office: Office, restart: bool) -> None:
    office.layers = [Judging()]

    async def first(desk: DecisionService) -> None:
        await stopped(office, desk)
        await stopped(office, desk, "other")
        if not restart:
            await second(desk)

    async def second(desk: DecisionService) -> None:
        assert await desk.reset(KEY) == (KEY,)
        free = await desk.decide(office.bash("ls", attended=False), HOST)
        still = await desk.decide(office.bash("ls", session="other", attended=False), HOST)

        assert said(free) == ("allow", "read-only")
        assert said(still) == ("halt", "breaker.consecutive")
        assert len([one for one in await records(desk) if one.tool != "automode"]) == 4
        state = next(one for one in await desk.sessions() if one.key == KEY)
        assert (state.history.checked, state.history.denials) == (1, ())

    working(office, first, *([second] if restart else []))


@pytest.mark.parametrize("restart", [False, True])
def test_what_a_person_did_stands_in_the_audit_and_counts_for_nothing(
    office: Office, restart: bool
) -> None:
    office.layers = [Judging()]

    async def first(desk: DecisionService) -> None:
        ruling = await desk.decide(office.bash("deny"), HOST)
        await desk.approve(ruling.record or "")
        if not restart:
            await second(desk)

    async def second(desk: DecisionService) -> None:
        before = (await desk.sessions())[0].history
        await desk.set_mode(KEY, Override.OFF)
        await desk.set_mode(None, Override.ON)
        assert (await desk.sessions())[0].history == before
        await desk.reset(KEY)
        await desk.purged("had nothing removed")

        denied, *deeds = await records(desk)
        [purge] = await records(desk, NO_SESSION)
        sources = ["person.approve", "person.off", "person.on", "person.reset", "person.purge"]
        assert [one.source for one in (*deeds, purge)] == sources
        for one in (*deeds, purge):
            assert (one.tool, one.verdict, one.account) == ("automode", Verdict.ALLOW, "tester")
            assert one.reason.startswith("tester ")
        assert denied.id in deeds[0].action
        assert {one.root for one in deeds} == {str(office.project)}

    working(office, first, *([second] if restart else []))


@pytest.mark.parametrize("restart", [False, True])
def test_reset_of_all_reaches_every_session(office: Office, restart: bool) -> None:
    office.layers = [Judging()]

    async def first(desk: DecisionService) -> None:
        await stopped(office, desk)
        await stopped(office, desk, "other")
        if not restart:
            await second(desk)

    async def second(desk: DecisionService) -> None:
        assert set(await desk.reset(None)) == {KEY, OTHER}
        for session in ("s", "other"):
            ruling = await desk.decide(office.bash("ls", session=session, attended=False), HOST)
            assert said(ruling) == ("allow", "read-only")

    working(office, first, *([second] if restart else []))


def test_a_mode_holds_over_a_restart_and_reset_keeps_it(office: Office) -> None:
    async def first(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        assert await desk.set_mode(KEY, Override.OFF) == (KEY,)
        await desk.reset(KEY)

    async def later(desk: DecisionService) -> None:
        [state] = await desk.sessions()
        assert (state.override, state.mode) == (Override.OFF, "off")
        assert (await desk.decide(office.bash("ls"), HOST)).decision is None
        await desk.set_mode(KEY, Override.NONE)
        assert said(await desk.decide(office.bash("ls"), HOST)) == ("allow", "read-only")

    working(office, first, later)


def test_a_mode_can_be_set_for_sessions_that_are_only_in_the_store(office: Office) -> None:
    async def first(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        await desk.decide(office.bash("ls", session="other"), HOST)

    async def later(desk: DecisionService) -> None:
        assert set(await desk.set_mode(None, Override.OFF)) == {KEY, OTHER}
        for session in ("s", "other"):
            assert (await desk.decide(office.bash("ls", session=session), HOST)).decision is None
        new = await desk.decide(office.bash("ls", session="new"), HOST)
        assert said(new) == ("allow", "read-only")

    working(office, first, later)


def test_a_session_that_is_not_known_is_said(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        for change in (desk.reset(KEY), desk.set_mode(KEY, Override.OFF)):
            with pytest.raises(BadCall, match="no session is called `plain/s`"):
                await change

    working(office, work)


def test_a_person_names_a_session_by_its_id_or_how_it_begins(office: Office) -> None:
    names = ["abc-1", "abc-2", "xyz", "xyz-long"]

    async def first(desk: DecisionService) -> None:
        for name in names:
            await desk.hear(SessionStarted(office.speaker(name)), HOST)
        await desk.hear(SessionStarted(office.speaker("xyz")), "other-host")

    async def later(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker("only-live")), HOST)

        assert await desk.named("abc-1") == SessionKey(HOST, "abc-1")
        assert await desk.named("plain/xyz") == SessionKey(HOST, "xyz")
        assert await desk.named("other-host/xyz") == SessionKey("other-host", "xyz")
        assert await desk.named("xyz-") == SessionKey(HOST, "xyz-long")
        assert await desk.named("only") == SessionKey(HOST, "only-live")
        for several in ("abc", "xyz"):
            with pytest.raises(BadCall, match="more than one"):
                await desk.named(several)
        for nobody in ("", "nobody", "plain/nobody"):
            with pytest.raises(BadCall, match="no session"):
                await desk.named(nobody)

    working(office, first, later)


def test_what_cannot_be_written_down_does_not_hold(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        keeper = desk.registry.keeper
        assert isinstance(keeper, Losing)
        keeper.losing = True
        for change in (desk.set_mode(KEY, Override.OFF), desk.reset(KEY)):
            with pytest.raises(AutomodeError, match="the disk is full"):
                await change
        keeper.losing = False

        assert said(await desk.decide(office.bash("ls"), HOST)) == ("allow", "read-only")
        assert desk.status().sessions[0].history.checked == 2

    office.keeping = lambda writer: Losing(writer, losing=False)
    working(office, work)


def test_a_dropped_session_is_read_anew_from_the_store(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        desk.forget(KEY)
        assert desk.status().sessions == ()
        await desk.decide(office.bash("ls"), HOST)
        desk.forget(None)
        [state] = await desk.sessions()
        assert state.history.checked == 2

    working(office, work)


def test_whoever_watches_sees_what_a_person_does(office: Office) -> None:
    office.layers = [Judging()]

    async def work(desk: DecisionService) -> None:
        ruling = await desk.decide(office.bash("deny"), HOST)
        watching = desk.subscribe()
        await desk.approve(ruling.record or "")
        await desk.set_mode(KEY, Override.OFF)
        await desk.reset(KEY)
        desk.forget(KEY)
        await desk.set_mode(KEY, Override.ON)
        await desk.purged("had nothing removed")
        watching.close()

        seen = [one async for one in watching]
        *told, purge = [one.source for one in seen]
        assert told == ["person.approve", "person.off", "person.reset", "person.on"]
        assert purge == "person.purge"
        kept = {one.id for key in (KEY, NO_SESSION) for one in await records(desk, key)}
        assert {one.id for one in seen} <= kept

    working(office, work)


def test_what_could_not_be_written_down_is_told_to_nobody(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        watching, keeper = desk.subscribe(), desk.registry.keeper
        assert isinstance(keeper, Losing)
        keeper.losing = True
        for change in (desk.set_mode(KEY, Override.OFF), desk.reset(KEY), desk.purged("x")):
            with pytest.raises(AutomodeError, match="the disk is full"):
                await change
        watching.close()

        assert [one async for one in watching] == []

    office.keeping = lambda writer: Losing(writer, losing=False)
    working(office, work)
