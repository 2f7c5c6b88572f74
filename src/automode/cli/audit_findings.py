"""What `automode audit verify` found, for people and for programs."""

from collections.abc import Sequence

import click

from automode.cli.moments import local
from automode.cli.printing import columns, faint, say
from automode.store.checkpoints import Findings
from automode.store.links import Checkpoint, Kind

_MARKS = {
    Kind.BEGAN: "the chain began",
    Kind.PRUNED: "{count} records were removed",
    Kind.PURGED: "the contents of {count} records were removed",
    Kind.RESUMED: "the chain went on from an end that was not as it was left",
}


def show_findings(found: Sequence[Findings], *, sealed: bool) -> None:
    for one in found:
        _show(one)
    if not sealed:
        say(faint("seals were not checked: records may be missing at the end"))


def _show(found: Findings) -> None:
    since = "" if found.since is None else f" since {local(found.since)}"
    many = _counted(found.records, "record")
    if found.sound:
        say(f"{click.style('sound', fg='green', bold=True)}: {many}{since}")
    else:
        bad = click.style("not sound", fg="red", bold=True)
        say(f"{bad}: the first fault came after {many}{since}")
    rows = [("chain", found.chain or "none yet")]
    if found.last:
        rows.append(("numbers", f"the last record is number {found.last}"))
    if found.purged:
        rows.append(("purged", f"{found.purged} of the records have no content any more"))
    rows += [("mark", _mark(mark)) for mark in found.marks]
    columns(rows)
    columns([(fault.wrong.value, str(fault)) for fault in (found.fault,) if fault is not None])


def _mark(mark: Checkpoint) -> str:
    text = _MARKS[mark.kind].format(count=mark.count)
    why = f" ({mark.why})" if mark.why else ""
    return f"{mark.number}: {local(mark.at)} {text}{why}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def findings_data(found: Sequence[Findings]) -> dict[str, object]:
    return {"chains": [_data(one) for one in found]}


def _data(found: Findings) -> dict[str, object]:
    return {
        "chain": found.chain,
        "sound": found.sound,
        "records": found.records,
        "purged": found.purged,
        "since": found.since,
        "until": found.until,
        "last": found.last,
        "marks": [
            {
                "number": mark.number,
                "kind": mark.kind.value,
                "at": mark.at,
                "first": mark.first,
                "count": mark.count,
                "why": mark.why,
            }
            for mark in found.marks
        ],
        "faults": [
            {"wrong": one.wrong.value, "place": one.place, "id": one.id or None, "text": one.text}
            for one in (found.fault,)
            if one is not None
        ],
    }
