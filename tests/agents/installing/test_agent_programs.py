"""Agents' programs are found on the PATH and asked for their version."""

from pathlib import Path

import pytest

from automode.agents.installing.plan import CannotInstall
from automode.agents.installing.site import AgentProgram, agent_named, found_program

ANSWERS = {
    "echo '2.1.325 (Claude Code)'": (2, 1, 325),
    "echo 0.87.1 >&2": (0, 87, 1),
    "echo hello": (),
    "exit 1": (),
    "printf '\\377'": (),
}


def program(folder: Path, script: str) -> dict[str, str]:
    file = folder / "claude"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


@pytest.mark.parametrize(("script", "version"), ANSWERS.items())
def test_a_program_says_its_version_or_nothing(
    tmp_path: Path, script: str, version: tuple[int, ...]
) -> None:
    environment = program(tmp_path, script)

    found = found_program("claude-code", environment)

    assert found == AgentProgram(str(tmp_path / "claude"), version)


def test_a_program_that_cannot_be_run_has_no_version(tmp_path: Path) -> None:
    environment = program(tmp_path, "")
    (tmp_path / "claude").write_bytes(b"\0nothing")

    found = found_program("claude-code", environment)

    assert found is not None
    assert found.says == "unknown"


def test_where_there_is_none_there_is_none(tmp_path: Path) -> None:
    assert found_program("pi", {"PATH": str(tmp_path)}) is None


def test_claude_is_claude_code() -> None:
    assert agent_named("claude") == agent_named("claude-code") == "claude-code"

    with pytest.raises(CannotInstall, match="unknown agent: `emacs`") as refused:
        agent_named("emacs")
    assert "pi" in refused.value.hint
