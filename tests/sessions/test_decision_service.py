"""What the service decides for a session, in which mode, in which order, from which settings."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automode.agents.events import CallProposed, SessionEnded, SessionStarted
from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.core.transcript import PriorCall
from automode.llm.scripted import ScriptedModel
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from automode.sessions.status import is_halted
from tests.sessions.service_setup import (
    CLEAR,
    HOST,
    KEY,
    Judging,
    Setup,
    decision,
    records,
    said,
)


async def test_a_call_is_decided_recorded_and_answered(setup: Setup) -> None:
    async with setup.open() as service:
        ruling = await service.decide(setup.bash("ls -la", call="c1"), HOST)

        [record] = await records(service)
        assert said(ruling) == ("allow", "read-only")
        assert (record.id, record.session, record.account) == (ruling.record, KEY, "tester")
        assert (record.tool, record.action) == ("bash", "ls -la")
        assert record.input == '{"command":"ls -la"}'
        assert (record.root, record.cwd) == (str(setup.project), str(setup.project))
        assert (record.verdict, record.source) == (Verdict.ALLOW, "read-only")
        assert record.micros > 0


async def test_off_is_no_opinion_and_no_record_but_the_administrators_rules_hold(
    setup: Setup,
) -> None:
    setup.managed = {"permissions": {"deny": ["bash(git push*)"]}}
    setup.layers = [Judging()]
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        await service.person.set_mode(KEY, Override.OFF)
        free = await service.decide(setup.bash("make deny"), HOST)
        held = await service.decide(setup.bash("git push"), HOST)
        await service.person.set_mode(KEY, Override.ON)
        again = await service.decide(setup.bash("make deny"), HOST)

        assert (free.decision, free.record) == (None, None)
        assert said(held) == ("deny", "rules.deny")
        assert said(again) == ("deny", "classifier.deliberate")
        actions = [record.action for record in await records(service)]
        off, on = (f"automode {word} {KEY}" for word in ("off", "on"))
        assert actions == ["ls", off, "git push", on, "make deny"]
        # What ran while it was off is not forgotten.
        calls = [one.input["command"] for one in _calls(service)]
        assert calls == ["ls", "make deny", "git push", "make deny"]
    async with setup.open() as service:
        [state] = await service.person.sessions()
        assert (state.override, state.mode) == (Override.ON, "enforce")


def _calls(service: DecisionService, key: SessionKey = KEY) -> list[PriorCall]:
    live = service.registry.get(key)
    assert live is not None
    return [one for one in live.recorder.transcript.entries if isinstance(one, PriorCall)]


async def test_a_bad_call_while_off_is_the_hosts_affair(setup: Setup) -> None:
    setup.settings = {"autoMode": {"enabled": False}}
    async with setup.open() as service:
        assert (await service.decide(CallProposed(setup.ref(), "bash", {}), HOST)).decision is None


async def test_on_holds_for_a_session_where_the_settings_say_off(setup: Setup) -> None:
    setup.settings = {"autoMode": {"enabled": False}}
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref()), HOST)
        await service.person.set_mode(KEY, Override.ON)

        assert await setup.says("ls") == ("allow", "read-only")
        other = await service.decide(setup.bash("ls", session="other"), HOST)
        assert other.decision is None


async def test_shadow_records_and_enforces_nothing(setup: Setup) -> None:
    setup.settings = {"autoMode": {"mode": "shadow"}}
    setup.layers = [Judging()]
    async with setup.open() as service:
        rulings = [await service.decide(setup.bash("deny"), HOST) for _ in range(5)]

        assert {said(one) for one in rulings} == {("deny", "classifier.deliberate")}
        assert not any(decision(one).enforced for one in rulings)
        assert not any(record.enforced for record in await records(service))


async def test_reload_counts_at_once(setup: Setup) -> None:
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        setup.configure(permissions={"deny": ["bash(ls*)"]})
        service.reload()

        assert await setup.says("ls") == ("deny", "rules.deny")


async def test_a_cancelled_decision_leaves_nothing_behind_and_the_next_call_works(
    setup: Setup,
) -> None:
    judge = Judging(seconds=3600)
    setup.layers = [judge]
    async with setup.open() as service:
        task = asyncio.create_task(service.decide(setup.bash("make"), HOST))
        await judge.asked()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert await setup.says("ls") == ("allow", "read-only")
        assert [record.action for record in await records(service)] == ["ls"]


async def test_calls_of_one_session_keep_their_order_and_sessions_do_not_wait_for_each_other(
    setup: Setup,
) -> None:
    setup.layers = [Judging(seconds=0.02)]
    async with setup.open() as service:
        calls = [(number, session) for number in range(5) for session in ("a", "b", "c")]
        await asyncio.gather(
            *(service.decide(setup.bash(f"make {n}", session=s), HOST) for n, s in calls)
        )

        for session in ("a", "b", "c"):
            made = await records(service, SessionKey(HOST, session))
            assert [record.action for record in made] == [f"make {n}" for n in range(5)]
        everything = await records(service, None)
        assert [one.id for one in everything] == sorted(one.id for one in everything)
        assert [one.session.id for one in everything] != ["a"] * 5 + ["b"] * 5 + ["c"] * 5


async def test_the_status_tells_of_sessions_and_projects(setup: Setup) -> None:
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        status = service.status()

        [state] = status.sessions
        assert (state.key, state.mode, is_halted(state.history)) == (KEY, "enforce", False)
        assert state.history.checked == 1
        assert (status.decided, status.projects) == (1, (str(setup.project),))
        assert status.notices == ()


async def test_the_budget_of_a_session_survives_a_restart(setup: Setup) -> None:
    setup.settings = {"autoMode": {"budget": {"usdPerSession": 0.000001}}}
    setup.model = ScriptedModel([CLEAR] * 4, name="anthropic/claude-haiku-4-5")
    async with setup.open() as service:
        assert await setup.says("make") == ("allow", "classifier.fast")
    async with setup.open() as service:
        spent = await service.decide(setup.bash("make more"), HOST)
        below = await service.decide(setup.bash("make sub", session="sub", parent="s"), HOST)
        other = await service.decide(setup.bash("make", session="other"), HOST)

        assert said(spent) == ("ask", "classifier.fast")
        assert "budget" in decision(spent).reason
        assert said(below) == ("ask", "classifier.fast")
        assert said(other) == ("allow", "classifier.fast")


async def test_memory_does_not_grow_with_the_number_of_decisions(setup: Setup) -> None:
    setup.layers = [Judging()]
    async with setup.open() as service:
        for number in range(1500):
            await service.decide(setup.bash("deny", call=f"c{number}"), HOST)

        live = setup.live()
        assert len(live.recorder.transcript.entries) <= 1024
        assert len(live.session.history.denials) <= 12
        assert len(live.standing.asked) <= 32
        assert len(service.builder._written) <= 512


async def test_an_ended_session_goes_on_when_it_is_taken_up_again(setup: Setup) -> None:
    async with setup.open() as service:
        await service.hear(SessionStarted(setup.ref()), HOST)
        await service.hear(SessionEnded(setup.ref()), HOST)
        [ended] = await service.person.sessions()
        await service.decide(setup.bash("ls"), HOST)
        [again] = await service.person.sessions()

        assert ended.row.ended is not None
        assert again.row.ended is None


async def test_the_end_of_a_session_tells_that_the_embedded_judge_stood_in(setup: Setup) -> None:
    """Also after a restart: it is worked out from the records."""
    setup.configure(autoMode={"onClassifierFailure": "local", "classifierModel": "own/m"})
    setup.model = ScriptedModel()  # it has no answer
    async with setup.open() as service:
        ruling = await service.decide(setup.bash("npm test"), HOST)
    async with setup.open() as service:
        told = await service.hear(SessionEnded(setup.ref()), HOST)
        notices = service.status().notices

    assert said(ruling)[1] == "classifier.stand-in"
    assert (
        "the embedded judge decided 1 call in place of the model, which still fails" in told.notice
    )
    assert any("in place of the model" in one for one in notices)


steps = st.lists(
    st.tuples(st.sampled_from(["s", "t"]), st.sampled_from([HOST, "other"]), st.integers(0, 3)),
    max_size=14,
)


COMMANDS = ["ls", "make deny", "git status && make deny", "make fine"]


@settings(max_examples=15)
@given(steps)
def test_no_session_feels_another(taken: list[tuple[str, str, int]]) -> None:
    """Whatever happens beside it, a session's decisions are those it would get alone."""

    async def answers(which: list[tuple[str, str, int]], folder: str) -> list[tuple[str, str]]:
        setup = Setup(Path(folder), layers=[Judging()])
        async with setup.open() as service:
            return [
                said(await service.decide(setup.bash(COMMANDS[number], session=session), host))
                for session, host, number in which
            ]

    with TemporaryDirectory() as together, TemporaryDirectory() as alone:
        all_of_them = asyncio.run(answers(taken, together))
        for who in {(session, host) for session, host, _ in taken}:
            own = [step for step in taken if step[:2] == who]
            expected = [
                answer for step, answer in zip(taken, all_of_them, strict=True) if step[:2] == who
            ]
            folder = Path(alone) / f"{who[0]}-{who[1]}"
            folder.mkdir()
            assert asyncio.run(answers(own, str(folder))) == expected
