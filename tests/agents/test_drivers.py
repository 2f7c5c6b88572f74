"""Where the kit finds agents, and what it says where it finds none."""

from pathlib import Path

import pytest

from automode.agents.drivers import NAMES, on_path, pinned
from automode.agents.opencode.driver import PACKAGE
from automode.agents.scripted.driver import NoProgram


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_that_is_not_there_says_how_to_get_it(name: str, tmp_path: Path) -> None:
    with pytest.raises(NoProgram, match=name) as caught:
        pinned(name, str(tmp_path))

    assert "make agents" in caught.value.hint


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
    "pi-old": "pi-old/node_modules/.bin/pi",
    "qwen-code": "qwen-code/node_modules/.bin/qwen",
    "opencode": f"opencode/node_modules/{PACKAGE}/bin/opencode",
    "copilot-cli": "copilot-cli/node_modules/.bin/copilot",
    "cline": "cline/node_modules/.bin/cline",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_pinned_agent_is_named_by_its_absolute_path(name: str, tmp_path: Path) -> None:
    program = tmp_path / PLACES[name]
    program.parent.mkdir(parents=True)
    program.touch()

    assert pinned(name, str(tmp_path)).words[-1] == str(program)


@pytest.mark.parametrize(("name", "command"), [("pi", "pi"), ("claude-code", "claude")])
def test_a_persons_own_agent_is_found_on_the_path(name: str, command: str, tmp_path: Path) -> None:
    program = tmp_path / command
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    assert on_path(name, {"PATH": str(tmp_path)}).words == (str(program),)


def test_an_agent_that_is_not_on_the_path_is_named() -> None:
    with pytest.raises(NoProgram, match="`claude`"):
        on_path("claude-code", {"PATH": "/nonexistent"})
