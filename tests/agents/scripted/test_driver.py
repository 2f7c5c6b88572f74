"""What every agent is started with, and what it says of itself."""

import os
import sys
from pathlib import Path

import pytest

from automode.agents.claude_code.driver import ClaudeCodeProgram
from automode.agents.cline.driver import ClineProgram
from automode.agents.codex.driver import CodexProgram
from automode.agents.copilot_cli.driver import CopilotCliProgram
from automode.agents.gemini_cli.driver import GeminiCliProgram
from automode.agents.pi.driver import PiProgram
from automode.agents.qwen_code.driver import QwenCodeProgram
from automode.agents.scripted.driver import Agent, Lodging, NoProgram, plain_environment, version

AGENTS: list[Agent] = [
    ClaudeCodeProgram("/opt/claude"),
    ClineProgram("/opt/cline"),
    CodexProgram("/opt/codex", "/opt/node/bin"),
    CopilotCliProgram("/opt/copilot", "/opt/node/bin"),
    GeminiCliProgram("/opt/gemini"),
    PiProgram("/opt/pi", "/opt/node/bin"),
    QwenCodeProgram("/opt/qwen", "/opt/node/bin"),
]


@pytest.fixture
def lodging(tmp_path: Path) -> Lodging:
    (tmp_path / "home").mkdir()
    return Lodging(str(tmp_path / "home"), str(tmp_path / "project"), "http://127.0.0.1:1")


@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: one.name)
def test_nothing_of_the_callers_own_agent_or_keys_is_handed_on(
    agent: Agent, lodging: Lodging, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDECODE", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AUTOMODE_SETTINGS_JSON"):
        monkeypatch.setenv(name, "of the caller")

    found = agent.environment(lodging)

    assert "of the caller" not in found.values()
    assert found["HOME"] == lodging.home


@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: one.name)
def test_all_that_is_written_lies_in_the_lodging(agent: Agent, lodging: Lodging) -> None:
    agent.prepare(lodging)
    agent.settle_in(lodging)

    assert [one for one in agent.registers(lodging) if not one.startswith(lodging.home)] == []
    assert all(os.path.exists(one) for one in agent.registers(lodging))


@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: one.name)
def test_the_prompt_is_the_last_word(agent: Agent) -> None:
    assert agent.once("do --this")[-1] == "do --this"


def test_folders_of_the_agents_own_come_first_on_the_path() -> None:
    assert plain_environment("/h", first_on_path=("/opt/node",))["PATH"].startswith("/opt/node:")


BROKEN = {"is missing": "", "fails": "#!/bin/sh\nexit 3\n", "says nothing": "#!/bin/sh\n"}


@pytest.mark.parametrize("how", BROKEN)
def test_a_program_that_does_not_tell_its_version_is_none(how: str, tmp_path: Path) -> None:
    program = tmp_path / "claude"
    if BROKEN[how]:
        program.write_text(BROKEN[how])
        program.chmod(0o755)

    with pytest.raises(NoProgram, match="claude"):
        version(ClaudeCodeProgram(str(program)), {})


def test_a_version_is_the_last_line_it_prints(tmp_path: Path) -> None:
    program = tmp_path / "claude"
    program.write_text(f"#!{sys.executable}\nprint('a notice')\nprint('2.1.325 (Claude Code)')\n")
    program.chmod(0o755)

    assert version(ClaudeCodeProgram(str(program)), {}) == "2.1.325 (Claude Code)"
