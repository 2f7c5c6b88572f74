"""A host with two hooks for one thing says it twice: it is decided, recorded and heard once."""

import asyncio
from dataclasses import replace

from automode.core.decision import Verdict
from automode.core.transcript import Outcome, PriorCall
from automode.sessions.decision_service import DecisionService
from automode.sessions.live_session import Override
from tests.sessions.offices import HOST, KEY, Judging, Office, records, said, working


def test_the_same_call_proposed_twice_is_one_decision_and_one_record(office: Office) -> None:
    judge = Judging()
    office.layers = [judge]

    async def work(desk: DecisionService) -> None:
        for command in ("make it", "deny it"):
            call = office.bash(command, call=command)
            first, again = await desk.decide(call, HOST), await desk.decide(call, HOST)
            assert (again.decision, again.record) == (first.decision, first.record)

        assert [one.verdict for one in await records(desk)] == [Verdict.ALLOW, Verdict.DENY]
        assert len(judge.seen) == 2
        live = desk.registry.get(KEY)
        assert live is not None
        assert live.session.history.blocked == 1

    working(office, work)


def test_twins_that_come_at_once_are_one_record_too(office: Office) -> None:
    office.layers = [Judging(seconds=0.05)]
    call = office.bash("make it", call="c1")

    async def work(desk: DecisionService) -> None:
        rulings = await asyncio.gather(*(desk.decide(call, HOST) for _ in range(5)))

        assert {one.record for one in rulings} == {rulings[0].record}
        assert len(await records(desk)) == 1

    working(office, work)


def test_another_input_another_folder_or_no_id_is_another_call(office: Office) -> None:
    office.layers = [Judging()]
    (office.project / "part").mkdir(parents=True)
    call = office.bash("make it", call="c1")
    elsewhere = replace(call, speaker=office.speaker(cwd=str(office.project / "part")))
    nameless = office.bash("make it")

    async def work(desk: DecisionService) -> None:
        for one in (call, office.bash("deny it", call="c1"), elsewhere, nameless, nameless):
            await desk.decide(one, HOST)

        assert len(await records(desk)) == 5
        assert said(await desk.decide(office.bash("deny it", call="c1"), HOST))[0] == "deny"

    working(office, work)


def test_what_has_run_is_decided_anew(office: Office) -> None:
    office.layers = [Judging()]
    call = office.bash("make it", call="c1")

    async def work(desk: DecisionService) -> None:
        await desk.decide(call, HOST)
        await desk.hear(office.ran(call), HOST)
        await desk.decide(call, HOST)

        assert len(await records(desk)) == 2

    working(office, work)


def test_what_a_person_changed_meanwhile_counts(office: Office) -> None:
    office.layers = [Judging()]
    call = office.bash("deny it", call="c1")

    async def work(desk: DecisionService) -> None:
        denied = await desk.decide(call, HOST)
        assert denied.record is not None
        await desk.approve(denied.record)
        assert said(await desk.decide(call, HOST)) == ("allow", "approval")
        await desk.set_mode(KEY, Override.OFF)
        assert (await desk.decide(call, HOST)).decision is None
        await desk.set_mode(KEY, Override.ON)
        assert said(await desk.decide(call, HOST))[0] == "deny"

    working(office, work)


def test_a_prompt_that_is_told_twice_is_heard_once(office: Office) -> None:
    now = [1000.0]
    office.clock = lambda: now[0]
    judge = Judging()
    office.layers = [judge]

    async def work(desk: DecisionService) -> None:
        for text in ("do it", "do it", "and that", "do it"):
            await desk.hear(office.typed(text), HOST)
        now[0] += 60
        await desk.hear(office.typed("do it"), HOST)
        await desk.decide(office.bash("make it"), HOST)

        words = [getattr(one, "text", "") for one in judge.seen[-1].transcript.entries]
        assert words == ["do it", "and that", "do it", "do it"]

    working(office, work)


def test_a_call_that_is_told_twice_to_be_over_is_heard_once(office: Office) -> None:
    judge = Judging()
    office.layers = [judge]
    call = office.bash("make it", call="c1")
    rewritten = office.ran(call, input={"command": "make that"})

    async def work(desk: DecisionService) -> None:
        for _ in range(2):
            await desk.decide(call, HOST)
        heard = [await desk.hear(rewritten, HOST) for _ in range(2)]
        await desk.decide(office.bash("make more"), HOST)

        assert [bool(one.notice) for one in heard] == [True, False]
        calls = [one for one in judge.seen[-1].transcript.entries if isinstance(one, PriorCall)]
        assert [one.input["command"] for one in calls] == ["make it", "make that"]

    working(office, work)


def test_the_same_id_proposed_anew_ends_anew(office: Office) -> None:
    judge = Judging()
    office.layers = [judge]
    call = office.bash("make it", call="c1")

    async def work(desk: DecisionService) -> None:
        for _ in range(2):
            await desk.decide(call, HOST)
            await desk.hear(office.ran(call), HOST)
        await desk.decide(office.bash("make more"), HOST)

        calls = [one for one in judge.seen[-1].transcript.entries if isinstance(one, PriorCall)]
        assert [one.outcome for one in calls] == [Outcome.OK, Outcome.OK]

    working(office, work)
