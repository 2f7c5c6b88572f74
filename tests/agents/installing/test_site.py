"""Where agents, their programs and the daemon are looked for; every path written is absolute."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.catalog import INSTALLED
from automode.agents.claude_code.settings import claude_settings
from automode.agents.events import Moment
from automode.agents.gemini_cli.install import gemini_settings
from automode.agents.installing.installer import installer_of
from automode.agents.installing.json_files import JsonFile
from automode.agents.installing.plan import CannotInstall, Scope
from automode.agents.installing.site import (
    AgentProgram,
    Program,
    Site,
    agent_named,
    found_program,
    http_place,
    known_http_place,
    site_of,
)
from automode.agents.pi.install import pi_extension
from automode.daemon.frames import Tokens
from automode.store.folder import StateFolder
from tests.rows import each_row

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


def test_a_program_that_cannot_be_run_has_no_version_and_none_is_none(tmp_path: Path) -> None:
    environment = program(tmp_path, "")
    (tmp_path / "claude").write_bytes(b"\0nothing")

    found = found_program("claude-code", environment)

    assert found is not None
    assert found.says == "unknown"
    assert found_program("pi", {"PATH": str(tmp_path)}) is None


def test_claude_is_claude_code() -> None:
    assert agent_named("claude") == agent_named("claude-code") == "claude-code"

    with pytest.raises(CannotInstall, match="unknown agent: `emacs`") as refused:
        agent_named("emacs")
    assert "pi" in refused.value.hint


def test_port_and_token_are_made_once_and_open_hooks_on_loopback_alone(tmp_path: Path) -> None:
    folder = StateFolder(str(tmp_path / "state")).prepared()
    before, tokens = known_http_place(folder), Tokens.of(folder)

    made = http_place(folder)

    assert before is None
    assert known_http_place(folder) == http_place(folder) == made
    assert tokens.rights(made.token) == frozenset()
    assert tokens.over_loopback(made.token) is not None
    Path(folder.http_port).write_text("many")
    assert known_http_place(folder) is None


PLACES = {
    # variables, scope: Claude Code's settings, Pi's extension
    ("", "", Scope.USER): ("/home/ann/.claude/settings.json", "/home/ann/.pi/agent"),
    ("/srv/c", "/srv/p", Scope.USER): ("/srv/c/settings.json", "/srv/p"),
    ("~/c/", "~/p", Scope.USER): ("/home/ann/c/settings.json", "/home/ann/p"),
    ("/srv/c", "/srv/p", Scope.PROJECT): ("/srv/shop/.claude/settings.local.json", "/srv/shop/.pi"),
}


@pytest.mark.parametrize(("wanted", "places"), PLACES.items())
def test_variables_of_the_agents_are_heeded(
    wanted: tuple[str, str, Scope], places: tuple[str, str]
) -> None:
    claude, pi, scope = wanted
    variables = {"CLAUDE_CONFIG_DIR": claude, "PI_CODING_AGENT_DIR": pi}

    site = Site("/home/ann", variables, "/srv/shop")

    found = claude_settings(site, scope), pi_extension(site, scope)
    assert found == (places[0], f"{places[1]}/extensions/automode.ts")


def test_a_relative_folder_is_refused() -> None:
    site = Site("/home/ann", {"CLAUDE_CONFIG_DIR": "here"}, "/srv/shop")

    with pytest.raises(CannotInstall, match="CLAUDE_CONFIG_DIR is the relative path `here`"):
        claude_settings(site, Scope.USER)


@pytest.mark.parametrize(
    ("home", "used"), [("/srv/ann", "/srv/ann"), ("ann", "/home/ann"), ("", "/home/ann")]
)
def test_the_home_is_that_of_the_terminal(home: str, used: str) -> None:
    assert site_of({"HOME": home}, "/home/ann", "/srv/shop").home == used


def test_the_hook_runs_with_the_interpreter_behind_the_environment() -> None:
    program = Program.here("/srv/state", "/srv/config")

    assert program.python == sys.executable
    assert os.path.realpath(program.hook_python) == program.hook_python
    assert os.access(program.hook_python, os.X_OK)
    assert os.path.isfile(program.client)
    *quick, bar, state, folder = program.status_line_words()
    assert quick == [program.hook_python, "-I", "-S"]
    assert os.path.isfile(bar)
    assert (state, folder) == ("--state", "/srv/state")


def test_for_every_account_folders_lie_below_each_home() -> None:
    program = Program.here("/srv/state", "/srv/config").for_every_account()

    words = program.hook_words("claude-code", "proposed")

    assert words[words.index("--state") + 1] == "~/.local/state/automode"
    assert words[words.index("--config") + 1] == "~/.config/automode"
    assert "'~/.local/state/automode'" in program.sign(words)


LIBRARY = "/Library/Application Support"
MANAGED = {
    # agent: on Linux, on macOS
    "claude-code": (
        "/etc/claude-code/managed-settings.json",
        f"{LIBRARY}/ClaudeCode/managed-settings.json",
    ),
    "codex": ("/etc/codex/hooks.json", "/etc/codex/hooks.json"),
    "gemini-cli": ("/etc/gemini-cli/settings.json", f"{LIBRARY}/GeminiCli/settings.json"),
    "qwen-code": ("/etc/qwen-code/settings.json", f"{LIBRARY}/QwenCode/settings.json"),
}


@each_row("agent", INSTALLED)
def test_managed_hooks_go_where_each_agent_reads_them_or_nowhere(agent: str) -> None:
    installer = installer_of(agent)
    if agent not in MANAGED:
        with pytest.raises(CannotInstall, match="only"):
            installer.need_scope(Scope.MANAGED)
        return
    program = Program.here("/s", "/c").for_every_account()
    for macos, path in zip((False, True), MANAGED[agent], strict=True):
        site = Site("/home/ann", {}, "/p", macos=macos)
        (file,) = installer.files(Scope.MANAGED, site, program)
        assert isinstance(file, JsonFile)
        assert file.named == path


def test_a_variable_of_the_agent_moves_its_managed_file() -> None:
    moved = {"GEMINI_CLI_SYSTEM_SETTINGS_PATH": "/opt/g.json"}

    assert gemini_settings(Site("/h", moved, "/p"), Scope.MANAGED) == "/opt/g.json"


HOLDS = {  # agent, hold → how long it is told to wait, and after what time the hook says no
    ("claude-code", 0): (60, 0),
    ("claude-code", 300): (360, 355_000),
    ("claude-code", 3600): (600, 595_000),
    ("codex", 30): (90, 85_000),
    ("gemini-cli", 300): (360, 355_000),
    ("copilot-cli", 3600): (600, 595_000),
    ("cline", 300): (120, 115_000),
    ("qwen-code", 300): (60, 0),
    ("antigravity", 300): (60, 0),
}


def test_a_hook_waits_longer_where_an_ask_may_wait_and_the_agent_does() -> None:
    for (agent, hold), (seconds, millis) in HOLDS.items():
        program = replace(Program.here("/srv/state", "/srv/config"), hold=hold)
        words = program.hook_words(agent, Moment.PROPOSED)

        assert program.hook_seconds(agent) == seconds, agent
        assert program.deadline_ms(agent) == millis < seconds * 1000, agent
        assert ("--deadline-ms" in words) == bool(millis), agent
        assert program.hook_seconds(agent, Moment.FINISHED) == 60, agent


def test_the_persons_own_settings_say_how_long(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"autoMode": {"asks": {"hold": 120}}}')

    assert Program.here("/srv/state", str(tmp_path)).hold == 120
