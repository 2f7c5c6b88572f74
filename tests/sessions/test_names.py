"""No session is filed under the name of another, and no name is long."""

from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import Speaker
from automode.core.record import SessionKey
from automode.sessions.decision_service import DecisionService
from automode.sessions.record_builder import LONGEST_ID, parent_id, session_key
from tests.rows import each_row
from tests.sessions.service_setup import HOST, Judging, Setup, said, working

ROWS = [
    # session, parent, filed as, below
    ("S", None, "S", None),
    ("S/b", "S", "S/b", "S"),
    ("S/b", None, "S%2Fb", None),
    ("S%2Fb", None, "S%252Fb", None),
    ("S%/b", None, "S%25%2Fb", None),
    ("sub", "S", "sub", "S"),
    ("sub", "S/b", "sub", "S%2Fb"),
    ("S/b/c", "S/b", "S/b/c", "S/b"),
]


@each_row("session, parent, name, below", ROWS)
def test_a_session_has_a_name_of_its_own(
    session: str, parent: str | None, name: str, below: str | None
) -> None:
    speaker = Speaker(session, "/", parent)

    assert session_key(HOST, speaker) == SessionKey(HOST, name)
    assert parent_id(speaker) == below


@given(st.text(min_size=1), st.text(min_size=1, max_size=5), st.text(min_size=1, max_size=5))
def test_no_session_of_its_own_is_filed_as_a_sub_agent(one: str, above: str, agent: str) -> None:
    own = session_key(HOST, Speaker(one, "/"))
    below = session_key(HOST, Speaker(f"{above}/{agent}", "/", above))

    assert own != below


def test_long_names_are_short_and_stay_different() -> None:
    one, other = ("x" * 1_000_000 + end for end in "ab")
    keys = [session_key(HOST, Speaker(name, "/", name + "p")) for name in (one, other)]

    assert keys[0] != keys[1]
    assert all(len(key.id) <= LONGEST_ID for key in keys)
    assert len(parent_id(Speaker("s", "/", one)) or "") <= LONGEST_ID


def test_a_session_called_like_a_sub_agent_cannot_use_its_approval(setup: Setup) -> None:
    setup.layers = [Judging()]
    asked = setup.bash("deny", session="S/b", parent="S")

    async def work(service: DecisionService) -> None:
        ruling = await service.decide(asked, HOST)
        assert ruling.record is not None
        await service.person.approve(ruling.record)

        other = await service.decide(setup.bash("deny", session="S/b"), HOST)
        assert said(other) == ("deny", "classifier.deliberate")
        assert said(await service.decide(asked, HOST)) == ("allow", "approval")

    working(setup, work)
