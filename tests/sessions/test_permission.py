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
from tests.sessions.offices import (
    HOST,
    KEY,
    Judging,
    Losing,
    Office,
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
    return PermissionSought(
        event.speaker, event.tool, event.input, event.id if call is None else call
    )


async def told(desk: DecisionService, event: PermissionSought) -> tuple[str, str] | None:
    decision = await desk.permission(event, HOST)
    return None if decision is None else (decision.verdict.word, decision.source)


@pytest.mark.parametrize("command", WORDS)
@pytest.mark.parametrize("call", ["c1", ""])
def test_what_was_decided_is_said_again_without_another_record(
    office: Office, command: str, call: str
) -> None:
    office.settings, office.layers = RULES, [Judging()]
    event = office.bash(command, call=call)

    async def work(desk: DecisionService) -> None:
        await desk.decide(event, HOST)

        assert await told(desk, sought(event)) == WORDS[command]
        assert len(await records(desk)) == 1

    working(office, work)


@pytest.mark.parametrize("command", WORDS)
def test_a_host_that_gives_no_id_the_second_time_is_understood(
    office: Office, command: str
) -> None:
    office.settings, office.layers = RULES, [Judging()]
    event = office.bash(command, call="c1")

    async def work(desk: DecisionService) -> None:
        await desk.decide(event, HOST)

        assert await told(desk, sought(event, "")) == WORDS[command]
        assert len(await records(desk)) == 1

    working(office, work)


@pytest.mark.parametrize("command", WORDS)
def test_a_call_that_nobody_proposed_is_decided_now_and_once(office: Office, command: str) -> None:
    office.settings, office.layers = RULES, [Judging()]
    event = sought(office.bash(command, call="c1"))

    async def work(desk: DecisionService) -> None:
        assert await told(desk, event) == WORDS[command]
        assert await told(desk, event) == WORDS[command]
        assert len(await records(desk)) == 1

    working(office, work)


def test_another_input_under_the_same_id_is_another_call(office: Office) -> None:
    office.settings, office.layers = RULES, [Judging()]

    async def work(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls", call="c1"), HOST)

        changed = sought(office.bash("git fetch", call="c1"))
        assert await told(desk, changed) == ("deny", "rules.deny")
        assert len(await records(desk)) == 2

    working(office, work)


def test_an_allow_of_a_call_that_has_run_allows_no_other(office: Office) -> None:
    event = office.bash("ls")

    async def work(desk: DecisionService) -> None:
        await desk.decide(event, HOST)
        await desk.hear(office.ran(event), HOST)
        await desk.permission(sought(event), HOST)

        assert len(await records(desk)) == 2

    working(office, work)


def test_while_it_is_off_or_in_shadow_the_host_goes_its_own_way(office: Office) -> None:
    office.settings = {"autoMode": {"mode": "shadow"}, **RULES}
    office.layers = [Judging()]
    event = office.bash("git fetch", call="c1")
    free = office.bash("git fetch", call="c2")

    async def work(desk: DecisionService) -> None:
        await desk.decide(event, HOST)
        assert await told(desk, sought(event)) is None
        await desk.set_mode(KEY, Override.OFF)
        await desk.decide(free, HOST)
        assert await told(desk, sought(free)) is None
        assert await told(desk, sought(office.bash("git fetch", call="c3"))) is None

    working(office, work)


def test_with_nobody_there_a_question_was_a_denial(office: Office) -> None:
    office.settings, office.layers = RULES, [Judging()]
    event = office.bash("git push", call="c1")

    async def work(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker(attended=False)), HOST)
        await desk.decide(event, HOST)

        assert await told(desk, sought(event)) == ("deny", "rules.ask")

    working(office, work)


def test_a_question_that_comes_while_the_call_is_being_decided_waits_for_the_word(
    office: Office,
) -> None:
    judge = Judging(seconds=0.1)
    office.layers = [judge]
    event = office.bash("make deny", call="c1")

    async def work(desk: DecisionService) -> None:
        deciding = asyncio.create_task(desk.decide(event, HOST))
        await judge.asked()
        assert await told(desk, sought(event)) == ("deny", "classifier.deliberate")
        await deciding

        assert len(await records(desk)) == 1

    working(office, work)


@pytest.mark.parametrize("attended", [True, False])
def test_what_cannot_be_decided_in_time_is_never_allowed(office: Office, attended: bool) -> None:
    judge = Judging(seconds=3600)
    office.layers = [judge]

    async def work(desk: DecisionService) -> None:
        event = office.bash("make", call="c1", attended=attended)
        first = asyncio.create_task(desk.decide(event, HOST, seconds=600))
        await judge.asked()
        decision = await desk.permission(sought(event), HOST, seconds=0.05)
        first.cancel()

        assert (decision is None) is attended
        assert decision is None or decision.verdict is Verdict.DENY

    working(office, work)


def test_an_allow_that_could_not_be_recorded_is_not_remembered_as_one(office: Office) -> None:
    office.keeping = Losing
    event = office.bash("ls", call="c1")

    async def work(desk: DecisionService) -> None:
        assert said(await desk.decide(event, HOST)) == ("ask", "gate.not-recorded")
        assert await told(desk, sought(event)) is None

    working(office, work)


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

    async def work(desk: DecisionService) -> None:
        for what, command, call in taken:
            event = office.bash(command, call=call)
            if what == "decide":
                await desk.decide(event, HOST)
            elif what == "finish":
                await desk.hear(office.ran(event), HOST)
            else:
                found, usual = await told(desk, sought(event)), WORDS[command]
                live = desk.registry.get(KEY)
                asked = live is not None and bool(live.silent) and found is None
                assert found == usual or (asked and usual is not None and usual[0] == "allow")

    with TemporaryDirectory() as folder:
        limits = {"autoMode": {"escalation": {"consecutive": 99, "total": 99}}}
        office = Office(Path(folder), layers=[Judging()], settings={**RULES, **limits})
        working(office, work)
