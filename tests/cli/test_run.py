"""`automode run`: an agent starts with the gate in front of it, or not at all."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from conformance.terminal import Terminal

from automode.daemon.client import running
from automode.hook import client
from tests.cli.daemons import AUTOMODE, Place
from tests.rows import each_row

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("a_person")]
AGENT = """#!/bin/sh
case "$1" in --version) echo 2.1.325; exit;; esac
echo started
for word in "$@"; do printf '%s\\n' "$word"; done > "$TOLD"
exit 7
"""
CLIENT = client.__file__
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


def test_the_agent_runs_and_a_daemon_with_it(place: Place, variables: Variables) -> None:
    done = place.process("run", "claude", "-p", "--", "--json", variables=variables)

    managed, policy, option, settings, *rest = told(variables)
    assert (done.returncode, done.stdout) == (7, "started\n")
    assert (managed, option) == ("--managed-settings", "--settings")
    assert json.loads(policy) == {"blockedMarketplaces": [{"source": "skills-dir"}]}
    assert json.loads(settings)["disableAllHooks"] is False
    assert rest == ["-p", "--", "--json"]
    assert running(place.state) is not None


def test_pi_gets_the_extension_along(place: Place, variables: Variables) -> None:
    done = place.process("run", "pi", "--help", variables=variables)

    option, file, *rest = told(variables)
    assert done.returncode == 7
    assert (option, rest) == ("-e", ["--help"])
    assert f'"state": "{place.state.path}"' in Path(file).read_text()
    assert file.startswith(place.state.path)


ASKS = """#!/bin/sh
case "$1" in --version) echo 2.1.325; exit;; esac
call='{"event":"proposed","session":"s1","cwd":"/","tool":"bash","input":{"command":"nope"}}'
echo "$call" | $HOOK
echo "$call" | $HOOK
[ -z "$TERMINATED" ] || kill -TERM $$
"""


@pytest.mark.parametrize("limit", [1, 9])
def test_a_halt_is_printed_and_is_the_exit_status_of_a_run_that_nobody_watches(
    place: Place, variables: Variables, limit: int
) -> None:
    Path(variables["PATH"].partition(":")[0], "claude").write_text(ASKS)
    rules = {"permissions": {"deny": ["bash(nope)"]}}
    breaker = {"autoMode": {"escalation": {"consecutive": limit}}}
    Path(place.config, "config.json").write_text(json.dumps(rules | breaker))
    folders = f"--state {place.state.path} --config {place.config}"
    hook = f"{sys.executable} -I -S {CLIENT} {folders} --unattended plain proposed"

    done = place.process("run", "claude", "-p", "x", variables={**variables, "HOOK": hook})
    again = place.process("run", "claude", "-p", "x", variables=variables | {"HOOK": "true"})

    assert done.returncode == (30 if limit == 1 else 0), done.stderr
    assert ("automode halted this run: " in done.stderr) == (limit == 1)
    assert again.returncode == 0, "the halt of another run"


def test_an_agent_that_is_killed_gives_the_status_that_shells_give(
    place: Place, variables: Variables
) -> None:
    Path(variables["PATH"].partition(":")[0], "claude").write_text(ASKS)

    more = {"HOOK": "true", "TERMINATED": "yes"}
    done = place.process("run", "claude", "-p", "x", variables=variables | more)

    assert done.returncode == 128 + signal.SIGTERM


def write_settings(place: Place, text: str) -> None:
    """What a project brings along."""
    file = Path(place.project, ".claude", "settings.json")
    file.parent.mkdir()
    file.write_text(text)


def at_a_terminal(place: Place, variables: Variables, *seen: str) -> tuple[int, str]:
    """The exit status of `automode run claude`, and what is shown once one of `seen` is."""
    folders = ["--state-folder", place.state.path, "--config-folder", place.config]
    words = [AUTOMODE, *folders]
    environment = {**os.environ, **variables, "TERM": "xterm"}
    with Terminal([*words, "run", "claude"], environment, place.project) as terminal:
        shown = terminal.wait_for(*seen)
        return terminal.ended(), shown


def test_where_hooks_are_switched_off_nothing_starts_unless_somebody_is_there(
    place: Place, variables: Variables
) -> None:
    write_settings(place, '{"disableAllHooks": true}')

    alone = place.process("run", "claude", "-p", "hello", variables=variables)
    started = Path(variables["TOLD"]).exists()
    status, shown = at_a_terminal(place, variables, "started")

    assert (alone.returncode, started, status) == (2, False, 7)
    assert "disableAllHooks" in alone.stderr
    assert "warning:" in shown
    assert json.loads(told(variables)[3])["disableAllHooks"] is False


def test_what_could_answer_in_the_persons_place_is_not_started_before_they_have_looked(
    place: Place, variables: Variables
) -> None:
    write_settings(place, '{"apiKeyHelper": "./x.sh"}')

    before, _ = at_a_terminal(place, variables, "apiKeyHelper")
    trusted = place.run("trust", "--project", "--yes")
    after, _ = at_a_terminal(place, variables, "started")

    assert (before, trusted.returncode, after) == (2, 0, 7)


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

    done = place.process("run", "claude", *words, "-p", "hello", variables=variables)
    kept = place.run("trust", "--mods", "--yes", str(folder))
    trusted = place.process("run", "claude", *words, "-p", "hello", variables=variables)

    assert done.returncode == 2
    assert str(folder) in done.stderr
    assert kept.returncode == 0
    assert trusted.returncode == 7


MISTAKES = {
    ("claude", "--bare"): "runs no hooks",
    ("pi", "-ne"): "runs no extensions",
    ("emacs",): "unknown agent",
    ("--program", "/nowhere/claude", "claude"): "no such program",
    ("claude", "--plugin-url", "https://a.example/x.zip", "-p", "x"): "https://a.example/x.zip",
    ("codex",): "no `codex` is on the PATH",
}


@each_row("words, why", MISTAKES.items())
def test_what_cannot_be_guarded_is_not_started(
    place: Place, variables: Variables, words: tuple[str, ...], why: str
) -> None:
    done = place.process("run", *words, variables=variables)

    assert done.returncode == 2
    assert why in done.stderr
    assert not Path(variables["TOLD"]).exists()


def test_another_program_can_be_named(place: Place, variables: Variables) -> None:
    program = Path(variables["HOME"]).parent / "bin" / "claude"
    nowhere = {**variables, "PATH": "/usr/bin:/bin"}

    done = place.process("run", "--program", str(program), "claude", "--", "x", variables=nowhere)

    assert done.returncode == 7
    assert told(variables)[-1] == "x"
