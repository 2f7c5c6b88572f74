"""What the doctor looks at in Claude Code alone: its plugin, and modes that never ask."""

import json
from pathlib import Path

import pytest

from automode.agents.claude_code.checks import check_modes, check_plugin, switched_on
from automode.doctor.finding import Level
from tests.doctor.conftest import Machine

SETTINGS: dict[str, tuple[object, bool]] = {
    "no file": (None, False),
    "on": ({"enabledPlugins": {"automode@automode": True}}, True),
    "on, from another marketplace": ({"enabledPlugins": {"automode@ours": True}}, True),
    "off": ({"enabledPlugins": {"automode@automode": False}}, False),
    "another plugin": ({"enabledPlugins": {"automodeller@x": True}}, False),
    "of another shape": ({"enabledPlugins": ["automode@automode"]}, False),
    "no object": ([], False),
}


@pytest.mark.parametrize(("settings", "expected"), SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("place", ["h/.claude/settings.json", "p/.claude/settings.local.json"])
def test_the_plugin_is_on_where_settings_say_so(
    machine: Machine, settings: object, expected: bool, place: str
) -> None:
    if settings is not None:
        machine.file(place, json.dumps(settings))

    assert switched_on(machine.case()) is expected


def test_a_plugin_that_finds_no_automode_denies_everything(tmp_path: Path) -> None:
    (found,) = check_plugin("/opt/am/bin/automode", account_home=str(tmp_path), hooks=False)

    assert found.level is Level.PROBLEM
    assert found.fix.endswith(f"ln -s /opt/am/bin/automode {tmp_path}/.local/bin/automode")


def test_both_the_plugin_and_the_settings_decide_twice(tmp_path: Path) -> None:
    program = tmp_path / ".local" / "bin" / "automode"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)

    alone = check_plugin("", account_home=str(tmp_path), hooks=False)
    both = check_plugin("", account_home=str(tmp_path), hooks=True)

    assert [one.level for one in alone] == [Level.OK]
    assert [one.level for one in both] == [Level.OK, Level.WARNING]
    assert both[1].fix == "automode uninstall claude-code"


ASKS = [
    "{}",
    "{",
    '{"permissions": {"denyInsteadOfPrompting": true}}',
    '{"permissions": {"defaultMode": "auto", "denyInsteadOfPrompting": false}}',
]
UNASKED = {
    "denyInsteadOfPrompting": '{"permissions": {"denyInsteadOfPrompting": true}}',
    "dontAsk": '{"permissions": {"defaultMode": "dontAsk"}}',
}


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("h/.claude/settings.json", "denyInsteadOfPrompting"),
        ("h/.claude/settings.json", "dontAsk"),
        ("p/.claude/settings.local.json", "dontAsk"),
    ],
)
def test_a_setting_that_keeps_the_dialog_shut_is_worth_a_word(
    machine: Machine, place: str, name: str
) -> None:
    path = machine.file(place, UNASKED[name])

    (found,) = check_modes(machine.case())

    assert found.level is Level.WARNING
    assert str(path) in found.says
    assert name in found.says


@pytest.mark.parametrize("text", ASKS)
def test_where_the_dialog_opens_nothing_is_said(machine: Machine, text: str) -> None:
    machine.file("p/.claude/settings.json", text)

    assert check_modes(machine.case()) == []
