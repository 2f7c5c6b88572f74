"""What is new in the store, each record once."""

from automode.store.changes import RecordQuery
from automode.store.folder import StateFolder
from automode.store.newcomers import EARLIER, Newcomers
from automode.store.open import reading
from automode.store.tables import records
from tests.cli.stored import keep, record


def test_the_first_look_has_the_last_and_the_next_ones_what_is_new(folder: StateFolder) -> None:
    keep(folder, *(record(number) for number in range(1, EARLIER + 11)))
    newcomers = Newcomers(folder, "sqlite")

    first = [one.id for one in newcomers.look()]
    nothing = newcomers.look()
    keep(folder, record(901), record(900))  # by a clock that goes back, too
    then = [one.id for one in newcomers.look()]

    assert first == [f"r{number:08}" for number in range(11, EARLIER + 11)]
    assert nothing == []
    assert then == ["r00000901", "r00000900"]


def test_a_store_that_does_not_exist_yet_has_nothing_and_then_everything(
    folder: StateFolder,
) -> None:
    newcomers = Newcomers(folder, "sqlite")

    assert newcomers.look() == []
    keep(folder, record(1))
    (new,) = newcomers.rows()

    with reading(folder) as db:
        assert [new] == records(db, RecordQuery())
