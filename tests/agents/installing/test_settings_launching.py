"""Gemini CLI and Qwen Code are started so that a project cannot take the gate away, or not."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.gemini_cli.install import INSTALLER as GEMINI_CLI
from automode.agents.installing.installer import Launch
from automode.agents.installing.plan import CannotInstall, Receipts, Scope, apply
from automode.agents.installing.site import Program, Site
from automode.agents.qwen_code.install import INSTALLER as QWEN_CODE
from automode.agents.qwen_code.install import SYSTEM, VARIABLES

HOOKED = tuple((name, "0") for name in VARIABLES)
WORDS = ("-p", "go on")


@pytest.fixture
def place(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.chdir(site.project)
    return replace(site, system=str(tmp_path / "etc"))


@pytest.fixture
def installed(place: Site, program: Program, receipts: Receipts) -> None:
    for relative in (GEMINI_CLI, QWEN_CODE):
        apply(relative.plan_install(Scope.USER, place, program, receipts), receipts)


@pytest.mark.usefixtures("installed")
def test_gemini_does_not_enter_a_project_that_switches_hooks_off(
    place: Site, program: Program
) -> None:
    os.mkdir(f"{place.project}/.gemini")
    Path(place.project, ".gemini", "settings.json").write_text('{"hooksConfig":{"enabled":false}}')

    with pytest.raises(CannotInstall, match=r"settings\.json: .*hooksConfig"):
        GEMINI_CLI.launch((), place, program)


@pytest.mark.usefixtures("installed")
def test_settings_above_a_projects_put_qwens_hooks_back(place: Site, program: Program) -> None:
    launch = QWEN_CODE.launch(WORDS, place, program)

    assert launch.file is not None
    path, written = launch.file
    assert (launch.words, launch.variables) == (WORDS, ((SYSTEM, path), *HOOKED))
    assert path.startswith(program.state)
    assert json.loads(written) == {"disableAllHooks": False}


def test_where_qwen_has_no_hooks_they_come_along(place: Site, program: Program) -> None:
    launch = QWEN_CODE.launch((), place, program)

    assert launch.file is not None
    hooks = json.loads(launch.file[1])["hooks"]
    assert hooks == {event: [one] for event, one in QWEN_CODE.hooks(program).items()}


@pytest.mark.usefixtures("installed")
def test_an_administrators_settings_stay(place: Site, program: Program, tmp_path: Path) -> None:
    (tmp_path / "etc" / "qwen-code").mkdir(parents=True)
    (tmp_path / "etc" / "qwen-code" / "settings.json").write_text("{}")

    assert QWEN_CODE.launch(WORDS, place, program) == Launch(WORDS, variables=HOOKED)


def test_beside_an_administrators_settings_hooks_must_be_installed(
    place: Site, program: Program, tmp_path: Path
) -> None:
    own = tmp_path / "system.json"
    own.write_text("{}")

    with pytest.raises(CannotInstall, match="settings of its own"):
        QWEN_CODE.launch(WORDS, replace(place, environment={SYSTEM: str(own)}), program)
