"""Whether somebody is there: what the beginning of a session says holds until the next one."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import SessionStarted
from automode.core.record import SessionKey
from automode.sessions.decision_service import DecisionService
from automode.sessions.registry import SessionRegistry
from tests.sessions.offices import HOST, Judging, Office, said, working

RULES = {
    "permissions": {"ask": ["bash(git push*)"]},
    "autoMode": {"escalation": {"consecutive": 9}},
}
ASKED, DENIED = ("ask", "rules.ask"), ("deny", "rules.ask")


def test_a_session_that_began_unattended_stays_so_for_calls_that_cannot_tell(
    office: Office,
) -> None:
    office.settings, office.layers = RULES, [Judging()]
    push = office.bash("git push")

    async def first(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker(attended=False)), HOST)
        assert said(await desk.decide(push, HOST)) == DENIED
        await desk.reset(SessionKey(HOST, "s"))
        assert said(await desk.decide(push, HOST)) == DENIED

    async def restarted(desk: DecisionService) -> None:
        assert said(await desk.decide(push, HOST)) == DENIED
        below = office.bash("git push", session="sub", parent="s")
        assert said(await desk.decide(below, HOST)) == DENIED
        other = office.bash("git push", session="other")
        assert said(await desk.decide(other, HOST)) == ASKED

    async def begun_anew(desk: DecisionService) -> None:
        await desk.reset(None)
        await desk.hear(SessionStarted(office.speaker()), HOST)
        assert said(await desk.decide(push, HOST)) == ASKED

    working(office, first, restarted, begun_anew)


def test_a_call_that_says_nobody_is_there_is_believed_for_itself_alone(office: Office) -> None:
    office.settings, office.layers = RULES, [Judging()]

    async def work(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker()), HOST)
        alone = await desk.decide(office.bash("git push", attended=False), HOST)
        again = await desk.decide(office.bash("git push"), HOST)

        assert (said(alone), said(again)) == (DENIED, ASKED)

    working(office, work)


@dataclass(frozen=True)
class Word:
    starts: bool
    attended: bool


words = st.lists(st.builds(Word, st.booleans(), st.booleans()), max_size=12)


@given(words)
def test_no_call_makes_an_unattended_session_attended(
    tmp_path_factory: pytest.TempPathFactory, spoken: list[Word]
) -> None:
    office = Office(tmp_path_factory.mktemp("attendance"))

    async def work(desk: DecisionService) -> None:
        began = True
        for word in spoken:
            speaker = office.speaker(attended=word.attended)
            if word.starts:
                await desk.hear(SessionStarted(speaker), HOST)
                began = word.attended
            else:
                await desk.decide(office.bash("ls", attended=word.attended), HOST)
            live = desk.registry.get(SessionKey(HOST, "s"))
            assert live is not None
            assert live.session.attended is (began and word.attended)

    working(office, work)


def test_the_book_itself_never_forgets_it(office: Office) -> None:
    async def work(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker(attended=False)), HOST)
        registry: SessionRegistry = desk.registry
        live = registry.seen(SessionKey(HOST, "s"), office.speaker())

        assert live.session.attended is False

    working(office, work)
