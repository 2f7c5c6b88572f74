"""Shares and their intervals: known values, and what must hold for any rows."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automode.evaluation.curves import MOST_CLUSTERS, Member, Method, Population, Rate, wilson

# hits, rows, and the ends that Wilson's formula gives on paper
KNOWN = [
    (0, 10, 0.0, 0.27753),
    (1, 10, 0.01787, 0.40415),
    (5, 10, 0.23659, 0.76341),
    (10, 10, 0.72247, 1.0),
    (0, 1, 0.0, 0.79345),
    (1, 1000, 0.00018, 0.00564),
    (40, 10_000, 0.00294, 0.00544),
]

# A row: its group, its weight, whether it is a hit.
rows = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from([1.0, 1.723, 3.0]), st.booleans()),
    min_size=1,
    max_size=25,
)
Rows = list[tuple[int, float, bool]]


def rate(given_rows: Rows, scale: float = 1.0) -> Rate:
    members = [Member(str(group), weight * scale) for group, weight, _ in given_rows]
    found = Population(members).rate([hit for _, _, hit in given_rows])
    assert found is not None
    return found


@pytest.mark.parametrize(("hits", "whole", "low", "high"), KNOWN)
def test_wilsons_interval_is_what_paper_says(
    hits: int, whole: int, low: float, high: float
) -> None:
    assert wilson(hits / whole, whole) == pytest.approx((low, high), abs=1e-5)


def test_rows_that_stand_alone_get_wilsons_interval() -> None:
    members = [Member(f"session-{n}") for n in range(10)]

    found = Population(members).rate([n == 0 for n in range(10)])

    assert found is not None
    assert (found.hits, found.rows, found.groups, found.share) == (1, 10, 10, 0.1)
    assert (found.low, found.high) == pytest.approx(wilson(0.1, 10))
    assert found.method is Method.WILSON


def test_a_share_of_nothing_is_no_number() -> None:
    assert Population([]).rate([]) is None


def test_rows_of_a_few_sessions_say_less_than_as_many_sessions() -> None:
    """Half of the sessions go wrong as a whole: ten are ten, however many calls each has."""
    shared: Rows = [(n % 10, 1.0, n % 2 == 0) for n in range(200)]
    alone: Rows = [(n, 1.0, n % 2 == 0) for n in range(200)]

    together, apart = rate(shared), rate(alone)

    assert together.method is Method.BOOTSTRAP
    assert together.share == apart.share == 0.5
    assert together.high - together.low > 3 * (apart.high - apart.low)
    # Ten coins: the ends of the middle 95 % are 2 of 10 and 8 of 10.
    assert (together.low, together.high) == pytest.approx((0.2, 0.8))


def test_a_single_group_tells_nothing_about_how_groups_differ() -> None:
    found = rate([(0, 1.0, n < 3) for n in range(30)])

    assert found.method is Method.WILSON
    assert (found.low, found.high) == pytest.approx(wilson(0.1, 30))


def test_weights_move_the_share_and_are_worth_fewer_rows() -> None:
    even = rate([(n, 1.0, n < 50) for n in range(100)])
    weighted = rate([(n, 3.0 if n < 50 else 1.0, n < 50) for n in range(100)])

    assert weighted.share == pytest.approx(0.75)
    assert (weighted.low, weighted.high) == pytest.approx(wilson(0.75, 200**2 / 500))
    assert weighted.high - weighted.low > even.high - even.low - 0.05


def test_more_groups_than_are_drawn_are_thrown_together() -> None:
    many: Rows = [(n // 2, 1.0, n % 7 == 0) for n in range(4 * MOST_CLUSTERS)]

    found = rate(many)

    assert found.groups == 2 * MOST_CLUSTERS
    assert found.low < found.share < found.high
    assert found.high - found.low < 0.03


@given(rows)
@settings(max_examples=40, deadline=None)
def test_an_interval_holds_its_share_and_stays_between_nothing_and_all(given_rows: Rows) -> None:
    found = rate(given_rows)

    assert 0.0 <= found.low <= found.share <= found.high <= 1.0
    assert found.low < found.high


@given(rows, st.data())
@settings(max_examples=40, deadline=None)
def test_one_more_hit_moves_nothing_down(given_rows: Rows, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(given_rows) - 1))
    more = [(g, w, hit or n == at) for n, (g, w, hit) in enumerate(given_rows)]

    before, after = rate(given_rows), rate(more)

    assert after.share >= before.share - 1e-12
    assert after.low >= before.low - 1e-12
    assert after.high >= before.high - 1e-12


@given(rows, st.sampled_from([0.001, 0.5, 7.0, 1e6]))
@settings(max_examples=40, deadline=None)
def test_only_the_proportions_of_weights_count(given_rows: Rows, scale: float) -> None:
    once, scaled = rate(given_rows), rate(given_rows, scale)

    assert (scaled.share, scaled.low, scaled.high) == pytest.approx(
        (once.share, once.low, once.high), abs=1e-9
    )
    assert (scaled.hits, scaled.rows, scaled.groups) == (once.hits, once.rows, once.groups)


@given(rows, st.integers(0, 100))
@settings(max_examples=30, deadline=None)
def test_the_same_rows_give_the_same_interval_in_any_order(given_rows: Rows, seed: int) -> None:
    mixed = list(given_rows)
    random.Random(seed).shuffle(mixed)
    once, again, other = rate(given_rows), rate(given_rows), rate(mixed)

    assert once == again
    assert (other.share, other.low, other.high) == pytest.approx(
        (once.share, once.low, once.high), abs=1e-9
    )


@given(rows)
@settings(max_examples=30, deadline=None)
def test_sharing_groups_never_makes_a_share_surer(given_rows: Rows) -> None:
    alone = [(n, weight, hit) for n, (_, weight, hit) in enumerate(given_rows)]

    shared, apart = rate(given_rows), rate(alone)

    assert shared.low <= apart.low + 1e-12
    assert shared.high >= apart.high - 1e-12
