"""What the scenarios showed, kept as a file, and the page that is made of it."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from automode.agents.catalog import ADAPTERS, UNATTENDED
from automode.agents.events import Abilities
from conformance.programs import RELEASES
from conformance.run import End, Played

Results: TypeAlias = Mapping[str, "Shown"]
_NOT_RUN = "not run here"
_PLAIN = "plain"
_HEAD = """\
# Agents

What each agent was seen to do with automode in front of it. Made by `make docs` from the results of
`make e2e`, which starts the real programs: see
[the conformance kit](../contributing/conformance.md). `pi-1` is Pi 1.x, `pi-old` Pi under its
earlier package name.

- **deny**: a denied call does not run, and the agent is told why; `ends the run`: neither it nor
  anything after it runs.
- **ask**: a person in front of the agent decides in its own dialog. Where it says `denied`, they
  can still say yes with `automode approve`.
- **allow without prompt**: what automode allows, the agent does not ask about again.
- **rewrite result**: a warning stands `in front` of a suspect result, or `beside` it where the
  agent keeps results as they are.
- **status**: the agent's terminal shows the counters.
- **halt**: `ends` the run, or, where the agent cannot be stopped, `denies all` further calls.
- **crash closes**, **timeout closes**: while the daemon is killed, talks nonsense or hangs, no call
  runs that was not allowed.
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """One agent, installed in one way. `skipped` has a reason for each scenario it cannot play."""

    version: str
    passed: frozenset[str]
    failed: frozenset[str]
    skipped: Mapping[str, str]


def read(path: str) -> dict[str, Shown]:
    """Nothing where there is no file yet."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    return {
        label: Shown(
            row["version"], frozenset(row["passed"]), frozenset(row["failed"]), row["skipped"]
        )
        for label, row in found.items()
    }


def of(played: Sequence[Played], versions: Mapping[str, str]) -> dict[str, Shown]:
    """`versions` by label; what has none was not started, and is left out."""
    return {
        label: Shown(
            version,
            frozenset(_ended(played, label, End.PASSED)),
            frozenset(_ended(played, label, End.FAILED)),
            {
                one.scenario: one.detail
                for one in played
                if one.label == label and one.end is End.SKIPPED
            },
        )
        for label, version in versions.items()
    }


def _ended(played: Sequence[Played], label: str, end: End) -> Iterator[str]:
    return (one.scenario for one in played if one.label == label and one.end is end)


def write(path: str, results: Results) -> None:
    rows = {
        label: {
            "version": one.version,
            "passed": sorted(one.passed),
            "failed": sorted(one.failed),
            "skipped": dict(sorted(one.skipped.items())),
        }
        for label, one in sorted(results.items())
    }
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")


def page(results: Results) -> str:
    names = ("agent", "version", *_COLUMNS)
    rows = [[f"`{label}`", *_cells(label, results[label])] for label in sorted(results)]
    never = sorted(set(_agents()) - {_agent(label) for label in results})
    rows += [[f"`{name}`", _NOT_RUN, *("" for _ in _COLUMNS)] for name in never]
    lines = [_row(names), _row("---" for _ in names), *map(_row, rows)]
    return "\n".join((_HEAD, *lines, "", *_reasons(results)))


def _agents() -> Iterator[str]:
    return (name for name in ADAPTERS if not name.endswith(UNATTENDED) and name != _PLAIN)


def _agent(label: str) -> str:
    """`claude-code/http` is one way to install an agent, `pi-old` another release of one."""
    name = label.partition("/")[0]
    return RELEASES.get(name, name)


def _cells(label: str, shown: Shown) -> Iterator[str]:
    abilities = ADAPTERS[_agent(label)].abilities
    yield shown.version
    for scenarios, word in _COLUMNS.values():
        if not shown.failed.isdisjoint(scenarios):
            yield "**fails**"
        elif shown.passed.issuperset(scenarios):
            yield word(abilities)
        else:
            yield _instead(scenarios, shown)


def _instead(scenarios: tuple[str, ...], shown: Shown) -> str:
    """What happens where a scenario cannot be played."""
    if "ask-yes" in scenarios:
        return "denied"
    ends = "deny-blocks" in scenarios and "halt-ends-run" in shown.passed
    return "ends the run" if ends else "no"


_COLUMNS: Mapping[str, tuple[tuple[str, ...], Callable[[Abilities], str]]] = {
    "deny": (("deny-blocks",), lambda _: "yes"),
    "ask": (("ask-yes", "ask-no"), lambda _: "yes"),
    "allow without prompt": (("allow-runs",), lambda can: "yes" if can.allows else "no"),
    "rewrite result": (("probe-warns",), lambda can: "in front" if can.rewrites else "beside"),
    "status": (("status-line",), lambda _: "yes"),
    "halt": (("halt-ends-run",), lambda can: "ends" if can.stops else "denies all"),
    "crash closes": (("daemon-killed", "garbage-answer"), lambda _: "yes"),
    "timeout closes": (("daemon-slow",), lambda _: "yes"),
}


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _reasons(results: Results) -> Iterator[str]:
    yield "What an agent cannot do, and why:"
    yield ""
    yield _row(("agent", "scenario", "why it is not played"))
    yield _row(("---", "---", "---"))
    for label, one in sorted(results.items()):
        for scenario, why in sorted(one.skipped.items()):
            yield _row((f"`{label}`", f"`{scenario}`", why))
    yield ""
