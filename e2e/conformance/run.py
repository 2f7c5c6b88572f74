"""Plays scenarios with real agents and says how each went."""

import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from automode.core.errors import AutomodeError
from conformance.driver import ScenarioDriver
from conformance.failing import ScenarioFailed, ScenarioSkipped
from conformance.scenarios import Scenario
from conformance.trial import trial

_LONGEST_DETAIL = 3000


TRANSPORTS = {"claude-code": ("http", "command")}
"""Ways to install an agent's hooks, where there are several."""


class End(StrEnum):
    PASSED = "pass"
    FAILED = "FAIL"
    SKIPPED = "skip"


@dataclass(frozen=True, slots=True)
class Cast:
    """An agent and a way to install automode into it. `label` names both in a table."""

    label: str
    agent: ScenarioDriver
    installed_with: tuple[str, ...] = ()


def variants(name: str, agent: ScenarioDriver) -> list[Cast]:
    """One for each way to install automode into the agent."""
    transports = TRANSPORTS.get(name)
    if transports is None:
        return [Cast(name, agent)]
    return [Cast(f"{name}/{one}", agent, ("--transport", one)) for one in transports]


@dataclass(frozen=True, slots=True)
class Played:
    """`detail` says why where it did not pass."""

    label: str
    scenario: str
    end: End
    detail: str = ""
    seconds: float = 0.0


def play(scenario: Scenario, cast: Cast) -> Played:
    """Never raises for what an agent or a daemon does."""
    why_not = scenario.why_not(cast.agent)
    if why_not:
        return Played(cast.label, scenario.id, End.SKIPPED, why_not)
    begun = time.monotonic()
    end, detail = End.PASSED, ""
    try:
        _played(scenario, cast)
    except ScenarioSkipped as why:
        end, detail = End.SKIPPED, str(why)
    except ScenarioFailed as failure:
        end, detail = End.FAILED, str(failure)
    except (AutomodeError, OSError, subprocess.SubprocessError, ValueError, LookupError) as fault:
        end, detail = End.FAILED, f"{type(fault).__name__}: {fault}"
    return Played(cast.label, scenario.id, end, detail[:_LONGEST_DETAIL], time.monotonic() - begun)


def _played(scenario: Scenario, cast: Cast) -> None:
    with trial(cast.agent, cast.installed_with, install=scenario.installed) as ready:
        try:
            scenario.play(ready)
        finally:
            # Whatever else failed, this is what must not have happened.
            ready.nothing_else_ran()


def play_all(
    scenarios: Iterable[Scenario], casts: Sequence[Cast], heard: Callable[[Played], None]
) -> list[Played]:
    """One after the other: agents wait on clocks of their own, and two of them wait longer."""
    found: list[Played] = []
    for scenario in scenarios:
        for cast in casts:
            found.append(play(scenario, cast))
            heard(found[-1])
    return found


def table(played: Sequence[Played]) -> str:
    """Scenarios down, agents across."""
    labels = list(dict.fromkeys(one.label for one in played))
    names = list(dict.fromkeys(one.scenario for one in played))
    ends = {(one.scenario, one.label): str(one.end) for one in played}
    rows = [["scenario", *labels]]
    rows += [[name, *(ends.get((name, label), "") for label in labels)] for name in names]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join(lines)


def summary(played: Sequence[Played]) -> str:
    """The last line of a run."""
    counts = {end: sum(one.end is end for one in played) for end in End}
    line = f"{counts[End.PASSED]} passed, {counts[End.FAILED]} failed"
    skipped = counts[End.SKIPPED]
    return f"{line}, {skipped} skipped" if skipped else line
