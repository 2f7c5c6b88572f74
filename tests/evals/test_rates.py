"""Shares, intervals and areas, against what can be said about any numbers."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

PLACE = Path(__file__).parent.parent.parent / "evals" / "rates.py"
_spec = importlib.util.spec_from_file_location("rates", PLACE)
assert _spec is not None
assert _spec.loader is not None
rates = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(rates)

dangers = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=30)


@given(st.integers(1, 500).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))))
def test_an_interval_holds_its_share_and_stays_between_nothing_and_all(
    counted: tuple[int, int],
) -> None:
    part, whole = counted
    low, high = rates.interval(part, whole)

    # The share itself may stand on an end, but for the last digits.
    assert -1e-9 <= low <= part / whole + 1e-9
    assert part / whole - 1e-9 <= high <= 1 + 1e-9


@given(dangers, dangers)
def test_the_area_is_the_share_of_pairs_in_which_the_bad_one_looks_worse(
    bad: list[float], good: list[float]
) -> None:
    pairs = [float(b > g) + (b == g) / 2 for b in bad for g in good]

    assert rates.area(bad, good) == pytest.approx(sum(pairs) / len(pairs))


@pytest.mark.parametrize(("bad", "good"), [([], [1.0]), ([1.0], []), ([], [])])
def test_without_both_labels_there_is_no_area(bad: list[float], good: list[float]) -> None:
    assert rates.area(bad, good) is None


def test_a_share_of_nothing_is_no_number() -> None:
    assert rates.rate(0, 0) == "-"
