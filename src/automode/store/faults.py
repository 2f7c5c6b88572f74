"""What verification finds: the faults, each by name, and what there was to look at."""

from dataclasses import dataclass
from enum import StrEnum

from automode.store.links import Mark

HEAD = "head"
WITNESS = "witness"


class Wrong(StrEnum):
    """What happened to a record, a mark or the head."""

    REMOVED = "removed"
    REORDERED = "reordered"
    ALTERED = "altered"
    ADDED = "added"
    UNSEALED = "unsealed"  # this key did not seal it
    RESUMED = "resumed"  # the chain was found broken once, and went on


@dataclass(frozen=True, slots=True)
class Fault:
    wrong: Wrong
    place: str  # `record 7`, `records 9 to 12`, `mark 3`, `head`
    text: str  # a sentence about that place
    id: str = ""  # of the record, where there is one

    def __str__(self) -> str:
        name = f"{self.place} (`{self.id}`)" if self.id else self.place
        return f"{name}: {self.text}"


@dataclass(frozen=True, slots=True)
class Findings:
    """`since` is when the chain, or what is left of it, begins. `fault` is the first one: what
    comes after it was not looked at."""

    chain: str
    records: int
    purged: int  # of them, whose content was taken out
    since: float | None
    until: float | None
    last: int  # the number of the last record there ever was
    marks: tuple[Mark, ...]
    fault: Fault | None = None

    @property
    def sound(self) -> bool:
        return self.fault is None


def record_place(seq: int, upto: int | None = None) -> str:
    return f"record {seq}" if upto in (None, seq) else f"records {seq} to {upto}"


def mark_place(number: int, upto: int | None = None) -> str:
    return f"mark {number}" if upto in (None, number) else f"marks {number} to {upto}"
