"""Plays every switch of an agent's with the real program: `switches.py --agents FOLDER [NAME ...]`.

Rows stand in `switches.toml` beside this file. Prints what each does, and what is different from
the results that are kept. The exit status is 1 where a gate is off and no limit is stated.
"""

# ruff: noqa: T201 - a script that reports
import argparse
import sys
from pathlib import Path

from conformance import switch_results
from conformance.programs import NAMES, pinned, release
from conformance.run import variants
from conformance.switch_play import Seen, play
from conformance.switch_results import Row
from conformance.switch_table import Switch, Way, read

from automode.agents.scripted.driver import NoProgram, plain_environment

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"agents, of {', '.join(NAMES)}; all without any")
    parser.add_argument("--agents", required=True, metavar="FOLDER", help="where they lie")
    parser.add_argument("--only", action="append", default=[], metavar="ROW")
    parser.add_argument("--table", default=str(HERE / "switches.toml"), metavar="FILE")
    parser.add_argument("--kept", default=str(HERE / "switches.json"), metavar="FILE")
    parser.add_argument("--keep", action="store_true", help="keep what was seen")
    parser.add_argument("--missing", action="store_true", help="only rows without a kept result")
    parser.add_argument("--verbose", action="store_true", help="print what each run said")
    chosen = parser.parse_args()
    rows = [
        one
        for one in read(chosen.table)
        if one.agent in (chosen.names or NAMES) and (not chosen.only or one.name in chosen.only)
    ]
    kept = switch_results.read(chosen.kept)
    if chosen.missing:
        rows = [one for one in rows if one.id not in kept]
    seen: dict[str, Row] = {}
    for one in rows:
        found = played(one, chosen.agents, verbose=chosen.verbose)
        if found is not None:
            seen[one.id] = found
            report(one, found, kept.get(one.id))
            if chosen.keep:
                kept[one.id] = found
                switch_results.write(chosen.kept, kept)
    broken = [one.id for one in rows if one.id in seen and switch_results.breaks(one, seen[one.id])]
    for name in broken:
        print(f"OFF without a stated limit: {name}")
    print(f"\n{len(seen)} rows played, {len(broken)} break the rule")
    sys.exit(bool(broken))


def played(switch: Switch, folder: str, *, verbose: bool) -> Row | None:
    try:
        agent = pinned(switch.agent, folder)
        version = release(agent, plain_environment(folder))
    except NoProgram as why:
        print(f"*** {switch.id}: SKIPPED - {why}", flush=True)
        return None
    cast = variants(switch.agent, agent)[0]
    ways: dict[Way, Seen] = {}
    doctor = ""
    for way in switch.ways:
        found = play(switch, cast, way)
        ways[way] = found.seen
        doctor = doctor or found.doctor
        if verbose or found.seen is Seen.UNKNOWN:
            print(f"    {way}: {found.detail}", flush=True)
    return Row(version, ways, doctor)


def report(switch: Switch, row: Row, before: Row | None) -> None:
    ends = "; ".join(f"{way}: {seen}" for way, seen in row.ways.items())
    changed = "" if before is None or before.same(row) else f"   CHANGED, was {before.text()}"
    print(f"{switch.id:45} {ends}; doctor: {row.doctor or '-'}{changed}", flush=True)


if __name__ == "__main__":
    main()
