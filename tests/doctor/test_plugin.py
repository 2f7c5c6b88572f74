"""The plugin for Claude Code, as the doctor sees it."""

import json
from pathlib import Path

import pytest

from automode.doctor.finding import Level
from automode.doctor.plugin import check_plugin, switched_on
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
