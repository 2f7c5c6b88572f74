"""How scenarios are played and reported, with programs that are no agents."""

import pytest
from conformance.driver import ScenarioDriver, scenario_driver
from conformance.failing import ScenarioFailed, ScenarioSkipped
from conformance.run import Cast, End, Played, play, summary, table
from conformance.scenarios import Scenario
from conformance.trial import Trial

NOBODY = Cast("pi", scenario_driver("pi", "/nonexistent/pi"))
PLAYED = [
    Played("pi", "allow-runs", End.PASSED),
    Played("claude-code/http", "allow-runs", End.FAILED, "it did not run"),
    Played("pi", "child-gated", End.SKIPPED, "pi has no sub-agents"),
]


def fine(_trial: Trial) -> None:
    """Nothing happens, so nothing ran that was not allowed."""


def denied_call_runs(trial: Trial) -> None:
    open(f"{trial.project}/denied-1", "w").close()


def both(trial: Trial) -> None:
    denied_call_runs(trial)
    raise ScenarioFailed("something else")


def starts(trial: Trial) -> None:
    trial.run()


def cannot(_trial: Trial) -> None:
    raise ScenarioSkipped("no such thing here")


def machine_breaks(_trial: Trial) -> None:
    raise OSError(28, "No space left on device")


SCENES = {
    "passes": (fine, End.PASSED, ""),
    "a call that was not allowed": (denied_call_runs, End.FAILED, "denied-1"),
    "that outweighs any other failure": (both, End.FAILED, "denied-1"),
    "skipped": (cannot, End.SKIPPED, "no such thing here"),
    "a fault of the machine": (machine_breaks, End.FAILED, "No space left"),
}


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_ends_as_it_should(name: str) -> None:
    scene, end, detail = SCENES[name]

    played = play(Scenario("x", scene, installed=False), NOBODY)

    assert played.end is end
    assert detail in played.detail


def test_an_agent_for_whom_a_scenario_means_nothing_skips_it() -> None:
    def never(agent: ScenarioDriver) -> str:
        return f"{agent.name} cannot"

    played = play(Scenario("x", denied_call_runs, means_nothing=never), NOBODY)

    assert (played.end, played.detail) == (End.SKIPPED, "pi cannot")


def test_the_table_has_scenarios_down_and_agents_across() -> None:
    assert table(PLAYED).splitlines() == [
        "scenario     pi    claude-code/http",
        "allow-runs   pass  FAIL",
        "child-gated  skip",
    ]


def test_the_last_line_counts() -> None:
    assert summary(PLAYED) == "1 passed, 1 failed, 1 skipped"
    assert summary(PLAYED[:1]) == "1 passed, 0 failed"
