"""`automode run`: an agent starts with the gate in front of it, or not at all."""

import json
import os
from pathlib import Path

import pytest

from automode.daemon.client import running
from tests.cli.daemons import AUTOMODE, Place
from tests.cli.terminal import Terminal

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("a_person")]
AGENT = """#!/bin/sh
case "$1" in --version) echo 2.1.325; exit;; esac
echo started
for word in "$@"; do printf '%s\\n' "$word"; done > "$TOLD"
exit 7
"""
Variables = dict[str, str]


@pytest.fixture
def variables(place: Place) -> Variables:
    """Agents that note what they were started with."""
    folder = Path(place.project).parent
    (folder / "home").mkdir()
    (folder / "bin").mkdir()
    for name in ("claude", "pi"):
        (folder / "bin" / name).write_text(AGENT)
        (folder / "bin" / name).chmod(0o755)
    unset = ("CLAUDE_CONFIG_DIR", "PI_CODING_AGENT_DIR", "CLAUDE_CODE_SIMPLE")
    path = f"{folder}/bin:/usr/bin:/bin"
    return {
        "HOME": f"{folder}/home",
        "PATH": path,
        "TOLD": f"{folder}/told",
        **dict.fromkeys(unset, ""),
    }


def told(variables: Variables) -> list[str]:
    return Path(variables["TOLD"]).read_text().splitlines()


def test_the_agent_takes_this_process_over_and_a_daemon_runs(
    place: Place, variables: Variables
) -> None:
    done = place.run("run", "claude", "-p", "--", "--json", variables=variables)

    managed, policy, option, settings, *rest = told(variables)
    assert (done.returncode, done.stdout) == (7, "started\n")
    assert (managed, option) == ("--managed-settings", "--settings")
    assert json.loads(policy) == {"blockedMarketplaces": [{"source": "skills-dir"}]}
    assert json.loads(settings)["disableAllHooks"] is False
    assert rest == ["-p", "--", "--json"]
    assert running(place.state) is not None


def test_pi_gets_the_extension_along(place: Place, variables: Variables) -> None:
    done = place.run("run", "pi", "--help", variables=variables)

    option, file, *rest = told(variables)
    assert done.returncode == 7
    assert (option, rest) == ("-e", ["--help"])
    assert f'"state": "{place.state.path}"' in Path(file).read_text()
    assert file.startswith(place.state.path)


@pytest.fixture
def switched_off(place: Place) -> None:
    """A project that brings a switch along."""
    file = Path(place.project, ".claude", "settings.json")
    file.parent.mkdir()
    file.write_text('{"disableAllHooks": true}')


@pytest.mark.usefixtures("switched_off")
def test_where_hooks_are_switched_off_and_nobody_is_there_nothing_starts(
    place: Place, variables: Variables
) -> None:
    done = place.run("run", "claude", "-p", "hello", variables=variables)

    assert done.returncode == 2
    assert "disableAllHooks" in done.stderr
    assert not Path(variables["TOLD"]).exists()


@pytest.mark.usefixtures("switched_off")
def test_where_somebody_is_there_it_warns_and_puts_the_switch_back(
    place: Place, variables: Variables
) -> None:
    folders = ["--state-folder", place.state.path, "--config-folder", place.config]
    words = ["sh", "-c", f'cd "{place.project}" && exec "$@"', "sh", AUTOMODE, *folders]
    environment = {**os.environ, **variables, "TERM": "xterm"}
    with Terminal([*words, "run", "claude"], environment, columns=120) as terminal:
        shown = terminal.wait_for(lambda text: "started" in text)

        assert terminal.ended() == 7

    assert "warning:" in shown
    assert json.loads(told(variables)[3])["disableAllHooks"] is False


def test_what_could_answer_in_the_persons_place_is_not_started_before_they_have_looked(
    place: Place, variables: Variables
) -> None:
    file = Path(place.project, ".claude", "settings.json")
    file.parent.mkdir()
    file.write_text('{"apiKeyHelper": "./x.sh"}')
    folders = ["--state-folder", place.state.path, "--config-folder", place.config]
    words = ["sh", "-c", f'cd "{place.project}" && exec "$@"', "sh", AUTOMODE, *folders]
    environment = {**os.environ, **variables, "TERM": "xterm"}

    def start() -> int:
        with Terminal([*words, "run", "claude"], environment, columns=120) as terminal:
            terminal.wait_for(lambda text: "started" in text or "apiKeyHelper" in text)
            return terminal.ended()

    assert start() == 2
    assert place.run("trust", "--project", "--yes").returncode == 0
    assert start() == 7


@pytest.mark.parametrize("words", [(), ("--plugin-dir", "plugins/a"), ("--plugin-dir", "plugins")])
def test_plug_ins_that_could_answer_before_the_gate_are_named_and_not_started_alone(
    place: Place, variables: Variables, words: tuple[str, ...]
) -> None:
    folder = Path(place.project, "plugins/a" if words else ".claude/skills/a")
    for name, text in {
        ".claude-plugin/plugin.json": '{"name": "a"}',
        "hooks/hooks.json": '{"modules": ["./register.js"]}',
    }.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)

    done = place.run("run", "claude", *words, "-p", "hello", variables=variables)
    kept = place.run("trust", "--mods", "--yes", str(folder))
    trusted = place.run("run", "claude", *words, "-p", "hello", variables=variables)

    assert done.returncode == 2
    assert str(folder) in done.stderr
    assert kept.returncode == 0
    assert trusted.returncode == 7


def test_a_plug_in_that_nobody_can_look_into_is_not_started_alone(
    place: Place, variables: Variables
) -> None:
    words = ("--plugin-url", "https://example.com/x.zip", "-p", "hello")

    done = place.run("run", "claude", *words, variables=variables)

    assert done.returncode == 2
    assert "https://example.com/x.zip" in done.stderr


MISTAKES = {
    ("claude", "--bare"): "runs no hooks",
    ("pi", "-ne"): "runs no extensions",
    ("emacs",): "unknown agent",
    ("--program", "/nowhere/claude", "claude"): "no such program",
}


@pytest.mark.parametrize(("words", "why"), MISTAKES.items())
def test_what_cannot_be_guarded_is_not_started(
    place: Place, variables: Variables, words: tuple[str, ...], why: str
) -> None:
    done = place.run("run", *words, variables=variables)

    assert done.returncode == 2
    assert why in done.stderr
    assert not Path(variables["TOLD"]).exists()


def test_an_agent_that_is_not_there_is_said(place: Place, variables: Variables) -> None:
    done = place.run("run", "claude", variables={**variables, "PATH": "/usr/bin:/bin"})

    assert done.returncode == 2
    assert "no `claude` is on the PATH" in done.stderr


def test_another_program_can_be_named(place: Place, variables: Variables) -> None:
    program = Path(variables["HOME"]).parent / "bin" / "claude"
    nowhere = {**variables, "PATH": "/usr/bin:/bin"}

    done = place.run("run", "--program", str(program), "claude", "--", "x", variables=nowhere)

    assert done.returncode == 7
    assert told(variables)[-1] == "x"


def test_an_agent_cannot_start_one(place: Place, variables: Variables) -> None:
    done = place.run("run", "claude", variables={**variables, "CLAUDECODE": "1"})

    assert done.returncode == 2
    assert "only a person may do this" in done.stderr
