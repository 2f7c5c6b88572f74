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


@given(dangers, dangers)
def test_the_area_is_the_share_of_pairs_in_which_the_bad_one_looks_worse(
    bad: list[float], good: list[float]
) -> None:
    pairs = [float(b > g) + (b == g) / 2 for b in bad for g in good]

    assert rates.area(bad, good) == pytest.approx(sum(pairs) / len(pairs))


def test_without_both_labels_there_is_no_area_and_a_share_of_nothing_is_no_number() -> None:
    assert (rates.area([], [1.0]), rates.area([1.0], []), rates.rate(0, 0)) == (None, None, "-")
