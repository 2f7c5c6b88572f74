"""Agents' files are looked for where the agents look, and every path written is absolute."""

import os
import sys

import pytest

from automode.agents.claude_code.settings import claude_settings
from automode.agents.installing.plan import CannotInstall, Scope
from automode.agents.installing.site import Program, Site, site_of
from automode.agents.pi.install import pi_extension

PLACES = {
    # variables, scope: Claude Code's settings, Pi's extension
    ("", "", Scope.USER): ("/home/ann/.claude/settings.json", "/home/ann/.pi/agent"),
    ("/srv/c", "/srv/p", Scope.USER): ("/srv/c/settings.json", "/srv/p"),
    ("~/c/", "~/p", Scope.USER): ("/home/ann/c/settings.json", "/home/ann/p"),
    ("/srv/c", "/srv/p", Scope.PROJECT): ("/srv/shop/.claude/settings.local.json", "/srv/shop/.pi"),
}


@pytest.mark.parametrize(("wanted", "places"), PLACES.items())
def test_variables_of_the_agents_are_heeded(
    wanted: tuple[str, str, Scope], places: tuple[str, str]
) -> None:
    claude, pi, scope = wanted
    variables = {"CLAUDE_CONFIG_DIR": claude, "PI_CODING_AGENT_DIR": pi}

    site = Site("/home/ann", variables, "/srv/shop")

    found = claude_settings(site, scope), pi_extension(site, scope)
    assert found == (places[0], f"{places[1]}/extensions/automode.ts")


def test_a_relative_folder_is_refused() -> None:
    site = Site("/home/ann", {"CLAUDE_CONFIG_DIR": "here"}, "/srv/shop")

    with pytest.raises(CannotInstall, match="CLAUDE_CONFIG_DIR is `here`"):
        claude_settings(site, Scope.USER)


@pytest.mark.parametrize(
    ("home", "used"), [("/srv/ann", "/srv/ann"), ("ann", "/home/ann"), ("", "/home/ann")]
)
def test_the_home_is_that_of_the_terminal(home: str, used: str) -> None:
    assert site_of({"HOME": home}, "/home/ann", "/srv/shop").home == used


def test_the_hook_runs_with_the_interpreter_behind_the_environment() -> None:
    program = Program.here("/srv/state", "/srv/config")

    assert program.python == sys.executable
    assert os.path.realpath(program.hook_python) == program.hook_python
    assert os.access(program.hook_python, os.X_OK)
    assert os.path.isfile(program.client)


def test_the_status_line_goes_the_quick_way() -> None:
    program = Program.here("/srv/state", "/srv/config")

    python, *options, bar, state, folder = program.status_line_words()

    assert (python, options) == (program.hook_python, ["-I", "-S"])
    assert os.path.isfile(bar)
    assert (state, folder) == ("--state", "/srv/state")


def test_for_every_account_folders_lie_below_each_home() -> None:
    program = Program.here("/srv/state", "/srv/config").for_every_account()

    words = program.hook_words("claude-code", "proposed")

    assert words[words.index("--state") + 1] == "~/.local/state/automode"
    assert words[words.index("--config") + 1] == "~/.config/automode"
    assert "'~/.local/state/automode'" in program.signed(words)
