"""`automode training-rows`: a person's own labels, in a file that a judge can learn from."""

import json
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from automode.classifier.framing import new_key
from automode.classifier.redaction import Redactor
from automode.cli.options import TrainingOptions
from automode.cli.person import refuse_agents
from automode.cli.printing import columns, confirm, local, one_line, say, say_json, say_row
from automode.cli.records import note_waiting
from automode.cli.surroundings import Surroundings
from automode.core.errors import BadCall
from automode.evaluation.labels import rows_of_store
from automode.evaluation.outcomes import read_run
from automode.evaluation.suites import suites
from automode.evaluation.training_rows import FIELDS, TrainingRows, row_data, rows_of_run
from automode.store.open import reading

EXIT_NOTHING = 1
_DAY_SECONDS = 86_400.0


def write_rows(surroundings: Surroundings, options: TrainingOptions) -> int:
    """Shows what would be written, asks, and writes it; returns the exit status."""
    refuse_agents(surroundings.known_state())
    _check(options)
    file = options.file
    found = _of_store(surroundings, options) if options.run is None else _of_run(options)
    if not options.as_json:
        _show(found, file)
    if found.taken and not options.yes:
        confirm(
            f"Write them to {file}?",
            shown=not options.as_json,
            hint="pass --yes",
            declined="nothing was written",
        )
    if found.taken:
        _write(file, found, replace=options.yes)
    if options.as_json:
        say_json(_data(found, file))
    elif found.taken:
        say(f"written: {file}")
    return 0 if found.taken else EXIT_NOTHING


def _check(options: TrainingOptions) -> None:
    own_calls = options.ran or options.days is not None
    if options.run is not None and own_calls:
        raise BadCall("--days and --ran are about your own calls", "leave them out, or --run")
    if options.run is None and options.data is not None:
        raise BadCall("--data names the cases of a run", "name the run with --run")
    if os.path.lexists(options.file) and not options.yes:
        raise BadCall(
            f"`{options.file}` is there already", "name another file, or replace it with --yes"
        )


def _of_store(surroundings: Surroundings, options: TrainingOptions) -> TrainingRows:
    folder = surroundings.known_state()
    note_waiting(folder)
    since = None if options.days is None else time.time() - options.days * _DAY_SECONDS
    with reading(folder, surroundings.store()) as db:
        return rows_of_store(db, since, ran=options.ran)


def _of_run(options: TrainingOptions) -> TrainingRows:
    data = None if options.data is None else Path(options.data)
    return rows_of_run(read_run(options.run or ""), suites(data).corpora)


def _show(found: TrainingRows, file: str) -> None:
    count = len(found.taken)
    say(f"labelled calls for {file}: {count}" if count else "no labelled call to write")
    if count:
        kinds = sorted(found.kinds.items())
        # A category is whatever a file of cases says.
        columns([(str(number), one_line(kind, 40), label) for (kind, label), number in kinds])
    if found.times is not None:
        say_row("from", f"{local(found.times[0])} to {local(found.times[1])}", indent=2)
    if count:
        say_row("fields", ", ".join(FIELDS), indent=2)
        say_row("texts", "without secrets; names of files, folders and hosts stay", indent=2)
    rest = [(str(number), why.value) for why, number in found.left.most_common() if number]
    if rest:
        say("left out:")
        columns(rest)


def _write(file: str, found: TrainingRows, *, replace: bool) -> None:
    """For the owner alone, and whole or not at all. What is replaced is never written through a
    link."""
    redactor = Redactor(new_key())
    lines = [json.dumps(row_data(one.case, redactor)) + "\n" for one in found.taken]
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


def _data(found: TrainingRows, file: str) -> dict[str, object]:
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
