"""`automode demo`: the tour is a check that can fail."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from automode.cli.demo import run_tour
from automode.cli.demo_calls import CALLS, DemoCall

Run = Callable[..., Result]
EXAMPLES = Path(__file__).parents[2] / "examples/demo"


def test_every_verdict_of_the_tour_is_the_expected_one(automode: Run) -> None:
    result = automode("demo", "--json")

    wrong = [one for one in json.loads(result.stdout) if not one["expected"]]
    assert wrong == []
    assert result.exit_code == 0


def test_the_tour_fits_a_terminal_and_ends_with_what_to_try(automode: Run) -> None:
    result = automode("demo")

    lines = result.stdout.splitlines()
    assert max(len(line) for line in lines) <= 80
    assert "Summary" in lines
    assert lines[-1].strip() == "automode status"
    assert "is set aside" in result.stdout
    assert "WRONG" not in result.stdout


def test_a_wrong_verdict_fails_the_tour(capsys: pytest.CaptureFixture[str]) -> None:
    status = run_tour([DemoCall("bash", "command", "ls", "deny", "floor.x")], as_json=False)

    assert status == 1
    assert "WRONG      expected deny by floor.x" in capsys.readouterr().out


def test_the_tour_shows_all_three_verdicts() -> None:
    assert {call.verdict for call in CALLS} == {"allow", "ask", "deny"}


def test_the_example_files_are_those_of_the_tour() -> None:
    rows = [json.loads(line) for line in (EXAMPLES / "calls.jsonl").read_text().splitlines()]

    assert [(row["tool"], row["input"]) for row in rows] == [
        (call.tool, dict(call.input)) for call in CALLS
    ]


def test_the_example_calls_get_the_verdicts_of_the_tour(automode: Run) -> None:
    """With the settings that stand beside them."""
    words = ("--config-folder", str(EXAMPLES / "settings"), "check", "--no-classifier", "--batch")

    result = automode(*words, str(EXAMPLES / "calls.jsonl"))

    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(one["verdict"], one["source"]) for one in found] == [
        (call.verdict, call.source) for call in CALLS
    ]
