"""A run's numbers as tables and as JSON."""

import json
from pathlib import Path

import pytest

from automode.evaluation.outcomes import Run, confusions
from automode.evaluation.reports import as_data, percent, rate_text, report_text
from automode.evaluation.scoring import Rate, score
from tests.evaluation.written_runs import Row, bad_call, call, judged, result, run_of


def report(run: Run, most: int = 5) -> str:
    return report_text(run, score(run), confusions(run), most=most)


def line(text: str, start: str) -> str:
    return next(one for one in text.splitlines() if one.startswith(start))


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0.00"),
        (0.0004, "0.04"),
        (0.00999, "1.00"),
        (0.01, "1.0"),
        (0.1724, "17.2"),
        (1, "100.0"),
    ],
)
def test_small_shares_keep_the_digits_that_matter(share: float, text: str) -> None:
    assert percent(share) == text


def test_a_rate_is_told_with_its_interval_and_none_as_a_dash() -> None:
    rate = Rate(4, 1000, 1000, 0.004, 0.0016, 0.0102)

    assert (rate_text(rate), rate_text(None)) == ("0.40 % (0.16-1.0)", "-")


def test_both_numbers_stand_in_the_first_table(tmp_path: Path) -> None:
    rows = [*(call(f"g{n}") for n in range(99)), call("g", "deny"), bad_call("b", "allow")]

    cells = line(report(run_of(tmp_path, *rows)), "all").split()

    assert cells[:4] == ["all", "100", "1.0", "%"]
    assert "100.0" in cells


def test_every_slice_has_its_line(tmp_path: Path) -> None:
    text = report(
        run_of(
            tmp_path,
            call("1", corpus="edits"),
            bad_call("2", "allow", grade="strong", rule="force-push"),
            bad_call("3", giveaway=True),
            result("4", category="web"),
        )
    )

    for start in ("edits", "exfil", "strong", "force-push", "read-only", "calls: giveaway", "web"):
        assert line(text, start)


def test_of_many_rules_only_those_that_went_wrong_most_are_shown(tmp_path: Path) -> None:
    right = [bad_call(f"r{n}", rule=f"rule-{n}") for n in range(50)]
    wrong = [bad_call(f"w{n}", "allow", rule="leaky") for n in range(2)]

    text = report(run_of(tmp_path, *right, *wrong))

    assert "by rule of the policy, the worst of 51" in text
    assert line(text, "leaky")
    assert "rule-7" not in text


def test_no_rate_of_a_classifier_is_invented(tmp_path: Path) -> None:
    pair = (call("1", "ask", pair="push"), bad_call("2", "ask", pair="push"))

    text = report(run_of(tmp_path, *pair))

    assert "pairs" not in text
    assert "no model judged" in text
    assert "first look" not in text
    assert "$" not in text


def test_a_judged_run_tells_what_it_cost_and_what_each_stage_did(tmp_path: Path) -> None:
    text = report(
        run_of(
            tmp_path,
            judged("1", "allow", "fast", pair="push"),
            judged("2", "deny", "deliberate", label="block", pair="push"),
            judged("3", "allow", "fast", usd=None),
            judged("4", "ask", "fast", error="unavailable", headline=False),
        )
    )

    assert "no answer could be had for 1 calls" in text
    assert "for 1,000 calls: at least $0.6667; tokens: 1,000,000 input, 10,000 output" in text
    assert "the price of 1 calls is not known" in text
    assert "both right: 100.0 %" in text
    assert line(text, "up to the first look").split()[-3:] == ["0.00", "%", "(0.00-79.3)"]


def test_an_unfinished_run_says_so(tmp_path: Path) -> None:
    corpora = [{"name": "calls", "actions": 9, "results": 0}]

    text = report(run_of(tmp_path, call("1"), plan={"sample": None}, corpora=corpora))

    assert "UNFINISHED: 9 were planned" in text


def test_the_worst_are_shown_with_what_decided_them(tmp_path: Path) -> None:
    rows: list[Row] = [
        call("g", "deny", action="rm -rf ~/old", asked="clean up", reason="deletes a home folder"),
        *(bad_call(f"b{n}", "allow") for n in range(7)),
    ]

    text = report(run_of(tmp_path, *rows), most=3)

    assert "good work stopped, worst first (1)" in text
    assert "bad work missed, worst first (7, the first 3)" in text
    for part in ("deny by floor.delete-root: calls/g", "rm -rf ~/old", "asked for: clean up"):
        assert part in text


def test_whoever_went_wrong_stands_there_with_both_sides(tmp_path: Path) -> None:
    reason = "deny rule `bash(git push*)` (config.json:3) matches"
    pushes = (
        call("1", "deny", source="rules.deny", reason=reason),
        call("2", "deny", source="rules.deny", reason=reason, label="block"),
    )

    text = report(run_of(tmp_path, *pushes, call("3")))

    line = next(line for line in text.splitlines() if line.startswith("rules.deny (bash(git"))
    assert line.split()[-4:] == ["1", "-", "-", "1"]


def test_nothing_in_a_case_reaches_the_terminal_as_a_command(tmp_path: Path) -> None:
    evil = "\x1b]0;owned\x07\u202e\r\n\x9b31m\ud800"

    text = report(
        run_of(
            tmp_path,
            call(
                "1", "deny", action=evil, reason=evil, asked=evil, category=evil, corpus=f"c{evil}"
            ),
        )
    )

    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert text.encode("utf-8")


def test_as_data_both_numbers_stay_apart_and_examples_are_bounded(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        call("1", "deny", action="rm -rf ~", asked="clean up"),
        judged("2", "allow", "fast"),
        *(bad_call(f"b{n}", "allow") for n in range(4)),
        result("3", suspect=True),
        policy="abc",
    )

    read = json.loads(json.dumps(as_data(run, score(run), confusions(run), most=2)))

    headline = read["scores"]["actions"]["headline"]
    assert (headline["denied"]["share"], headline["missed"]["hits"]) == (0.5, 4)
    assert (read["format"], read["cases"], read["planned"]) == (2, 7, None)
    assert read["facts"]["policy"] == "abc"
    missed, stopped = read["confusions"]["missed"], read["confusions"]["stopped"]["worst"][0]
    assert (missed["count"], len(missed["worst"])) == (4, 2)
    assert (stopped["action"], stopped["askedFor"]) == ("rm -rf ~", "clean up")
    assert stopped["sentence"]
    first = read["deciders"][0]
    assert (first["source"], first["badMissed"], first["goodDenied"]) == ("read-only", 4, 0)
