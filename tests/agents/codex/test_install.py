"""automode goes into Codex: its hooks, and their trust; and out again, to the byte."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.installing.plan import CannotInstall, Scope
from tests.agents.codex.codex_program import codex_in
from tests.agents.conftest import Machine
from tests.rows import rows

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
def codex(machine: Machine) -> Machine:
    (machine.home / ".codex").mkdir()
    return replace(machine, agent="codex")


@pytest.fixture
def hooks(codex: Machine) -> Path:
    return codex.home / ".codex" / "hooks.json"


@pytest.fixture
def config(codex: Machine) -> Path:
    return codex.home / ".codex" / "config.toml"


def test_hooks_are_written_and_trusted(codex: Machine, hooks: Path, config: Path) -> None:
    codex.install()

    listed = json.loads(hooks.read_text())["hooks"]
    states = tomllib.loads(config.read_text())["hooks"]["state"]
    assert set(listed) == set(codex.installer.about.moments)
    assert {key.removeprefix(f"{hooks}:") for key in states} >= {"pre_tool_use:0:0", "stop:0:0"}
    assert all(state["trusted_hash"].startswith("sha256:") for state in states.values())
    assert codex.wrong() == ""


def test_hooks_of_others_keep_their_place_by_which_codex_knows_them(
    codex: Machine, hooks: Path, config: Path
) -> None:
    hooks.write_text(FOREIGN)

    codex.install()

    listed = json.loads(hooks.read_text())["hooks"]["PreToolUse"]
    states = tomllib.loads(config.read_text())["hooks"]["state"]
    assert listed[0]["hooks"][0]["command"] == "true"
    assert f"{hooks}:pre_tool_use:1:0" in states
    assert f"{hooks}:pre_tool_use:0:0" not in states


def test_a_config_that_codex_laid_out_anew_loses_exactly_our_trust(
    codex: Machine, config: Path
) -> None:
    config.write_text(CONFIG)
    codex.install()
    own = '[hooks.state."/srv/other.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n'
    lines = [line for line in config.read_text().splitlines() if not line.startswith("# auto")]
    config.write_text("\n".join(lines) + f"\n{own}")

    codex.uninstall()

    left = tomllib.loads(config.read_text())
    assert list(left["hooks"]["state"]) == ["/srv/other.json:stop:0:0"]
    assert left["tui"] == {"theme": "dark"}


SWITCHES = {
    "[features]\nhooks = false\n": "switches every hook off",
    "model = \n": "no TOML",
    "hooks = 7\n": "cannot take the trust",
}


@pytest.mark.parametrize("text", SWITCHES)
def test_where_hooks_would_not_run_nothing_is_installed(
    codex: Machine, hooks: Path, config: Path, text: str
) -> None:
    config.write_text(text)

    with pytest.raises(CannotInstall, match=SWITCHES[text]) as caught:
        codex.plan()

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
    codex: Machine, tmp_path: Path, name: str
) -> None:
    text, says = PROGRAMS[name]
    path = {"PATH": str(tmp_path / "empty")} if text is None else codex_in(tmp_path / "x", text)

    with pytest.raises(CannotInstall, match=says) as caught:
        replace(codex, site=replace(codex.site, environment=path)).plan()

    assert caught.value.hint


def test_a_hook_that_moved_is_no_longer_trusted_and_the_doctor_says_so(
    codex: Machine, hooks: Path
) -> None:
    codex.install()
    listed = json.loads(hooks.read_text())
    listed["hooks"]["PreToolUse"].insert(0, {"hooks": [{"type": "command", "command": "true"}]})
    hooks.write_text(json.dumps(listed))

    wrong = codex.wrong()
    repaired = codex.install()

    assert wrong == "Codex does not trust the hook for PreToolUse, and so does not run it"
    assert repaired.changes
    assert codex.wrong() == ""


def test_an_administrators_hooks_need_no_trust(codex: Machine, config: Path) -> None:
    replace(codex, program=codex.program.for_every_account()).install(Scope.MANAGED)

    assert Path(codex.site.system, "codex", "hooks.json").stat().st_mode & 0o044
    assert not config.exists()
    assert [(one.scope, one.wrong) for one in codex.registrations()] == [(Scope.MANAGED, ())]


def test_the_launcher_outranks_a_project(codex: Machine) -> None:
    codex.install()

    launch = codex.launch("exec", "fix the hooks = off")

    assert launch.words == ("--enable", "hooks", "exec", "fix the hooks = off")


def test_a_way_around_the_hooks_is_refused(codex: Machine) -> None:
    codex.install()

    for words in rows("agents", "codex-around-hooks"):
        with pytest.raises(CannotInstall):
            codex.launch(*map(str, words))
