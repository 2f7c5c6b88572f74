"""How often a person is asked in whole sessions: the recorded calls of each session in a row, with
a person who answers as the recorded one did, and answers that are remembered.

    python evals/asks_in_sessions.py --data FOLDER --run RUN

`RUN` is the folder of a run of `automode eval --data FOLDER --stages local`. Rows of one `group`
are one session. Repositories are split in two by a hash of their names: who looks at the asks of
one half to change something measures it on the other.
"""

import argparse
import gzip
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rates import rate, spread

from automode.core.errors import AutomodeError
from automode.core.tools import tool_call
from automode.evaluation.deciding import case_workspace
from automode.evaluation.outcomes import Outcome
from automode.evaluation.run_folder import outcomes_in
from automode.facts.reader import ShellReader
from automode.guards.reads.read_only import ReadOnly
from automode.rules.proposal import proposals

SESSIONS = ("actions_entire", "actions_sessions", "actions_user_rejected", "actions_rejected")
READER = ShellReader(60.0)
FEWEST = 10  # calls that a session must have to count among sessions
MOST_CLASSES = 30
_BEFORE = "clearly fine: "
_STATES = (
    ", which nobody asked for",
    ", asked for only earlier",
    ", which the user's words rule out",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What memory knows a call by: the same call, and the patterns of the widest rule proposed."""

    call: str
    patterns: frozenset[str]


@dataclass(slots=True)
class Counted:
    calls: int = 0
    natural: float = 0.0  # calls of a natural mix that these stand for
    natural_asks: float = 0.0  # of them those that are asked about, proposed rules taken
    bare: int = 0  # asks with no memory at all
    same: int = 0  # where a yes to a call is remembered for the same call
    rules: int = 0  # where the person takes the rule that is proposed with each yes
    declined: int = 0  # asks that the recorded person would have said no to
    classes: Counter[str] = field(default_factory=Counter)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    given = parser.parse_args()
    rows = dict(_rows(given.data))
    by_session: dict[str, list[tuple[Outcome, Mapping[str, object]]]] = defaultdict(list)
    for one in outcomes_in(given.run):
        row = rows.get((one.corpus, one.id))
        if row is not None:
            by_session[str(row["group"])].append((one, row))
    halves: dict[str, list[Counted]] = {"looked at": [], "held back": []}
    for session in by_session.values():
        halves[half_of(str(session[0][1]["source"]))].append(count(session))
    for name, counted in halves.items():
        _report(name, counted)
    _report("all", [one for counted in halves.values() for one in counted])


def _rows(folder: Path) -> Iterator[tuple[tuple[str, str], Mapping[str, object]]]:
    for path in sorted(folder.glob("*.jsonl.gz")):
        if path.name.startswith(SESSIONS):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for row in map(json.loads, lines):
                    yield (path.name.removesuffix(".jsonl.gz"), str(row["id"])), row


def half_of(repository: str) -> str:
    digest = hashlib.sha256(repository.encode()).digest()
    return "held back" if digest[0] % 2 else "looked at"


def count(session: Iterable[tuple[Outcome, Mapping[str, object]]]) -> Counted:
    found = Counted()
    same: set[str] = set()
    patterns: set[str] = set()
    for outcome, row in session:
        found.calls += 1
        found.natural += outcome.weight
        if outcome.allowed:
            continue
        found.bare += 1
        found.classes[class_of(outcome)] += 1
        known = _asked(row)
        again = known.call in same
        covered = again or (bool(known.patterns) and known.patterns <= patterns)
        found.same += not again
        found.rules += not covered
        found.natural_asks += 0.0 if covered else outcome.weight
        if not outcome.good:
            found.declined += 1
        else:
            same.add(known.call)
            patterns |= known.patterns
    return found


def _asked(row: Mapping[str, object]) -> Asked:
    given = row["input"]
    assert isinstance(given, Mapping)
    text = f"{row['tool']} {json.dumps(given, sort_keys=True)}"
    try:
        call = tool_call(str(row["tool"]), given)
    except AutomodeError:
        return Asked(text, frozenset())
    place = case_workspace(str(row.get("cwd") or "/workspace/project"))
    rules = proposals(call, place, READER, ReadOnly().proves)
    return Asked(text, frozenset(rules[-1].patterns) if rules else frozenset())


def class_of(outcome: Outcome) -> str:
    """The strongest reason, without who asked for it."""
    reason = outcome.reason.partition(_BEFORE)[2].partition("; ")[0]
    for state in _STATES:
        reason = reason.removesuffix(state)
    return reason or outcome.source


def _report(name: str, counted: Iterable[Counted]) -> None:
    found = list(counted)
    calls = sum(one.calls for one in found)
    print(f"\n{name}: {len(found)} sessions, {calls} calls")
    if not calls:
        return
    asks = (
        ("asked, nothing remembered", sum(one.bare for one in found)),
        ("asked, the same call remembered", sum(one.same for one in found)),
        ("asked, proposed rules taken", sum(one.rules for one in found)),
        ("of all asks, those that the person declined", sum(one.declined for one in found)),
    )
    for told, number in asks:
        print(f"  {told:44s} {rate(number, calls)}")
    natural = sum(one.natural_asks for one in found) / sum(one.natural for one in found)
    print(f"  of a natural mix, proposed rules taken: {100 * natural:.1f} of 100 calls")
    whole = [100 * one.rules / one.calls for one in found if one.calls >= FEWEST]
    print(f"  per 100 calls, sessions of {FEWEST} and more: {spread(whole)}")
    classes = sum((one.classes for one in found), Counter[str]())
    for told, number in classes.most_common(MOST_CLASSES):
        print(f"    {100 * number / calls:5.2f}  {number:4d}  {told}")


if __name__ == "__main__":
    main()
