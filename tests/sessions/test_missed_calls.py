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
from tests.sessions.service_setup import HOST, KEY, Setup, decision, records, said, working

CLAUDE = "claude-code"
ALLOWED = ("allow", "read-only")


def turn(setup: Setup, *calls: str, session: str = "s") -> TurnEnded:
    return TurnEnded(setup.speaker(session), "done", calls)


def test_calls_of_a_turn_that_never_were_proposed_are_told_of_once(
    setup: Setup, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(service: DecisionService) -> None:
        await service.decide(setup.bash("ls", call="c1"), HOST)
        with caplog.at_level(logging.WARNING):
            remarks = await service.hear(turn(setup, "c1", "c2", "c3"), HOST)
        again = await service.hear(turn(setup, "c1", "c2", "c3"), HOST)
        more = await service.hear(turn(setup, "c4"), HOST)

        assert "gate silent: 2 calls of this turn never reached automode" in remarks.notice
        assert "automode doctor" in remarks.notice
        assert again == NO_REMARKS
        assert "gate silent: 1 call of this turn" in more.notice
        [notice] = service.status().notices
        assert notice.startswith(f"{KEY}: gate silent: 3 calls")

    working(setup, work)

    assert "gate silent" in caplog.text


def test_a_turn_without_calls_and_one_that_nobody_tells_about_are_fine(setup: Setup) -> None:
    async def work(service: DecisionService) -> None:
        assert await service.hear(turn(setup), HOST) == NO_REMARKS
        assert await service.hear(TurnEnded(setup.speaker(), "done"), HOST) == NO_REMARKS
        assert service.status().notices == ()

    working(setup, work)


def test_calls_of_sub_agents_and_of_before_a_restart_are_known(setup: Setup) -> None:
    async def first(service: DecisionService) -> None:
        await service.decide(setup.bash("ls", call="c1"), HOST)
        await service.decide(setup.bash("ls", call="c2", session="sub", parent="s"), HOST)
        assert await service.hear(turn(setup, "c1", "c2"), HOST) == NO_REMARKS

    async def restarted(service: DecisionService) -> None:
        assert await service.hear(turn(setup, "c1"), HOST) == NO_REMARKS

    working(setup, first, restarted)


@pytest.mark.parametrize("call", ["c1", ""])
def test_a_call_that_ran_unproposed_counts_the_same(setup: Setup, call: str) -> None:
    event = setup.bash("make", call=call)

    async def work(service: DecisionService) -> None:
        remarks = await service.hear(setup.ran(event), HOST)
        again = await service.hear(setup.ran(event), HOST)

        assert "gate silent" in remarks.notice
        assert again == NO_REMARKS
        assert any("gate silent: 1 call" in one for one in service.status().notices)
        if call:
            assert await service.hear(turn(setup, call), HOST) == NO_REMARKS

    working(setup, work)


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.ERROR, Outcome.REJECTED, Outcome.DENIED])
def test_a_call_that_was_proposed_or_never_ran_is_fine(setup: Setup, outcome: Outcome) -> None:
    event = setup.bash("ls", call="c1")

    async def work(service: DecisionService) -> None:
        await service.decide(event, HOST)
        assert await service.hear(setup.ran(event, outcome), HOST) == NO_REMARKS
        if outcome in (Outcome.REJECTED, Outcome.DENIED):
            other = setup.ran(setup.bash("ls", call="c9"), outcome)
            assert await service.hear(other, HOST) == NO_REMARKS

    working(setup, work)


@pytest.mark.parametrize("attended", [True, False])
def test_a_call_that_nobody_proposed_ends_the_turn_and_all_others_are_asked(
    setup: Setup, attended: bool
) -> None:
    asked = ("ask" if attended else "deny", "gate.gate-silent")
    setup.settings = {"autoMode": {"escalation": {"consecutive": 20}}}

    async def work(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker(attended=attended)), HOST)
        assert said(await service.decide(setup.bash("ls", call="c0"), HOST)) == ALLOWED
        remarks = await service.hear(setup.ran(setup.bash("make", call="c1")), HOST)

        assert "gate silent: 1 call never reached automode" in remarks.refusal
        for command in ("ls", "touch x"):
            assert said(await service.decide(setup.bash(command), HOST)) == asked
        below = setup.bash("ls", session="sub", parent="s")
        assert said(await service.decide(below, HOST)) == asked
        other = setup.bash("ls", session="other")
        assert said(await service.decide(other, HOST)) == ALLOWED
        [record] = [one for one in await records(service) if one.tool == "automode"]
        assert (record.source, record.verdict) == ("gate.gate-silent", Verdict.ASK)

    async def restarted(service: DecisionService) -> None:
        assert said(await service.decide(setup.bash("ls"), HOST)) == asked
        await service.person.reset(KEY)
        assert said(await service.decide(setup.bash("ls"), HOST)) == ALLOWED

    working(setup, work, restarted)


