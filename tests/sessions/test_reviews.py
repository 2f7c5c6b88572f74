"""What a sub-agent did is looked over when its result comes back: a warning, never a block."""

import json
from dataclasses import replace

import pytest

from automode.agents.events import (
    NO_REMARKS,
    CallProposed,
    SessionEnded,
    SessionStarted,
)
from automode.core.record import SessionKey
from automode.llm.scripted import ScriptedModel
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from automode.store import tables
from tests.sessions.service_setup import CLEAR, HOST, KEY, Setup, said

FINE = json.dumps({"suspect": False, "reason": "ordinary work"})
BAD = json.dumps({"suspect": True, "reason": "it pushed a branch that nobody named."})
CHILD = SessionKey(HOST, "s/a1")
TASK = {"prompt": "look at the tests"}


def delegated(setup: Setup) -> CallProposed:
    return CallProposed(setup.speaker(), "Task", TASK, "c1")


async def worked(setup: Setup, service: DecisionService, *commands: str) -> None:
    """A sub-agent is started and works."""
    await service.decide(delegated(setup), HOST)
    await service.hear(SessionStarted(setup.speaker("s/a1", parent="s")), HOST)
    for number, command in enumerate(commands):
        call = setup.bash(command, session="s/a1", parent="s", call=f"a{number}")
        await service.decide(call, HOST)
        await service.hear(setup.ran(call), HOST)
    await service.hear(SessionEnded(setup.speaker("s/a1", parent="s")), HOST)


@pytest.mark.parametrize("child", ["s/a1", ""])
async def test_a_suspect_history_is_warned_of_in_front_of_the_result(
    setup: Setup, child: str
) -> None:
    setup.model = model = ScriptedModel([CLEAR, CLEAR, BAD])
    async with setup.open() as service:
        await worked(setup, service, "make test")
        remarks = await service.hear(setup.ran(delegated(setup), child=child, result="ok"), HOST)
        again = await service.hear(setup.ran(delegated(setup), child=child, result="ok"), HOST)

        assert remarks.warning.startswith("[automode] Warning: what this sub-agent did")
        assert "it pushed a branch that nobody named" in remarks.warning
        assert again.warning == ""
        # It warns, and blocks nothing.
        assert said(await service.decide(setup.bash("ls"), HOST)) == ("allow", "read-only")

    review = model.prompts[-1]
    assert "look at the tests" in review.context
    assert '"make test"' in review.context


async def test_a_fine_history_and_one_without_calls_are_passed_in_silence(setup: Setup) -> None:
    setup.model = ScriptedModel([CLEAR, CLEAR, FINE, CLEAR])
    async with setup.open() as service:
        await worked(setup, service, "make test")
        done = setup.ran(delegated(setup), child="s/a1", result="ok")
        assert await service.hear(done, HOST) == NO_REMARKS
        other = setup.ran(delegated(setup), child="s/nobody", result="ok")
        assert await service.hear(other, HOST) == NO_REMARKS


async def test_a_result_that_nobody_vouches_for_takes_no_review(setup: Setup) -> None:
    setup.model = ScriptedModel([CLEAR, CLEAR, BAD])
    done = setup.ran(delegated(setup), result="ok")
    async with setup.open() as service:
        await worked(setup, service, "make test")
        assert await service.hear(replace(done, doubted=True), HOST) == NO_REMARKS
        assert (await service.hear(done, HOST)).warning


async def test_the_result_of_another_tool_is_no_occasion(setup: Setup) -> None:
    setup.model = ScriptedModel([CLEAR, CLEAR, BAD])
    reading = setup.bash("ls", call="c5")
    async with setup.open() as service:
        await worked(setup, service, "make test")
        await service.decide(reading, HOST)
        assert await service.hear(setup.ran(reading), HOST) == NO_REMARKS
        assert (await service.hear(setup.ran(delegated(setup)), HOST)).warning


@pytest.mark.parametrize(("command", "said_so"), [("ls -la", False), ("make test", True)])
async def test_without_a_model_only_what_did_more_than_read_is_called_unreviewed(
    setup: Setup, command: str, said_so: bool
) -> None:
    async with setup.open() as service:
        await worked(setup, service, command)
        remarks = await service.hear(setup.ran(delegated(setup), child="s/a1"), HOST)

        assert remarks.warning.startswith("[automode] Unreviewed") is said_so
        assert bool(remarks.warning) is said_so


async def test_a_model_that_fails_leaves_it_unreviewed(setup: Setup) -> None:
    setup.model = ScriptedModel([CLEAR, CLEAR, "no idea"])
    async with setup.open() as service:
        await worked(setup, service, "make test")
        remarks = await service.hear(setup.ran(delegated(setup), child="s/a1"), HOST)
        assert remarks.warning.startswith("[automode] Unreviewed")


async def test_what_a_review_costs_is_kept_and_counts_for_the_family(setup: Setup) -> None:
    setup.model = ScriptedModel([CLEAR, CLEAR, FINE], name="anthropic/claude-haiku-4-5")
    async with setup.open() as service:
        await worked(setup, service, "make test")
        before = service.ledger.spent(str(KEY)).requests
        await service.hear(setup.ran(delegated(setup), child="s/a1"), HOST)

        rows = await service.store.run(lambda db: tables.usage_rows(db, sessions=[CHILD]))
        assert [row.stage for row in rows] == ["fast", "review"]
        assert rows[-1].parent == "s"
        assert service.ledger.spent(str(KEY)).requests == before + 1


async def test_past_the_budget_no_model_is_asked(setup: Setup) -> None:
    setup.settings = {"autoMode": {"budget": {"usdPerSession": 0.000001}}}
    setup.model = model = ScriptedModel([CLEAR, FINE], name="anthropic/claude-haiku-4-5")
    async with setup.open() as service:
        await worked(setup, service, "make test")
        remarks = await service.hear(setup.ran(delegated(setup), child="s/a1"), HOST)
        assert remarks.warning.startswith("[automode] Unreviewed")
        assert "budget" in remarks.warning

    assert model.unplayed == 1


async def test_nobody_is_reviewed_while_auto_mode_is_off(setup: Setup) -> None:
    setup.model = model = ScriptedModel([CLEAR, CLEAR, BAD])
    async with setup.open() as service:
        await worked(setup, service, "make test")
        await service.person.set_mode(KEY, Override.OFF)
        assert await service.hear(setup.ran(delegated(setup), child="s/a1"), HOST) == NO_REMARKS

    assert model.unplayed == 1
