"""How audit records look: one line each, or everything of one."""

import os

import click

from automode.cli.moments import local
from automode.cli.printing import (
    coloured,
    faint,
    heading,
    labelled,
    one_line,
    say,
    width,
)
from automode.core.record import Record, StageSpent
from automode.store.encoding import record_fields
from automode.store.folder import StateFolder
from automode.store.tables import Stored

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
    say(start + coloured(record.verdict.word, width=_VERDICT_WIDTH) + one_line(said, room))


def show_record(stored: Stored, links: tuple[str, str]) -> None:
    """Everything of one record; `links` are the hash before it and its own."""
    heading(f"record {stored.id}")
    labelled("time", local(stored.at))
    if stored.record is None:
        labelled("purged", "its content was deleted by a person; its place in the chain stays")
    else:
        _show_content(stored.record)
    labelled("chain", f"number {stored.seq} of {stored.chain}")
    labelled("before", links[0] or "nothing: it is the first")
    labelled("hash", links[1])


def _show_content(record: Record) -> None:
    say(faint("verdict".ljust(11)) + coloured(record.verdict.word))
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
            labelled(label, text)
    for remark in record.trail:
        labelled("noted", f"{remark.layer}: {remark.text}")
    for stage in record.stages:
        labelled("stage", _stage(stage))


def _session(record: Record) -> str:
    parent = f", below {record.parent}" if record.parent else ""
    return f"{record.session}{parent}, {'attended' if record.attended else 'unattended'}"


def _stage(stage: StageSpent) -> str:
    tokens = f"{stage.input} in, {stage.output} out"
    cached = f"{stage.cache_read} cached, {stage.cache_write} written"
    money = f"${stage.usd}" if stage.usd is not None else "price unknown"
    return f"{stage.stage}: {stage.model}, {tokens}, {cached}, {stage.millis} ms, {money}"
