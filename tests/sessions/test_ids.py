"""Ids sort by time, tell it, and are fit to be typed."""

from hypothesis import given
from hypothesis import strategies as st

from automode.sessions.record_builder import LENGTH, Ids, time_of

times = st.lists(st.floats(0, 4e9), min_size=1, max_size=30)


@given(times)
def test_every_id_is_larger_than_the_one_before_whatever_the_clock_does(
    readings: list[float],
) -> None:
    clock = iter(readings)
    ids = Ids(lambda: next(clock))

    made = [ids.new() for _ in readings]

    assert made == sorted(set(made))


@given(st.floats(0, 4e9))
def test_an_id_tells_when_it_was_made(now: float) -> None:
    told = time_of(Ids(lambda: now).new())

    assert told is not None
    assert abs(told - now) < 0.002


def test_an_id_can_be_typed() -> None:
    made = Ids().new()

    assert len(made) == LENGTH == 14
    assert made.isalnum()
    assert made == made.lower()
    assert not set("ilou") & set(made)


def test_many_within_a_millisecond_differ() -> None:
    ids = Ids(lambda: 1_700_000_000.0)

    assert len({ids.new() for _ in range(5000)}) == 5000


def test_what_is_no_id_tells_no_time() -> None:
    assert [time_of(text) for text in ("", "abc", "!" * 14, "u" * 14)] == [None] * 4
