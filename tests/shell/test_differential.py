"""A few hundred random scripts in real bash: what is allowed starts and changes what was listed.

`make differential` runs as many as one likes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.real

EVALS = Path(__file__).parents[2] / "evals"
COUNTED = """
import json
print(json.dumps([outcome.made, outcome.allowed, outcome.started, [f.what for f in outcome.found]]))
"""


def outcome_of(code: str) -> tuple[int, int, int, list[str]]:
    """Runs code that leaves an `outcome`: made, allowed, programs started, what is wrong."""
    path = os.pathsep.join((str(EVALS), *sys.path))
    done = subprocess.run(
        [sys.executable, "-c", f"from differential import *\n{code}\n{COUNTED}"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    made, allowed, started, found = json.loads(done.stdout)
    return made, allowed, started, found


def test_what_the_door_allows_does_no_more_than_its_reading_says() -> None:
    made, allowed, started, found = outcome_of("outcome = trial(7, 400)")

    assert found == []
    assert made == 400
    assert allowed > 60
    assert started > 20


def test_a_door_that_allows_without_reading_is_caught() -> None:
    code = "outcome = trial_of(['ls f', 'echo $(touch pwned)', ': > pwned'], lambda _: Script(()))"

    assert len(outcome_of(code)[3]) == 3


def test_a_row_that_takes_any_option_is_caught() -> None:
    code = """
from automode.programs.table import programs
from automode.shell import wrappers
del wrappers._OPENERS["jobs"]
programs().built["jobs"] = programs()["echo"]
outcome = trial_of(["ls f", "jobs -x touch pwned", "jobs"])
"""

    assert outcome_of(code) == (3, 3, 2, ["started ('touch', 'pwned')"])


def test_a_variable_that_is_taken_for_plain_is_caught() -> None:
    code = """
from automode.shell import builtins, state
state.harmless_assignment = lambda name, value: True
builtins.plain_name = lambda name: True
builtins.evaluated_name = lambda name: False
outcome = trial_of(["x='a[$(>pwned)]'", "RANDOM='a[$(>pwned)]'"])
"""
    made, allowed, _, found = outcome_of(code)

    assert (made, allowed) == (2, 2)
    assert [what.rsplit("/", 1)[-1] for what in found] == ["pwned"]
