"""What fewer stages or another threshold would do, and what scores are worth."""

from pathlib import Path

import pytest

from automode.evaluation.curves import Sides, calibration, stages, thresholds
from automode.evaluation.outcomes import Run
from tests.evaluation.written_runs import bad_call, call, judged, run_of

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
