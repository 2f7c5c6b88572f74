"""PostgreSQL's own ways of failing, on a real server, in our words."""

import traceback
from collections.abc import Iterator

import psycopg
import pytest

from automode.store.database import ErrorKind, StoreError
from automode.store.open import migrate
from automode.store.postgres import Postgres
from tests.rows import each_row

PASSWORD = "hunter2-and-more"


@pytest.fixture
def db(postgres_store: str) -> Iterator[Postgres]:
    made = Postgres.connect(postgres_store)
    migrate(made)
    yield made
    made.close()


def spoken(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def test_a_server_that_does_not_answer_is_unreachable_with_a_way_out(tmp_path: object) -> None:
    with pytest.raises(StoreError, match="PostgreSQL failed") as caught:
        Postgres.connect(f"postgresql://x@/x?host={tmp_path}")

    assert caught.value.kind is ErrorKind.UNREACHABLE
    assert "store" in caught.value.hint


URLS = (
    "postgresql://me:{}@127.0.0.1:1/x",
    "postgresql://me:{}@127.0.0.1:notaport/x",
    "postgresql://me:{}@[/x",
    "postgresql://me:{}%zz@server/x",
    "postgresql://me@127.0.0.1:1/x?password={}",
    "postgresql://me:{}@127.0.0.1:1/x?nonsense=1",
)


@each_row("url", URLS)
def test_no_message_holds_the_password(url: str) -> None:
    with pytest.raises(StoreError) as caught:
        Postgres.connect(url.format(PASSWORD))

    assert PASSWORD not in spoken(caught.value)


@each_row("url", ["postgresql://me:pw@[/x", "postgresql://me:p%zz@server/x"])
def test_a_url_that_cannot_be_read_gets_a_way_out(url: str) -> None:
    with pytest.raises(StoreError, match="cannot be read") as caught:
        Postgres.connect(url)

    assert caught.value.kind is ErrorKind.UNREACHABLE
    assert "%40" in caught.value.hint


def test_a_table_that_somebody_holds_is_locked(db: Postgres, postgres_store: str) -> None:
    with psycopg.connect(postgres_store) as other:
        other.execute("LOCK TABLE meta IN ACCESS EXCLUSIVE MODE")

        with pytest.raises(StoreError) as caught:
            db.rows("SELECT * FROM meta")

    assert caught.value.kind is ErrorKind.LOCKED
    assert db.rows("SELECT count(*) FROM meta") == [(0,)]


def test_a_connection_that_the_server_ended_is_unreachable(
    db: Postgres, postgres_store: str
) -> None:
    [(pid,)] = db.rows("SELECT pg_backend_pid()")
    with psycopg.connect(postgres_store, autocommit=True) as other:
        other.execute(b"SELECT pg_terminate_backend(%s)", (pid,))

    with pytest.raises(StoreError) as caught, db.transaction():
        pass

    assert caught.value.kind is ErrorKind.UNREACHABLE


SAFETY = {False: "off", True: "on"}


@each_row("power_loss_safe, expected", SAFETY.items())
def test_commits_are_as_safe_as_wanted_and_no_statement_takes_for_ever(
    postgres_store: str, power_loss_safe: bool, expected: str
) -> None:
    careless = postgres_store.replace("options=", "options=-csynchronous_commit%3Doff%20")
    db = Postgres.connect(careless, power_loss_safe=power_loss_safe)

    names = ("synchronous_commit", "statement_timeout", "lock_timeout")
    found = [db.rows("SELECT current_setting(?)", (name,)) for name in names]

    db.close()
    assert found == [[(expected,)], [("5s",)], [("1s",)]]
