"""Whether somebody is there: what the beginning of a session says holds until the next one."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import SessionStarted
from automode.core.record import SessionKey
from automode.sessions.decision_service import DecisionService
from automode.sessions.registry import SessionRegistry
from tests.sessions.service_setup import HOST, Judging, Setup, said, working

RULES = {
    "permissions": {"ask": ["bash(git push*)"]},
    "autoMode": {"escalation": {"consecutive": 9}},
}
ASKED, DENIED = ("ask", "rules.ask"), ("deny", "rules.ask")


def test_a_session_that_began_unattended_stays_so_for_calls_that_cannot_tell(
    setup: Setup,
) -> None:
    setup.settings, setup.layers = RULES, [Judging()]
    push = setup.bash("git push")

    async def first(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker(attended=False)), HOST)
        assert said(await service.decide(push, HOST)) == DENIED
        await service.person.reset(SessionKey(HOST, "s"))
        assert said(await service.decide(push, HOST)) == DENIED

    async def restarted(service: DecisionService) -> None:
        assert said(await service.decide(push, HOST)) == DENIED
        below = setup.bash("git push", session="sub", parent="s")
        assert said(await service.decide(below, HOST)) == DENIED
        other = setup.bash("git push", session="other")
        assert said(await service.decide(other, HOST)) == ASKED

    async def begun_anew(service: DecisionService) -> None:
        await service.person.reset(None)
        await service.hear(SessionStarted(setup.speaker()), HOST)
        assert said(await service.decide(push, HOST)) == ASKED

    working(setup, first, restarted, begun_anew)


def test_a_call_that_says_nobody_is_there_is_believed_for_itself_alone(setup: Setup) -> None:
    setup.settings, setup.layers = RULES, [Judging()]

    async def work(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker()), HOST)
        alone = await service.decide(setup.bash("git push", attended=False), HOST)
        again = await service.decide(setup.bash("git push"), HOST)

        assert (said(alone), said(again)) == (DENIED, ASKED)

    working(setup, work)


@dataclass(frozen=True)
class Word:
    starts: bool
    attended: bool


words = st.lists(st.builds(Word, st.booleans(), st.booleans()), max_size=12)


@given(words)
def test_no_call_makes_an_unattended_session_attended(
    tmp_path_factory: pytest.TempPathFactory, spoken: list[Word]
) -> None:
    setup = Setup(tmp_path_factory.mktemp("attendance"))

    async def work(service: DecisionService) -> None:
        began = True
        for word in spoken:
            speaker = setup.speaker(attended=word.attended)
            if word.starts:
                await service.hear(SessionStarted(speaker), HOST)
                began = word.attended
            else:
                await service.decide(setup.bash("ls", attended=word.attended), HOST)
            live = service.registry.get(SessionKey(HOST, "s"))
            assert live is not None
            assert live.session.attended is (began and word.attended)

    working(setup, work)


def test_the_book_itself_never_forgets_it(setup: Setup) -> None:
    async def work(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker(attended=False)), HOST)
        registry: SessionRegistry = service.registry
        live = registry.seen(SessionKey(HOST, "s"), setup.speaker())

        assert live.session.attended is False

    working(setup, work)
