"""The whole look: every check comes, and what cannot be looked at is never fine."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from automode.core.errors import AutomodeError
from automode.daemon.version import own_version
from automode.doctor.case import AGENTS
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


def test_agents_that_are_not_there_share_one_quiet_line(machine: Machine) -> None:
    machine.program("claude", "echo 2.1.325")

    found = by_check(examined(machine.case(*AGENTS), Eyes(nowhere)))

    told = found["other agents"]
    assert told.level is Level.OK
    assert [agent for agent in AGENTS if agent not in told.says] == ["claude-code"]
    assert not any(name.startswith("pi") for name in found)


def test_without_a_single_agent_nothing_is_called_in_order(machine: Machine) -> None:
    found = by_check(examined(machine.case(*AGENTS), Eyes(nowhere)))

    assert found["agents"].level is Level.WARNING
    assert "no agent asks automode" in found["agents"].says
    assert found["agents"].fix


def test_who_names_an_agent_hears_that_it_is_not_there(machine: Machine) -> None:
    found = by_check(examined(machine.case("pi"), Eyes(nowhere)))

    assert found["pi: program"].level is Level.WARNING
    assert "agents" not in found


def test_an_agent_that_is_gone_and_still_registered_is_told_of(machine: Machine) -> None:
    eyes = Eyes(lambda agent: [InSettings()] if agent == "pi" else [])

    found = by_check(examined(machine.case(*AGENTS), eyes))

    assert found["pi: program"].level is Level.WARNING
    assert "pi: registered" in found
    assert "pi" not in found["other agents"].says.split(": ")[1].split(", ")


def test_what_is_not_there_and_cannot_be_looked_at_is_a_warning(machine: Machine) -> None:
    def unreadable(agent: str) -> tuple[Registered, ...]:
        raise AutomodeError("`x` is a link in a circle", "remove it")

    found = by_check(examined(machine.case(*AGENTS), Eyes(unreadable)))

    assert all(found[f"{agent}: registered"].level is Level.WARNING for agent in AGENTS)


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
