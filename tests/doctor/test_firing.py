"""Whether an agent really asks."""

from dataclasses import dataclass

import pytest

from automode.doctor.finding import Level
from automode.doctor.firing import LEFT, check_firing
from tests.doctor.conftest import Machine


@dataclass(frozen=True, slots=True)
class Outcome:
    ok: bool
    detail: str = ""


OUTCOMES = {
    "it asks": (Outcome(ok=True), Level.OK),
    "it asks, and more is known": (Outcome(ok=True, detail="in 2 s"), Level.OK),
    "it does not ask": (Outcome(ok=False, detail="the call ran"), Level.PROBLEM),
}


@pytest.mark.parametrize(("outcome", "level"), OUTCOMES.values(), ids=OUTCOMES.keys())
def test_only_a_call_that_came_is_fine(machine: Machine, outcome: Outcome, level: Level) -> None:
    (found,) = check_firing(
        "pi", machine.case(), "/bin/pi", lambda agent, program: outcome, scopes=["user"]
    )

    assert found.level is level
    assert outcome.detail in found.says


def test_what_trying_it_leaves_in_the_records_is_said(machine: Machine) -> None:
    (found,) = check_firing(
        "pi", machine.case(), "/bin/pi", lambda agent, program: Outcome(ok=True), scopes=["user"]
    )

    assert LEFT in found.says


def test_what_was_not_tried_is_said_loudly(machine: Machine) -> None:
    quiet = machine.case(starts=False)
    skipped = check_firing("pi", quiet, "/bin/pi", lambda *_: Outcome(ok=True), scopes=["user"])
    nobody = check_firing("pi", machine.case(), "/bin/pi", None, scopes=["user"])

    for (found,) in (skipped, nobody):
        assert found.level is Level.WARNING
        assert "NOT TRIED" in found.says
        assert found.fix == "automode doctor pi"


@pytest.mark.parametrize("scopes", [[], ["project"], ["managed", "project"]], ids=str)
def test_what_cannot_be_taken_along_is_not_tried(machine: Machine, scopes: list[str]) -> None:
    tried: list[str] = []

    def fires(agent: str, program: str) -> Outcome:
        tried.append(agent)
        return Outcome(ok=True)

    (found,) = check_firing("pi", machine.case(), "/bin/pi", fires, scopes=scopes)

    assert (found.level, tried) == (Level.WARNING, [])
    assert "NOT TRIED" in found.says
