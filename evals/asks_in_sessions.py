"""How often a person is asked in whole sessions, in two halves of the repositories, and why.

    python evals/asks_in_sessions.py RUN

`RUN` is the folder of a run of `automode eval --data FOLDER --stages local`. Repositories are split
in two by a hash of their names: who looks at the asks of one half to change something measures it
on the other. Rules that a person takes are saved: the last rate keeps them for all sessions of a
repository, in the order of the rows, where the others forget them with the session.
"""

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

from automode.evaluation.outcomes import Outcome
from automode.evaluation.reports import rate_text
from automode.evaluation.run_folder import read_run
from automode.evaluation.scoreboard import ask_classes, asks, part_of

SESSIONS = ("sessions", "rejected", "overeager")
MOST_CLASSES = 30
KEPT = "  with taken rules kept in a repository"


def main(folder: Path) -> None:
    halves: dict[str, list[Outcome]] = {"looked at": [], "held back": []}
    for one in read_run(folder).actions:
        if part_of(one.corpus) in SESSIONS:
            halves[half_of(one.origin)].append(one)
    halves["all"] = [one for half in halves.values() for one in half]
    for name, calls in halves.items():
        print(f"\n{name}: {len({one.group for one in calls})} sessions, {len(calls)} calls")
        kept = [replace(one, group=one.origin) for one in calls]
        for line, name in (*((one, one.name) for one in asks(calls)), (asks(kept)[1], KEPT)):
            print(f"  {name:40s} {rate_text(line.rate)}")
        for told, number in ask_classes(calls, MOST_CLASSES):
            print(f"    {100 * number / len(calls):5.2f}  {number:4d}  {told}")


def half_of(repository: str) -> str:
    digest = hashlib.sha256(repository.encode()).digest()
    return "held back" if digest[0] % 2 else "looked at"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
