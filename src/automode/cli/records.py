"""Recorded decisions for people and for programs; `automode purge` deletes them."""

import os
import time

import click

from automode.cli.options import usual_options
from automode.cli.person import person_request
from automode.cli.printing import (
    confirm,
    faint,
    heading,
    local,
    moment,
    one_line,
    say,
    say_json,
    say_row,
    verdict_text,
    width,
)
from automode.cli.surroundings import Surroundings
from automode.core.errors import BadCall
from automode.core.record import Record, StageSpent
from automode.store.changes import record_fields
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.retention import leftovers
from automode.store.tables import Stored, recorded_session

PURGED = "purged"
_MICROS = 1000
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
        say(start + faint(PURGED))
        return
    record = stored.record
    said = f"  {record.source}  {record.tool}  {record.action}"
    room = width() - len(start) - _VERDICT_WIDTH
    say(start + verdict_text(record.verdict.word, width=_VERDICT_WIDTH) + one_line(said, room))


def show_record(stored: Stored, links: tuple[str, str]) -> None:
    """Everything of one record; `links` are the hash before it and its own."""
    heading(f"record {stored.id}")
    say_row("time", local(stored.at))
    if stored.record is None:
        say_row("purged", "its content was deleted by a person; its place in the chain stays")
    else:
        _show_content(stored.record)
    say_row("chain", f"number {stored.seq} of {stored.chain}")
    say_row("before", links[0] or "nothing: it is the first")
    say_row("hash", links[1])


def _show_content(record: Record) -> None:
    say(faint("verdict".ljust(11)) + verdict_text(record.verdict.word))
    rows = [
        ("source", record.source),
        ("reason", record.reason),
        ("advice", record.advice),
        ("clearable", "yes" if record.clearable else "no"),
        ("error", record.error.value if record.error else ""),
        ("shadow", "" if record.enforced else "decided, but not applied"),
        ("session", _session(record)),
        ("account", record.account),
        ("project", record.root),
        ("folder", record.cwd if record.cwd != record.root else ""),
        ("tool", record.tool),
        ("action", record.action),
        ("input", record.input),
        ("digest", record.digest),
        ("took", f"{record.micros / _MICROS:.1f} ms"),
    ]
    for label, text in rows:
        if text:
            say_row(label, text)
    for remark in record.trail:
        say_row("noted", f"{remark.layer}: {remark.text}")
    for stage in record.stages:
        say_row("stage", _stage(stage))


def _session(record: Record) -> str:
    parent = f", below {record.parent}" if record.parent else ""
    return f"{record.session}{parent}, {'attended' if record.attended else 'unattended'}"


def _stage(stage: StageSpent) -> str:
    tokens = f"{stage.input} in, {stage.output} out"
    cached = f"{stage.cache_read} cached, {stage.cache_write} written"
    money = f"${stage.usd}" if stage.usd is not None else "price unknown"
    return f"{stage.stage}: {stage.model}, {tokens}, {cached}, {stage.millis} ms, {money}"


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
    as_json: bool,
) -> None:
    """Delete recorded decisions, transcripts, approvals and usage: of one session, from before a
    day, or all of them. It cannot be undone.

    A signed mark stays that says when, how many and why, so that `automode audit verify` still
    tells a purge from tampering. This command is for people: an agent that calls it is denied.
    """
    data, what = _wanted(surroundings, session, before, everything=everything)
    if not yes:
        confirm(
            f"Delete {what}? It cannot be undone.",
            shown=not as_json,
            hint="pass --yes",
            declined="nothing was deleted",
        )
    answer = person_request(surroundings, "purge", data)
    if everything:
        for file in leftovers(surroundings.known_state()):
            os.unlink(file)
    if as_json:
        say_json(answer)
        return
    say(f"purged: {what}")
    say(f"  {_count(answer, 'removed')} records are gone, {_count(answer, 'emptied')} emptied")


def _wanted(
    surroundings: Surroundings, session: str | None, before: str | None, *, everything: bool
) -> tuple[dict[str, object], str]:
    if [session is not None, before is not None, everything].count(True) != 1:
        raise BadCall("say what to purge", "give exactly one of --session, --before and --all")
    if session is not None:
        with reading(surroundings.known_state(), surroundings.store()) as db:
            key = recorded_session(db, session)
        return {"session": str(key)}, f"session {key} and its sub-sessions"
    if before is not None:
        start = moment(before, time.time())
        return {"before": start}, f"everything from before {local(start)}"
    return {"all": True}, "everything that was recorded"


def _count(answer: dict[str, object], name: str) -> int:
    match answer.get(name):
        case int(number):
            return number
        case _:
            return 0
