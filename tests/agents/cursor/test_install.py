"""Cursor's hooks stand in its `hooks.json`, fail closed, and go out of it to the byte."""

import json
from pathlib import Path

import pytest

from automode.agents.catalog import AGENTS
from automode.agents.cursor.install import INSTALLER
from automode.agents.installing.plan import CannotInstall, Plan, Receipts, Scope, apply
from automode.agents.installing.site import Program, Site

THEIRS = '{\n  "hooks": {"preToolUse": [{"command": "./mine.sh"}]} // mine\n}\n'


def done(plan: Plan, receipts: Receipts) -> Plan:
    apply(plan, receipts)
    return plan


def written(site: Site, text: str) -> Path:
    path = Path(INSTALLER.hooks_file(site))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", [None, "{}", THEIRS, '{"version": 1, "hooks": {}}'])
def test_in_and_out_again_gives_the_file_back(
    text: str | None, site: Site, program: Program, receipts: Receipts
) -> None:
    path = Path(INSTALLER.hooks_file(site)) if text is None else written(site, text)

    done(INSTALLER.plan_install(Scope.USER, site, program, receipts), receipts)
    found = INSTALLER.registered(site, program)
    done(INSTALLER.plan_uninstall(Scope.USER, site, receipts), receipts)

    assert [(one.wrong, one.version) for one in found] == [((), program.version)]
    assert (path.read_text() if path.exists() else None) == text


def test_every_hook_that_a_call_waits_for_fails_closed(
    site: Site, program: Program, receipts: Receipts
) -> None:
    plan = done(INSTALLER.plan_install(Scope.USER, site, program, receipts), receipts)
    whole = json.loads(Path(INSTALLER.hooks_file(site)).read_text())

    assert whole["version"] == 1
    assert list(whole["hooks"]) == list(AGENTS["cursor"].moments)
    assert whole["hooks"]["preToolUse"][0]["failClosed"] is True
    assert "never seen at work" in plan.notes[0]


def test_a_hook_that_fails_open_is_found(site: Site, program: Program, receipts: Receipts) -> None:
    done(INSTALLER.plan_install(Scope.USER, site, program, receipts), receipts)
    text = Path(INSTALLER.hooks_file(site)).read_text()
    written(site, text.replace('"failClosed": true', '"failClosed": false'))

    (found,) = INSTALLER.registered(site, program)

    assert found.wrong == ("preToolUse lets the call run when the hook fails: no `failClosed`",)


def test_it_is_not_started_without_its_hooks(
    site: Site, program: Program, receipts: Receipts
) -> None:
    with pytest.raises(CannotInstall, match="automode install cursor"):
        raise_with_hint(site, program)
    done(INSTALLER.plan_install(Scope.USER, site, program, receipts), receipts)

    assert INSTALLER.launch(("-p", "x"), site, program).words == ("-p", "x")


def raise_with_hint(site: Site, program: Program) -> None:
    try:
        INSTALLER.launch((), site, program)
    except CannotInstall as error:
        raise CannotInstall(error.hint) from error
