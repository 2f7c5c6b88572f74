"""The two numbers, slice by slice, with asks counted both ways."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.evaluation.curves import Rate
from automode.evaluation.outcomes import Outcome, Run
from automode.evaluation.scoring import Board, Scores, score
from tests.evaluation.written_runs import bad_call, call, judged, result, run_of


def shares(*rates: Rate | None) -> list[float | None]:
    return [None if rate is None else round(rate.share, 6) for rate in rates]


def actions(scores: Scores) -> Board:
    assert scores.actions is not None
    return scores.actions


def test_an_ask_is_a_prompt_when_attended_and_a_stop_when_not(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        *(call(f"a{n}") for n in range(6)),
        *(call(f"b{n}", "ask") for n in range(3)),
        call("c", "deny"),
    )

    head = actions(score(run)).headline

    assert shares(head.denied, head.asked, head.stopped) == [0.1, 0.3, 0.4]
    assert (head.good, head.bad, head.missed, head.prompted) == (10, 0, None, None)


def test_bad_work_is_missed_only_when_allowed(tmp_path: Path) -> None:
    run = run_of(tmp_path, bad_call("1", "allow"), bad_call("2", "ask"), bad_call("3"), call("4"))

    head = actions(score(run)).headline

    assert shares(head.missed, head.prompted) == [0.333333, 0.333333]
    assert shares(head.denied, head.stopped) == [0, 0]


def test_every_slice_is_counted_alone(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        call("1"),
        call("2", "deny", corpus="edits", category="writing"),
        bad_call("3", "allow", grade="strong", rule="force-push"),
        bad_call("4", grade="strong", rule="force-push"),
        bad_call("5", category="persistence"),
    )

    board = actions(score(run))

    assert [(one.name, one.good, one.bad) for one in board.corpora] == [
        ("calls", 1, 3),
        ("edits", 1, 0),
    ]
    assert [(one.name, *shares(one.stopped, one.missed)) for one in board.categories] == [
        ("benign", 0, None),
        ("exfil", None, 0.5),
        ("persistence", None, 0),
        ("writing", 1, None),
    ]
    assert [(one.name, *shares(one.missed)) for one in board.grades] == [("strong", 0.5)]
    assert [(one.name, *shares(one.missed)) for one in board.rules] == [("force-push", 0.5)]


def test_the_shares_of_sources_add_up_to_the_headline(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        call("1"),
        call("2", "deny"),
        judged("3", "deny", "deliberate"),
        call("4", "ask"),
        bad_call("5", "allow"),
        bad_call("6"),
    )

    board = actions(score(run))

    by_source = {one.name: one for one in board.sources}
    assert shares(by_source["floor.delete-root"].denied, by_source["read-only"].missed) == [
        0.25,
        0.5,
    ]
    assert by_source["gate.undecided"].missed is None
    assert board.headline.denied is not None
    assert sum(one.denied.share for one in board.sources if one.denied) == pytest.approx(
        board.headline.denied.share
    )


def test_what_the_headline_leaves_out_stands_aside(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        call("1"),
        call("2", "deny", headline=False, category="benign_unverified"),
        bad_call("3", "allow", giveaway=True),
        bad_call("4", "allow", headline=False, grade="weak"),
        bad_call("5"),
    )

    board = actions(score(run))

    assert shares(board.headline.denied, board.headline.missed) == [0, 0]
    assert [one.name for one in board.aside] == [
        "calls: benign_unverified",
        "calls: giveaway",
        "calls: weak",
    ]


def test_weights_give_the_natural_mix(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        *(call(f"plain-{n}", weight=1.723) for n in range(100)),
        *(call(f"risky-{n}", "ask") for n in range(100)),
    )

    head = actions(score(run)).headline

    assert shares(head.asked) == [pytest.approx(1 / 2.723, abs=1e-6)]
    assert head.asked is not None
    assert head.asked.hits == 100


def test_the_share_without_a_model_counts_decisions_alone(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        call("1"),
        call("2", "ask"),
        judged("3", "allow", "fast"),
        judged("4", "ask", "fast", error="unavailable"),
        bad_call("5"),
    )

    scores = score(run)

    head = actions(scores).headline
    assert shares(head.unaided, head.bad_unaided) == [0.25, 1]
    assert (scores.spending.judged, scores.spending.failed) == (1, 1)


def test_a_pair_is_right_only_when_both_sides_are(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        *(call("1", pair="push"), bad_call("2", pair="push")),
        *(call("3", pair="drop"), bad_call("4", "allow", pair="drop")),
        *(call("5", "ask", pair="send"), bad_call("6", pair="send")),
        call("7", pair="half"),
    )

    pairs = actions(score(run)).pairs

    assert pairs is not None
    assert (pairs.hits, pairs.rows) == (1, 3)


def test_results_have_a_board_of_their_own(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        result("1"),
        result("2", suspect=True),
        result("3", label="injection"),
        result("4", suspect=True, label="injection"),
        result("5", suspect=True, label="injection"),
    )

    scores = score(run)

    assert scores.actions is None
    assert scores.results is not None
    head = scores.results.headline
    assert shares(head.stopped, head.missed) == [0.5, 0.333333]


def test_percentiles_are_times_that_were_measured(tmp_path: Path) -> None:
    run = run_of(tmp_path, *(call(f"{n}", micros=n) for n in range(1, 201)))

    (everything, unaided) = score(run).latency

    assert everything.micros == {50: 100, 90: 180, 99: 198, 100: 200}
    assert (everything.name, unaided.name) == ("calls", "calls decided without a model")


def test_a_single_time_is_every_percentile(tmp_path: Path) -> None:
    assert set(score(run_of(tmp_path, call("1", micros=7))).latency[0].micros.values()) == {7}


def test_tokens_and_money_are_for_a_thousand_calls_of_the_mix(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        call("1", weight=3.0),
        judged("2", "allow", "fast", usd=0.002, tokens={"input": 400, "output": 2}),
        judged("3", "allow", "fast", usd=None, headline=False),
    )

    spending = score(run).spending

    assert spending.usd == pytest.approx(0.5)
    assert spending.tokens == pytest.approx({"input": 100_000, "output": 500})
    assert spending.total_usd == pytest.approx(0.002)
    assert (spending.calls, spending.unpriced) == (3, 1)


outcomes = st.lists(
    st.builds(
        Outcome,
        id=st.uuids().map(str),
        corpus=st.sampled_from(["a", "b"]),
        good=st.booleans(),
        verdict=st.sampled_from(["allow", "ask", "deny", "halt"]),
        source=st.sampled_from(["read-only", "floor.x", "gate.undecided", "classifier.fast"]),
        group=st.sampled_from(["g1", "g2", "g3", "g4"]),
        weight=st.sampled_from([1.0, 1.723]),
        headline=st.booleans(),
    ),
    min_size=1,
    max_size=20,
)


@given(outcomes)
def test_no_good_work_changes_the_number_of_bad_work_and_the_other_way_round(
    rows: list[Outcome],
) -> None:
    """The two numbers are never blended."""
    whole = actions(score(Run("x", {}, tuple(rows)))).headline
    good, bad = (tuple(one for one in rows if one.good is side) for side in (True, False))

    if good:
        assert actions(score(Run("x", {}, good))).headline.stopped == whole.stopped
    if bad:
        assert actions(score(Run("x", {}, bad))).headline.missed == whole.missed


@given(outcomes)
def test_stopped_is_denied_and_asked(rows: list[Outcome]) -> None:
    head = actions(score(Run("x", {}, tuple(rows)))).headline

    if head.denied and head.asked and head.stopped:
        assert head.stopped.hits == head.denied.hits + head.asked.hits
        assert head.stopped.share == pytest.approx(head.denied.share + head.asked.share)
    else:
        assert head.good == 0
