"""Where the kit finds agents, and what it says where it finds none."""

from pathlib import Path

import pytest
from conformance.driver import PLATFORM, scenario_driver
from conformance.programs import NAMES, pinned, release

from automode.agents.scripted.driver import NoProgram


@pytest.mark.parametrize("name", NAMES)
def test_the_reason_that_was_written_down_is_told(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.missing").write_text("the registry did not serve it: 404\n")

    with pytest.raises(NoProgram, match="404"):
        pinned(name, str(tmp_path))


PLACES = {
    "claude-code": "python/claude_agent_sdk/_bundled/claude",
    "codex": "codex/node_modules/.bin/codex",
    "gemini-cli": "gemini-cli/node_modules/.bin/gemini",
    "pi": "pi/node_modules/.bin/pi",
    "pi-1": "pi-1/node_modules/.bin/pi",
    "pi-old": "pi-old/node_modules/.bin/pi",
    "qwen-code": "qwen-code/node_modules/.bin/qwen",
    "opencode": f"opencode/node_modules/opencode-{PLATFORM}/bin/opencode",
    "copilot-cli": "copilot-cli/node_modules/.bin/copilot",
    "cline": "cline/node_modules/.bin/cline",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_pinned_agent_is_named_by_its_absolute_path(name: str, tmp_path: Path) -> None:
    program = tmp_path / PLACES[name]
    program.parent.mkdir(parents=True)
    program.touch()

    assert pinned(name, str(tmp_path)).words[-1] == str(program)


BROKEN = {"is missing": "", "fails": "#!/bin/sh\nexit 3\n", "says nothing": "#!/bin/sh\n"}


@pytest.mark.parametrize("how", BROKEN)
def test_a_program_that_does_not_tell_its_version_is_none(how: str, tmp_path: Path) -> None:
    program = tmp_path / "claude"
    if BROKEN[how]:
        program.write_text(BROKEN[how])
        program.chmod(0o755)

    with pytest.raises(NoProgram, match="claude"):
        release(scenario_driver("claude-code", str(program)), {})
