"""A host that is about to ask its user about a call gets the word that was given before it."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import CallProposed, PermissionSought, SessionStarted
from automode.core.decision import Verdict
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from tests.sessions.service_setup import (
    HOST,
    KEY,
    Judging,
    Losing,
    Setup,
    records,
    said,
    working,
)

RULES = {"permissions": {"ask": ["bash(git push*)"], "deny": ["bash(git fetch*)"]}}

WORDS = {
    # command          the host is told
    "ls": ("allow", "read-only"),
    "git fetch": ("deny", "rules.deny"),
    "git push": None,
}


def sought(event: CallProposed, call: str | None = None) -> PermissionSought:
    return PermissionSought(event.ref, event.tool, event.input, event.id if call is None else call)


async def told(service: DecisionService, event: PermissionSought) -> tuple[str, str] | None:
    decision = await service.permission(event, HOST)
    return None if decision is None else (decision.verdict.word, decision.source)


@pytest.mark.parametrize("command", WORDS)
@pytest.mark.parametrize(("call", "again"), [("c1", "c1"), ("", ""), ("c1", "")])
@pytest.mark.parametrize("proposed", [True, False])
async def test_what_was_decided_is_said_again_without_another_record(
    setup: Setup, command: str, call: str, again: str, proposed: bool
) -> None:
    """Also where the host gives no id the second time, and where nobody proposed the call."""
    setup.settings, setup.layers = RULES, [Judging()]
    event = setup.bash(command, call=call)
    async with setup.open() as service:
        if proposed:
            await service.decide(event, HOST)
        else:
            assert await told(service, sought(event)) == WORDS[command]

        assert await told(service, sought(event, again)) == WORDS[command]
        assert len(await records(service)) == 1


async def test_while_it_is_off_or_in_shadow_the_host_goes_its_own_way(setup: Setup) -> None:
    setup.settings = {"autoMode": {"mode": "shadow"}, **RULES}
    setup.layers = [Judging()]
    event = setup.bash("git fetch", call="c1")
    free = setup.bash("git fetch", call="c2")
    async with setup.open() as service:
        await service.decide(event, HOST)
        assert await told(service, sought(event)) is None
        await service.person.set_mode(KEY, Override.OFF)
        await service.decide(free, HOST)
        assert await told(service, sought(free)) is None
        assert await told(service, sought(setup.bash("git fetch", call="c3"))) is None


async def test_with_nobody_there_a_question_was_a_denial(setup: Setup) -> None:
    setup.settings, setup.layers = RULES, [Judging()]
    event = setup.bash("git push", call="c1")
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref(attended=False)), HOST)
        await service.decide(event, HOST)

        assert await told(service, sought(event)) == ("deny", "rules.ask")


async def test_a_question_that_comes_while_the_call_is_being_decided_waits_for_the_word(
    setup: Setup,
) -> None:
    judge = Judging(seconds=0.1)
    setup.layers = [judge]
    event = setup.bash("make deny", call="c1")
    async with setup.open() as service:
        deciding = asyncio.create_task(service.decide(event, HOST))
        await judge.asked()
        assert await told(service, sought(event)) == ("deny", "classifier.deliberate")
        await deciding

        assert len(await records(service)) == 1


@pytest.mark.parametrize("attended", [True, False])
async def test_what_cannot_be_decided_in_time_is_never_allowed(
    setup: Setup, attended: bool
) -> None:
    judge = Judging(seconds=3600)
    setup.layers = [judge]
    async with setup.open() as service:
        event = setup.bash("make", call="c1", attended=attended)
        first = asyncio.create_task(service.decide(event, HOST, seconds=600))
        await judge.asked()
        decision = await service.permission(sought(event), HOST, seconds=0.05)
        first.cancel()

        assert (decision is None) is attended
        assert decision is None or decision.verdict is Verdict.DENY


async def test_an_allow_that_could_not_be_recorded_is_not_remembered_as_one(setup: Setup) -> None:
    setup.keeping = Losing
    event = setup.bash("ls", call="c1")
    async with setup.open() as service:
        assert said(await service.decide(event, HOST)) == ("ask", "gate.not-recorded")
        assert await told(service, sought(event)) is None


steps = st.lists(
    st.tuples(
        st.sampled_from(["decide", "finish", "seek"]),
        st.sampled_from(sorted(WORDS)),
        st.sampled_from(["", "c1", "c2"]),
    ),
    max_size=14,
)


@given(steps)
def test_whatever_came_before_nobody_is_permitted_more_than_the_gate_says(
    taken: list[tuple[str, str, str]],
) -> None:
    """Ids that a host uses twice, calls that finish without having begun: none of it permits, and
    after a call that ran around the gate a person is asked what would be allowed."""

    async def work(service: DecisionService) -> None:
        for what, command, call in taken:
            event = setup.bash(command, call=call)
            if what == "decide":
                await service.decide(event, HOST)
            elif what == "finish":
                await service.hear(setup.ran(event), HOST)
            else:
                found, usual = await told(service, sought(event)), WORDS[command]
                live = service.registry.get(KEY)
                asked = live is not None and bool(live.standing.silent) and found is None
                assert found == usual or (asked and usual is not None and usual[0] == "allow")

    with TemporaryDirectory() as folder:
        limits = {"autoMode": {"escalation": {"consecutive": 99, "total": 99}}}
        setup = Setup(Path(folder), layers=[Judging()], settings={**RULES, **limits})
        working(setup, work)
