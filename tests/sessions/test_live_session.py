"""What is remembered of decided calls: exactly the same call, the newest word, and not for ever."""

import asyncio
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Decision, Verdict, allow, ask, deny
from automode.core.session import Session
from automode.core.transcript import Outcome, PriorCall
from automode.gate.layer import Answer, Trail
from automode.programs.call_facts import CallFacts
from automode.sessions.live_session import (
    MOST_PROPOSED,
    MOST_RULED,
    TWIN_SECONDS,
    Override,
    Ruled,
    Rulings,
    binding,
)
from tests.rows import each_row
from tests.sessions.service_setup import HOST, KEY, Judging, Setup, records, said

YES = allow("read-only", "fine")
NO = deny("rules.deny", "no")
PERHAPS = ask("rules.ask", "who knows")

BINDING = {
    "an allow": (YES, YES),
    "a denial": (NO, NO),
    "a question is for the person": (PERHAPS, None),
    "off": (None, None),
    "shadow": (Decision(Verdict.DENY, "rules.deny", "no", enforced=False), None),
}


@each_row("decision, expected", BINDING.values())
def test_only_what_needs_no_person_binds_the_host(
    decision: Decision | None, expected: Decision | None
) -> None:
    assert binding(decision) == expected


TWINS = {
    # id, tool and input, folder, seconds later → whether it is the same call once more
    "the same": ("c1", "own", "/p", 0.0, True),
    "a little later": ("c1", "own", "/p", TWIN_SECONDS, True),
    "much later": ("c1", "own", "/p", TWIN_SECONDS + 1, False),
    "before it, by a clock that was set back": ("c1", "own", "/p", -1.0, False),
    "another input": ("c1", "other", "/p", 0.0, False),
    "another id": ("c2", "own", "/p", 0.0, False),
    "no id": ("", "own", "/p", 0.0, False),
    "another folder": ("c1", "own", "/q", 0.0, False),
}


@each_row("call, own, cwd, later, same", TWINS.values())
def test_a_twin_has_the_same_id_input_and_folder_and_comes_soon(
    call: str, own: str, cwd: str, later: float, same: bool
) -> None:
    rulings = Rulings()
    rulings.note("c1", Ruled("own", YES, "r1", "/p", 100.0))

    assert (rulings.twin(call, own, cwd, 100.0 + later) is not None) is same


def test_of_a_long_session_the_newest_calls_are_known() -> None:
    rulings = Rulings()
    calls = [f"toolu_{number}" for number in range(MOST_PROPOSED + 100)]
    for call in calls:
        rulings.note_proposed(call)

    assert rulings.unknown(calls) == calls[:100]
    assert rulings.unknown(["never"]) == ["never"]


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), max_size=300))
def test_memory_is_bounded_and_never_answers_for_another_call(
    calls: list[tuple[str, str]],
) -> None:
    rulings = Rulings()
    for call, own in calls:
        rulings.note(call or own, Ruled(own, NO))

    assert len(rulings._ruled) <= MOST_RULED
    assert len(rulings._proposed) <= MOST_PROPOSED
    known = {own for _, own in calls}
    others = [(call, f"{own}!") for call, own in calls if f"{own}!" not in known]
    assert all(rulings.of(call, other) is None for call, other in others)


def test_what_nobody_vouches_for_does_not_hide_what_somebody_does() -> None:
    rulings = Rulings()
    first, again = (rulings.ended_before("c1", doubted=True) for _ in range(2))
    vouched, doubted, later = (
        rulings.ended_before("c1", doubted=one) for one in (False, True, False)
    )

    assert (first, again) == (False, True)
    assert (vouched, doubted, later) == (False, True, True)
    assert rulings.over("c1")
    assert not rulings.over("")


