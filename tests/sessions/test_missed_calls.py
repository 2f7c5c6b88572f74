"""Gate silent: calls that ran and never were proposed are told of, once; others never."""

import json
import logging
from pathlib import Path

import pytest

from automode.agents.events import NO_REMARKS, SessionStarted, TurnEnded
from automode.core.decision import Verdict
from automode.core.transcript import Outcome, PriorCall
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from automode.store.writer import Writer
from tests.sessions.offices import HOST, KEY, Office, decision, records, said, working

CLAUDE = "claude-code"
ALLOWED = ("allow", "read-only")


def turn(office: Office, *calls: str, session: str = "s") -> TurnEnded:
    return TurnEnded(office.speaker(session), "done", calls)


def test_calls_of_a_turn_that_never_were_proposed_are_told_of_once(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls", call="c1"), HOST)
        with caplog.at_level(logging.WARNING):
            remarks = await desk.hear(turn(office, "c1", "c2", "c3"), HOST)
        again = await desk.hear(turn(office, "c1", "c2", "c3"), HOST)
        more = await desk.hear(turn(office, "c4"), HOST)

        assert "gate silent: 2 calls of this turn never reached automode" in remarks.notice
        assert "automode doctor" in remarks.notice
        assert again == NO_REMARKS
        assert "gate silent: 1 call of this turn" in more.notice
        [notice] = desk.status().notices
        assert notice.startswith(f"{KEY}: gate silent: 3 calls")

    working(office, work)

    assert "gate silent" in caplog.text


def test_a_turn_without_calls_and_one_that_nobody_tells_about_are_fine(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        assert await desk.hear(turn(office), HOST) == NO_REMARKS
        assert await desk.hear(TurnEnded(office.speaker(), "done"), HOST) == NO_REMARKS
        assert desk.status().notices == ()

    working(office, work)


def test_calls_of_sub_agents_and_of_before_a_restart_are_known(office: Office) -> None:
    async def first(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls", call="c1"), HOST)
        await desk.decide(office.bash("ls", call="c2", session="sub", parent="s"), HOST)
        assert await desk.hear(turn(office, "c1", "c2"), HOST) == NO_REMARKS

    async def restarted(desk: DecisionService) -> None:
        assert await desk.hear(turn(office, "c1"), HOST) == NO_REMARKS

    working(office, first, restarted)


@pytest.mark.parametrize("call", ["c1", ""])
def test_a_call_that_ran_unproposed_counts_the_same(office: Office, call: str) -> None:
    event = office.bash("make", call=call)

    async def work(desk: DecisionService) -> None:
        remarks = await desk.hear(office.ran(event), HOST)
        again = await desk.hear(office.ran(event), HOST)

        assert "gate silent" in remarks.notice
        assert again == NO_REMARKS
        assert any("gate silent: 1 call" in one for one in desk.status().notices)
        if call:
            assert await desk.hear(turn(office, call), HOST) == NO_REMARKS

    working(office, work)


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.ERROR, Outcome.REJECTED, Outcome.DENIED])
def test_a_call_that_was_proposed_or_never_ran_is_fine(office: Office, outcome: Outcome) -> None:
    event = office.bash("ls", call="c1")

    async def work(desk: DecisionService) -> None:
        await desk.decide(event, HOST)
        assert await desk.hear(office.ran(event, outcome), HOST) == NO_REMARKS
        if outcome in (Outcome.REJECTED, Outcome.DENIED):
            other = office.ran(office.bash("ls", call="c9"), outcome)
            assert await desk.hear(other, HOST) == NO_REMARKS

    working(office, work)


@pytest.mark.parametrize("attended", [True, False])
def test_a_call_that_nobody_proposed_ends_the_turn_and_all_others_are_asked(
    office: Office, attended: bool
) -> None:
    asked = ("ask" if attended else "deny", "gate.gate-silent")
    office.settings = {"autoMode": {"escalation": {"consecutive": 20}}}

    async def work(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker(attended=attended)), HOST)
        assert said(await desk.decide(office.bash("ls", call="c0"), HOST)) == ALLOWED
        remarks = await desk.hear(office.ran(office.bash("make", call="c1")), HOST)

        assert "gate silent: 1 call never reached automode" in remarks.refusal
        for command in ("ls", "touch x"):
            assert said(await desk.decide(office.bash(command), HOST)) == asked
        below = office.bash("ls", session="sub", parent="s")
        assert said(await desk.decide(below, HOST)) == asked
        other = office.bash("ls", session="other")
        assert said(await desk.decide(other, HOST)) == ALLOWED
        [record] = [one for one in await records(desk) if one.tool == "automode"]
        assert (record.source, record.verdict) == ("gate.gate-silent", Verdict.ASK)

    async def restarted(desk: DecisionService) -> None:
        assert said(await desk.decide(office.bash("ls"), HOST)) == asked
        await desk.reset(KEY)
        assert said(await desk.decide(office.bash("ls"), HOST)) == ALLOWED

    working(office, work, restarted)


