"""Checks the signed checkpoints and the head of a chain, and names what verification finds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from automode.store.evidence import Evidence, FoundCheckpoint
from automode.store.links import (
    Checkpoint,
    Head,
    Kind,
    checkpoint_from,
    checkpoint_seal,
    head_from,
    same,
)

HEAD = "head"
HEAD_FILE = "head file"


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
    marks: tuple[Checkpoint, ...]
    fault: Fault | None = None

    @property
    def sound(self) -> bool:
        return self.fault is None


def record_place(seq: int, upto: int | None = None) -> str:
    return f"record {seq}" if upto in (None, seq) else f"records {seq} to {upto}"


def checkpoint_place(number: int, upto: int | None = None) -> str:
    return f"mark {number}" if upto in (None, number) else f"marks {number} to {upto}"


@dataclass(frozen=True, slots=True)
class Frame:
    """What the sealed parts say about the records."""

    marks: tuple[Checkpoint, ...]
    head: Head | None  # None where there is none that can be believed
    faults: tuple[Fault, ...]

    @property
    def start(self) -> Checkpoint | None:
        """Where the records begin now: after what was pruned last, or at the beginning."""
        kinds = (Kind.BEGAN, Kind.PRUNED)
        return next((mark for mark in reversed(self.marks) if mark.kind in kinds), None)

    @property
    def anchors(self) -> dict[int, str]:
        """By the number of a record, what it must have as the hash before it."""
        return {mark.first: mark.before for mark in self.marks if mark.kind is not Kind.PURGED}


def checked(evidence: Evidence, key: bytes | None) -> Frame:
    """Without a key only what needs none is checked."""
    faults: list[Fault] = []
    marks: list[Checkpoint] = []
    for found in evidence.marks:
        mark = checkpoint_from(found.number, found.kind, found.body)
        if mark is None or not _genuine(found, evidence.chain, key):
            text = "it was altered, or sealed with another key"
            faults.append(Fault(Wrong.ALTERED, checkpoint_place(found.number), text))
        else:
            marks.append(mark)
    faults += _gaps(evidence.marks)
    head, trouble = _head(evidence, key)
    faults += trouble
    if head is not None:
        faults += _ends(evidence.marks, head)
    return Frame(tuple(marks), head, tuple(faults))


def _genuine(found: FoundCheckpoint, chain: str, key: bytes | None) -> bool:
    if key is None:
        return True
    return same(found.seal, checkpoint_seal(key, chain, found.number, found.kind, found.body))


def _gaps(marks: Sequence[FoundCheckpoint]) -> Iterator[Fault]:
    """Marks that are not there, by their numbers, and those that were made after another one."""
    expected, seal = 1, ""
    for found in marks:
        if found.number > expected:
            place = checkpoint_place(expected, found.number - 1)
            yield Fault(Wrong.REMOVED, place, "it is gone")
        elif found.number < expected:
            yield Fault(
                Wrong.REORDERED, checkpoint_place(found.number), "it does not stand in its place"
            )
        else:
            mark = checkpoint_from(found.number, found.kind, found.body)
            if mark is not None and mark.previous != seal:
                yield Fault(
                    Wrong.ALTERED, checkpoint_place(found.number), "it follows another mark"
                )
        expected, seal = max(expected, found.number + 1), found.seal


def _head(evidence: Evidence, key: bytes | None) -> tuple[Head | None, tuple[Fault, ...]]:
    if evidence.head is None:
        # Without a single mark nothing was ever recorded, unless there are records: see `verify`.
        return None, (headless(),) if evidence.marks else ()
    read = head_from(evidence.head)
    if read is None:
        return None, (Fault(Wrong.ALTERED, HEAD, "it cannot be read"),)
    head = read[0]
    if key is not None and not same(evidence.head, head.text(evidence.chain, key)):
        text = "it was altered, or sealed with another key"
        return None, (Fault(Wrong.UNSEALED, HEAD, text),)
    return head, ()


def headless() -> Fault:
    return Fault(Wrong.REMOVED, HEAD, "it is gone, so nobody can say where the chain ended")


def _ends(marks: Sequence[FoundCheckpoint], head: Head) -> Iterator[Fault]:
    last = max((mark.number for mark in marks), default=0)
    if last < head.marks:
        yield Fault(Wrong.REMOVED, checkpoint_place(last + 1, head.marks), "it is gone")
    for mark in marks:
        if mark.number > head.marks:
            yield Fault(Wrong.ADDED, checkpoint_place(mark.number), "the head does not know of it")
        elif mark.number == head.marks and not same(mark.seal, head.mark):
            yield Fault(Wrong.ALTERED, checkpoint_place(mark.number), "the head knows another one")


def resumed(frame: Frame) -> Iterator[Fault]:
    """Until everything from before is pruned, nobody can vouch that it is all there."""
    start = frame.start
    for mark in frame.marks:
        settled = start is not None and mark.number < start.number and mark.first <= start.first
        if mark.kind is Kind.RESUMED and not settled:
            text = f"{mark.why}: of what stood before record {mark.first}, some may be missing"
            yield Fault(Wrong.RESUMED, checkpoint_place(mark.number), text)
            if mark.count:
                place = record_place(mark.first - mark.count, mark.first - 1)
                yield Fault(Wrong.ADDED, place, "automode did not write it")
