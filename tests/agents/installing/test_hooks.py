"""Hooks in the settings of Gemini CLI and Qwen Code: they close, are found, and a project cannot
take them away."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.events import Moment
from automode.agents.installing.hooks import TIMEOUT_MS, HooksInstaller
from automode.agents.installing.installer import Launch, installer_of, nobody_there
from automode.agents.installing.plan import CannotInstall, Scope
from automode.agents.qwen_code.install import SYSTEM, VARIABLES
from automode.hook.client import DEADLINES_MS
from tests.agents.conftest import Machine
from tests.rows import each_row, rows

BOTH = pytest.mark.parametrize("agent", ["gemini-cli", "qwen-code"])
HOOKED = tuple((name, "0") for name in VARIABLES)
WORDS = ("-p", "go on")


@pytest.fixture
def qwen(machine: Machine) -> Machine:
    return replace(machine, agent="qwen-code")


@pytest.fixture
def gemini(machine: Machine) -> Machine:
    return replace(machine, agent="gemini-cli")


def settings_of(machine: Machine, text: str | None = None) -> Path:
    """Where the person's settings are; with what stands there."""
    file = Path(machine.installer.hooks_file(machine.site))
    if text is not None:
        file.parent.mkdir(parents=True)
        file.write_text(text)
    return file


STATUS_LINES = {
    "no settings": (None, True),
    "no screen": ('{"model": {"name": "x"}}', True),
    "an empty screen": ('{"ui": {}}', True),
    "a screen": ('{"ui": { "theme": "dark" }, }', True),
    "a line of their own": ('{"ui": {"statusLine": {"type": "command", "command": "x"}}}', False),
}


@pytest.mark.parametrize(("text", "ours"), STATUS_LINES.values(), ids=STATUS_LINES.keys())
def test_qwen_shows_what_was_decided_unless_it_shows_something_else(
    text: str | None, ours: bool, qwen: Machine
) -> None:
    file = settings_of(qwen, text)

    plan = qwen.install()
    written, again = file.read_text(), qwen.plan()
    qwen.uninstall()

    assert ("/automode/cli/bar.py" in written) == ours
    assert (plan.notes == ()) == ours
    assert again.changes == ()
    assert (file.read_text() if file.exists() else None) == text


def handlers(machine: Machine) -> dict[str, dict[str, object]]:
    assert isinstance(machine.installer, HooksInstaller)
    groups = machine.installer.hooks(machine.program)
    return {event: group["hooks"][0] for event, group in groups.items()}  # type: ignore[index]


@BOTH
def test_hooks_have_more_time_than_they_take(agent: str, machine: Machine) -> None:
    found = handlers(replace(machine, agent=agent)).values()

    assert DEADLINES_MS[agent] < TIMEOUT_MS
    assert all(one["timeout"] == TIMEOUT_MS >= 1000 for one in found)
    assert all(f" {agent} " in str(one["command"]) for one in found)


@pytest.mark.parametrize("agent", ["codex", "gemini-cli", "qwen-code"])
@pytest.mark.parametrize("fails", ["interpreter", "client", "1", "2", "137"])
def test_a_hook_that_fails_says_no_and_why(
    agent: str, fails: str, machine: Machine, tmp_path: Path
) -> None:
    """Without a word on standard error, the exit status 2 would let the call run."""
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nexit {fails}\n")
    python.chmod(0o700)
    broken = {
        "interpreter": replace(machine.program, hook_python="/nonexistent/python"),
        "client": replace(machine.program, package="/nonexistent/automode"),
    }.get(fails, replace(machine.program, hook_python=str(python)))
    own = replace(machine, agent=agent, program=broken)
    moments = own.installer.about.moments
    event = next(name for name, moment in moments.items() if moment == Moment.PROPOSED)

    done = subprocess.run(
        ["bash", "-c", str(handlers(own)[event]["command"])],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"the call must not run" in done.stderr


OFF = {
    "gemini-cli": '{"hooksConfig": {"enabled": false}}',
    "qwen-code": '{"disableAllHooks": true}',
}
MOVED = {
    "gemini-cli": ("GEMINI_CLI_HOME", ".gemini/settings.json"),
    "qwen-code": ("QWEN_HOME", "settings.json"),
}


@BOTH
def test_where_hooks_are_off_nothing_is_installed_and_a_moved_folder_is_found(
    agent: str, machine: Machine
) -> None:
    own, (variable, below) = replace(machine, agent=agent), MOVED[agent]
    settings_of(own, OFF[agent])
    moved = replace(own.site, environment={variable: "/srv/elsewhere"})

    with pytest.raises(CannotInstall, match="switches hooks off"):
        own.plan()
    assert own.installer.hooks_file(moved) == f"/srv/elsewhere/{below}"


@BOTH
def test_a_whole_installation_is_found_whole(agent: str, machine: Machine) -> None:
    own = replace(machine, agent=agent)
    own.install()
    replace(own, program=own.program.for_every_account()).install(Scope.MANAGED)

    assert [(one.scope, one.version, one.wrong) for one in own.registrations()] == [
        (Scope.USER, own.program.version, ()),
        (Scope.MANAGED, own.program.version, ()),
    ]


WRONG = {
    "an event without a hook": ('"BeforeTool": ', '"Elsewhere": ', "no hook for BeforeTool"),
    "the ending gone": ("|| {", "; {", "was changed"),
    "another state folder": ("--state ", "--state /srv/x", "another state folder"),
    "not to be read": ('"BeforeTool": ', "\x00", "cannot be read"),
}


@pytest.mark.parametrize(("old", "new", "says"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said(old: str, new: str, says: str, gemini: Machine) -> None:
    gemini.install()
    file = settings_of(gemini)
    file.write_text(file.read_text().replace(old, new, 1))

    assert says in gemini.wrong()


def test_gemini_does_not_enter_a_project_that_switches_hooks_off(gemini: Machine) -> None:
    gemini.install()
    os.mkdir(f"{gemini.site.project}/.gemini")
    Path(gemini.site.project, ".gemini", "settings.json").write_text(OFF["gemini-cli"])

    with pytest.raises(CannotInstall, match=r"settings\.json: .*hooksConfig"):
        gemini.launch()


def test_settings_above_a_projects_put_qwens_hooks_back(qwen: Machine) -> None:
    alone = qwen.launch()
    qwen.install()
    launch = qwen.launch(*WORDS)

    assert alone.file is not None
    assert set(json.loads(alone.file[1])["hooks"]) == set(qwen.installer.about.moments)
    assert launch.file is not None
    path, written = launch.file
    assert (launch.words, launch.variables) == (WORDS, ((SYSTEM, path), *HOOKED))
    assert path.startswith(qwen.program.state)
    assert json.loads(written) == {"disableAllHooks": False}


def test_an_administrators_settings_stay_and_beside_them_hooks_must_be_installed(
    qwen: Machine, tmp_path: Path
) -> None:
    (tmp_path / "etc" / "qwen-code").mkdir(parents=True)
    (tmp_path / "etc" / "qwen-code" / "settings.json").write_text("{}")
    with pytest.raises(CannotInstall, match="settings of its own"):
        qwen.launch(*WORDS)

    qwen.install()

    assert qwen.launch(*WORDS) == Launch(WORDS, variables=HOOKED)


@each_row("agent, words, alone", rows("agents", "alone"))
def test_who_prints_and_ends_has_nobody_there(agent: str, words: list[str], alone: bool) -> None:
    assert nobody_there(installer_of(agent).about.alone, words, terminal=True) is alone
    assert nobody_there(installer_of(agent).about.alone, words, terminal=False) is True
