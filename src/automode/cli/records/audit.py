"""`automode audit` and `purge`: recorded decisions, listed, exported, verified, deleted."""

import os
import sys
import time
from collections.abc import Iterable, Mapping

import click

from automode.cli.daemon import person_request
from automode.cli.options import Surroundings, settings_options, usual_options
from automode.cli.printing import (
    attributes,
    confirm,
    count_text,
    create_private,
    faint,
    local,
    moment,
    one_line,
    say,
    say_json,
    say_row,
    say_rows,
    tell,
    verdict_text,
    wants_json,
    width,
)
from automode.core.decision import Verdict
from automode.core.errors import BadCall
from automode.store.audit import chain_lines, csv_lines, signing_key, verify_store, write_parquet
from automode.store.changes import RecordQuery, record_fields
from automode.store.folder import StateFolder
from automode.store.links import Kind
from automode.store.open import reading
from automode.store.retention import leftovers
from automode.store.tables import Stored, find_session, record, records
from automode.store.verify import (
    Findings,
    chain_rows,
    from_lines,
)
from automode.store.verify import verify as verified

_VERDICT_WIDTH = 5


def note_waiting(folder: StateFolder) -> None:
    """What was decided while the store could not be written is not listed."""
    if os.path.lexists(folder.outage):
        note = f"decisions in `{folder.outage}` are not written yet: see `automode status`"
        click.echo(f"{click.style('note', fg='cyan')}: {note}", err=True)


def record_data(stored: Stored) -> dict[str, object]:
    """Everything of a record, with the names that the chain and exports use."""
    known: dict[str, object] = {"id": stored.id, "at": stored.at, "chain": stored.chain}
    known |= {"seq": stored.seq, "purged": stored.record is None}
    return known if stored.record is None else known | record_fields(stored.record)


def show_line(stored: Stored) -> None:
    """One record in one line."""
    start = f"{local(stored.at)}  {stored.id}  "
    if stored.record is None:
        say(start + faint("purged"))
        return
    record = stored.record
    said = f"  {record.source}  {record.tool}  {record.action}"
    room = width() - len(start) - _VERDICT_WIDTH
    say(start + verdict_text(record.verdict.word, width=_VERDICT_WIDTH) + one_line(said, room))


def show_fields(data: Mapping[str, object]) -> None:
    """One record by the names that JSON has for its fields; those that are empty are left out."""
    for name, value in data.items():
        rows = value if isinstance(value, list) else [value]
        for one in rows:
            if one not in (None, "", False):
                say_row(name, local(one) if isinstance(one, float) else _field_text(one))


def _field_text(value: object) -> str:
    match value:
        case dict():
            return ", ".join(f"{name} {one}" for name, one in value.items() if one is not None)
        case [*parts]:
            return ": ".join(map(str, parts))
        case True:
            return "yes"
        case _:
            return str(value)


@click.command()
@click.option("--session", metavar="ID", help="One session, with those of its sub-agents.")
@click.option("--before", metavar="TIME", help="Whatever is older than a date, or than `30d`.")
@click.option("--all", "everything", is_flag=True, help="Everything.")
@click.option("--yes", is_flag=True, help="Do not ask; needed when nobody is at a terminal.")
@usual_options
def purge(
    surroundings: Surroundings,
    session: str | None,
    before: str | None,
    *,
    everything: bool,
    yes: bool,
) -> None:
    """Delete recorded decisions, transcripts, approvals and usage: of one session, from before a
    day, or all of them. It cannot be undone.

    A signed mark stays that says when, how many and why, so that `automode audit verify` still
    tells a purge from tampering. This command is for people: an agent that calls it is denied.
    """
    data, what = _purge_request(surroundings, session, before, everything=everything)
    if not yes:
        confirm(f"Delete {what}? It cannot be undone.", "pass --yes", "nothing was deleted")
    answer = person_request(surroundings, "purge", data)
    if everything:
        for file in leftovers(surroundings.known_state()):
            os.unlink(file)
    gone = f"  {answer.get('removed', 0)} records are gone, {answer.get('emptied', 0)} emptied"
    tell(answer, f"purged: {what}\n{gone}")


def _purge_request(
    surroundings: Surroundings, session: str | None, before: str | None, *, everything: bool
) -> tuple[dict[str, object], str]:
    if [session is not None, before is not None, everything].count(True) != 1:
        raise BadCall("say what to purge", "give exactly one of --session, --before and --all")
    if session is not None:
        with reading(surroundings.known_state(), surroundings.store()) as db:
            key = find_session(db, session)
        return {"session": str(key)}, f"session {key} and its sub-sessions"
    if before is not None:
        start = moment(before, time.time())
        return {"before": start}, f"everything from before {local(start)}"
    return {"all": True}, "everything that was recorded"


EXIT_FAULTS = 1
_LISTED = 30
_VERDICTS = tuple(verdict.word for verdict in Verdict)


@click.group()
def audit() -> None:
    """Look at the recorded decisions, take them along, and check that nobody changed them.

    Every decision is kept as a record of a hash chain, without the secrets that were in the call.
    """


