"""An ask waits for a person's answer: it is for this call alone, and nothing else allows."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automode.agents.events import CallProposed, SessionEnded, TurnEnded
from automode.core.errors import BadCall
from automode.sessions import waiting as room
from automode.sessions.decision_service import DecisionService, Ruling
from automode.sessions.holding import RESERVE_SECONDS
from automode.sessions.person import NotKept
from automode.sessions.waiting import (
    AnswerKind,
    End,
    Ended,
    PersonsAnswer,
    Taken,
    Via,
    WaitingAsk,
)
from tests.sessions.service_setup import HOST, Judging, Losing, Setup, decision, records, said

PATIENCE = 60.0
SHORT = RESERVE_SECONDS + 0.05  # leaves hardly any time for waiting
ONCE = PersonsAnswer(AnswerKind.ONCE, Via.TERMINAL)
SESSION = PersonsAnswer(AnswerKind.SESSION, Via.WINDOW)
NO = PersonsAnswer(AnswerKind.DENY, Via.PHONE, "use the test bucket")


@pytest.fixture
def held(setup: Setup) -> Setup:
    setup.layers, setup.holds = [Judging()], True
    setup.settings = {
        "autoMode": {"asks": {"hold": 600}},
        "permissions": {"ask": ["bash(make *)"], "deny": ["bash(make never*)"]},
    }
    return setup


def begin(
    service: DecisionService, event: CallProposed, seconds: float | None = None
) -> "asyncio.Task[Ruling]":
    return asyncio.ensure_future(service.decide(event, HOST, seconds=seconds))


async def waits(service: DecisionService, count: int = 1) -> tuple[WaitingAsk, ...]:
    """Until so many asks wait."""
    async with asyncio.timeout(PATIENCE):
        while len(service.waiting.list()) != count:
            await service.waiting.changed(service.waiting.revision, PATIENCE)
    return service.waiting.list()


async def answered(
    service: DecisionService, event: CallProposed, given: PersonsAnswer
) -> tuple[Ruling, Taken]:
    deciding = begin(service, event)
    [ask] = await waits(service)
    taken = await service.waiting.answer(ask.record.id, given)
    return await deciding, taken


@pytest.mark.parametrize("attended", [True, False])
async def test_a_yes_lets_the_call_run_once(held: Setup, *, attended: bool) -> None:
    event = held.bash("make all", attended=attended)
    async with held.open() as service:
        ruling, taken = await answered(service, event, ONCE)
        again = await service.decide(event, HOST, seconds=SHORT)

        assert said(ruling) == ("allow", "approval")
        assert taken.in_time
        assert said(again) == (("ask" if attended else "deny"), "rules.ask")


async def test_a_yes_for_the_session_lets_the_same_call_run_again(held: Setup) -> None:
    event = held.bash("make all", attended=False)
    async with held.open() as service:
        first, _ = await answered(service, event, SESSION)
        second = await service.decide(event, HOST)

        assert [said(first), said(second)] == [("allow", "approval")] * 2


async def test_a_no_is_recorded_counted_and_told_to_the_agent(held: Setup) -> None:
    event = held.bash("make all", call="c1", attended=False)
    async with held.open() as service:
        ruling, taken = await answered(service, event, NO)
        *_, last = await records(service)
        history = held.live().session.history

        assert said(ruling) == ("deny", "person.decline")
        assert decision(ruling).reason.endswith("use the test bucket")
        assert (last.id, last.verdict.word, last.source) == (taken.record, "deny", "person.decline")
        assert [one.text for one in last.trail] == ["phone"]
        assert (history.blocked, history.row, len(history.denials)) == (1, 0, 1)


@pytest.mark.parametrize(
    ("attended", "verdicts"), [(True, ["ask"]), (False, ["ask", "deny"])], ids=["there", "alone"]
)
async def test_without_an_answer_it_is_asked_or_denied(
    held: Setup, verdicts: list[str], *, attended: bool
) -> None:
    async with held.open() as service:
        event = held.bash("make all", attended=attended)
        ruling = await service.decide(event, HOST, seconds=SHORT)

        assert said(ruling) == (verdicts[-1], "rules.ask")
        assert [one.verdict.word for one in await records(service)] == verdicts
        assert service.waiting.list() == ()


async def test_calls_that_wait_are_no_denials_yet(held: Setup) -> None:
    """Three at once would otherwise stop an unattended run before anybody could answer."""
    async with held.open() as service:
        deciding = [
            begin(service, held.bash(f"make {n}", call=str(n), attended=False)) for n in range(4)
        ]
        for ask in await waits(service, 4):
            await service.waiting.answer(ask.record.id, ONCE)

        assert {said(one) for one in await asyncio.gather(*deciding)} == {("allow", "approval")}


async def test_other_calls_of_the_session_go_on_meanwhile(held: Setup) -> None:
    async with held.open() as service:
        deciding = begin(service, held.bash("make all"))
        [ask] = await waits(service)
        other = await service.decide(held.bash("deny it"), HOST)
        await service.waiting.answer(ask.record.id, ONCE)

        assert said(other) == ("deny", "classifier.deliberate")
        assert said(await deciding) == ("allow", "approval")


async def test_an_answer_counts_once(held: Setup) -> None:
    async with held.open() as service:
        deciding = begin(service, held.bash("make all"))
        [ask] = await waits(service)
        both = [service.waiting.answer(ask.record.id, one) for one in (ONCE, NO)]
        first, second = await asyncio.gather(*both, return_exceptions=True)

        assert isinstance(first, Taken)
        assert isinstance(second, BadCall)
        assert "waits any more" in str(second)
        assert said(await deciding) == ("allow", "approval")


async def test_an_answer_after_the_end_is_refused(held: Setup) -> None:
    async with held.open() as service:
        ruling = await service.decide(held.bash("make all"), HOST, seconds=SHORT)
        with pytest.raises(BadCall, match="waits any more"):
            await service.waiting.answer(str(ruling.record), ONCE)


async def test_a_yes_lifts_no_rule_that_came_meanwhile(held: Setup) -> None:
    async with held.open() as service:
        deciding = begin(service, held.bash("make all"))
        [ask] = await waits(service)
        held.configure(permissions={"deny": ["bash(make *)"]})
        service.reload()
        await service.waiting.answer(ask.record.id, ONCE)

        assert said(await deciding) == ("deny", "rules.deny")


async def test_a_file_that_changed_meanwhile_makes_it_another_call(held: Setup) -> None:
    async with held.open() as service:
        script = held.project / "Makefile"
        script.write_text("all:\n\ttrue\n")
        deciding = begin(service, held.bash("make -f Makefile", attended=False))
        [first] = await waits(service)
        script.write_text("all:\n\trm -rf /\n")
        await service.waiting.answer(first.record.id, ONCE)
        [second] = await waits(service)
        await service.waiting.answer(second.record.id, NO)

        assert first.record.digest != second.record.digest
        assert said(await deciding) == ("deny", "person.decline")


NEVER_WAIT = ["make never", "rm -rf /", "deny it", "make $X", "ls"]


@pytest.mark.parametrize("command", NEVER_WAIT)
async def test_only_an_ask_that_a_yes_can_clear_waits(held: Setup, command: str) -> None:
    """A deny rule, the floor, a judgement, what no retry can be told of, and what is allowed."""
    async with held.open() as service:
        seen: list[WaitingAsk] = []
        service.waiting.listen(lambda ask, _: seen.append(ask))
        await service.decide(held.bash(command), HOST)

        assert seen == []


Ending = Callable[[DecisionService, CallProposed], Awaitable[object]]


async def _stop(service: DecisionService, event: CallProposed) -> None:
    service.waiting.close()


ENDINGS: dict[End, Ending] = {
    End.GONE: lambda service, event: service.hear(TurnEnded(event.ref), HOST),
    End.SESSION_ENDED: lambda service, event: service.hear(SessionEnded(event.ref), HOST),
    End.STOPPED: _stop,
}


@pytest.mark.parametrize("attended", [True, False])
@pytest.mark.parametrize("how", ENDINGS)
async def test_every_other_end_is_ask_or_deny(held: Setup, how: End, *, attended: bool) -> None:
    event = held.bash("make all", attended=attended)
    async with held.open() as service:
        told: list[Ended | None] = []
        service.waiting.listen(lambda _, ended: told.append(ended))
        deciding = begin(service, event)
        await waits(service)
        await ENDINGS[how](service, event)

        assert said(await deciding) == (("ask" if attended else "deny"), "rules.ask")
        assert told == [None, Ended(how)]


async def test_a_call_that_the_host_ended_itself_waits_no_more(held: Setup) -> None:
    event = held.bash("make all", call="c1")
    async with held.open() as service:
        deciding = begin(service, event)
        await waits(service)
        await service.hear(held.ran(event), HOST)

        assert said(await deciding) == ("ask", "rules.ask")


async def test_who_hangs_up_waits_no_more(held: Setup) -> None:
    async with held.open() as service:
        told: list[Ended | None] = []
        service.waiting.listen(lambda _, ended: told.append(ended))
        deciding = begin(service, held.bash("make all"))
        await waits(service)
        deciding.cancel()
        await asyncio.wait([deciding])
        await waits(service, 0)
        await asyncio.sleep(0)

        assert deciding.cancelled()
        assert told == [None, Ended(End.GONE)]


async def test_two_hooks_of_one_call_get_one_answer(held: Setup) -> None:
    event = held.bash("make all", call="c1")
    async with held.open() as service:
        both = [begin(service, event), begin(service, event)]
        [ask] = await waits(service)
        await service.waiting.answer(ask.record.id, ONCE)

        assert [said(await one) for one in both] == [("allow", "approval")] * 2


async def test_an_approval_on_the_command_line_is_an_answer(held: Setup) -> None:
    async with held.open() as service:
        deciding = begin(service, held.bash("make all", attended=False))
        [ask] = await waits(service)
        made = await service.person.approve(ask.record.id)
        service.waiting.note_approved(made.record, AnswerKind.ONCE)

        assert said(await deciding) == ("allow", "approval")


async def test_an_answer_survives_the_process_that_took_it(held: Setup) -> None:
    event = held.bash("make all", attended=False)
    async with held.open() as service:
        deciding = begin(service, event)
        [ask] = await waits(service)
        deciding.cancel()
        await asyncio.wait([deciding])
        await service.person.approve(ask.record.id)
    async with held.open() as service:
        assert said(await service.decide(event, HOST)) == ("allow", "approval")


async def test_an_answer_that_cannot_be_kept_does_not_hold(held: Setup) -> None:
    stores: list[Losing] = []

    def losing(writer: object) -> Losing:
        stores.append(Losing(writer, losing=False))  # type: ignore[arg-type]  # a real writer
        return stores[-1]

    held.keeping = losing
    async with held.open() as service:
        deciding = begin(service, held.bash("make all", attended=False))
        [ask] = await waits(service)
        stores[0].losing = True
        with pytest.raises(NotKept):
            await service.waiting.answer(ask.record.id, ONCE)
        assert service.waiting.list() == (ask,)
        service.waiting.close()

        assert said(await deciding) == ("deny", "rules.ask")


def always(rule: str) -> PersonsAnswer:
    return PersonsAnswer(AnswerKind.ALWAYS, Via.WINDOW, rule=rule)


async def test_always_saves_a_rule_in_the_persons_own_settings(held: Setup) -> None:
    async with held.open() as service:
        event = held.bash("npm publish ask-me", attended=False)
        first, taken = await answered(service, event, always("bash(npm publish *)"))
        other = held.bash("npm publish ask-me --tag beta", session="other")
        second = await service.decide(other, HOST)
        file = json.loads((held.config / "config.json").read_text())

        assert [said(first), said(second)] == [("allow", "rules.allow")] * 2
        assert taken.saved.startswith(str(held.config / "config.json"))
        assert file["permissions"]["allow"] == ["bash(npm publish *)"]


UNFIT = {
    "bash(npm install *)": "does not cover",
    "bash(*)": "set aside",
    "npm publish": "is no rule",
    "": "no rule was named",
}


@pytest.mark.parametrize("rule", UNFIT)
async def test_a_rule_that_would_not_let_this_call_through_is_refused(
    held: Setup, rule: str
) -> None:
    async with held.open() as service:
        deciding = begin(service, held.bash("npm publish ask-me"))
        [ask] = await waits(service)
        before = (held.config / "config.json").read_bytes()
        with pytest.raises(BadCall, match=UNFIT[rule]):
            await service.waiting.answer(ask.record.id, always(rule))

        assert (held.config / "config.json").read_bytes() == before
        assert service.waiting.list() == (ask,)
        service.waiting.close()
        assert said(await deciding) == ("ask", "classifier.deliberate")


async def test_no_rule_answers_an_ask_rule(held: Setup) -> None:
    async with held.open() as service:
        deciding = begin(service, held.bash("make all"))
        [ask] = await waits(service)
        with pytest.raises(BadCall, match=r"`rules\.ask` decides all the same"):
            await service.waiting.answer(ask.record.id, always("bash(make all)"))
        service.waiting.close()

        assert said(await deciding) == ("ask", "rules.ask")


async def test_too_many_do_not_wait(held: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_WAITING", 1)
    async with held.open() as service:
        first = begin(service, held.bash("make all"))
        [ask] = await waits(service)
        second = await service.decide(held.bash("make other"), HOST)
        await service.waiting.answer(ask.record.id, ONCE)

        assert said(second) == ("ask", "rules.ask")
        assert said(await first) == ("allow", "approval")


async def test_one_session_and_its_sub_agents_leave_places_for_others(
    held: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "MOST_OF_SESSION", 2)
    async with held.open() as service:
        first = begin(service, held.bash("make one"))
        await waits(service)
        below = begin(service, held.bash("make two", "s/child", parent="s"))
        await waits(service, 2)
        crowded = [
            await service.decide(held.bash("make three"), HOST),
            await service.decide(held.bash("make three", "s/other", parent="s"), HOST),
        ]
        other = begin(service, held.bash("make one", "t"))
        asks = await waits(service, 3)
        for ask in asks:
            await service.waiting.answer(ask.record.id, ONCE)

        assert [said(one) for one in crowded] == [("ask", "rules.ask")] * 2
        assert {said(await one) for one in (first, below, other)} == {("allow", "approval")}


async def test_without_anybody_to_answer_nothing_waits(held: Setup) -> None:
    """A hook that found no daemon, or the library: nobody could reach its process."""
    held.holds = False
    async with held.open() as service:
        assert said(await service.decide(held.bash("make all"), HOST)) == ("ask", "rules.ask")
        alone = await service.decide(held.bash("make all", session="t", attended=False), HOST)
        assert said(alone) == ("deny", "rules.ask")


ANSWERS = st.sampled_from([AnswerKind.ONCE, AnswerKind.SESSION, AnswerKind.DENY])
CALLS = st.lists(st.tuples(ANSWERS, st.booleans()), min_size=1, max_size=5)


@settings(max_examples=20)
@given(CALLS)
def test_no_answer_is_applied_to_another_call(
    tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[AnswerKind, bool]]
) -> None:
    """Each of several calls that wait at once gets its own answer, or none."""

    async def play() -> None:
        setup = Setup(tmp_path_factory.mktemp("held"), layers=[Judging()], holds=True)
        setup.settings = {
            "autoMode": {"asks": {"hold": 600}},
            "permissions": {"ask": ["bash(make *)"]},
        }
        async with setup.open() as service:
            deciding = [
                begin(service, setup.bash(f"make {n}", call=str(n))) for n in range(len(calls))
            ]
            asks = {one.record.action: one for one in await waits(service, len(calls))}
            for n, (kind, answers) in enumerate(calls):
                if answers:
                    given = PersonsAnswer(kind, Via.TERMINAL)
                    await service.waiting.answer(asks[f"make {n}"].record.id, given)
            service.waiting.close()
            got = [said(await one)[0] for one in deciding]

        expected = [
            "ask" if not answers else "deny" if kind is AnswerKind.DENY else "allow"
            for kind, answers in calls
        ]
        assert got == expected

    asyncio.run(play())