async def test_the_same_call_proposed_twice_is_one_decision_and_one_record(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    async with setup.open() as service:
        for command in ("make it", "deny it"):
            call = setup.bash(command, call=command)
            first, again = await service.decide(call, HOST), await service.decide(call, HOST)
            assert (again.decision, again.record) == (first.decision, first.record)

        assert [one.verdict for one in await records(service)] == [Verdict.ALLOW, Verdict.DENY]
        assert len(judge.seen) == 2
        live = setup.live()
        assert live.session.history.blocked == 1


async def test_twins_that_come_at_once_are_one_record_too(setup: Setup) -> None:
    setup.layers = [Judging(seconds=0.05)]
    call = setup.bash("make it", call="c1")
    async with setup.open() as service:
        rulings = await asyncio.gather(*(service.decide(call, HOST) for _ in range(5)))

        assert {one.record for one in rulings} == {rulings[0].record}
        assert len(await records(service)) == 1


class Meeting:
    """A judge that waits until calls of two sessions have come to it."""

    name = "classifier"

    def __init__(self) -> None:
        self.both = asyncio.Barrier(2)
        self.running: list[str] = []

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        alone = session.id not in self.running
        self.running.append(session.id)
        async with asyncio.timeout(60):
            await self.both.wait()
        self.running.remove(session.id)
        return allow("classifier.fast", "fine") if alone else None


async def test_calls_of_one_session_wait_for_each_other_and_for_no_other_session(
    setup: Setup,
) -> None:
    setup.layers = [Meeting()]
    async with setup.open() as service:
        calls = [setup.bash(f"make {n}", session) for n in range(3) for session in ("s", "t")]
        rulings = await asyncio.gather(*(service.decide(call, HOST) for call in calls))

        sources = [one.decision.source for one in rulings if one.decision is not None]
        assert sources == ["classifier.fast"] * len(calls)


async def test_another_input_another_folder_or_no_id_is_another_call(setup: Setup) -> None:
    setup.layers = [Judging()]
    (setup.project / "part").mkdir(parents=True)
    call = setup.bash("make it", call="c1")
    elsewhere = replace(call, ref=setup.ref(cwd=str(setup.project / "part")))
    nameless = setup.bash("make it")
    async with setup.open() as service:
        for one in (call, setup.bash("deny it", call="c1"), elsewhere, nameless, nameless):
            await service.decide(one, HOST)

        assert len(await records(service)) == 5
        assert (await setup.says("deny it", call="c1"))[0] == "deny"


async def test_what_has_run_is_decided_anew(setup: Setup) -> None:
    setup.layers = [Judging()]
    call = setup.bash("make it", call="c1")
    async with setup.open() as service:
        await service.decide(call, HOST)
        await service.hear(setup.ran(call), HOST)
        await service.decide(call, HOST)

        assert len(await records(service)) == 2


async def test_what_a_person_changed_meanwhile_counts(setup: Setup) -> None:
    setup.layers = [Judging()]
    call = setup.bash("deny it", call="c1")
    async with setup.open() as service:
        denied = await service.decide(call, HOST)
        assert denied.record is not None
        await service.person.approve(denied.record)
        assert said(await service.decide(call, HOST)) == ("allow", "approval")
        await service.person.set_mode(KEY, Override.OFF)
        assert (await service.decide(call, HOST)).decision is None
        await service.person.set_mode(KEY, Override.ON)
        assert said(await service.decide(call, HOST))[0] == "deny"


async def test_a_prompt_that_is_told_twice_is_heard_once(setup: Setup) -> None:
    now = [1000.0]
    setup.clock = lambda: now[0]
    judge = Judging()
    setup.layers = [judge]
    async with setup.open() as service:
        for text in ("do it", "do it", "and that", "do it"):
            await service.hear(setup.typed(text), HOST)
        now[0] += 60
        await service.hear(setup.typed("do it"), HOST)
        await service.decide(setup.bash("make it"), HOST)

        words = [getattr(one, "text", "") for one in judge.seen[-1].transcript.entries]
        assert words == ["do it", "and that", "do it", "do it"]


async def test_a_call_that_is_told_twice_to_be_over_is_heard_once(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    call = setup.bash("make it", call="c1")
    rewritten = setup.ran(call, input={"command": "make that"})
    async with setup.open() as service:
        for _ in range(2):
            await service.decide(call, HOST)
        heard = [await service.hear(rewritten, HOST) for _ in range(2)]
        await service.decide(setup.bash("make more"), HOST)

        assert [bool(one.notice) for one in heard] == [True, False]
        calls = [one for one in judge.seen[-1].transcript.entries if isinstance(one, PriorCall)]
        assert [one.input["command"] for one in calls] == ["make it", "make that"]


async def test_the_same_id_proposed_anew_ends_anew(setup: Setup) -> None:
    judge = Judging()
    setup.layers = [judge]
    call = setup.bash("make it", call="c1")
    async with setup.open() as service:
        for _ in range(2):
            await service.decide(call, HOST)
            await service.hear(setup.ran(call), HOST)
        await service.decide(setup.bash("make more"), HOST)

        calls = [one for one in judge.seen[-1].transcript.entries if isinstance(one, PriorCall)]
        assert [one.outcome for one in calls] == [Outcome.OK, Outcome.OK]
