"""Antigravity's hook stands in its `hooks.json` under automode's name, and goes out to the byte."""

import json
from pathlib import Path

import pytest

from automode.agents.antigravity.install import INSTALLER
from automode.agents.installing.plan import CannotInstall, Receipts, Scope, apply
from automode.agents.installing.site import Program, Site

THEIRS = '{\n  "mine": {"PreToolUse": [{"matcher": "", "hooks": [{"command": "./mine.sh"}]}]}\n}\n'


def install(site: Site, program: Program, receipts: Receipts) -> tuple[str, ...]:
    plan = INSTALLER.plan_install(Scope.USER, site, program, receipts)
    apply(plan, receipts)
    return plan.notes


@pytest.mark.parametrize("text", [None, "{}", THEIRS])
def test_in_and_out_again_gives_the_file_back(
    text: str | None, site: Site, program: Program, receipts: Receipts
) -> None:
    path = Path(INSTALLER.hooks_file(site))
    if text is not None:
        path.parent.mkdir(parents=True)
        path.write_text(text)

    notes = install(site, program, receipts)
    between, found = json.loads(path.read_text()), INSTALLER.registered(site, program)
    apply(INSTALLER.plan_uninstall(Scope.USER, site, receipts), receipts)

    assert list(between["automode"]) == ["PreToolUse"]
    assert "never seen at work" in notes[0]
    assert [(one.wrong, one.version) for one in found] == [((), program.version)]
    assert (path.read_text() if path.exists() else None) == text


def test_a_hook_that_was_changed_is_found(site: Site, program: Program, receipts: Receipts) -> None:
    install(site, program, receipts)
    path = Path(INSTALLER.hooks_file(site))
    path.write_text(path.read_text().replace('"matcher": ""', '"matcher": "never"'))

    (found,) = INSTALLER.registered(site, program)

    assert found.wrong == ("PreToolUse is not as automode writes it",)
    with pytest.raises(CannotInstall):
        INSTALLER.launch((), site, program)


def test_it_is_not_started_without_its_hook(
    site: Site, program: Program, receipts: Receipts
) -> None:
    with pytest.raises(CannotInstall):
        INSTALLER.launch((), site, program)
    install(site, program, receipts)

    assert INSTALLER.launch(("-p", "x"), site, program).words == ("-p", "x")
