"""The real agents, started on a scripted model: the smaller part of what `make e2e` plays."""

from pathlib import Path

import pytest
from conformance.programs import pinned
from conformance.run import Cast, End, play
from conformance.scenarios import SCENARIOS, Scenario
from conformance.trial import trial

from automode.agents.scripted.driver import NoProgram
from automode.agents.scripted.firing import fires

AGENTS = Path(__file__).parents[2] / ".venv" / "agents"
QUICK = [one for one in SCENARIOS if one.quick]
OVER_COMMANDS = [one for one in QUICK if one.id in ("deny-blocks", "daemon-killed")]
WAYS = {
    "pi": ("pi", ()),
    "claude-code over HTTP": ("claude-code", ("--transport", "http")),
    "claude-code over commands": ("claude-code", ("--transport", "command")),
}
PLAYED = [
    *((way, one) for way in ("pi", "claude-code over HTTP") for one in QUICK),
    *(("claude-code over commands", one) for one in OVER_COMMANDS),
]


def cast(way: str) -> Cast:
    name, words = WAYS[way]
    try:
        return Cast(way, pinned(name, str(AGENTS)), words)
    except NoProgram as why:
        pytest.skip(f"NO REAL AGENT: {why}; {why.hint}")


@pytest.mark.parametrize(("way", "scenario"), PLAYED, ids=lambda one: getattr(one, "id", one))
def test_the_real_agent_plays_the_scenario(way: str, scenario: Scenario) -> None:
    played = play(scenario, cast(way))

    if played.end is End.SKIPPED:
        pytest.skip(played.detail)
    assert (played.end, played.detail) == (End.PASSED, "")


@pytest.mark.parametrize("way", WAYS)
def test_the_doctor_sees_the_hook_fire(way: str) -> None:
    chosen = cast(way)
    with trial(chosen.agent, chosen.installed_with) as ready:
        path = chosen.agent.words[-1]

        fired = fires(chosen.agent.name, path, environment=ready.environment)

        assert (fired.ok, "automode stopped it" in fired.detail) == (True, True), fired.detail


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
