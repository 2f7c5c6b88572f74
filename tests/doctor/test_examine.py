"""The whole look: every check comes, and what cannot be looked at is never fine."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from automode.core.errors import AutomodeError
from automode.daemon.version import own_version
from automode.doctor.examine import Eyes, examined
from automode.doctor.finding import Finding, Level
from automode.doctor.firing import Fired
from automode.doctor.registered import Registered
from tests.doctor.conftest import Machine


@dataclass(frozen=True, slots=True)
class InSettings:
    scope: str = "user"
    path: str = "/home/kim/settings"
    version: str = own_version()
    transport: str = "command"
    wrong: tuple[str, ...] = ()


def nowhere(agent: str) -> tuple[Registered, ...]:
    return ()


def by_check(found: Sequence[Finding]) -> dict[str, Finding]:
    return {one.check: one for one in found}


def test_an_agent_that_is_not_there_takes_one_line(machine: Machine) -> None:
    found = by_check(examined(machine.case(), Eyes(nowhere)))

    assert [name for name in found if name.startswith("pi:")] == ["pi: program"]
    assert found["pi: program"].level is Level.WARNING


def test_an_agent_that_is_there_is_looked_at_whole(machine: Machine) -> None:
    machine.program("claude", "echo 2.1.325")

    found = by_check(examined(machine.case("claude-code"), Eyes(nowhere)))

    looked = [name.partition(": ")[2] for name in found if name.startswith("claude-code")]
    assert looked == ["program", "registered", "switches", "others", "fires"]
    assert found["claude-code: registered"].level is Level.PROBLEM
    assert found["claude-code: fires"].level is Level.WARNING


def test_what_cannot_be_looked_at_is_a_warning(machine: Machine) -> None:
    machine.program("pi", "echo 0.87.1")

    def unreadable(agent: str) -> tuple[Registered, ...]:
        raise AutomodeError("`x` is a link in a circle", "remove it")

    found = by_check(examined(machine.case("pi"), Eyes(unreadable)))

    told = found["pi: registered"]
    assert (told.level, told.fix) == (Level.WARNING, "remove it")
    assert "could not be looked at" in told.says


def test_a_folder_of_an_agent_that_may_be_anywhere_is_told(machine: Machine) -> None:
    machine.program("claude", "echo 2.1.325")
    machine.variables["CLAUDE_CONFIG_DIR"] = "not/absolute"

    found = examined(machine.case("claude-code"), Eyes(nowhere))

    doubts = [one for one in found if "CLAUDE_CONFIG_DIR" in one.says]
    assert doubts
    assert all(one.level is Level.WARNING for one in doubts)


def test_a_plugin_that_is_on_counts_as_registered(machine: Machine) -> None:
    machine.program("claude", "echo 2.1.325")
    machine.file("h/.claude/settings.json", '{"enabledPlugins": {"automode@automode": true}}')
    program = machine.file("h/.local/bin/automode", "")
    Path(program).chmod(0o755)

    found = by_check(
        examined(machine.case("claude-code"), Eyes(nowhere, account_home=str(machine.home)))
    )

    assert found["claude-code: registered"].level is Level.OK
    assert found["claude-code: plugin"].level is Level.OK


def test_an_agent_that_cannot_be_started_is_a_warning(machine: Machine) -> None:
    machine.program("pi", "echo 0.87.1")

    def broken(agent: str, program: str) -> Fired:
        raise AutomodeError(f"`{program}` does not start", "install it again")

    found = by_check(examined(machine.case("pi"), Eyes(lambda agent: [InSettings()], broken)))

    told = found["pi: fires"]
    assert (told.level, told.fix) == (Level.WARNING, "install it again")
