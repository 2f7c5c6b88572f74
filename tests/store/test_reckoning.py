"""A clock that jumps ahead is believed when daemons have run under it for a day, and not before."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.store.applying import apply
from automode.store.chain import Chain
from automode.store.changes import SessionKept
from automode.store.database import Database
from automode.store.reckoning import MOST_AT_ONCE, TRIAL_SECONDS, Reckoning, reckoned
from tests.store.examples import NOON, ROW, decided

CHAIN = Chain("c1", b"k" * 32)
HOUR, DAY = 3600.0, 86_400.0


def looked(db: Database, clock: float, elapsed: float = 0.0) -> float:
    with db.transaction():
        return reckoned(db, CHAIN, clock, elapsed, started=clock).sure


def test_a_new_store_believes_the_clock_and_a_used_one_what_was_written_last(db: Database) -> None:
    assert looked(db, NOON) == NOON
    db.execute("DELETE FROM meta")
    with db.transaction():
        apply(db, [*decided(1), SessionKept(ROW)], CHAIN)
    [(newest,)] = db.rows("SELECT max(at) FROM decision")

    assert looked(db, NOON + 400 * DAY) == max(float(str(newest)), ROW.seen)


def test_what_was_counted_is_believed_over_restarts(db: Database) -> None:
    looked(db, NOON)
    ahead = NOON + 100 * DAY

    assert looked(db, ahead) == NOON
    assert looked(db, ahead + HOUR, HOUR) == NOON + HOUR
    assert looked(db, ahead + 2 * HOUR) == NOON + HOUR  # another daemon: it has counted nothing
    assert looked(db, NOON + 2 * HOUR, HOUR) == NOON + 2 * HOUR


@pytest.mark.parametrize("off_days", [0.7, 3, 100, 4000])
def test_a_machine_that_was_off_catches_up_when_it_has_run_for_a_day(
    db: Database, off_days: float
) -> None:
    """In any number of pieces, as short as they may be."""
    looked(db, NOON)
    sure, clock = NOON, NOON + off_days * DAY
    for _ in range(3 * 24):
        looked(db, clock)
        clock += HOUR
        sure = looked(db, clock, HOUR)

    assert clock - sure < HOUR


def test_a_night_without_power_every_day_delays_things_by_days_at_most(db: Database) -> None:
    sure = clock = NOON
    for _ in range(60):
        looked(db, clock)
        for _ in range(8):
            clock += HOUR
            sure = looked(db, clock, HOUR)
        clock += 16 * HOUR

    assert clock - sure < 8 * DAY


def test_sleep_counts_as_time_but_not_as_a_trial(db: Database) -> None:
    looked(db, NOON)
    ahead = NOON + 100 * DAY
    looked(db, ahead)

    slept = looked(db, ahead + 5 * DAY, 5 * DAY)

    assert MOST_AT_ONCE < TRIAL_SECONDS
    assert slept == NOON + 5 * DAY


UNREADABLE = (
    "",
    "no json",
    "[]",
    "[" * 99_999,
    '{"sure":1.0}',
    '{"sure":"a","tried":1.0,"seconds":0.0}',
    '{"sure":NaN,"tried":1.0,"seconds":0.0}',
    '{"sure":Infinity,"tried":Infinity,"seconds":0.0}',
)


@pytest.mark.parametrize("text", UNREADABLE, ids=range(len(UNREADABLE)))
def test_what_cannot_be_read_is_begun_anew_from_what_was_written(db: Database, text: str) -> None:
    with db.transaction():
        apply(db, [SessionKept(ROW)], CHAIN)
    looked(db, NOON)
    db.execute("UPDATE meta SET value = ? WHERE name = ?", (text, "clock c1"))

    assert looked(db, ROW.seen + 100 * DAY) == ROW.seen


@dataclass(frozen=True)
class Step:
    off: float  # how long nothing runs
    ran: float  # then a daemon looks, runs for so long, and looks again
    wrong: float  # by how much the clock is wrong meanwhile


STEPS = st.builds(
    Step,
    off=st.floats(0, 400 * DAY),
    ran=st.floats(0, 6 * HOUR),
    wrong=st.sampled_from([0.0, 0.0, 0.0, -400 * DAY, -HOUR, 2 * HOUR, 31 * DAY, 4000 * DAY]),
)


@given(st.lists(STEPS, max_size=60))
def test_nothing_is_older_than_it_truly_is_while_no_wrong_clock_stays_for_a_day(
    steps: list[Step],
) -> None:
    true, ahead = NOON, 0.0
    known = Reckoning(true, true)
    for step in steps:
        wrong = step.wrong if ahead + step.ran < TRIAL_SECONDS else min(step.wrong, 0.0)
        ahead += step.ran if wrong > 0 else 0.0
        true += step.off
        known = known.later(0.0, true + wrong)
        true += step.ran
        known = known.later(step.ran, true + wrong)

        assert known.sure <= true + 1e-3
        assert known.sure <= true + wrong
