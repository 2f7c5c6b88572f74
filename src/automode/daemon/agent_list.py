"""The lists of agents in the state folder: who runs, who has ended, who speaks for which session.

They outlive the daemon: a command that finds none knows the agents as well, and nobody takes a
session over by being the first to speak to a new one.
"""

import json
import os
import stat
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from automode.facts.ancestry import Departed
from automode.facts.process_table import Identity, ProcessTable
from automode.store.folder import StateFolder

MOST_DEPARTED = 256
_FILE = "agents.json"
_SPEAKERS = "speakers.json"
_FILE_BYTES = 1024 * 1024
_BOOT = "/proc/sys/kernel/random/boot_id"


def known_agents(folder: StateFolder) -> frozenset[Identity]:
    """What the daemon of this folder has learnt. Empty without a readable list."""
    return frozenset(_running(folder))


def known_speakers(folder: StateFolder) -> dict[str, Identity]:
    """The agent of each session, likewise."""
    match _read(folder, _SPEAKERS):
        case {**rows}:
            found = {str(session): _identity(row) for session, row in rows.items()}
            return {session: one for session, one in found.items() if one is not None}
        case _:
            return {}


def departed_agents(folder: StateFolder, table: ProcessTable) -> tuple[Departed, ...]:
    """Agents that have ended since the machine was started, as far as the list tells where they
    were; the latest last."""
    boot = _boot()
    ended = [one for row in _rows(folder) if (one := _departed(row, boot)) is not None]
    unnoticed = [
        Departed(identity, group)
        for identity, group in _running(folder).items()
        if group and not living(identity, table)
    ]
    return (*ended, *unnoticed)[-MOST_DEPARTED:]


def living(identity: Identity, table: ProcessTable) -> bool:
    found = table.process(identity[0])
    return table.there(identity[0]) if found is None else found.identity == identity


def save_agents(
    folder: StateFolder, running: Mapping[Identity, str], departed: Iterable[Departed]
) -> None:
    """`running`: the control group of each; empty where there is none."""
    boot = _boot()
    rows: list[list[object]] = [[*identity, group] for identity, group in running.items()]
    rows += [[*one.identity, one.group, one.ended, boot] for one in departed]
    _save(folder, _FILE, rows)


def save_speakers(folder: StateFolder, speakers: Mapping[str, Identity]) -> None:
    _save(folder, _SPEAKERS, {name: list(who) for name, who in speakers.items()})


def _rows(folder: StateFolder) -> Sequence[object]:
    match _read(folder, _FILE):
        case [*rows]:
            return rows
        case _:
            return ()


def _running(folder: StateFolder) -> dict[Identity, str]:
    found: dict[Identity, str] = {}
    for row in _rows(folder):
        match row:
            case [int() as pid, str() as started]:
                found[(pid, started)] = ""
            case [int() as pid, str() as started, str() as group]:
                found[(pid, started)] = group
            case _:
                pass
    return found


def _departed(row: object, boot: str) -> Departed | None:
    """None for one of an earlier start of the machine: times are counted from there."""
    match row:
        case [int() as pid, str() as started, str() as group, str() as ended, str() as when]:
            return Departed((pid, started), group, ended) if group and when == boot else None
        case _:
            return None


def _identity(row: object) -> Identity | None:
    match row:
        case [int() as pid, str() as started]:
            return (pid, started)
        case _:
            return None


def _boot() -> str:
    try:
        with open(_BOOT, encoding="ascii") as file:
            return file.read(100).strip()
    except OSError:
        return ""


def _read(folder: StateFolder, name: str) -> object:
    """None where there is nothing that can be read."""
    try:
        # An agent's file may name the folder: what is no file must not keep a person waiting.
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(os.path.join(folder.path, name), flags), "rb") as file:
            whole = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return json.loads(file.read(_FILE_BYTES)) if whole else None
    except (OSError, ValueError, RecursionError):
        return None


def _save(folder: StateFolder, name: str, content: object) -> None:
    """Without a list on disk the markers in the environment still count."""
    with suppress(OSError):
        descriptor, temporary = tempfile.mkstemp(dir=folder.path, prefix=".new-")
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps(content))
        os.replace(temporary, os.path.join(folder.path, name))
