"""What switches were seen to do, kept as a file, and the page that is made of it."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.switch_play import Seen
from conformance.switch_table import Kind, Switch, Way

_ELSE = {Way.GUARDED: "the same"}
_HEAD = """\
# Switches

What may silence a gate inside each agent, and what happens then. Made by `make docs` from the
results of `make e2e-switches`, which sets each switch, starts the real program and lets it try a
call that a rule denies.

- **gate holds**: what is allowed runs and is on record, what is not does not run.
- **nothing runs**: the agent does not start, or every call is denied.
- **dialog**: the person is asked by the agent itself.
- **told**: a call ran around the gate, and the run ended or the person was told before the next.
- **gate off**: calls run that nobody decided about. Then the last column says what to do.
- **doctor**: whether `automode doctor` names the switch, as a `problem` or a `warning`.

No row is without a gate *and* without a stated limit: the kit fails there.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """`doctor`: the level of what the doctor says of it; empty for nothing."""

    version: str
    ways: Mapping[Way, Seen]
    doctor: str

    def same(self, other: "Row") -> bool:
        return (dict(self.ways), self.doctor) == (dict(other.ways), other.doctor)

    def text(self) -> str:
        ends = "; ".join(f"{way}: {seen}" for way, seen in self.ways.items())
        return f"{ends}; doctor: {self.doctor or '-'} ({self.version})"


def breaks(switch: Switch, row: Row) -> bool:
    """Whether calls ran that were not allowed, and nobody said that they would."""
    bad = (Seen.OFF, Seen.UNKNOWN)
    return any(seen in bad and way not in switch.limit for way, seen in row.ways.items())


def read(path: str) -> dict[str, Row]:
    """Nothing where there is no file yet."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    return {
        name: Row(
            row["version"],
            {Way(way): Seen(seen) for way, seen in row["ways"].items()},
            row["doctor"],
        )
        for name, row in found.items()
    }


def write(path: str, rows: Mapping[str, Row]) -> None:
    data = {
        name: {
            "version": one.version,
            "ways": {str(way): str(seen) for way, seen in one.ways.items()},
            "doctor": one.doctor,
        }
        for name, one in sorted(rows.items())
    }
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(data, indent=2) + "\n")


def page(switches: Sequence[Switch], rows: Mapping[str, Row]) -> str:
    parts = [_HEAD]
    for agent in sorted({one.agent for one in switches}):
        parts += [
            "",
            f"## {agent}",
            "",
            *_table([one for one in switches if one.agent == agent], rows),
        ]
    return "\n".join((*parts, ""))


def _table(switches: Sequence[Switch], rows: Mapping[str, Row]) -> Iterator[str]:
    versions = sorted({rows[one.id].version for one in switches if one.id in rows})
    yield f"Seen with {', '.join(versions) or 'no version yet'}."
    yield ""
    head = ("who brings it", "switch", *(f"{way}" for way in Way), "doctor", "limit")
    yield _line(head)
    yield _line("---" for _ in head)
    for kind in Kind:
        for one in switches:
            if one.kind is kind:
                yield _line(_cells(one, rows.get(one.id)))


def _cells(switch: Switch, row: Row | None) -> Iterator[str]:
    yield str(switch.kind)
    yield switch.what
    for way in Way:
        seen = "not played" if row is None else str(row.ways.get(way, _ELSE.get(way, "")))
        yield f"**{seen}**" if seen == Seen.OFF else seen
    yield row.doctor if row is not None else ""
    yield " ".join(dict.fromkeys(switch.limit.values()))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
