"""automode's hooks go into the settings of Gemini CLI and Qwen Code, and out to the byte."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.gemini_cli.install import INSTALLER as GEMINI_CLI
from automode.agents.installing.hooks import PROPOSED, TIMEOUT_MS, SettingsHooks
from automode.agents.installing.plan import CannotInstall, Receipts, Scope, apply
from automode.agents.installing.site import Program, Site
from automode.agents.qwen_code.install import INSTALLER as QWEN_CODE
from automode.hook.client import DEADLINES_MS

BOTH = pytest.mark.parametrize("hooks", [GEMINI_CLI, QWEN_CODE], ids=lambda one: one.agent)
OWN = '{ // mine\n  "hooks": {"%s": [{"hooks": [{"type": "command", "command": "true"}]}]},\n}'


@pytest.fixture
def place(site: Site, tmp_path: Path) -> Site:
    return replace(site, system=str(tmp_path / "etc"))


def own_settings(hooks: SettingsHooks, site: Site, text: str) -> Path:
    file = Path(hooks.settings(site, Scope.USER))
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
    text: str | None, ours: bool, place: Site, program: Program, receipts: Receipts
) -> None:
    file = Path(QWEN_CODE.settings(place, Scope.USER))
    if text is not None:
        own_settings(QWEN_CODE, place, text)

    plan = QWEN_CODE.plan_install(Scope.USER, place, program, receipts)
    apply(plan, receipts)
    written = file.read_text()
    again = QWEN_CODE.plan_install(Scope.USER, place, program, receipts)
    apply(QWEN_CODE.plan_uninstall(Scope.USER, place, receipts), receipts)

    assert ("/automode/cli/bar.py" in written) == ours
    assert (plan.notes == ()) == ours
    assert again.changes == ()
    assert (file.read_text() if file.exists() else None) == text


def test_the_line_goes_from_a_screen_that_was_changed_meanwhile(
    place: Site, program: Program, receipts: Receipts
) -> None:
    apply(QWEN_CODE.plan_install(Scope.USER, place, program, receipts), receipts)
    file = Path(QWEN_CODE.settings(place, Scope.USER))
    settings = json.loads(file.read_text())
    settings["ui"]["theme"] = "dark"
    file.write_text(json.dumps(settings))

    apply(QWEN_CODE.plan_uninstall(Scope.USER, place, receipts), receipts)

    assert json.loads(file.read_text()) == {"ui": {"theme": "dark"}}


@BOTH
def test_hooks_have_more_time_than_they_take(hooks: SettingsHooks, program: Program) -> None:
    handlers = hooks.handlers(program)

    assert DEADLINES_MS[hooks.agent] < TIMEOUT_MS
    assert all(one["timeout"] == TIMEOUT_MS >= 1000 for one in handlers.values())
    assert all(f" {hooks.agent} " in str(one["command"]) for one in handlers.values())


GONE = {
    "the interpreter": ("hook_python", "/nonexistent/python"),
    "the client": ("package", "/nonexistent/automode"),
}


@BOTH
@pytest.mark.parametrize(("field", "value"), GONE.values(), ids=GONE.keys())
def test_a_hook_that_cannot_start_says_no_and_why(
    hooks: SettingsHooks, program: Program, field: str, value: str
) -> None:
    """Without a word on standard error, the exit status 2 would let the call run."""
    broken = Program(
        **{**{name: getattr(program, name) for name in Program.__slots__}, field: value}
    )
    event = next(name for name, moment in hooks.about.moments.items() if moment == PROPOSED)

    done = subprocess.run(
        ["bash", "-c", str(hooks.handlers(broken)[event]["command"])],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.strip()


@BOTH
@pytest.mark.parametrize("status", [1, 2, 137])
def test_a_hook_that_fails_without_a_word_gets_one(
    hooks: SettingsHooks, program: Program, tmp_path: Path, status: int
) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nexit {status}\n")
    python.chmod(0o700)
    silent = replace(program, hook_python=str(python))
    event = next(name for name, moment in hooks.about.moments.items() if moment == PROPOSED)

    done = subprocess.run(
        ["bash", "-c", str(hooks.handlers(silent)[event]["command"])],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"the call must not run" in done.stderr


OFF = {
    "gemini": (GEMINI_CLI, '{"hooksConfig": {"enabled": false}}'),
    "qwen": (QWEN_CODE, '{"disableAllHooks": true}'),
}


@pytest.mark.parametrize(("hooks", "text"), OFF.values(), ids=OFF.keys())
def test_where_hooks_are_off_nothing_is_installed(
    hooks: SettingsHooks, text: str, place: Site, program: Program, receipts: Receipts
) -> None:
    own_settings(hooks, place, text)

    with pytest.raises(CannotInstall, match="switches hooks off"):
        hooks.plan_install(Scope.USER, place, program, receipts)


MOVED = {
    "gemini": (GEMINI_CLI, "GEMINI_CLI_HOME", ".gemini/settings.json"),
    "qwen": (QWEN_CODE, "QWEN_HOME", "settings.json"),
}


@pytest.mark.parametrize(("hooks", "variable", "below"), MOVED.values(), ids=MOVED.keys())
def test_a_folder_that_was_moved_is_found(
    hooks: SettingsHooks, variable: str, below: str, place: Site
) -> None:
    moved = replace(place, environment={variable: "/srv/elsewhere"})

    assert hooks.settings(moved, Scope.USER) == f"/srv/elsewhere/{below}"


@BOTH
def test_a_whole_installation_is_found_whole(
    hooks: SettingsHooks, place: Site, program: Program, receipts: Receipts
) -> None:
    before = hooks.registered(place, program)
    apply(hooks.plan_install(Scope.USER, place, program, receipts), receipts)
    everybodys = program.for_every_account()
    apply(hooks.plan_install(Scope.MANAGED, place, everybodys, receipts), receipts)

    found = hooks.registered(place, program)

    assert before == ()
    assert [(one.scope, one.version, one.wrong) for one in found] == [
        (Scope.USER, program.version, ()),
        (Scope.MANAGED, program.version, ()),
    ]


WRONG = {
    "an event without a hook": ("{name}", '"Elsewhere": ', "no hook for {event}"),
    "the ending gone": ("|| {{", "; {{", "was changed"),
    "another state folder": ("--state ", "--state /srv/x", "another state folder"),
    "not to be read": ("{name}", "\x00", "cannot be read"),
}


@pytest.mark.parametrize(("old", "new", "says"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said(
    old: str, new: str, says: str, place: Site, program: Program, receipts: Receipts
) -> None:
    apply(GEMINI_CLI.plan_install(Scope.USER, place, program, receipts), receipts)
    file = Path(GEMINI_CLI.settings(place, Scope.USER))
    names = {"name": '"BeforeTool": ', "event": "BeforeTool"}
    file.write_text(file.read_text().replace(old.format(**names), new.format(**names), 1))

    (found,) = GEMINI_CLI.registered(place, program)

    assert any(says.format(**names) in one for one in found.wrong), found.wrong