def test_a_call_of_a_sub_agent_that_nobody_proposed_holds_above_it_too(setup: Setup) -> None:
    below = setup.bash("make", call="c1", session="sub", parent="s")

    async def work(service: DecisionService) -> None:
        await service.decide(setup.bash("ls", call="c0"), HOST)
        assert (await service.hear(setup.ran(below), HOST)).refusal
        ruling = await service.decide(setup.bash("ls"), HOST)
        assert said(ruling) == ("ask", "gate.gate-silent")

    working(setup, work)


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.ERROR, Outcome.DENIED])
def test_a_denied_call_that_ran_all_the_same_is_told_of(setup: Setup, outcome: Outcome) -> None:
    event = setup.bash("rm -rf /", call="c1")
    ran = outcome is Outcome.OK

    async def work(service: DecisionService) -> None:
        assert decision(await service.decide(event, HOST)).verdict is Verdict.DENY
        remarks = await service.hear(setup.ran(event, outcome), HOST)

        assert ("a denied call ran" in remarks.refusal) is ran
        assert ("a call ran that automode denied" in remarks.notice) is ran
        after = said(await service.decide(setup.bash("ls"), HOST))
        assert after == (("ask", "gate.gate-silent") if ran else ALLOWED)

    working(setup, work)


def test_in_shadow_mode_it_is_only_told(setup: Setup) -> None:
    setup.settings = {"autoMode": {"mode": "shadow"}}

    async def work(service: DecisionService) -> None:
        remarks = await service.hear(setup.ran(setup.bash("make", call="c1")), HOST)

        assert "gate silent" in remarks.notice
        assert remarks.refusal == ""

    working(setup, work)


def test_a_call_of_that_id_in_another_session_hides_nothing(setup: Setup) -> None:
    async def work(service: DecisionService) -> None:
        await service.decide(setup.bash("ls", call="c1", session="other"), HOST)
        await service.decide(setup.bash("ls", call="c2", session="deep", parent="sub"), HOST)
        await service.decide(setup.bash("ls", call="c3", session="sub", parent="s"), HOST)
        remarks = await service.hear(turn(setup, "c1", "c2", "c3"), HOST)

        assert "gate silent: 1 call of this turn" in remarks.notice

    working(setup, work)


def test_while_auto_mode_is_off_nothing_is_missed(setup: Setup) -> None:
    async def work(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker()), HOST)
        await service.person.set_mode(KEY, Override.OFF)
        assert await service.hear(turn(setup, "c1"), HOST) == NO_REMARKS
        assert await service.hear(setup.ran(setup.bash("ls", call="c2")), HOST) == NO_REMARKS

    working(setup, work)


def test_a_call_that_a_hook_decided_alone_was_not_silent(setup: Setup) -> None:
    event = setup.bash("ls", call="c1")

    async def work(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker()), HOST)
        writer = service.store
        assert isinstance(writer, Writer)
        alone = setup.service(writer)
        assert decision(await alone.decide(event, HOST)).verdict is Verdict.ALLOW

        assert await service.hear(setup.ran(event), HOST) == NO_REMARKS
        assert await service.hear(turn(setup, "c1"), HOST) == NO_REMARKS
        # Nor is it forgotten, or written over.
        live = service.registry.get(KEY)
        assert live is not None
        known = (PriorCall("bash", {"command": "ls"}, Outcome.OK),)
        assert live.recorder.transcript.entries == known

    async def restarted(service: DecisionService) -> None:
        await service.hear(turn(setup, "c1"), HOST)
        live = service.registry.get(KEY)
        assert live is not None
        assert len(live.recorder.transcript.entries) == 1

    working(setup, work, restarted)


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
    setup: Setup, calls: tuple[str, ...], missed: int
) -> None:
    ended = TurnEnded(setup.speaker(record=record(setup.home, *calls)), "done")

    async def work(service: DecisionService) -> None:
        await service.decide(setup.bash("ls", call="c1"), CLAUDE)
        remarks = await service.hear(ended, CLAUDE)

        told = f"{missed} calls of this turn"
        assert (told in remarks.notice) if missed else (remarks == NO_REMARKS)

    working(setup, work)
