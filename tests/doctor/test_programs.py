"""The agents' programs: which releases are taken for what."""

import pytest

from automode.agents.installing.agent_programs import AgentProgram, found_program
from automode.doctor.finding import Level
from automode.doctor.programs import check_program
from tests.doctor.conftest import Machine

RELEASES = {
    "not installed": ("claude-code", None, Level.WARNING, "not on PATH"),
    "says nothing": ("claude-code", (), Level.WARNING, "does not say"),
    "too old": ("claude-code", (2, 0, 9), Level.WARNING, "older than 2.1.197"),
    "the oldest": ("claude-code", (2, 1, 197), Level.OK, "release 2.1.197"),
    "of today": ("claude-code", (2, 1, 999), Level.OK, "release 2.1.999"),
    "another generation": ("claude-code", (3, 0, 0), Level.WARNING, "not with this generation"),
    "pi that is too old": ("pi", (0, 5, 0), Level.WARNING, "older than 0.73.1"),
}


@pytest.mark.parametrize(
    ("agent", "release", "level", "words"), RELEASES.values(), ids=RELEASES.keys()
)
def test_a_release_is_measured_or_not(
    agent: str, release: tuple[int, ...] | None, level: Level, words: str
) -> None:
    found = None if release is None else AgentProgram("/bin/agent", release)

    finding = check_program(agent, found)

    assert finding.level is level
    assert words in finding.says
    assert bool(finding.fix) == (level is not Level.OK)


def test_the_release_is_what_the_program_itself_says(machine: Machine) -> None:
    path = machine.program("claude", "echo '2.1.325 (Claude Code)'")

    found = check_program(
        "claude-code", found_program("claude-code", machine.case().site.environment)
    )

    assert found.level is Level.OK
    assert f"{path}, release 2.1.325" in found.says
