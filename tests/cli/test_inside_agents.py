"""The real Claude Code and Pi: findings are told at the start, `/automode` answers."""

import json
from pathlib import Path

import pytest
from conformance.programs import pinned
from conformance.trial import trial

from automode.agents.scripted.driver import NoProgram

AGENTS_FOLDER = Path(__file__).parents[2] / ".venv" / "agents"


@pytest.mark.real
@pytest.mark.parametrize("agent", ["claude-code", "pi"])
def test_findings_are_told_and_words_are_answered(agent: str) -> None:
    try:
        driver = pinned(agent, str(AGENTS_FOLDER))
    except NoProgram as missing:
        pytest.skip(f"NO {agent.upper()}: {missing}")
    with trial(driver) as one:
        file = Path(one.config, "config.json")
        settings = json.loads(file.read_text())
        settings["permissions"]["denny"] = []
        file.write_text(json.dumps(settings))
        with one.terminal() as terminal:
            terminal.wait_for(*driver.screen.ready)
            terminal.wait_for("permissions.denny: unknown key")
            terminal.settle()
            terminal.prompt("/automode help")
            terminal.wait_for("/automode approve")
            assert one.model.asked == []
