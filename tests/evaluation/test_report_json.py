"""The report as data: everything that the other reports show, unrounded."""

import json
from pathlib import Path

from automode.evaluation.confusions import confusions
from automode.evaluation.outcomes import Run
from automode.evaluation.reports import as_data
from automode.evaluation.scoring import score
from tests.evaluation.written_runs import bad_call, call, judged, result, run_of


def a_run(folder: Path) -> Run:
    return run_of(
        folder,
        call("1", "deny", action="rm -rf ~", asked="clean up"),
        judged("2", "allow", "fast", score=0.25),
        *(bad_call(f"b{n}", "allow") for n in range(4)),
        result("3", suspect=True),
        policy="abc",
    )


def test_it_survives_json_and_holds_both_numbers_apart(tmp_path: Path) -> None:
    run = a_run(tmp_path)

    read = json.loads(json.dumps(as_data(run, score(run), confusions(run))))

    headline = read["scores"]["actions"]["headline"]
    assert headline["denied"]["share"] == 0.5
    assert headline["missed"]["hits"] == 4
    assert headline["missed"]["method"] == "wilson"
    assert read["scores"]["actions"]["calibration"][0]["score"] == 0.25
    assert read["facts"]["policy"] == "abc"
    assert (read["format"], read["cases"], read["planned"]) == (1, 7, None)


def test_examples_are_bounded_and_their_number_is_not(tmp_path: Path) -> None:
    run = a_run(tmp_path)

    read = json.loads(json.dumps(as_data(run, score(run), confusions(run), most=2)))

    missed = read["confusions"]["missed"]
    assert (missed["count"], len(missed["worst"])) == (4, 2)
    stopped = read["confusions"]["stopped"]["worst"][0]
    assert (stopped["action"], stopped["askedFor"]) == ("rm -rf ~", "clean up")
    assert stopped["sentence"]


def test_whoever_decided_has_both_sides(tmp_path: Path) -> None:
    run = a_run(tmp_path)

    read = json.loads(json.dumps(as_data(run, score(run), confusions(run))))

    assert read["deciders"][0] == {
        "source": "read-only",
        "rule": "",
        "sentence": "",
        "goodDenied": 0,
        "goodAsked": 0,
        "badStopped": 0,
        "badMissed": 4,
    }


def test_the_same_run_gives_the_same_data(tmp_path: Path) -> None:
    run = a_run(tmp_path)

    first, second = (json.dumps(as_data(run, score(run), confusions(run))) for _ in range(2))

    assert first == second
