"""Brings in what version 0.1 left in its spool: files of sealed lines, one change each."""

import json
import os
from collections.abc import Iterable, Iterator
from functools import partial

from automode.core.record import SessionKey
from automode.store.changes import Change, Decided, Heard
from automode.store.folder import BadFolder, StateFolder, secret
from automode.store.links import same, sealed
from automode.store.outage import Apply, import_lines, usage_of
from automode.store.record_text import record_from


def import_spool(folder: StateFolder, apply: Apply) -> str:
    """Every file once; what was imported is removed. Returns a notice, or nothing. Raises Trouble,
    and OSError for a file that cannot be read or removed."""
    try:
        files = sorted(name for name in os.listdir(folder.spool) if name.endswith(".jsonl"))
        key = secret(folder.signing_key) if files else b""
    except (FileNotFoundError, NotADirectoryError, BadFolder):
        return ""
    notices = [
        import_lines(os.path.join(folder.spool, name), partial(_changes, key, name), apply)
        for name in files
    ]
    return "; ".join(one for one in notices if one)


def _changes(key: bytes, file: str, lines: Iterable[bytes]) -> Iterator[Change | None]:
    last = 0
    for line in lines:
        number, _, rest = line.decode("ascii", "replace").partition(" ")
        seal, _, text = rest.rstrip("\n").partition(" ")
        genuine = number.isdigit() and same(seal, sealed(key, "spooled", file, int(number), text))
        if not genuine or int(number) <= last:  # a line that comes again is a copy
            yield None
            continue
        last = int(number)
        try:
            yield from list(_change(text))
        except ValueError:
            yield None


def _change(text: str) -> Iterator[Change | None]:
    """Counters and rows of sessions are left out: counters follow from the records."""
    match json.loads(text):
        case {"change": "decided", "record": dict(fields)}:
            record = record_from(fields)
            yield Decided(record)
            yield from usage_of(record)
        case {"change": "heard", "host": str(host), "session": str(own), "event": str(event)}:
            yield Heard(SessionKey(host, own), 0, event)
        case _:
            pass
