"""The recorded decisions to take along: checked, as lines of the chain, as a table."""

import csv
import io
import json
import os
from collections.abc import Iterator
from itertools import islice

from automode.core.errors import BadSettings
from automode.store.chain import HeadFileState, read_head_file
from automode.store.changes import RecordQuery, record_fields
from automode.store.database import Database, Engine
from automode.store.folder import StateFolder, made_once, secret
from automode.store.open import reading
from automode.store.tables import records
from automode.store.verify import (
    Findings,
    chains,
    compare_with_head_file,
    export_lines,
    from_database,
    snapshot,
    verify,
)

COLUMNS = (
    *("id", "at", "host", "session", "parent", "account", "root", "cwd", "tool", "action"),
    *("verdict", "source", "reason", "advice", "clearable", "error", "enforced", "attended"),
    *("micros", "stages"),
)
"""Of a table: of a record whatever a person reads, stages as JSON."""
_PORTION = 1000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def verify_store(folder: StateFolder, store: str, *, seals: bool) -> list[Findings]:
    """In a file of our own every chain must hold; in a shared database this machine's own."""
    sighting = read_head_file(folder) if seals else HeadFileState()
    with reading(folder, store) as db, snapshot(db):
        own = own_chain(folder, db)
        names = {own, *chains(db)} if db.engine is Engine.SQLITE else {own}
        # Where nothing was ever recorded no key was made.
        key = signing_key(folder) if seals and any(names) else None
        ordered = [own, *sorted(names - {own})]
        found = [verify(from_database(db, name), key) for name in ordered]
    return [compare_with_head_file(found[0], sighting), *found[1:]]


def own_chain(folder: StateFolder, db: Database) -> str:
    """The id of this machine's chain, empty when there is none yet. Looking makes no file: a new
    key would hide that the old one is gone."""
    if os.path.exists(folder.chain):
        return made_once(folder.chain, str)
    return next(iter(chains(db)), "") if db.engine is Engine.SQLITE else ""


def signing_key(folder: StateFolder) -> bytes:
    if not os.path.exists(folder.signing_key):
        raise BadSettings(
            f"the signing key `{folder.signing_key}` is not there: seals cannot be checked",
            "restore it from a backup, or check the rest with --no-seals",
        )
    return secret(folder.signing_key)


def chain_lines(folder: StateFolder, store: str) -> Iterator[str]:
    """The whole chain of this machine, as `automode audit verify --file` reads it."""
    with reading(folder, store) as db, snapshot(db):
        yield from export_lines(from_database(db, own_chain(folder, db)))


def table_rows(
    folder: StateFolder, store: str, since: float | None = None
) -> Iterator[dict[str, object]]:
    """Every record with its content, the newest first, by the names of `COLUMNS`."""
    before: int | None = None
    while True:
        with reading(folder, store) as db:
            found = records(db, RecordQuery(since=since, before=before, limit=_PORTION))
        for one in found:
            if one.record is not None:
                fields = record_fields(one.record)
                fields["stages"] = json.dumps(fields["stages"])
                yield {name: fields[name] for name in COLUMNS}
        if len(found) < _PORTION:
            return
        before = found[-1].number


def csv_lines(folder: StateFolder, store: str, since: float | None = None) -> Iterator[str]:
    yield _csv_line(COLUMNS)
    for row in table_rows(folder, store, since):
        yield _csv_line(tuple(map(_cell, row.values())))


def write_parquet(folder: StateFolder, store: str, file: int | str) -> None:
    """Raises BadSettings where the extra is missing."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ModuleNotFoundError as error:
        raise BadSettings(
            "Parquet needs `pyarrow`, which is not installed",
            "install automode again, with its extra `parquet`",
        ) from error
    kinds = {"at": arrow.float64(), "micros": arrow.int64()}
    kinds |= {name: arrow.bool_() for name in ("clearable", "enforced", "attended")}
    schema = arrow.schema([(name, kinds.get(name, arrow.string())) for name in COLUMNS])
    rows = table_rows(folder, store, None)
    with open(file, "wb") as target, parquet.ParquetWriter(target, schema) as writer:
        while portion := list(islice(rows, _PORTION)):
            writer.write_table(arrow.Table.from_pylist(portion, schema))


def _csv_line(cells: tuple[object, ...]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()


def _cell(value: object) -> object:
    """A spreadsheet would run a text that begins like a formula, and agents write texts."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
