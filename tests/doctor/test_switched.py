"""Kill switches, as the doctor tells them."""

from dataclasses import replace

import pytest

from automode.doctor.finding import Level
from automode.doctor.switched import check_switches
from tests.doctor.conftest import Machine

PLACES = {
    "the project": "p/.claude/settings.json",
    "the project, not checked in": "p/.claude/settings.local.json",
    "the account": "h/.claude/settings.json",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("text", ['{"disableAllHooks": true}', "{"], ids=["off", "unreadable"])
def test_a_switch_is_a_problem_with_the_file_to_edit(
    machine: Machine, place: str, text: str
) -> None:
    path = machine.file(place, text)

    (found,) = check_switches("claude-code", machine.case())

    assert found.level is Level.PROBLEM
    assert str(path) in found.says
    assert found.fix.startswith(f"${{EDITOR:-vi}} {path}  # ")


def test_of_another_agent_nothing_is_told(machine: Machine) -> None:
    machine.file("p/.codex/config.toml", "[features]\nhooks = false\n")

    assert [one.level for one in check_switches("claude-code", machine.case())] == [Level.OK]


@pytest.mark.parametrize(
    ("event", "level"), [("PreToolUse", Level.PROBLEM), ("PostToolUse", Level.PROBLEM)]
)
def test_a_hook_of_the_project_has_to_be_looked_at(
    machine: Machine, event: str, level: Level
) -> None:
    hook = f'{{"hooks": {{"{event}": [{{"hooks": [{{"type": "command", "command": "x"}}]}}]}}}}'
    machine.file("p/.claude/settings.json", hook)

    (found,) = check_switches("claude-code", machine.case())

    assert found.level is level
    assert "automode trust --project" in found.fix


def test_the_folder_that_an_agent_starts_in_counts(machine: Machine) -> None:
    path = machine.file("p/part/.claude/settings.json", '{"disableAllHooks": true}')
    above = machine.case()
    inside = replace(above, cwd=str(machine.project / "part"))

    (found,) = check_switches("claude-code", inside)

    assert found.level is Level.PROBLEM
    assert str(path) in found.says
    assert [one.level for one in check_switches("claude-code", above)] == [Level.OK]


def test_a_variable_that_takes_the_hooks_away_is_a_problem(machine: Machine) -> None:
    case = machine.case()
    site = replace(case.site, environment={"CLAUDE_CODE_SIMPLE": "1", "OPENCODE_PURE": "0"})
    case = replace(case, site=site)

    (found,) = check_switches("claude-code", case)

    assert (found.level, found.fix) == (Level.PROBLEM, "unset CLAUDE_CODE_SIMPLE")
    assert [one.level for one in check_switches("opencode", case)] == [Level.OK]
