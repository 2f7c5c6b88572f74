"""Where automode is registered, and what is wrong there."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.claude_code.install import plan_install
from automode.agents.claude_code.settings import Wish, claude_folder, claude_settings
from automode.agents.installing.installer import installer_of
from automode.agents.installing.own_files import BLANK
from automode.agents.installing.plan import Receipts, Scope, Transport, apply
from automode.agents.installing.site import AgentProgram, Http, Program, Site
from automode.agents.pi.install import INSTALLER as PI
from automode.agents.pi.install import pi_extension
from automode.facts.place import home_folder

HTTP = Http(4711, "ab12")
FOUND = AgentProgram("/srv/claude", (2, 1, 325))


@pytest.fixture
def over_http(site: Site, program: Program, receipts: Receipts) -> Path:
    """The settings of a person who has automode."""
    apply(plan_install(Wish(Scope.USER, found=FOUND), site, program, HTTP, receipts), receipts)
    return Path(claude_settings(site, Scope.USER))


@pytest.fixture
def by_command(site: Site, program: Program, receipts: Receipts) -> Path:
    apply(plan_install(Wish(Scope.USER), site, program, None, receipts), receipts)
    return Path(claude_settings(site, Scope.USER))


def wrong(site: Site, program: Program, http: Http | None = HTTP) -> str:
    (found,) = installer_of("claude-code").registered(site, program, http)
    return "\n".join(found.wrong)


def test_where_nothing_is_there_is_nothing(site: Site, program: Program) -> None:
    Path(claude_folder(site)).mkdir()
    Path(claude_settings(site, Scope.USER)).write_text('{"hooks": {"Stop": []}}')

    assert installer_of("claude-code").registered(site, program) == ()
    assert installer_of("pi").registered(site, program) == ()


def test_what_was_just_installed_is_in_order(site: Site, program: Program, over_http: Path) -> None:
    (found,) = installer_of("claude-code").registered(site, program, HTTP)

    assert (found.scope, found.path) == (Scope.USER, str(over_http))
    assert (found.version, found.transport) == (program.version, Transport.HTTP)
    assert found.wrong == ()


def test_every_scope_is_looked_at(
    site: Site, program: Program, receipts: Receipts, over_http: Path
) -> None:
    for scope in (Scope.PROJECT, Scope.MANAGED):
        apply(plan_install(Wish(scope, found=FOUND), site, program, None, receipts), receipts)

    found = installer_of("claude-code").registered(site, program, HTTP)

    assert [one.scope for one in found] == list(Scope)
    assert [one.wrong for one in found] == [(), (), ()]


def test_a_missing_and_a_doubled_hook_are_said(
    site: Site, program: Program, over_http: Path
) -> None:
    settings = json.loads(over_http.read_text())
    del settings["hooks"]["PreToolUse"]
    settings["hooks"]["Stop"] *= 2
    over_http.write_text(json.dumps(settings))

    said = wrong(site, program)

    assert "no hook for PreToolUse" in said
    assert "2 hooks for Stop" in said


CHANGES = {
    # in the text of the settings: what is said of it
    ('"onFailure": "block",', ""): "lets the call run when nobody answers",
    (":4711/", ":4712/"): "another port than 4711",
    ("Bearer ab12", "Bearer ab13"): "a token that the daemon does not know",
    ("?settings=", "?settings=0"): "another settings folder",
    ('"hooks": {', '"disableAllHooks": true, "hooks": {'): "none of them runs",
    ("{", "{ // mine\n"): "ignores the whole file",
    ('"NO_PROXY": "127.0.0.1,', '"NO_PROXY": "'): "`env.NO_PROXY` does not name 127.0.0.1",
    ('"no_proxy"', '"no_proxies"'): "`env.no_proxy` does not name 127.0.0.1",
}


@pytest.mark.parametrize(("change", "says"), CHANGES.items(), ids=list(CHANGES.values()))
def test_what_takes_the_gate_away_over_http_is_said(
    site: Site, program: Program, over_http: Path, change: tuple[str, str], says: str
) -> None:
    text = over_http.read_text()
    over_http.write_text(text.replace(*change, 1))

    assert says in wrong(site, program)


COMMANDS = {
    (" || exit 2", ""): "lets the call run when the hook cannot start",
    ("/hook/client.py", "-old/automode/hook/client.py"): "is gone",
    ("python3", "python2"): "is gone",
    ("--state /", "--state /srv/"): "another state folder",
    ("--config /", "--config /srv/"): "another settings folder",
    (" -I -S ", " -I -S '"): "is gone",
}


@pytest.mark.parametrize(("change", "says"), COMMANDS.items())
def test_what_takes_the_gate_away_by_command_is_said(
    site: Site, program: Program, by_command: Path, change: tuple[str, str], says: str
) -> None:
    text = by_command.read_text()
    by_command.write_text(text.replace(*change))

    assert says in wrong(site, program)


def test_hooks_of_another_automode_are_said(
    site: Site, program: Program, by_command: Path, tmp_path: Path
) -> None:
    client = tmp_path / "other" / "automode" / "hook" / "client.py"
    client.parent.mkdir(parents=True)
    client.write_text("")
    by_command.write_text(by_command.read_text().replace(program.client, str(client)))

    assert "those of another automode" in wrong(site, program)


@pytest.mark.parametrize("text", ["{", "[]", "\0"])
def test_a_file_that_cannot_be_read_is_a_place_with_something_wrong(
    site: Site, program: Program, over_http: Path, text: str
) -> None:
    over_http.write_text(text)

    assert "cannot be read" in wrong(site, program)


def test_an_administrators_hooks_are_those_of_the_account_that_looks(
    site: Site, program: Program, receipts: Receipts
) -> None:
    wish, everybody = Wish(Scope.MANAGED, found=FOUND), program.for_every_account()
    apply(plan_install(wish, site, everybody, None, receipts), receipts)
    mine = replace(
        program,
        state=os.path.join(home_folder(), everybody.state[2:]),
        config=os.path.join(home_folder(), everybody.config[2:]),
    )

    (found,), (elsewhere,) = (
        installer_of("claude-code").registered(site, one) for one in (mine, program)
    )

    assert found.wrong == ()
    assert "another state folder" in elsewhere.wrong[0]


def test_an_extension_is_found_with_its_version(
    site: Site, program: Program, receipts: Receipts
) -> None:
    apply(PI.plan_install(Scope.USER, site, program, receipts), receipts)

    (found,) = installer_of("pi").registered(site, program)

    assert (found.version, found.transport) == (program.version, Transport.EXTENSION)
    assert found.wrong == ()


def test_an_extension_that_leads_elsewhere_is_said(
    site: Site, program: Program, receipts: Receipts
) -> None:
    other = replace(program, python="/nowhere/python", state="/elsewhere")
    apply(PI.plan_install(Scope.USER, site, other, receipts), receipts)

    (found,) = installer_of("pi").registered(site, program)

    said = "\n".join(found.wrong)
    assert "the interpreter `/nowhere/python` is gone" in said
    assert "another state folder" in said
    assert "not that of this automode" in said


def test_an_extension_without_paths_and_one_that_is_no_file_are_said(
    site: Site, program: Program
) -> None:
    file = Path(pi_extension(site, Scope.USER))
    file.parent.mkdir(parents=True)
    file.write_text(BLANK)
    Path(pi_extension(site, Scope.PROJECT)).mkdir(parents=True)

    blank, folder = installer_of("pi").registered(site, program)

    assert "blocks every call" in blank.wrong[0]
    assert "found a folder" in folder.wrong[0]
