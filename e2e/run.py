"""Plays the conformance scenarios with the real agents: `run.py --agents FOLDER [NAME ...]`.

Ends with a table of scenarios and agents, the reason of everything that did not pass, and one line
`N passed, N failed`. The exit status is 1 where one failed.
"""

# ruff: noqa: T201 - a script that reports
import argparse
import sys

from conformance import results
from conformance.programs import NAMES, pinned, release
from conformance.run import Cast, End, Played, play_all, summary, table, variants
from conformance.scenarios import SCENARIOS

from automode.agents.scripted.driver import NoProgram, plain_environment


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"agents, of {', '.join(NAMES)}; all without any")
    parser.add_argument("--agents", required=True, metavar="FOLDER", help="where they lie")
    parser.add_argument("--only", action="append", default=[], metavar="SCENARIO")
    parser.add_argument("--results", metavar="FILE", help="where to keep what was shown")
    chosen = parser.parse_args()
    unknown = sorted(set(chosen.names) - set(NAMES))
    if unknown:
        parser.error(f"no such agent: {', '.join(unknown)}; there are {', '.join(NAMES)}")
    names = {one.id for one in SCENARIOS}
    if not set(chosen.only) <= names:
        parser.error(f"no such scenario: {', '.join(sorted(set(chosen.only) - names))}")
    casts, absent = found(chosen.names or NAMES, chosen.agents)
    wanted = [one for one in SCENARIOS if not chosen.only or one.id in chosen.only]
    played = play_all(wanted, casts, heard)
    for name, why in absent.items():
        played += [Played(name, one.id, End.SKIPPED, why) for one in wanted]
    report(played)
    if chosen.results and wanted == list(SCENARIOS):
        keep(
            chosen.results,
            played,
            {one.label: release(one.agent, plain_environment(chosen.agents)) for one in casts},
        )
    sys.exit(any(one.end is End.FAILED for one in played))


def keep(path: str, played: list[Played], versions: dict[str, str]) -> None:
    """Of these agents; what others have shown before stays."""
    results.write(path, {**results.read(path), **results.of(played, versions)})


def found(names: list[str] | tuple[str, ...], folder: str) -> tuple[list[Cast], dict[str, str]]:
    casts: list[Cast] = []
    absent: dict[str, str] = {}
    for name in names:
        try:
            agent = pinned(name, folder)
            print(f"{name}: {release(agent, plain_environment(folder))}", flush=True)
        except NoProgram as why:
            absent[name] = str(why)
            print(f"*** {name}: SKIPPED - {why}", flush=True)
        else:
            casts += variants(name, agent)
    return casts, absent


def heard(one: Played) -> None:
    first = one.detail.splitlines()[0] if one.detail else ""
    print(f"{one.end}  {one.label:22} {one.scenario:20} {one.seconds:5.1f} s  {first}", flush=True)


def report(played: list[Played]) -> None:
    print(f"\n{table(played)}\n")
    for one in played:
        if one.end is not End.PASSED:
            print(f"{one.end}  {one.label}  {one.scenario}: {one.detail}")
    print(f"\n{summary(played)}")


if __name__ == "__main__":
    main()
