"""Both engines for the tests of the store: SQLite in a file, and a PostgreSQL server of our own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from automode.store.chain import Chain
from automode.store.changes import RecordQuery
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.links import Row
from automode.store.open import open_store, reading
from automode.store.tables import records
from automode.store.verify import from_database, verify
from automode.store.writer import StoreWriter
from tests.store.postgres_server import NoServer, Server, server


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return StateFolder(str(tmp_path / "state")).prepared()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    try:
        with server() as running:
            yield running
    except NoServer as error:
        pytest.skip(f"NO POSTGRESQL: nothing was tested on it, because {error}")


@pytest.fixture
def postgres_store(postgres: Server) -> Iterator[str]:
    with postgres.schema() as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.real)])
def store(request: pytest.FixtureRequest) -> str:
    """The setting `store`, of each engine in turn, with nothing in it."""
    if request.param == "sqlite":
        return "sqlite"
    return str(request.getfixturevalue("postgres_store"))


@pytest.fixture
def db(folder: StateFolder, store: str) -> Iterator[Database]:
    """An empty store of each engine in turn, as its writer has it."""
    database = open_store(folder, store)
    yield database
    database.close()


@pytest.fixture
def writer(folder: StateFolder, store: str) -> Iterator[StoreWriter]:
    """On each engine in turn; it tries again at once."""
    made = StoreWriter(folder, store, retry_seconds=0)
    yield made
    made.close()


@pytest.fixture
def on_sqlite(folder: StateFolder) -> Iterator[StoreWriter]:
    made = StoreWriter(folder, retry_seconds=0)
    yield made
    made.close()


def ids(folder: StateFolder, store: str = "sqlite") -> list[str]:
    """The ids of all records, in the order of writing."""
    with reading(folder, store) as db:
        return seen(db)


def seen(db: Database) -> list[str]:
    return [one.id for one in reversed(records(db, RecordQuery(limit=100_000)))]


def sound(folder: StateFolder, store: str = "sqlite") -> bool:
    with reading(folder, store) as db:
        chain = Chain.of(folder)
        return verify(from_database(db, chain.id), chain.key).sound


def insert_row(db: Database, chain: str, row: Row) -> None:
    """As whoever opens the file can."""
    columns = Row.__slots__
    names, places = ", ".join(columns), ", ".join("?" * len(columns))
    values = [getattr(row, name) for name in columns]
    db.execute(f"INSERT INTO decision (chain, {names}) VALUES (?, {places})", (chain, *values))
