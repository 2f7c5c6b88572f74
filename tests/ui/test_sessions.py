"""Sessions: the list as a tree, and one with its breaker, timeline and cost."""

from dataclasses import replace
from pathlib import Path

import pytest

from automode.classifier.events import FactNoted, UserPrompt
from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.core.transcript import Fact
from automode.sessions.transcript_text import event_text
from automode.store.changes import Heard, Used
from automode.store.open import reading
from automode.ui.sessions import LANE, WIDTH, marks, trees
from tests.cli.stored import keep, kept_session, record
from tests.ui.test_pages import Tags, actions
from tests.ui.windows import RECORDS, SESSION, Client, window_on

CHILD = SessionKey(SESSION.host, "child-1")
GRANDCHILD = SessionKey(SESSION.host, "grandchild-1")


def paid(key: SessionKey, usd: str) -> Used:
    counts = (1000, 10, 0, 0, 300)
    return Used(f"u-{key.id}", 1_800_000_000.0, key, None, "fast", "mine/m", *counts, usd)


@pytest.fixture
def client(tmp_path: Path) -> Client:
    window = window_on(tmp_path, *RECORDS)
    denied = [
        record(number, verdict=Verdict.DENY, source="classifier.fast", session=SESSION)
        for number in (11, 12)
    ]
    said = (UserPrompt("clean up the cluster"), FactNoted(Fact("probe", "it asked for a key")))
    keep(
        window.state,
        kept_session(SESSION),
        kept_session(CHILD, parent=SESSION.id),
        kept_session(GRANDCHILD, parent=CHILD.id),
        *denied,
        record(13, session=CHILD, action="ls child"),
        *(Heard(SESSION, event_text(event, str)) for event in said),
        *(paid(key, "0.5") for key in (SESSION, CHILD, GRANDCHILD)),
    )
    return Client(window).sign_in()


def test_sub_agents_stand_below_the_session_that_started_them(client: Client) -> None:
    page = client.get(client.at("/sessions")).text

    order = [page.index(key.id[:8]) for key in (SESSION, CHILD, GRANDCHILD)]
    assert order == sorted(order)
    assert page.count("sub-agent</span>") == 2
    assert "$1.5000" in page
    assert "3 deny" in page


def test_sessions_that_name_each_other_as_parents_are_all_shown(tmp_path: Path) -> None:
    window = window_on(tmp_path)
    one, other = SessionKey("pi", "one"), SessionKey("pi", "other")
    rows = [kept_session(one, parent="other"), kept_session(other, parent="one")]
    keep(window.state, *rows)
    with reading(window.state) as db:
        roots = trees(db, [row.row for row in rows])

    shown = [*roots, *(node for root in roots for node in root.below)]
    assert {node.row.key for node in shown} == {one, other}


def test_a_session_is_shown_with_breaker_timeline_sub_agents_and_cost(client: Client) -> None:
    answer = client.get(client.at(f"/sessions/one?key={SESSION}"))
    text = Tags(answer.text).text

    for told in (
        *("Reached: too many denials in a row", "3 of 3 denials", "3 of 20 denials"),
        *("clean up the cluster", "it asked for a key", "child-1", "grandchild-1"),
        *("$1.5000, with its sub-agents", "mine/m", "Begin anew", "Switch auto mode off"),
    ):
        assert told in " ".join(text.split()), told
    assert len(actions(answer.text)) == 4
    assert answer.text.count("<line ") == 4


@pytest.mark.parametrize("key", ["", "nohost", "/x", "pi/unknown"])
def test_an_unknown_session_is_named(client: Client, key: str) -> None:
    answer = client.get(client.at(f"/sessions/one?key={key}"))

    assert answer.status_code == 400
    assert "no session" in answer.text


def test_a_change_is_asked_of_the_daemon_and_an_unknown_one_is_named(client: Client) -> None:
    given = {"csrf": client.csrf(), "key": str(SESSION)}

    reset = client.post(client.at("/sessions/one"), data=given | {"do": "reset"})
    other = client.post(client.at("/sessions/one"), data=given | {"do": "explode"})

    assert "automode daemon start" in reset.text
    assert "no such change: explode" in Tags(other.text).text


def test_the_picture_has_each_call_at_its_time_on_the_line_of_its_verdict() -> None:
    assert list(marks([])) == []
    points = [(0.0, "allow"), (50.0, "deny"), (100.0, "ask"), (100.0, "unknown")]

    found = list(marks(points))

    assert [(mark.x, mark.y // LANE) for mark in found] == [
        (6.0, 0),
        (WIDTH / 2, 2),
        (WIDTH - 6, 1),
    ]


def test_a_session_without_a_project_is_shown(tmp_path: Path) -> None:
    window = window_on(tmp_path)
    kept = kept_session(SESSION)
    keep(window.state, replace(kept, row=replace(kept.row, root="", cwd="")))
    client = Client(window).sign_in()

    assert client.get(client.at(f"/sessions/one?key={SESSION}")).status_code == 200
