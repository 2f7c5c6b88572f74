"""A host with two hooks for one thing says it twice: it is decided, recorded and heard once."""

import asyncio
from dataclasses import replace

from automode.core.decision import Verdict
from automode.core.transcript import Outcome, PriorCall
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from tests.sessions.service_setup import HOST, KEY, Judging, Setup, records, said, working


def test_the_same_call_proposed_twice_is_one_decision_and_one_record(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]

    async def work(service: DecisionService) -> None:
        for command in ("make it", "deny it"):
            call = setup.bash(command, call=command)
            first, again = await service.decide(call, HOST), await service.decide(call, HOST)
            assert (again.decision, again.record) == (first.decision, first.record)

        assert [one.verdict for one in await records(service)] == [Verdict.ALLOW, Verdict.DENY]
        assert len(judge.seen) == 2
        live = service.registry.get(KEY)
        assert live is not None
        assert live.session.history.blocked == 1

    working(setup, work)


def test_twins_that_come_at_once_are_one_record_too(setup: Setup) -> None:
    setup.layers = [Judging(seconds=0.05)]
    call = setup.bash("make it", call="c1")

    async def work(service: DecisionService) -> None:
        rulings = await asyncio.gather(*(service.decide(call, HOST) for _ in range(5)))

        assert {one.record for one in rulings} == {rulings[0].record}
        assert len(await records(service)) == 1

    working(setup, work)


def test_another_input_another_folder_or_no_id_is_another_call(setup: Setup) -> None:
    setup.layers = [Judging()]
    (setup.project / "part").mkdir(parents=True)
    call = setup.bash("make it", call="c1")
    elsewhere = replace(call, speaker=setup.speaker(cwd=str(setup.project / "part")))
    nameless = setup.bash("make it")

    async def work(service: DecisionService) -> None:
        for one in (call, setup.bash("deny it", call="c1"), elsewhere, nameless, nameless):
            await service.decide(one, HOST)

        assert len(await records(service)) == 5
        assert said(await service.decide(setup.bash("deny it", call="c1"), HOST))[0] == "deny"

    working(setup, work)


def test_what_has_run_is_decided_anew(setup: Setup) -> None:
    setup.layers = [Judging()]
    call = setup.bash("make it", call="c1")

    async def work(service: DecisionService) -> None:
        await service.decide(call, HOST)
        await service.hear(setup.ran(call), HOST)
        await service.decide(call, HOST)

        assert len(await records(service)) == 2

    working(setup, work)


def test_what_a_person_changed_meanwhile_counts(setup: Setup) -> None:
    setup.layers = [Judging()]
    call = setup.bash("deny it", call="c1")

    async def work(service: DecisionService) -> None:
        denied = await service.decide(call, HOST)
        assert denied.record is not None
        await service.person.approve(denied.record)
        assert said(await service.decide(call, HOST)) == ("allow", "approval")
        await service.person.set_mode(KEY, Override.OFF)
        assert (await service.decide(call, HOST)).decision is None
        await service.person.set_mode(KEY, Override.ON)
        assert said(await service.decide(call, HOST))[0] == "deny"

    working(setup, work)


def test_a_prompt_that_is_told_twice_is_heard_once(setup: Setup) -> None:
    now = [1000.0]
    setup.clock = lambda: now[0]
    judge = Judging()
    setup.layers = [judge]

    async def work(service: DecisionService) -> None:
        for text in ("do it", "do it", "and that", "do it"):
            await service.hear(setup.typed(text), HOST)
        now[0] += 60
        await service.hear(setup.typed("do it"), HOST)
        await service.decide(setup.bash("make it"), HOST)

        words = [getattr(one, "text", "") for one in judge.seen[-1].transcript.entries]
        assert words == ["do it", "and that", "do it", "do it"]

    working(setup, work)


def test_a_call_that_is_told_twice_to_be_over_is_heard_once(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    call = setup.bash("make it", call="c1")
    rewritten = setup.ran(call, input={"command": "make that"})

    async def work(service: DecisionService) -> None:
        for _ in range(2):
            await service.decide(call, HOST)
        heard = [await service.hear(rewritten, HOST) for _ in range(2)]
        await service.decide(setup.bash("make more"), HOST)

        assert [bool(one.notice) for one in heard] == [True, False]
        calls = [one for one in judge.seen[-1].transcript.entries if isinstance(one, PriorCall)]
        assert [one.input["command"] for one in calls] == ["make it", "make that"]

    working(setup, work)


def test_the_same_id_proposed_anew_ends_anew(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    call = setup.bash("make it", call="c1")

    async def work(service: DecisionService) -> None:
        for _ in range(2):
            await service.decide(call, HOST)
            await service.hear(setup.ran(call), HOST)
        await service.decide(setup.bash("make more"), HOST)

        calls = [one for one in judge.seen[-1].transcript.entries if isinstance(one, PriorCall)]
        assert [one.outcome for one in calls] == [Outcome.OK, Outcome.OK]

    working(setup, work)
