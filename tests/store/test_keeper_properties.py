"""Whatever happens in whatever order: what was acknowledged is there in the end, and only once."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from automode.store.folder import StateFolder
from automode.store.keeper import Keeper
from automode.store.kept import Place
from automode.store.lock import WriterLock
from automode.store.spool import Spool, spool_files
from tests.store.conftest import ids
from tests.store.examples import decided


class World:
    """A state folder, a keeper, and what happens to them."""

    def __init__(self, folder: StateFolder) -> None:
        self.folder = folder
        self.keeper = Keeper(folder, retry_seconds=0)
        self.somebody = WriterLock(folder)
        self.other = Spool(folder)
        self.number = 0
        self.acknowledged: list[str] = []

    def append(self) -> None:
        self._append(1)

    def append_two_groups(self) -> None:
        self._append(2)

    def tend(self) -> None:
        self.keeper.tend()

    def restart(self) -> None:
        self.keeper.close()
        self.keeper = Keeper(self.folder, retry_seconds=0)

    def another_process_spools(self) -> None:
        if self.spool_works:
            self.number += 1
            self.other.keep(decided(self.number))
            self.acknowledged.append(f"r{self.number:04}")

    def somebody_takes_the_lock(self) -> None:
        self.keeper.close()
        self.somebody.acquire()

    def somebody_lets_go(self) -> None:
        self.somebody.release()

    def the_spool_breaks(self) -> None:
        if self.spool_works:
            os.rename(self.folder.spool, f"{self.folder.path}/away")
            Path(self.folder.spool).write_text("")

    def half_a_line_is_left(self) -> None:
        for path in spool_files(self.folder) if self.spool_works else ():
            with open(path, "a") as file:
                file.write('{"change": "deci')

    @property
    def spool_works(self) -> bool:
        return os.path.isdir(self.folder.spool)

    def the_spool_is_mended(self) -> None:
        if not self.spool_works:
            os.unlink(self.folder.spool)
            os.rename(f"{self.folder.path}/away", self.folder.spool)

    def _append(self, groups: int) -> None:
        numbers = range(self.number + 1, self.number + groups + 1)
        self.number += groups
        kept = self.keeper.keep([decided(number) for number in numbers])
        self.acknowledged += [
            f"r{number:04}"
            for number, one in zip(numbers, kept, strict=True)
            if one.place is not Place.LOST
        ]

    def settle(self) -> None:
        self.somebody.release()
        self.the_spool_is_mended()
        for _ in range(50):
            if not self.keeper.tend() and not spool_files(self.folder):
                break
        self.keeper.close()


STEPS = st.lists(
    st.sampled_from(
        [
            World.append,
            World.append_two_groups,
            World.tend,
            World.restart,
            World.another_process_spools,
            World.somebody_takes_the_lock,
            World.somebody_lets_go,
            World.the_spool_breaks,
            World.the_spool_is_mended,
            World.half_a_line_is_left,
        ]
    ),
    max_size=25,
)


@given(STEPS)
def test_nothing_acknowledged_is_missing_and_nothing_is_doubled(
    steps: list[Callable[[World], None]],
) -> None:
    with tempfile.TemporaryDirectory() as path:
        world = World(StateFolder(path).prepared())

        for step in steps:
            step(world)
        world.settle()

        found = ids(world.folder)
        assert set(world.acknowledged) - set(found) == set()
        assert len(found) == len(set(found))
