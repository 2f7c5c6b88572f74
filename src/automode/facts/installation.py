"""Where this installation lies: files of agents that it was put into, and all names of a folder.

The installer keeps a receipt for each file that it changed, in the state folder. An agent whose own
folder was moved has its hooks in a place that nobody could guess.
"""

import json
import os
from collections.abc import Iterator

from automode.facts.files import Disk
from automode.facts.settings_text import file_bytes
from automode.store.folder import StateFolder

MOST_RECEIPTS = 256
_KIND = ".json"


def installed_files(state: str | None) -> tuple[str, ...]:
    """Never raises. A receipt that cannot be read tells of no file; the usual places are guarded
    without any."""
    if state is None:
        return ()
    folder = StateFolder(state).install
    try:
        with os.scandir(folder) as entries:
            receipts = sorted(one.name for one in entries if one.name.endswith(_KIND))
    except (OSError, ValueError):
        return ()
    found = (
        path for name in receipts[:MOST_RECEIPTS] for path in _named(os.path.join(folder, name))
    )
    return tuple(dict.fromkeys(found))


def all_names(*paths: str | None) -> tuple[str, ...]:
    """Absolute, each also with links followed."""
    found = [os.path.abspath(path) for path in paths if path]
    return tuple(dict.fromkeys((*found, *(Disk().resolve(path) or path for path in found))))


def _named(receipt: str) -> Iterator[str]:
    try:
        found: object = json.loads(file_bytes(receipt))
    except (OSError, ValueError, RecursionError):
        return
    fields = found if isinstance(found, dict) else {}
    for path in (fields.get("path"), fields.get("named")):
        if isinstance(path, str) and os.path.isabs(path) and "\0" not in path:
            yield path
