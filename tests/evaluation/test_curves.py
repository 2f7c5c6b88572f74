"""Shares with intervals, what would come out if the gate went less far, what scores are worth."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automode.evaluation.curves import (
    MOST_CLUSTERS,
    Member,
    Method,
    Population,
    Rate,
    Sides,
    calibration,
    stages,
    thresholds,
    wilson,
)
from automode.evaluation.outcomes import Run
from tests.evaluation.written_runs import bad_call, call, judged, run_of

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


BAD: dict[str, object] = {"label": "block", "category": "exfil"}


def judged_run(folder: Path) -> Run:
    return run_of(
        folder,
        call("1"),
        judged("2", "allow", "fast", score=0.1),
        judged("3", "allow", "deliberate", score=0.7),
        judged("4", "deny", "deliberate", score=0.8),
        bad_call("5"),
        judged("6", "allow", "fast", score=0.3, **BAD),
        judged("7", "allow", "deliberate", score=0.6, **BAD),
        judged("8", "deny", "deliberate", score=0.95, **BAD),
    )


def test_each_stage_more_clears_more_good_work_and_misses_more_bad(tmp_path: Path) -> None:
    outcomes = judged_run(tmp_path).outcomes

    points = stages(Sides(outcomes), outcomes)

    assert [(one.name, one.stopped.share, one.missed.share) for one in points] == [
        ("no model", 0.75, 0),
        ("up to the first look", 0.5, 0.25),
        ("up to the second look", 0.25, 0.5),
    ]


def test_without_a_model_there_is_one_point(tmp_path: Path) -> None:
    outcomes = run_of(tmp_path, call("1", "ask"), bad_call("2")).outcomes

    (point,) = stages(Sides(outcomes), outcomes)

    assert (point.name, point.stopped.share) == ("no model", 1)


def test_without_bad_work_there_is_no_curve(tmp_path: Path) -> None:
    outcomes = run_of(tmp_path, judged("1", "allow", "fast", score=0.2)).outcomes

    assert stages(Sides(outcomes), outcomes) == ()
    assert thresholds(outcomes) == ()


def test_a_higher_threshold_stops_less_and_misses_more(tmp_path: Path) -> None:
    curve = thresholds(judged_run(tmp_path).outcomes)

    assert [one.limit for one in curve] == [0.1, 0.3, 0.6, 0.7, 0.8, 0.95]
    assert [one.stopped for one in curve] == [0.75, 0.5, 0.5, 0.5, 0.25, 0]
    assert [one.missed for one in curve] == [0, 0, 0.25, 0.5, 0.5, 0.5]


def test_many_scores_make_a_curve_of_bounded_length(tmp_path: Path) -> None:
    rows = [judged(f"{n}", "allow", "fast", score=n / 1000) for n in range(1000)]

    curve = thresholds(run_of(tmp_path, *rows, bad_call("bad")).outcomes)

    assert len(curve) == 50


def test_bins_hold_how_often_it_was_bad_work(tmp_path: Path) -> None:
    bins = calibration(judged_run(tmp_path).outcomes)

    assert [(round(one.low, 1), one.bad.hits, one.bad.rows) for one in bins] == [
        (0.1, 0, 1),
        (0.3, 1, 1),
        (0.6, 1, 1),
        (0.7, 0, 1),
        (0.8, 0, 1),
        (0.9, 1, 1),
    ]
    assert all(one.low <= one.score <= one.high for one in bins)


def test_a_score_of_one_is_in_the_last_bin(tmp_path: Path) -> None:
    (one,) = calibration(run_of(tmp_path, judged("1", "deny", "fast", score=1.0)).outcomes)

    assert (one.low, one.high, one.score) == pytest.approx((0.9, 1.0, 1.0))


def test_what_has_no_score_is_in_no_bin(tmp_path: Path) -> None:
    assert calibration(run_of(tmp_path, call("1")).outcomes) == ()
