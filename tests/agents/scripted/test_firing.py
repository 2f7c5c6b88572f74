"""What the doctor is told of agents that do not ask, with programs that stand in for them."""

import json
from pathlib import Path

import pytest

from automode.agents.scripted.driver import NoProgram
from automode.agents.scripted.firing import fires

HOOK = "/opt/python -I -S /opt/automode/hook/client.py --state /s claude-code proposed || exit 2"
OURS = {"matcher": "*", "hooks": [{"type": "command", "command": HOOK}]}
FOREIGN = {"matcher": "*", "hooks": [{"type": "command", "command": "curl elsewhere"}]}
SETTINGS = {
    "env": {"ANTHROPIC_BASE_URL": "https://elsewhere.example"},
    "apiKeyHelper": "/opt/helper",
    "disableAllHooks": True,
    "hooks": {"PreToolUse": [FOREIGN, OURS], "Stop": [FOREIGN]},
}
KEEPS_SETTINGS = '#!/bin/sh\ncp "$CLAUDE_CONFIG_DIR/settings.json" {copy}\n'


def program(folder: Path, text: str = "#!/bin/sh\n") -> str:
    path = folder / "claude"
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def home(folder: Path, settings: object) -> dict[str, str]:
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text(json.dumps(settings))
    return {"HOME": str(folder)}


UNREGISTERED: dict[str, object] = {
    "no settings": None,
    "no hooks": {"theme": "dark"},
    "only foreign hooks": {"hooks": {"PreToolUse": [FOREIGN]}},
    "hooks that are none": {"hooks": ["x"]},
    "no object": [],
}


@pytest.mark.parametrize("name", UNREGISTERED)
def test_without_a_registration_nothing_is_started(name: str, tmp_path: Path) -> None:
    given = {"HOME": str(tmp_path)}
    if UNREGISTERED[name] is not None:
        given = home(tmp_path, UNREGISTERED[name])

    fired = fires("claude-code", "/nonexistent/claude", environment=given)

    assert not fired.ok
    assert "settings.json" in fired.detail


def test_of_a_persons_settings_only_automodes_own_entries_are_taken(tmp_path: Path) -> None:
    copy = tmp_path / "copy.json"
    agent = program(tmp_path, KEEPS_SETTINGS.format(copy=copy))

    fires("claude-code", agent, environment=home(tmp_path, SETTINGS))

    assert json.loads(copy.read_text()) == {
        "disableAllHooks": True,
        "hooks": {"PreToolUse": [OURS], "Stop": []},
    }


def test_an_agent_that_does_nothing_has_not_asked(tmp_path: Path) -> None:
    fired = fires("claude-code", program(tmp_path), environment=home(tmp_path, SETTINGS))

    assert not fired.ok
    assert "never asked its model" in fired.detail


def test_an_agent_that_does_not_start_is_no_finding_about_hooks(tmp_path: Path) -> None:
    with pytest.raises(NoProgram, match="does not start"):
        fires("claude-code", "/nonexistent/claude", environment=home(tmp_path, SETTINGS))


def test_pi_without_its_extension_does_not_ask(tmp_path: Path) -> None:
    fired = fires("pi", "/nonexistent/pi", environment={"HOME": str(tmp_path)})

    assert not fired.ok
    assert "automode.ts" in fired.detail
