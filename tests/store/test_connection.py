"""The writer's way to its database: what it opens, notices and begins anew."""

import os
import time
from pathlib import Path

import pytest

from automode.store.chain import Chain
from automode.store.database import ErrorKind, StoreError
from automode.store.folder import StateFolder
from automode.store.open import SQLITE
from automode.store.store_writer import Connector
from tests.store.examples import NOON


def connector(folder: StateFolder, store: str = SQLITE) -> Connector:
    return Connector(folder, store, power_loss_safe=False, clock=lambda: NOON)


def test_it_opens_the_store_with_the_chain_of_the_folder(folder: StateFolder, store: str) -> None:
    connection, notice = connector(folder, store).connected()

    connection.db.close()
    assert (connection.chain.id, notice) == (Chain.of(folder).id, "")
    assert not connection.stale


def test_a_file_that_was_replaced_is_noticed(folder: StateFolder) -> None:
    connection, _ = connector(folder).connected()

    os.rename(folder.database, folder.database + ".old")
    gone = connection.stale
    Path(folder.database).write_text("another one")

    connection.db.close()
    assert (gone, connection.stale) == (True, True)


def test_a_damaged_file_is_named_after_the_time_and_never_deleted(folder: StateFolder) -> None:
    notices = []
    for _ in range(2):
        Path(folder.database).write_bytes(b"no database" * 1000)
        connection, notice = connector(folder).connected()
        notices.append(notice)
        connection.db.close()

    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(NOON))
    names = sorted(name for name in os.listdir(folder.path) if "corrupt" in name)
    assert names == [f"audit.db.corrupt-{stamp}", f"audit.db.corrupt-{stamp}-again"]
    assert all(name in notice for name, notice in zip(names, notices, strict=True))


def test_it_says_in_the_chain_why_it_was_begun_anew(folder: StateFolder) -> None:
    connection, notice = connector(folder).connected("a reason to remember")

    marks = connection.db.rows("SELECT kind, body FROM checkpoint ORDER BY seq")

    connection.db.close()
    assert [kind for kind, _ in marks] == ["began", "resumed"]
    assert all("a reason to remember" in text for text in (str(marks[1]), notice))


def test_a_folder_that_cannot_be_used_is_trouble(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")

    with pytest.raises(StoreError, match="cannot be made") as caught:
        connector(StateFolder(str(tmp_path / "state"))).connected()

    assert caught.value.kind is ErrorKind.READ_ONLY


def test_other_trouble_than_damage_leaves_the_file_where_it_is(folder: StateFolder) -> None:
    os.mkdir(folder.database)

    with pytest.raises(StoreError):
        connector(folder).connected()

    assert os.path.isdir(folder.database)


def test_who_finds_a_damaged_file_second_does_not_move_the_new_one(folder: StateFolder) -> None:
    both = [connector(folder).connected()[0] for _ in range(2)]

    replaced = [connector(folder).replaced(one, "it is damaged")[0] for one in both]

    for one in (*both, *replaced):
        one.db.close()
    aside = [name for name in os.listdir(folder.path) if ".corrupt-" in name]
    assert len({name.removesuffix("-wal").removesuffix("-shm") for name in aside}) == 1
    assert not any(one.stale for one in replaced)
