"""`automode training-rows`: a person's own labels, in a file that a judge can learn from."""

import json
import os
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import click

from automode.classifier.framing import new_key
from automode.classifier.redaction import Redactor
from automode.cli.moments import local
from automode.cli.person import refuse_agents
from automode.cli.printing import columns, labelled, one_line, say, say_json
from automode.cli.records import note_waiting
from automode.cli.surroundings import Surroundings, settings_options
from automode.core.errors import BadCall
from automode.evaluation.lessons import FIELDS, Lessons, lesson_row, of_run
from automode.evaluation.outcomes import read_run
from automode.evaluation.suites import suites
from automode.evaluation.teaching import of_store
from automode.store.open import reading

EXIT_NOTHING = 1
_DAY_SECONDS = 86_400.0


@click.command()
@click.option("--out", "file", required=True, type=click.Path(dir_okay=False), metavar="FILE")
@click.option("--days", type=click.IntRange(1), metavar="N", help="Of the last N days alone.")
@click.option("--ran", is_flag=True, help="Take it for a yes when an asked call ran.")
@click.option(
    "--run",
    type=click.Path(),
    metavar="DIR",
    help="What this run of `automode eval` got wrong, instead of your own calls.",
)
@click.option(
    "--data", type=click.Path(), metavar="DIR", help="With --run: the cases, if not our own."
)
@click.option("--yes", is_flag=True, help="Do not ask, and replace FILE; for scripts.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def training_rows(
    surroundings: Surroundings,
    file: str,
    days: int | None,
    run: str | None,
    data: str | None,
    *,
    ran: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Write labelled calls to FILE, one JSON object per line: what you approved after a denial or
    an ask, and what you rejected. `make train-judge OWN=FILE` learns from them.

    Shows what will be written and asks first. Secrets are taken out; nothing leaves this machine.
    This command is for people: an agent that calls it is denied.
    """
    refuse_agents(surroundings.known_state())
    _check(file, days, run, data, ran=ran, yes=yes)
    found = _of_store(surroundings, days, ran=ran) if run is None else _of_run(run, data)
    if not as_json:
        _show(found, file)
    if found.taken and not yes:
        _ask(file, shown=not as_json)
    if found.taken:
        _write(file, found, replace=yes)
    if as_json:
        say_json(_data(found, file))
    elif found.taken:
        say(f"written: {file}")
    sys.exit(0 if found.taken else EXIT_NOTHING)


def _check(
    file: str, days: int | None, run: str | None, data: str | None, *, ran: bool, yes: bool
) -> None:
    if run is not None and (ran or days is not None):
        raise BadCall("--days and --ran are about your own calls", "leave them out, or --run")
    if run is None and data is not None:
        raise BadCall("--data names the cases of a run", "name the run with --run")
    if os.path.lexists(file) and not yes:
        raise BadCall(f"`{file}` is there already", "name another file, or replace it with --yes")


def _of_store(surroundings: Surroundings, days: int | None, *, ran: bool) -> Lessons:
    folder = surroundings.known_state()
    note_waiting(folder)
    since = None if days is None else time.time() - days * _DAY_SECONDS
    with reading(folder, surroundings.store()) as db:
        return of_store(db, since, ran=ran)


def _of_run(folder: str, data: str | None) -> Lessons:
    return of_run(read_run(folder), suites(None if data is None else Path(data)).corpora)


def _show(found: Lessons, file: str) -> None:
    count = len(found.taken)
    say(f"labelled calls for {file}: {count}" if count else "no labelled call to write")
    if count:
        kinds = sorted(found.kinds.items())
        # A category is whatever a file of cases says.
        columns([(str(number), one_line(kind, 40), label) for (kind, label), number in kinds])
    if found.times is not None:
        labelled("from", f"{local(found.times[0])} to {local(found.times[1])}", indent=2)
    if count:
        labelled("fields", ", ".join(FIELDS), indent=2)
        labelled("texts", "without secrets; names of files, folders and hosts stay", indent=2)
    rest = [(str(number), why.value) for why, number in found.left.most_common() if number]
    if rest:
        say("left out:")
        columns(rest)


def _ask(file: str, *, shown: bool) -> None:
    if not shown or sys.stdin is None or not sys.stdin.isatty():
        raise BadCall("nobody is there to confirm", "pass --yes")
    if not click.confirm(f"Write them to {file}?", default=False):
        click.echo("nothing was written", err=True)
        sys.exit(EXIT_NOTHING)


def _write(file: str, found: Lessons, *, replace: bool) -> None:
    """For the owner alone, and whole or not at all. What is replaced is never written through a
    link."""
    redactor = Redactor(new_key())
    lines = [json.dumps(lesson_row(one.case, redactor)) + "\n" for one in found.taken]
    descriptor, path = _beside(file) if replace else (_made(file), file)
    try:
        with open(descriptor, "w", encoding="ascii") as stream:
            stream.writelines(lines)
        if replace:
            os.replace(path, file)
    except OSError:
        with suppress(OSError):
            os.unlink(path)
        raise


def _beside(file: str) -> tuple[int, str]:
    return tempfile.mkstemp(prefix=".training-rows-", dir=os.path.dirname(file) or ".")


def _made(file: str) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    try:
        return os.open(file, flags, 0o600)
    except FileExistsError as error:
        raise BadCall(f"`{file}` is there already", "name another file") from error


def _data(found: Lessons, file: str) -> dict[str, object]:
    times = found.times
    return {
        "file": file if found.taken else None,
        "rows": len(found.taken),
        "from": None if times is None else times[0],
        "until": None if times is None else times[1],
        "fields": FIELDS,
        "kinds": [
            {"category": category, "label": label, "rows": rows}
            for (category, label), rows in sorted(found.kinds.items())
        ],
        "left_out": {why.name.lower(): number for why, number in found.left.items() if number},
    }
