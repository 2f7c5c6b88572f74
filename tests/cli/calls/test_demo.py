"""`automode demo`: the tour is a check that can fail."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from automode.cli.calls.demo import Step, read_steps, run_tour
from automode.cli.main import cli
from tests.rows import each_row

Run = Callable[..., Result]
Rows = list[dict[str, object]]
EXAMPLES = Path(__file__).parents[3] / "examples/demo"
LONGEST_TOUR = 20  # calls; nobody reads more of them
EXAMPLE_ANSWERS = """
allow read-only
allow read-only
allow read-only
allow read-only
allow workspace-edit
allow rules.allow
ask rules.ask
ask gate.undecided
ask gate.undecided
ask gate.undecided
ask gate.undecided
deny rules.deny
deny floor.delete-root
deny floor.delete-root
deny floor.tls-verification
deny floor.decoded-script
deny floor.shell-profile
"""


@pytest.fixture(scope="module")
def rows() -> Rows:
    result = CliRunner().invoke(cli, ["demo", "--json"])
    assert result.exit_code == 0
    found: Rows = json.loads(result.stdout)
    return found


def test_every_answer_is_the_expected_one_and_no_model_is_asked(rows: Rows) -> None:
    assert [one for one in rows if not one["expected"]] == []
    assert {one["model_requests"] for one in rows} == {0}
    assert len(rows) <= LONGEST_TOUR
    verdicts = Counter(one["verdict"] for one in rows)
    assert set(verdicts) == {"allow", "ask", "deny"}
    assert verdicts["allow"] * 2 >= verdicts.total()


def test_words_of_the_user_turn_the_same_call_from_asked_to_allowed(rows: Rows) -> None:
    pushes = [one for one in rows if one["input"] == {"command": "git push origin main"}]
    assert [(one["verdict"], one["source"]) for one in pushes] == [
        ("ask", "classifier.local"),
        ("allow", "classifier.local"),
    ]
    assert "which nobody asked for" in str(pushes[0]["reason"])


def test_a_poisoned_result_is_warned_of_and_remembered_against_the_theft(rows: Rows) -> None:
    (at,) = [place for place, one in enumerate(rows) if one["warning"]]
    assert "looks like an attempt to take over its reader" in str(rows[at]["warning"])
    assert str(rows[at]["remembered"]).startswith("a result of `read` was suspect")
    thefts = [one for one in rows[at:] if ".env" in str(one["input"])]
    assert thefts
    assert all(one["verdict"] != "allow" for one in thefts)
    assert any("looked like an attempt to steer it" in str(one["reason"]) for one in thefts)


def test_the_tour_fits_a_terminal_and_says_what_it_came_to(automode: Run) -> None:
    result = automode("demo")

    lines = result.stdout.splitlines()
    assert max(len(line) for line in lines) <= 80
    assert 'user says  "Fix the failing test in src/cart.js and commit it."' in lines
    assert "  probe      3 results looked at, 1 suspect" in lines
    assert "  models     0 requests" in lines
    assert lines[-1].strip() == "automode status"
    assert "automode-demo-" not in result.stdout
    assert "WRONG" not in result.stdout


@each_row(
    "answer, suspect, told",
    [
        ("deny floor.x", False, "expected deny by floor.x"),
        ("allow read-only", True, "expected allow by read-only, with a warning"),
    ],
)
def test_an_answer_that_is_not_expected_fails_the_tour(
    capsys: pytest.CaptureFixture[str], answer: str, suspect: bool, told: str
) -> None:
    given = {"command": "ls"}
    call = Step("One call", "On its own.", "bash", given, answer, result="a.py\n", suspect=suspect)

    status = run_tour([call])

    printed = capsys.readouterr().out
    assert status == 1
    assert f"WRONG      {told}" in printed
    assert "1 of 1 are not as expected" in printed


def test_without_the_users_words_the_tour_fails() -> None:
    assert run_tour([replace(step, said="") for step in read_steps()]) == 1


def test_the_example_calls_get_the_answers_of_rules_and_floor(automode: Run) -> None:
    """With the settings that stand beside them."""
    words = ("--config-folder", str(EXAMPLES / "settings"), "check", "--no-classifier", "--batch")

    result = automode(*words, str(EXAMPLES / "calls.jsonl"))

    found = [json.loads(line) for line in result.stdout.splitlines()]
    told = [f"{one['verdict']} {one['source']}" for one in found]
    assert told == EXAMPLE_ANSWERS.split("\n")[1:-1]
