"""Where changes are, after somebody tried to keep them."""

from dataclasses import dataclass
from enum import StrEnum


class Place(StrEnum):
    WRITTEN = "written"  # in the database, committed
    SPOOLED = "spooled"  # in a file; it survives kill -9 and is written when the database is well
    LOST = "lost"  # in memory at best: an allow that rests on it must become an ask


@dataclass(frozen=True, slots=True)
class Kept:
    """`reason` is a sentence, and empty when they are written."""

    place: Place
    reason: str = ""

    @property
    def lost(self) -> bool:
        return self.place is Place.LOST


WRITTEN = Kept(Place.WRITTEN)
