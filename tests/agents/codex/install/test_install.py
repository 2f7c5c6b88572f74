"""automode goes into Codex: its hooks, and their trust; and out again, to the byte."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.codex.install import INSTALLER, codex_folder, codex_hooks
from automode.agents.installing.plan import CannotInstall, Plan, Receipts, Scope, apply
from automode.agents.installing.site import AgentProgram, Program, Site
from tests.agents.codex.codex_program import codex_in

FOUND = AgentProgram("/srv/codex", (0, 166, 0))
FOREIGN = """{
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}
    ]
  }
}
"""
CONFIG = 'model = "gpt-5.5"  # mine\n\n[tui]\ntheme = "dark"\n'


@pytest.fixture
def here(site: Site, tmp_path: Path) -> Site:
    """With a Codex on the path, and a folder of its own."""
    (tmp_path / "home" / ".codex").mkdir()
    return replace(site, environment=codex_in(tmp_path / "bin"), system=str(tmp_path / "etc"))


@pytest.fixture
def hooks(here: Site) -> Path:
    return Path(codex_hooks(here, Scope.USER))


@pytest.fixture
def config(here: Site) -> Path:
    return Path(codex_folder(here), "config.toml")


def done(plan: Plan, receipts: Receipts) -> Plan:
    apply(plan, receipts)
    return plan


def test_hooks_are_written_and_trusted(
    here: Site, program: Program, receipts: Receipts, hooks: Path, config: Path
) -> None:
    done(INSTALLER.plan_install(Scope.USER, here, program, receipts), receipts)

    listed = json.loads(hooks.read_text())["hooks"]
    states = tomllib.loads(config.read_text())["hooks"]["state"]
    assert set(listed) == set(INSTALLER.about.moments)
    assert {key.removeprefix(f"{hooks}:") for key in states} >= {"pre_tool_use:0:0", "stop:0:0"}
    assert all(state["trusted_hash"].startswith("sha256:") for state in states.values())
    assert [one.wrong for one in INSTALLER.registered(here, program)] == [()]


def test_a_hook_that_cannot_start_stops_the_call_with_a_word(program: Program) -> None:
    """An exit status without a word on standard error would let it run."""
    handlers = INSTALLER.handlers(program)

    for event in ("PreToolUse", "PermissionRequest"):
        assert "exit 2" in str(handlers[event]["command"])
        assert ">&2" in str(handlers[event]["command"])
    assert "exit 2" not in str(handlers["Stop"]["command"])


def test_hooks_of_others_keep_their_place_by_which_codex_knows_them(
    here: Site, program: Program, receipts: Receipts, hooks: Path, config: Path
) -> None:
    hooks.write_text(FOREIGN)

    done(INSTALLER.plan_install(Scope.USER, here, program, receipts), receipts)

    listed = json.loads(hooks.read_text())["hooks"]["PreToolUse"]
    states = tomllib.loads(config.read_text())["hooks"]["state"]
    assert listed[0]["hooks"][0]["command"] == "true"
    assert f"{hooks}:pre_tool_use:1:0" in states
    assert f"{hooks}:pre_tool_use:0:0" not in states


def test_what_was_written_since_stays(
    here: Site, program: Program, receipts: Receipts, hooks: Path, config: Path
) -> None:
    config.write_text(CONFIG)
    done(INSTALLER.plan_install(Scope.USER, here, program, receipts), receipts)
    trust = '\n[projects."/srv/shop"]\ntrust_level = "trusted"\n'
    config.write_text(config.read_text() + trust)
    listed = json.loads(hooks.read_text())
    listed["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "true"}]})
    hooks.write_text(json.dumps(listed))

    done(INSTALLER.plan_uninstall(Scope.USER, here, receipts), receipts)

    assert config.read_text() == f"{CONFIG}{trust}"
    assert json.loads(hooks.read_text()) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
    }


def test_a_config_that_codex_laid_out_anew_loses_exactly_our_trust(
    here: Site, program: Program, receipts: Receipts, config: Path
) -> None:
    config.write_text(CONFIG)
    done(INSTALLER.plan_install(Scope.USER, here, program, receipts), receipts)
    own = '[hooks.state."/srv/other.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n'
    lines = [line for line in config.read_text().splitlines() if not line.startswith("# auto")]
    config.write_text("\n".join(lines) + f"\n{own}")

    done(INSTALLER.plan_uninstall(Scope.USER, here, receipts), receipts)

    left = tomllib.loads(config.read_text())
    assert list(left["hooks"]["state"]) == ["/srv/other.json:stop:0:0"]
    assert left["tui"] == {"theme": "dark"}


SWITCHES = {
    "[features]\nhooks = false\n": "switches every hook off",
    "model = \n": "no TOML",
    "hooks = 7\n": "no place",
}


@pytest.mark.parametrize("text", SWITCHES)
def test_where_hooks_would_not_run_nothing_is_installed(
    here: Site, program: Program, receipts: Receipts, hooks: Path, config: Path, text: str
) -> None:
    config.write_text(text)

    with pytest.raises(CannotInstall, match=SWITCHES[text]) as caught:
        INSTALLER.plan_install(Scope.USER, here, program, receipts)

    assert caught.value.hint
    assert not hooks.exists()


PROGRAMS = {
    "none": (None, "no `codex` is on the PATH"),
    "says nothing": ("#!/bin/sh\nexit 0\n", "did not answer"),
    "talks nonsense": ("#!/bin/sh\necho nonsense\n", "did not answer"),
    "knows no hooks": (
        '#!/bin/sh\necho \'{"id":1,"result":{}}\'\necho \'{"id":2,"result":{"data":[]}}\'\ncat\n',
        "does not list the hook",
    ),
    "is another release": (
        '#!/bin/sh\necho \'{"id":1,"result":{}}\'\necho \'{"id":2,"error":{"code":-1}}\'\ncat\n',
        "does not list its hooks",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_without_codexs_own_word_nothing_is_installed(
    here: Site, program: Program, receipts: Receipts, tmp_path: Path, name: str
) -> None:
    text, says = PROGRAMS[name]
    path = {"PATH": str(tmp_path / "empty")} if text is None else codex_in(tmp_path / "x", text)

    with pytest.raises(CannotInstall, match=says) as caught:
        INSTALLER.plan_install(Scope.USER, replace(here, environment=path), program, receipts)

    assert caught.value.hint


def test_a_hook_that_moved_is_no_longer_trusted_and_the_doctor_says_so(
    here: Site, program: Program, receipts: Receipts, hooks: Path
) -> None:
    done(INSTALLER.plan_install(Scope.USER, here, program, receipts), receipts)
    listed = json.loads(hooks.read_text())
    listed["hooks"]["PreToolUse"].insert(0, {"hooks": [{"type": "command", "command": "true"}]})
    hooks.write_text(json.dumps(listed))

    (found,) = INSTALLER.registered(here, program)
    repaired = done(INSTALLER.plan_install(Scope.USER, here, program, receipts), receipts)

    assert found.wrong == ("Codex does not trust the hook for PreToolUse, and so does not run it",)
    assert repaired.changes
    assert [one.wrong for one in INSTALLER.registered(here, program)] == [()]


def test_an_administrators_hooks_need_no_trust(
    here: Site, program: Program, receipts: Receipts, config: Path
) -> None:
    everybody = program.for_every_account()

    done(INSTALLER.plan_install(Scope.MANAGED, here, everybody, receipts), receipts)

    assert Path(here.system, "codex", "hooks.json").stat().st_mode & 0o044
    assert not config.exists()
    assert [(one.scope, one.wrong) for one in INSTALLER.registered(here, program)] == [
        (Scope.MANAGED, ())
    ]


def test_the_launcher_outranks_a_project(here: Site, program: Program, receipts: Receipts) -> None:
    done(INSTALLER.plan_install(Scope.USER, here, program, receipts), receipts)

    launch = INSTALLER.launch(("exec", "fix the hooks = off"), here, program, FOUND)

    assert launch.words == ("--enable", "hooks", "exec", "fix the hooks = off")


AROUND = (
    ("--disable", "hooks"),
    ("--disable=codex_hooks",),
    ("-c", "features.hooks=false", "exec", "x"),
    ("--config", "features={hooks=false}"),
    ("-c", "hooks.state={}"),
    ("exec", "-cfeatures.hooks=false", "x"),
    ("-c=features.hooks=false",),
    ("--ignore-user-config", "exec", "x"),
    ("--dangerously-bypass-hook-trust",),
)


@pytest.mark.parametrize("words", AROUND, ids=" ".join)
def test_a_way_around_the_hooks_is_refused(
    here: Site, program: Program, receipts: Receipts, words: tuple[str, ...]
) -> None:
    done(INSTALLER.plan_install(Scope.USER, here, program, receipts), receipts)

    with pytest.raises(CannotInstall):
        INSTALLER.launch(words, here, program, FOUND)
