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
from tests.sessions.offices import CLEAR, HOST, KEY, Office, said, working

FINE = json.dumps({"suspect": False, "reason": "ordinary work"})
BAD = json.dumps({"suspect": True, "reason": "it pushed a branch that nobody named."})
CHILD = SessionKey(HOST, "s/a1")
TASK = {"prompt": "look at the tests"}


def delegated(office: Office) -> CallProposed:
    return CallProposed(office.speaker(), "Task", TASK, "c1")


async def worked(office: Office, desk: DecisionService, *commands: str) -> None:
    """A sub-agent is started and works."""
    await desk.decide(delegated(office), HOST)
    await desk.hear(SessionStarted(office.speaker("s/a1", parent="s")), HOST)
    for number, command in enumerate(commands):
        call = office.bash(command, session="s/a1", parent="s", call=f"a{number}")
        await desk.decide(call, HOST)
        await desk.hear(office.ran(call), HOST)
    await desk.hear(SessionEnded(office.speaker("s/a1", parent="s")), HOST)


@pytest.mark.parametrize("child", ["s/a1", ""])
def test_a_suspect_history_is_warned_of_in_front_of_the_result(office: Office, child: str) -> None:
    office.model = model = ScriptedModel([CLEAR, CLEAR, BAD])

    async def work(desk: DecisionService) -> None:
        await worked(office, desk, "make test")
        remarks = await desk.hear(office.ran(delegated(office), child=child, result="ok"), HOST)
        again = await desk.hear(office.ran(delegated(office), child=child, result="ok"), HOST)

        assert remarks.warning.startswith("[automode] Warning: what this sub-agent did")
        assert "it pushed a branch that nobody named" in remarks.warning
        assert again.warning == ""
        # It warns, and blocks nothing.
        assert said(await desk.decide(office.bash("ls"), HOST)) == ("allow", "read-only")

    working(office, work)

    review = model.prompts[-1]
    assert "look at the tests" in review.context
    assert '"make test"' in review.context


def test_a_fine_history_and_one_without_calls_are_passed_in_silence(office: Office) -> None:
    office.model = ScriptedModel([CLEAR, CLEAR, FINE, CLEAR])

    async def work(desk: DecisionService) -> None:
        await worked(office, desk, "make test")
        done = office.ran(delegated(office), child="s/a1", result="ok")
        assert await desk.hear(done, HOST) == NO_REMARKS
        other = office.ran(delegated(office), child="s/nobody", result="ok")
        assert await desk.hear(other, HOST) == NO_REMARKS

    working(office, work)


def test_a_result_that_nobody_vouches_for_takes_no_review(office: Office) -> None:
    office.model = ScriptedModel([CLEAR, CLEAR, BAD])
    done = office.ran(delegated(office), result="ok")

    async def work(desk: DecisionService) -> None:
        await worked(office, desk, "make test")
        assert await desk.hear(replace(done, doubted=True), HOST) == NO_REMARKS
        assert (await desk.hear(done, HOST)).warning

    working(office, work)


def test_the_result_of_another_tool_is_no_occasion(office: Office) -> None:
    office.model = ScriptedModel([CLEAR, CLEAR, BAD])
    reading = office.bash("ls", call="c5")

    async def work(desk: DecisionService) -> None:
        await worked(office, desk, "make test")
        await desk.decide(reading, HOST)
        assert await desk.hear(office.ran(reading), HOST) == NO_REMARKS
        assert (await desk.hear(office.ran(delegated(office)), HOST)).warning

    working(office, work)


@pytest.mark.parametrize(("command", "said_so"), [("ls -la", False), ("make test", True)])
def test_without_a_model_only_what_did_more_than_read_is_called_unreviewed(
    office: Office, command: str, said_so: bool
) -> None:
    async def work(desk: DecisionService) -> None:
        await worked(office, desk, command)
        remarks = await desk.hear(office.ran(delegated(office), child="s/a1"), HOST)

        assert remarks.warning.startswith("[automode] Unreviewed") is said_so
        assert bool(remarks.warning) is said_so

    working(office, work)


def test_a_model_that_fails_leaves_it_unreviewed(office: Office) -> None:
    office.model = ScriptedModel([CLEAR, CLEAR, "no idea"])

    async def work(desk: DecisionService) -> None:
        await worked(office, desk, "make test")
        remarks = await desk.hear(office.ran(delegated(office), child="s/a1"), HOST)
        assert remarks.warning.startswith("[automode] Unreviewed")

    working(office, work)


def test_what_a_review_costs_is_kept_and_counts_for_the_family(office: Office) -> None:
    office.model = ScriptedModel([CLEAR, CLEAR, FINE], name="anthropic/claude-haiku-4-5")

    async def work(desk: DecisionService) -> None:
        await worked(office, desk, "make test")
        before = desk.ledger.spent(str(KEY)).requests
        await desk.hear(office.ran(delegated(office), child="s/a1"), HOST)

        rows = await desk.keeper.run(lambda db: tables.usage_rows(db, sessions=[CHILD]))
        assert [row.stage for row in rows] == ["fast", "review"]
        assert rows[-1].parent == "s"
        assert desk.ledger.spent(str(KEY)).requests == before + 1

    working(office, work)


def test_past_the_budget_no_model_is_asked(office: Office) -> None:
    office.settings = {"autoMode": {"budget": {"usdPerSession": 0.000001}}}
    office.model = model = ScriptedModel([CLEAR, FINE], name="anthropic/claude-haiku-4-5")

    async def work(desk: DecisionService) -> None:
        await worked(office, desk, "make test")
        remarks = await desk.hear(office.ran(delegated(office), child="s/a1"), HOST)
        assert remarks.warning.startswith("[automode] Unreviewed")
        assert "budget" in remarks.warning

    working(office, work)

    assert model.unplayed == 1


def test_nobody_is_reviewed_while_auto_mode_is_off(office: Office) -> None:
    office.model = model = ScriptedModel([CLEAR, CLEAR, BAD])

    async def work(desk: DecisionService) -> None:
        await worked(office, desk, "make test")
        await desk.set_mode(KEY, Override.OFF)
        assert await desk.hear(office.ran(delegated(office), child="s/a1"), HOST) == NO_REMARKS

    working(office, work)

    assert model.unplayed == 1
