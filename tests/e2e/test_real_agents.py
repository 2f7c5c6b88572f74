"""The real agents on a scripted model: a smoke of `make e2e`, and what the doctor sees of them."""

from pathlib import Path

import pytest
from conformance.programs import pinned
from conformance.run import Cast, End, play
from conformance.scenarios import SCENARIOS, Scenario
from conformance.trial import trial

from automode.agents.scripted.driver import NoProgram
from automode.agents.scripted.firing import fires

AGENTS = Path(__file__).parents[2] / ".venv" / "agents"
WAYS = {
    "pi": ("pi", ()),
    "claude-code over HTTP": ("claude-code", ("--transport", "http")),
    "claude-code over commands": ("claude-code", ("--transport", "command")),
}
SMOKE = [one for one in SCENARIOS if one.id in ("allow-runs", "deny-blocks")]


def cast(way: str) -> Cast:
    name, words = WAYS[way]
    try:
        return Cast(way, pinned(name, str(AGENTS)), words)
    except NoProgram as why:
        pytest.skip(f"NO REAL AGENT: {why}; {why.hint}")


@pytest.mark.parametrize("way", ["pi", "claude-code over HTTP"])
@pytest.mark.parametrize("scenario", SMOKE, ids=lambda one: one.id)
def test_the_real_agent_plays_the_scenario(way: str, scenario: Scenario) -> None:
    played = play(scenario, cast(way))

    assert (played.end, played.detail) == (End.PASSED, "")


@pytest.mark.real
@pytest.mark.parametrize("way", WAYS)
def test_the_doctor_sees_the_hook_fire(way: str) -> None:
    chosen = cast(way)
    with trial(chosen.agent, chosen.installed_with) as ready:
        path = chosen.agent.words[-1]

        fired = fires(chosen.agent.name, path, environment=ready.environment)

        assert (fired.ok, "automode stopped it" in fired.detail) == (True, True), fired.detail


@pytest.mark.real
@pytest.mark.parametrize("way", WAYS)
def test_the_doctor_sees_a_hook_without_anybody_behind_it(way: str) -> None:
    """The state folder is gone, so that no daemon can be asked or started."""
    chosen = cast(way)
    with trial(chosen.agent, chosen.installed_with) as ready:
        moved = Path(ready.state.path)
        moved.rename(moved.with_name("elsewhere"))

        fired = fires(chosen.agent.name, chosen.agent.words[-1], environment=ready.environment)

        assert not fired.ok
        assert "nothing is decided" in fired.detail