@audit.command("list", short_help="List records, the newest first.")
@click.option("--session", metavar="ID", help="Of one session: its id, or how it begins.")
@click.option(
    "--verdict", "verdicts", multiple=True, type=click.Choice(_VERDICTS), help="With this verdict."
)
@click.option("--source", default="", metavar="ID", help="Of this source, or a room: `floor`.")
@click.option("--since", metavar="TIME", help="Not older than `2h`, `3d` or a date.")
@click.option("--limit", type=click.IntRange(1), default=_LISTED, show_default=True, metavar="N")
@usual_options
def list_(
    surroundings: Surroundings,
    session: str | None,
    verdicts: tuple[str, ...],
    source: str,
    since: str | None,
    limit: int,
) -> None:
    """List the recorded decisions, the newest first."""
    start = None if since is None else moment(since, time.time())
    folder = surroundings.known_state()
    note_waiting(folder)
    with reading(folder, surroundings.store()) as db:
        key = None if session is None else find_session(db, session)
        query = RecordQuery(key, verdicts, source, start, limit=limit + 1)
        found = records(db, query)
    shown = found[:limit]
    if wants_json():
        say_json([record_data(one) for one in shown])
        return
    for one in shown:
        show_line(one)
    if not shown:
        say("no record fits" if (session or verdicts or source or since) else "nothing is recorded")
    elif len(found) > limit:
        say(f"older ones are there: --limit {limit * 2} shows more")


@audit.command(short_help="Show everything of one record.")
@click.argument("id_", metavar="ID")
@usual_options
def show(surroundings: Surroundings, id_: str) -> None:
    """Show everything of the record ID. The beginning of an id is enough."""
    with reading(surroundings.known_state(), surroundings.store()) as db:
        found = record(db, id_)
        row = next(chain_rows(db, found.chain, after=found.seq - 1))
    data = record_data(found) | {"previous": row.previous, "hash": row.hash}
    tell(data, lambda: show_fields(data))


@audit.command(short_help="Write the records to a file: the whole chain, or a table.")
@click.argument("file", metavar="[FILE]", default="-", type=click.Path(dir_okay=False))
@click.option(
    "--format",
    "form",
    type=click.Choice(("jsonl", "csv", "parquet")),
    default="jsonl",
    show_default=True,
    help="`csv` and `parquet` are tables for other programs, without hashes.",
)
@settings_options
@click.pass_obj
def export(surroundings: Surroundings, file: str, form: str) -> None:
    """Write the whole chain of this machine with its hashes, as lines of JSON, to FILE or to
    standard output. `automode audit verify --file FILE` checks it again, anywhere.
    """
    folder, store = surroundings.known_state(), surroundings.store()
    if form == "parquet":
        if file == "-":
            raise BadCall("a Parquet file is not for a terminal", "name a FILE")
        write_parquet(folder, store, create_private(file))
        return
    lines = chain_lines(folder, store) if form == "jsonl" else csv_lines(folder, store)
    if file == "-":
        for line in lines:
            say(line)
    else:
        click.echo(f"{_write_lines(file, lines)} lines in {file}", err=True)


def _write_lines(file: str, lines: Iterable[str]) -> int:
    count = 0
    with open(create_private(file), "w", encoding="utf-8", newline="\n") as made:
        for line in lines:
            made.write(line + "\n")
            count += 1
    return count


@audit.command(short_help="Check that no record was changed.")
@click.option(
    "--file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="Check an export instead of the store.",
)
@click.option(
    "--no-seals",
    is_flag=True,
    help="Check without the signing key: that it hangs together, not that it is complete.",
)
@usual_options
def verify(surroundings: Surroundings, file: str | None, *, no_seals: bool) -> None:
    """Check that no record was removed, reordered, altered or added, and name the first that was.

    Exit code 0: everything is as it was written. 1: there are faults.
    """
    folder = surroundings.known_state()
    if file is None:
        found = verify_store(folder, surroundings.store(), seals=not no_seals)
    else:
        key = None if no_seals else signing_key(folder)
        with click.open_file(file, encoding="utf-8", errors="surrogateescape") as lines:
            found = [verified(from_lines(str(line) for line in lines), key)]
    if wants_json():
        chains_data = [_chain_data(one) for one in found]
        say_json({"sound": all(one.sound for one in found), "chains": chains_data})
    else:
        for one in found:
            _show_chain(one)
        if no_seals:
            say(faint("seals were not checked: records may be missing at the end"))
    if not all(one.sound for one in found):
        sys.exit(EXIT_FAULTS)


_MARKS = {
    Kind.BEGAN: "the chain began",
    Kind.PRUNED: "{count} records were removed",
    Kind.PURGED: "the contents of {count} records were removed",
    Kind.RESUMED: "the chain continued after its end had been changed",
}


def _show_chain(found: Findings) -> None:
    since = "" if found.since is None else f" since {local(found.since)}"
    many = count_text(found.records, "record")
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
    for mark in found.marks:
        text = _MARKS[mark.kind].format(count=mark.count)
        why = f" ({mark.why})" if mark.why else ""
        rows.append(("mark", f"{mark.number}: {local(mark.at)} {text}{why}"))
    if found.fault is not None:
        rows.append((found.fault.wrong.value, str(found.fault)))
    say_rows(rows, indent=2)


def _chain_data(found: Findings) -> dict[str, object]:
    return {
        **attributes(found, "chain sound records purged since until last"),
        "marks": [attributes(mark, "number kind at first count why") for mark in found.marks],
        "faults": [
            attributes(one, "wrong place id? text") for one in (found.fault,) if one is not None
        ],
    }
