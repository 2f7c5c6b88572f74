"""The plugin goes into OpenCode with a rule below it that closes where it does not load."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.installing.own_files import paths_in
from automode.agents.installing.plan import CannotInstall
from automode.agents.opencode.install import half_file, plugin_file, settings_file
from tests.agents.conftest import Machine


@pytest.fixture
def opencode(machine: Machine) -> Machine:
    return replace(machine, agent="opencode")


def settings(machine: Machine, text: str) -> Path:
    path = Path(settings_file(machine.site))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def has_floor(machine: Machine) -> object:
    known = paths_in(Path(plugin_file(machine.site)).read_bytes())
    assert known is not None
    return known["floor"]


def test_whatever_the_plugin_would_decide_is_asked_where_it_does_not_load(
    opencode: Machine,
) -> None:
    opencode.install()

    rules = json.loads(Path(settings_file(opencode.site)).read_text())["permission"]
    assert rules == {"*": "ask"}
    assert has_floor(opencode) is True


OWN_RULES = {
    '{"permission": {"*": "ask"}}': (False, 0),
    '{"permission": "deny"}': (False, 0),
    '{"permission": "allow"}': (False, 1),
    '{"permission": {"bash": "allow", "edit": "ask"}}': (True, 1),
    '{"permission": {"bash": "deny"}}': (True, 0),
}


@pytest.mark.parametrize("text", OWN_RULES)
def test_rules_of_the_persons_own_stay_and_what_they_leave_open_is_said(
    text: str, opencode: Machine
) -> None:
    floor, open_places = OWN_RULES[text]
    path = settings(opencode, text)

    plan = opencode.install()
    known, again = has_floor(opencode), opencode.plan()
    opencode.uninstall()

    assert known is floor
    assert len(plan.notes) == open_places
    assert again.changes == ()
    assert path.read_text() == text


def test_the_floor_goes_also_where_the_plugin_is_gone(opencode: Machine) -> None:
    path = settings(opencode, '{"permission": {"bash": "deny"}}')
    opencode.install()
    os.unlink(plugin_file(opencode.site))

    opencode.uninstall()

    assert json.loads(path.read_text()) == {"permission": {"bash": "deny"}}


def test_a_rule_that_was_taken_out_is_missed(opencode: Machine) -> None:
    opencode.install()
    settings(opencode, "{}")
    os.unlink(half_file(opencode.site))

    assert "lets calls run where the plugin does not load" in opencode.wrong()
    assert "tui.ts` is missing" in opencode.wrong()


def test_settings_that_are_no_utf_8_are_called_that(opencode: Machine) -> None:
    path = settings(opencode, "{}")
    path.write_bytes(b'{"theme": "gr\xfcn"}')
    with pytest.raises(CannotInstall, match="it is not UTF-8"):
        opencode.plan()
    path.write_text("{}")
    opencode.install()
    path.write_bytes(b'{"theme": "gr\xfcn"}')

    assert opencode.wrong() == "OpenCode's settings cannot be read: they are not UTF-8"
