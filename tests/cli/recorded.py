"""A store with records in it, as the commands find it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from automode.agents.catalog import ADAPTERS
from automode.core.record import Record
from automode.daemon.agents import refusal
from automode.store.applying import apply
from automode.store.chain import Chain
from automode.store.changes import Change, Decided
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.open import opened


def state_folder(tmp_path: Path) -> StateFolder:
    """Where `XDG_STATE_HOME` of the tests leads."""
    return StateFolder(str(tmp_path / "state" / "automode")).prepared()


def keep(folder: StateFolder, *changes: Change | Record) -> None:
    chain = Chain.of(folder)
    made = [Decided(one) if isinstance(one, Record) else one for one in changes]
    with writable(folder) as db, db.transaction():
        apply(db, made, chain)


@contextmanager
def writable(folder: StateFolder) -> Iterator[Database]:
    db = opened(folder)
    yield db
    db.close()


def needs_a_person(folder: StateFolder) -> None:
    why = refusal(folder, os.getpid(), ADAPTERS)
    if why is not None:
        pytest.skip(f"NO PERSON: what only a person may do was not tested, because {why}")
