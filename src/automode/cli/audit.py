"""`automode audit`: lists, shows, exports and verifies recorded decisions."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from automode.cli.options import settings_options, usual_options
from automode.cli.printing import (
    attributes,
    columns,
    count_text,
    faint,
    local,
    moment,
    say,
    say_json,
)
from automode.cli.records import note_waiting, record_data, show_line, show_record
from automode.cli.surroundings import Surroundings
from automode.core.decision import Verdict
from automode.core.errors import BadCall, BadSettings
from automode.store.chain import HeadFileState, read_head_file
from automode.store.changes import RecordQuery
from automode.store.database import Database, Engine
from automode.store.evidence import (
    Evidence,
    chain_rows,
    chains,
    export_lines,
    from_database,
    from_lines,
    snapshot,
)
from automode.store.folder import StateFolder, made_once, secret
from automode.store.links import Checkpoint, Kind
from automode.store.open import reading
from automode.store.tables import record, recorded_session, records
from automode.store.verify import Findings, compare_with_head_file
from automode.store.verify import verify as verified

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
    *,
    as_json: bool,
) -> None:
    """List the recorded decisions, the newest first."""
    start = None if since is None else moment(since, time.time())
    folder = surroundings.known_state()
    note_waiting(folder)
    with reading(folder, surroundings.store()) as db:
        key = None if session is None else recorded_session(db, session)
        query = RecordQuery(key, verdicts, source, start, limit=limit + 1)
        found = records(db, query)
    shown = found[:limit]
    if as_json:
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
def show(surroundings: Surroundings, id_: str, *, as_json: bool) -> None:
    """Show everything of the record ID. The beginning of an id is enough."""
    with reading(surroundings.known_state(), surroundings.store()) as db:
        found = record(db, id_)
        row = next(chain_rows(db, found.chain, after=found.seq - 1))
    if as_json:
        say_json(record_data(found) | {"previous": row.previous, "hash": row.hash})
    else:
        show_record(found, (row.previous, row.hash))


@audit.command(short_help="Write the whole chain as JSON lines.")
@click.argument("file", metavar="[FILE]", default="-", type=click.Path(dir_okay=False))
@settings_options
@click.pass_obj
def export(surroundings: Surroundings, file: str) -> None:
    """Write the whole chain of this machine with its hashes, as lines of JSON, to FILE or to
    standard output. `automode audit verify --file FILE` checks it again, anywhere.
    """
    folder = surroundings.known_state()
    with reading(folder, surroundings.store()) as db, snapshot(db):
        evidence = from_database(db, _own_chain(folder, db))
        if file == "-":
            for line in export_lines(evidence):
                say(line)
        else:
            count = _write_export(file, evidence)
            click.echo(f"{count} lines in {file}", err=True)


def _write_export(file: str, evidence: Evidence) -> int:
    """For the owner alone: what agents did is nobody else's to read."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(file, flags, 0o600)
    except FileExistsError as error:
        raise BadCall(f"`{file}` is there already", "name a file that does not exist") from error
    count = 0
    with open(descriptor, "w", encoding="ascii") as lines:
        for line in export_lines(evidence):
            lines.write(line + "\n")
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
def verify(surroundings: Surroundings, file: str | None, *, no_seals: bool, as_json: bool) -> None:
    """Check that no record was removed, reordered, altered or added, and name the first that was.

    Exit code 0: everything is as it was written. 1: there are faults.
    """
    folder = surroundings.known_state()
    if file is None:
        found = _in_store(folder, surroundings.store(), seals=not no_seals)
    else:
        found = [_in_file(file, None if no_seals else _key(folder))]
    if as_json:
        say_json({"sound": all(one.sound for one in found), **findings_data(found)})
    else:
        show_findings(found, sealed=not no_seals)
    if not all(one.sound for one in found):
        sys.exit(EXIT_FAULTS)


def _in_store(folder: StateFolder, store: str, *, seals: bool) -> list[Findings]:
    """In a file of our own every chain must hold; in a shared database this machine's own."""
    sighting = read_head_file(folder) if seals else HeadFileState()
    with reading(folder, store) as db, snapshot(db):
        own = _own_chain(folder, db)
        names = {own, *chains(db)} if db.engine is Engine.SQLITE else {own}
        # Where nothing was ever recorded no key was made.
        key = _key(folder) if seals and any(names) else None
        ordered = [own, *sorted(names - {own})]
        found = [verified(from_database(db, name), key) for name in ordered]
    return [compare_with_head_file(found[0], sighting), *found[1:]]


def _in_file(file: str, key: bytes | None) -> Findings:
    with _lines(file) as lines:
        return verified(from_lines(lines), key)


@contextmanager
def _lines(file: str) -> Iterator[Iterator[str]]:
    with click.open_file(file, encoding="utf-8", errors="surrogateescape") as lines:
        yield (str(line) for line in lines)


def _own_chain(folder: StateFolder, db: Database) -> str:
    """The id of this machine's chain, empty when there is none yet. Looking makes no file: a new
    key would hide that the old one is gone."""
    if os.path.exists(folder.chain):
        return made_once(folder.chain, str)
    return next(iter(chains(db)), "") if db.engine is Engine.SQLITE else ""


def _key(folder: StateFolder) -> bytes:
    if not os.path.exists(folder.signing_key):
        raise BadSettings(
            f"the signing key `{folder.signing_key}` is not there: seals cannot be checked",
            "restore it from a backup, or check the rest with --no-seals",
        )
    return secret(folder.signing_key)


_MARKS = {
    Kind.BEGAN: "the chain began",
    Kind.PRUNED: "{count} records were removed",
    Kind.PURGED: "the contents of {count} records were removed",
    Kind.RESUMED: "the chain continued after its end had been changed",
}


def show_findings(found: Sequence[Findings], *, sealed: bool) -> None:
    for one in found:
        _show_chain(one)
    if not sealed:
        say(faint("seals were not checked: records may be missing at the end"))


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
    rows += [("mark", _mark(mark)) for mark in found.marks]
    columns(rows)
    columns([(fault.wrong.value, str(fault)) for fault in (found.fault,) if fault is not None])


def _mark(mark: Checkpoint) -> str:
    text = _MARKS[mark.kind].format(count=mark.count)
    why = f" ({mark.why})" if mark.why else ""
    return f"{mark.number}: {local(mark.at)} {text}{why}"


def findings_data(found: Sequence[Findings]) -> dict[str, object]:
    return {"chains": [_chain_data(one) for one in found]}


def _chain_data(found: Findings) -> dict[str, object]:
    return {
        **attributes(found, "chain sound records purged since until last"),
        "marks": [attributes(mark, "number kind at first count why") for mark in found.marks],
        "faults": [
            attributes(one, "wrong place id? text") for one in (found.fault,) if one is not None
        ],
    }
