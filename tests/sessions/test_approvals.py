"""A person's yes opens exactly one call: the same session, tool, input, folder and files."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import CallProposed, SessionEnded, SessionStarted
from automode.core.errors import AutomodeError, BadCall
from automode.core.record import SessionKey
from automode.llm.scripted import ScriptedModel
from automode.sessions.decision_service import DecisionService, Ruling
from automode.sessions.layers import ONCE_SECONDS
from automode.sessions.live_session import Override
from tests.sessions.service_setup import (
    HARD,
    HOST,
    KEY,
    LOOK,
    Judging,
    Losing,
    Setup,
    decision,
    records,
    said,
    working,
)

SECRET_KEY = b"k" * 32


@pytest.mark.parametrize("command", ["deny $F", "deny x.s?", "deny $(date)", "deny 'open"])
async def test_what_is_made_up_while_it_runs_cannot_be_approved(setup: Setup, command: str) -> None:
    setup.layers = [Judging()]
    async with setup.open() as service:
        ruling = await service.decide(setup.bash(command), HOST)
        assert ruling.record is not None
        with pytest.raises(BadCall, match="not known beforehand"):
            await service.person.approve(ruling.record)


async def denied(service: DecisionService, event: CallProposed) -> str:
    ruling = await service.decide(event, HOST)
    assert said(ruling) == ("deny", "classifier.deliberate")
    assert ruling.record is not None
    return ruling.record


@pytest.fixture
def judged(setup: Setup) -> Setup:
    setup.layers = [Judging()]
    return setup


async def test_an_approved_call_is_allowed_once(judged: Setup) -> None:
    event = judged.bash("make deny")
    async with judged.open() as service:
        record = await denied(service, event)
        yes = await service.person.approve(record[:10])
        got = [said(await service.decide(event, HOST)) for _ in range(2)]

        assert (yes.once, yes.record) == (True, record)
        assert got == [("allow", "approval"), ("deny", "classifier.deliberate")]


async def test_an_approval_for_the_session_holds_until_a_reset(judged: Setup) -> None:
    """Also when the session is resumed, or only says again that it began, as agents do after they
    have shortened what they remember."""
    event = judged.bash("make deny")
    async with judged.open() as service:
        await service.person.approve(await denied(service, event), session_long=True)
        for _ in range(3):
            assert said(await service.decide(event, HOST)) == ("allow", "approval")
            await service.hear(SessionStarted(event.ref), HOST)
        await service.hear(SessionEnded(event.ref), HOST)
        assert await service.person.has_ended(KEY)
    async with judged.open() as service:
        assert await service.person.has_ended(KEY)
        await service.hear(SessionStarted(event.ref), HOST)
        assert said(await service.decide(event, HOST)) == ("allow", "approval")
        assert not await service.person.has_ended(KEY)
        await service.person.reset(KEY)
        assert said(await service.decide(event, HOST)) == ("deny", "classifier.deliberate")


async def test_a_session_that_has_ended_can_be_approved_for_its_next_run(judged: Setup) -> None:
    event = judged.bash("make deny")
    async with judged.open() as service:
        record = await denied(service, event)
        await service.hear(SessionEnded(event.ref), HOST)
        await service.person.approve(record, session_long=True)
        assert said(await service.decide(event, HOST)) == ("allow", "approval")


async def test_an_approval_survives_a_restart_and_opens_no_other_session(judged: Setup) -> None:
    event = judged.bash("make deny")
    async with judged.open() as service:
        await service.person.approve(await denied(service, event))
    async with judged.open() as service:
        other = judged.bash("make deny", session="other")
        assert said(await service.decide(other, HOST)) == ("deny", "classifier.deliberate")
        foreign = await service.decide(event, "other-host")
        assert said(foreign) == ("deny", "classifier.deliberate")
        assert said(await service.decide(event, HOST)) == ("allow", "approval")


async def test_an_approval_is_not_lost_when_a_person_changes_something_else_first(
    judged: Setup,
) -> None:
    event = judged.bash("make deny")
    async with judged.open() as service:
        await service.person.approve(await denied(service, event))
    async with judged.open() as service:
        service.registry.seen(KEY, event.ref)
        await service.person.set_mode(KEY, Override.ON)
        assert said(await service.decide(event, HOST)) == ("allow", "approval")


async def test_an_approval_expires(judged: Setup) -> None:
    now = [1_700_000_000.0]
    judged.clock = lambda: now[0]
    event = judged.bash("make deny")
    async with judged.open() as service:
        await service.person.approve(await denied(service, event))
        now[0] += ONCE_SECONDS + 1
        assert said(await service.decide(event, HOST)) == ("deny", "classifier.deliberate")


async def test_an_approval_answers_an_ask_rule_and_lifts_no_deny_rule(judged: Setup) -> None:
    judged.settings = {"permissions": {"ask": ["bash(make*)"]}}
    event = judged.bash("make fine")
    async with judged.open() as service:
        asked = await service.decide(event, HOST)
        assert said(asked) == ("ask", "rules.ask")
        assert asked.record is not None
        await service.person.approve(asked.record, session_long=True)
        assert said(await service.decide(event, HOST)) == ("allow", "approval")
        judged.configure(permissions={"deny": ["bash(make*)"]})
        service.reload()
        assert said(await service.decide(event, HOST)) == ("deny", "rules.deny")


async def test_what_nobody_may_permit_cannot_be_approved(setup: Setup) -> None:
    setup.settings = {"permissions": {"deny": ["bash(git push*)"]}}
    setup.model = ScriptedModel([LOOK, HARD])
    commands = {
        "ls": ("read-only", "was allowed"),
        "git push": ("rules.deny", "cannot be approved"),
        "rm -rf /": ("floor.", "cannot be approved"),
        "make": ("classifier.deliberate", "cannot be approved"),
    }
    async with setup.open() as service:
        for command, (source, why) in commands.items():
            ruling = await service.decide(setup.bash(command), HOST)
            assert decision(ruling).source.startswith(source)
            with pytest.raises(BadCall, match=why):
                await service.person.approve(ruling.record or "")
        with pytest.raises(BadCall, match="no record"):
            await service.person.approve("zzzzzzzzzzzzzz")


async def test_an_approval_that_cannot_be_written_does_not_hold(judged: Setup) -> None:
    event = judged.bash("make deny")
    async with judged.open() as service:
        record = await denied(service, event)
        store = Losing(service.registry.store)
        service.registry.store = store
        with pytest.raises(AutomodeError, match="could not be written"):
            await service.person.approve(record)
        assert said(await service.decide(event, HOST)) == ("deny", "classifier.deliberate")


async def test_an_approval_resumes_a_stopped_run(judged: Setup) -> None:
    calls = [judged.bash(f"make deny {n}", attended=False) for n in range(3)]
    async with judged.open() as service:
        rulings: list[Ruling] = [await service.decide(event, HOST) for event in calls]
        last = rulings[-1]
        assert said(last) == ("halt", "breaker.consecutive")
        assert last.record is not None
        halted = await service.decide(judged.bash("ls", attended=False), HOST)
        await service.person.approve(last.record)
        retried = await service.decide(calls[-1], HOST)
        free = await service.decide(judged.bash("ls", attended=False), HOST)

        assert [said(one) for one in (halted, retried, free)] == [
            ("halt", "breaker.consecutive"),
            ("allow", "approval"),
            ("allow", "read-only"),
        ]


@given(st.lists(st.sampled_from(["retry", "other", "approve", "parallel"]), max_size=8))
def test_every_approval_opens_at_most_one_call(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    setup = Setup(tmp_path_factory.mktemp("setup"), layers=[Judging()])
    event, other = setup.bash("make deny"), setup.bash("make deny more")

    async def work(service: DecisionService) -> None:
        record = await denied(service, event)
        given_, opened = 0, 0
        for step in steps:
            if step == "approve":
                await service.person.approve(record)
                given_ += 1
                continue
            calls = {"retry": [event], "other": [other], "parallel": [event, event]}[step]
            rulings = await asyncio.gather(*(service.decide(one, HOST) for one in calls))
            opened += sum(decision(one).source == "approval" for one in rulings)
            assert step != "other" or decision(rulings[0]).source != "approval"
            assert opened <= given_
        everything = await records(service, SessionKey(HOST, "s"))
        assert sum(one.source == "approval" for one in everything) == opened

    working(setup, work)