def test_a_call_of_a_sub_agent_that_nobody_proposed_holds_above_it_too(office: Office) -> None:
    below = office.bash("make", call="c1", session="sub", parent="s")

    async def work(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls", call="c0"), HOST)
        assert (await desk.hear(office.ran(below), HOST)).refusal
        ruling = await desk.decide(office.bash("ls"), HOST)
        assert said(ruling) == ("ask", "gate.gate-silent")

    working(office, work)


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.ERROR, Outcome.DENIED])
def test_a_denied_call_that_ran_all_the_same_is_told_of(office: Office, outcome: Outcome) -> None:
    event = office.bash("rm -rf /", call="c1")
    ran = outcome is Outcome.OK

    async def work(desk: DecisionService) -> None:
        assert decision(await desk.decide(event, HOST)).verdict is Verdict.DENY
        remarks = await desk.hear(office.ran(event, outcome), HOST)

        assert ("a denied call ran" in remarks.refusal) is ran
        assert ("a call ran that automode denied" in remarks.notice) is ran
        after = said(await desk.decide(office.bash("ls"), HOST))
        assert after == (("ask", "gate.gate-silent") if ran else ALLOWED)

    working(office, work)


def test_in_shadow_mode_it_is_only_told(office: Office) -> None:
    office.settings = {"autoMode": {"mode": "shadow"}}

    async def work(desk: DecisionService) -> None:
        remarks = await desk.hear(office.ran(office.bash("make", call="c1")), HOST)

        assert "gate silent" in remarks.notice
        assert remarks.refusal == ""

    working(office, work)


def test_a_call_of_that_id_in_another_session_hides_nothing(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls", call="c1", session="other"), HOST)
        await desk.decide(office.bash("ls", call="c2", session="deep", parent="sub"), HOST)
        await desk.decide(office.bash("ls", call="c3", session="sub", parent="s"), HOST)
        remarks = await desk.hear(turn(office, "c1", "c2", "c3"), HOST)

        assert "gate silent: 1 call of this turn" in remarks.notice

    working(office, work)


def test_while_auto_mode_is_off_nothing_is_missed(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker()), HOST)
        await desk.set_mode(KEY, Override.OFF)
        assert await desk.hear(turn(office, "c1"), HOST) == NO_REMARKS
        assert await desk.hear(office.ran(office.bash("ls", call="c2")), HOST) == NO_REMARKS

    working(office, work)


def test_a_call_that_a_hook_decided_alone_was_not_silent(office: Office) -> None:
    event = office.bash("ls", call="c1")

    async def work(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker()), HOST)
        writer = desk.keeper
        assert isinstance(writer, Writer)
        alone = office.desk(writer)
        assert decision(await alone.decide(event, HOST)).verdict is Verdict.ALLOW

        assert await desk.hear(office.ran(event), HOST) == NO_REMARKS
        assert await desk.hear(turn(office, "c1"), HOST) == NO_REMARKS
        # Nor is it forgotten, or written over.
        live = desk.registry.get(KEY)
        assert live is not None
        known = (PriorCall("bash", {"command": "ls"}, Outcome.OK),)
        assert live.recorder.transcript.entries == known

    async def restarted(desk: DecisionService) -> None:
        await desk.hear(turn(office, "c1"), HOST)
        live = desk.registry.get(KEY)
        assert live is not None
        assert len(live.recorder.transcript.entries) == 1

    working(office, work, restarted)


def record(folder: Path, *calls: str) -> str:
    """As Claude Code keeps it: a prompt, and calls with their results."""
    path = folder / "projects" / "p" / "s.jsonl"
    path.parent.mkdir(parents=True)
    rows: list[dict[str, object]] = [{"type": "user", "message": {"content": "go on"}}]
    for call in calls:
        used = {"type": "tool_use", "id": call, "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": call, "content": "x"}
        rows.append({"type": "assistant", "message": {"content": [used]}})
        rows.append({"type": "user", "message": {"content": [result]}})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    path.chmod(0o600)
    return str(path)


@pytest.mark.parametrize(("calls", "missed"), [((), 0), (("c1",), 0), (("c1", "c2", "c3"), 2)])
def test_the_record_of_claude_code_tells_where_its_hooks_do_not(
    office: Office, calls: tuple[str, ...], missed: int
) -> None:
    ended = TurnEnded(office.speaker(record=record(office.home, *calls)), "done")

    async def work(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls", call="c1"), CLAUDE)
        remarks = await desk.hear(ended, CLAUDE)

        told = f"{missed} calls of this turn"
        assert (told in remarks.notice) if missed else (remarks == NO_REMARKS)

    working(office, work)
