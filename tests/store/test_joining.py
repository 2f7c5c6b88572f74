"""What was decided beside the store counts there once, and in its time."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Verdict
from automode.core.history import NOTHING_YET, History
from automode.gate.breaker import tripped
from automode.sessions.history_text import remembered
from automode.store.changes import Change, Decided, SessionForgotten, SessionKept
from automode.store.database import Database
from automode.store.tables import session
from automode.store.tally import uncounted
from tests.store.examples import KEY, NOON, record
from tests.store.lone import LIMITS, PLAIN, Store, alone, empty, made, text


def test_what_two_processes_decided_at_once_is_counted_twice(db: Database) -> None:
    store = Store(db)
    store.write(SessionKept(replace(PLAIN, history=text(History(checked=5, row=1, total=1)))))

    for number in (1, 2):
        store.write(*alone(made(number, "d")), late=True)

    found = store.history
    assert (found.checked, found.blocked, found.row, found.total) == (7, 2, 3, 3)
    assert [one.record for one in found.denials] == ["r0001", "r0002"]
    assert tripped(found, LIMITS) == "consecutive"


@given(st.permutations(range(8)), st.text("aqd", min_size=8, max_size=8), st.data())
def test_in_whatever_order_and_however_often_files_come_no_denial_is_lost_or_counted_twice(
    order: list[int], words: str, data: st.DataObject
) -> None:
    store = empty()
    for number in order:
        for _ in range(data.draw(st.integers(1, 2))):
            store.write(*alone(made(number, words[number])), late=True)

    found = store.history
    in_a_row = len(words) - 1 - words.rfind("a")
    assert (found.checked, found.total) == (8, words.count("d"))
    assert found.row >= words[len(words) - in_a_row :].count("d")
    store.db.close()


def reset(at: int) -> list[Change]:
    return [
        SessionForgotten(KEY, text(NOTHING_YET), ""),
        Decided(record(at, source="person.reset", tool="automode")),
    ]


def test_a_reset_ends_what_came_before_it_also_where_that_comes_later(db: Database) -> None:
    store = Store(db)
    store.write(SessionKept(replace(PLAIN, history=text(NOTHING_YET))))
    store.write(*reset(at=50))

    for number in (1, 2, 3):
        store.write(*alone(made(number, "d")), late=True)
    before = store.history
    store.write(*alone(made(60, "d")), late=True)

    assert before == NOTHING_YET
    assert (store.history.checked, store.history.row) == (1, 1)


def test_old_denials_do_not_stop_a_session_that_was_allowed_something_since(db: Database) -> None:
    store = Store(db)
    store.write(
        Decided(made(50, "a")), SessionKept(replace(PLAIN, history=text(History(checked=1))))
    )

    for number in (1, 2, 3):
        store.write(*alone(made(number, "d")), late=True)

    assert (store.history.checked, store.history.total, store.history.row) == (4, 3, 0)


@pytest.mark.parametrize("at", [1, 60])
def test_an_allow_that_comes_late_resumes_no_session_that_is_stopped(db: Database, at: int) -> None:
    store = Store(db)
    stopped = History(checked=3, row=3, total=3, last_verdict=Verdict.HALT)
    store.write(Decided(made(50, "d")), SessionKept(replace(PLAIN, history=text(stopped))))

    store.write(*alone(made(at, "a")), late=True)

    assert (store.history.row, store.history.last_verdict) == (3, Verdict.HALT)


def test_what_a_person_did_counts_for_nothing(db: Database) -> None:
    store = Store(db)

    store.write(*alone(record(1, source="person.off")), late=True)

    assert store.history == NOTHING_YET


def test_a_denial_below_counts_above(db: Database) -> None:
    store = Store(db)
    child = replace(KEY, id="child")
    store.write(SessionKept(replace(PLAIN, history=text(NOTHING_YET))))
    denied = replace(made(1, "d"), session=child, parent=KEY.id)

    store.write(
        SessionKept(uncounted(replace(PLAIN, key=child, parent=KEY.id))),
        SessionKept(uncounted(PLAIN)),
        Decided(denied),
        late=True,
    )

    below = session(db, child)
    assert below is not None
    assert remembered(below.history).history.checked == 1
    assert (store.history.checked, store.history.row, store.history.total) == (0, 1, 1)


def test_a_row_that_a_person_ended_without_a_daemon_is_ended(db: Database) -> None:
    store = Store(db)
    for number in (1, 2, 3):
        store.write(*alone(made(number, "d")), late=True)
    before = text(store.history)
    resumed = replace(PLAIN, seen=NOON + 9, history=text(replace(store.history, row=0)))

    store.write(SessionKept(uncounted(resumed, before)), late=True)

    assert (store.history.row, store.history.total) == (0, 3)


STANDING = {
    # in the store, from who decided alone, and what holds then
    "a suspect result stays": ({"suspect": "s"}, {}, {"suspect": "s"}),
    "a suspect result is told": ({}, {"suspect": "s"}, {"suspect": "s"}),
    "nobody is there": ({"unattended": True}, {}, {"unattended": True}),
    "a silent gate stays": ({"silent": "s"}, {}, {"silent": "s"}),
    "a silent gate is told": ({}, {"silent": "s"}, {"silent": "s"}),
    "calls that were asked about add up": (
        {"asked": {"c1": "x"}},
        {"asked": {"c2": "y"}},
        {"asked": {"c1": "x", "c2": "y"}},
    ),
}


@pytest.mark.parametrize(("stored", "told", "holds"), STANDING.values(), ids=STANDING)
def test_what_stands_in_a_session_is_not_taken_back(
    db: Database, stored: dict[str, object], told: dict[str, object], holds: dict[str, object]
) -> None:
    store = Store(db)
    store.write(SessionKept(replace(PLAIN, history=text(NOTHING_YET, **stored))))

    row = replace(PLAIN, seen=PLAIN.seen + 1, history=text(NOTHING_YET, **told))
    store.write(SessionKept(uncounted(row)), late=True)

    found = remembered(store.text)
    assert {name: getattr(found, name) for name in holds} == holds
