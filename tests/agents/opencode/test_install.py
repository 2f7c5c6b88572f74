"""The plugin goes into OpenCode with a rule below it that closes where it does not load."""

import json
import os
from pathlib import Path

import pytest

from automode.agents.installing.own_files import paths_in
from automode.agents.installing.plan import CannotInstall, Plan, Receipts, Scope, apply
from automode.agents.installing.site import Program, Site
from automode.agents.opencode.install import INSTALLER, half_file, plugin_file, settings_file


def done(plan: Plan, receipts: Receipts) -> Plan:
    apply(plan, receipts)
    return plan


def settings(site: Site, text: str) -> Path:
    path = Path(settings_file(site))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_whatever_the_plugin_would_decide_is_asked_where_it_does_not_load(
    site: Site, program: Program, receipts: Receipts
) -> None:
    done(INSTALLER.plan_install(Scope.USER, site, program, receipts), receipts)

    rules = json.loads(Path(settings_file(site)).read_text())["permission"]
    known = paths_in(Path(plugin_file(site)).read_bytes())

    assert rules == {"*": "ask"}
    assert known is not None
    assert known["floor"] is True


OWN_RULES = {
    '{"permission": {"*": "ask"}}': (False, 0),
    '{"permission": "deny"}': (False, 0),
    '{"permission": "allow"}': (False, 1),
    '{"permission": {"bash": "allow", "edit": "ask"}}': (True, 1),
    '{"permission": {"bash": "deny"}}': (True, 0),
}


@pytest.mark.parametrize("text", OWN_RULES)
def test_rules_of_the_persons_own_stay_and_what_they_leave_open_is_said(
    text: str, site: Site, program: Program, receipts: Receipts
) -> None:
    floor, open_places = OWN_RULES[text]
    path = settings(site, text)

    plan = done(INSTALLER.plan_install(Scope.USER, site, program, receipts), receipts)
    known = paths_in(Path(plugin_file(site)).read_bytes())
    done(INSTALLER.plan_uninstall(Scope.USER, site, receipts), receipts)

    assert known is not None
    assert known["floor"] is floor
    assert len(plan.notes) == open_places
    assert path.read_text() == text


def test_a_rule_that_was_taken_out_is_missed(
    site: Site, program: Program, receipts: Receipts
) -> None:
    done(INSTALLER.plan_install(Scope.USER, site, program, receipts), receipts)
    settings(site, "{}")
    os.unlink(half_file(site))

    (found,) = INSTALLER.registered(site, program)

    assert "lets calls run where the plugin does not load" in found.wrong[0]
    assert "nobody can be asked" in found.wrong[1]


def test_settings_that_are_no_utf_8_are_called_that(
    site: Site, program: Program, receipts: Receipts
) -> None:
    path = settings(site, "{}")
    path.write_bytes(b'{"theme": "gr\xfcn"}')

    with pytest.raises(CannotInstall, match="it is not UTF-8"):
        INSTALLER.plan_install(Scope.USER, site, program, receipts)

    path.write_text("{}")
    done(INSTALLER.plan_install(Scope.USER, site, program, receipts), receipts)
    path.write_bytes(b'{"theme": "gr\xfcn"}')
    (found,) = INSTALLER.registered(site, program)
    assert found.wrong == ("OpenCode's settings cannot be read: they are not UTF-8",)
