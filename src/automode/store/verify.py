"""Goes through a chain and names the first thing that is not as it was written, then stops."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from automode.store.chain import FOREIGN, GONE, NAMELESS, HeadFileState
from automode.store.changes import storable
from automode.store.evidence import Evidence, FoundCheckpoint
from automode.store.links import (
    Checkpoint,
    Head,
    Kind,
    Row,
    Tombstone,
    body_fields,
    checkpoint_from,
    checkpoint_seal,
    head_from,
    row_hash,
    same,
    text_digest,
    tombstone_from,
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


CHAIN_ID = "chain.id"
_DOUBTS = {
    GONE: (Wrong.REMOVED, HEAD_FILE),
    FOREIGN: (Wrong.UNSEALED, HEAD_FILE),
    NAMELESS: (Wrong.REMOVED, CHAIN_ID),
}


def verify(evidence: Evidence, key: bytes | None) -> Findings:
    """The first fault of the chain. Without a key the seals are not checked: then it can be told
    that the chain hangs together, not that it is the whole one."""
    frame = checked(evidence, key)
    walk = _Walk(evidence.chain, key, frame)
    fault = next(_faults(walk, evidence, frame), None)
    start = frame.start
    return Findings(
        chain=evidence.chain,
        records=walk.records,
        purged=walk.purged,
        since=start.at if start is not None and start.count == 0 else walk.since,
        until=walk.last.at if walk.last is not None else None,
        last=max(walk.expected - 1, frame.head.seq if frame.head else 0),
        marks=frame.marks,
        fault=fault,
    )


def compare_with_head_file(findings: Findings, state: HeadFileState) -> Findings:
    """What the head file beside the database adds to a chain that is sound in itself."""
    if findings.fault is not None and findings.fault.wrong is not Wrong.RESUMED:
        return findings
    doubt = state.doubt or (NAMELESS if state.nameless(findings.chain) else "")
    if doubt:
        text = "without it nobody can say whether the database is the one that was left"
        return replace(findings, fault=Fault(*_DOUBTS[doubt], f"{doubt}; {text}"))
    if state.head is not None and state.behind(findings.last):
        place = record_place(findings.last + 1, state.head.seq)
        text = "they were written, and the database is not there or older than that"
        return replace(findings, fault=Fault(Wrong.REMOVED, place, text))
    return findings


def _faults(walk: "_Walk", evidence: Evidence, frame: Frame) -> Iterator[Fault]:
    yield from frame.faults
    for row in evidence.rows:
        yield from walk.step(row)
    yield from walk.end()
    if walk.records and evidence.head is None and not evidence.marks:
        yield headless()
    if evidence.unnumbered:
        text = f"{evidence.unnumbered} of them have no place in the chain"
        yield Fault(Wrong.ADDED, "records", text)
    yield from resumed(frame)


class _Walk:
    def __init__(self, chain: str, key: bytes | None, frame: Frame) -> None:
        self.chain = chain
        self.key = key
        self.head = frame.head
        self.anchors = frame.anchors
        self.first = frame.start.first if frame.start else 1
        self.expected = self.first
        self.records = self.purged = 0
        self.since: float | None = None
        self.last: Row | None = None

    def step(self, row: Row) -> Iterator[Fault]:
        self.records += 1
        self.since = row.at if self.since is None else self.since
        fault = self._misplaced(row) or self._own(row) or self._link(row)
        if fault is not None:
            yield fault
        self.expected = row.seq + 1
        self.last = row

    def end(self) -> Iterator[Fault]:
        if self.head is None:
            return
        if self.expected <= self.head.seq:
            yield _gone(self.expected, self.head.seq, self.last, None)
            return
        made = self.anchors.get(self.expected, "") if self.last is None else self.last.hash
        if self.expected == self.head.seq + 1 and made != self.head.hash:
            place, name = record_place(self.head.seq), self.last.id if self.last else ""
            yield Fault(Wrong.ALTERED, place, "the head was made after another record", name)

    def _misplaced(self, row: Row) -> Fault | None:
        place = record_place(row.seq)
        if row.seq < self.first:
            return Fault(Wrong.ADDED, place, "it was removed once, and is there again", row.id)
        if row.seq < self.expected:
            return Fault(Wrong.REORDERED, place, "it does not stand in its place", row.id)
        if self.head is not None and self.expected > self.head.seq:
            return Fault(Wrong.ADDED, place, "the head does not know of it", row.id)
        if row.seq > self.expected:
            return _gone(self.expected, row.seq - 1, self.last, row)
        return None

    def _own(self, row: Row) -> Fault | None:
        """What is wrong with a row by itself."""
        place = record_place(row.seq)
        fields = body_fields(row.body)
        if fields is None:
            return Fault(Wrong.ALTERED, place, "its text cannot be read", row.id)
        tombstone = tombstone_from(fields)
        digest = text_digest(row.body) if tombstone is None else tombstone.digest
        if row_hash(self.chain, row.seq, row.id, row.at, row.previous, digest) != row.hash:
            said = fields.get("seq")
            if isinstance(said, int) and said != row.seq:
                return Fault(Wrong.REORDERED, place, f"it was written as record {said}", row.id)
            return Fault(Wrong.ALTERED, place, "it is not what was written", row.id)
        if tombstone is not None:
            return self._buried(row, tombstone)
        wrong = next(_differing(row, fields), None)
        if wrong is not None:
            text = f"its column `{wrong}` does not say what the record says"
            return Fault(Wrong.ALTERED, place, text, row.id)
        return None

    def _buried(self, row: Row, tombstone: Tombstone) -> Fault | None:
        self.purged += 1
        blank = not (row.host or row.session or row.verdict or row.source)
        if blank and (self.key is None or tombstone.holds(row, self.chain, self.key)):
            return None
        text = "its content was taken out, but not by `automode purge`"
        return Fault(Wrong.ALTERED, record_place(row.seq), text, row.id)

    def _link(self, row: Row) -> Fault | None:
        """Whether a row that is sound in itself follows the one before it."""
        before, place = self.last, record_place(row.seq)
        anchor = self.anchors.get(row.seq)
        if anchor is not None and row.previous != anchor:
            text = "it does not follow what the mark before it says"
            return Fault(Wrong.ALTERED, place, text, row.id)
        if anchor is None and before is not None and row.previous != before.hash:
            text = "the next record was made after another one in its place"
            return Fault(Wrong.ALTERED, record_place(before.seq), text, before.id)
        listed = (0 if before is None else before.number), row.number
        if listed[1] is not None and listed[1] <= (listed[0] or 0):
            return Fault(Wrong.REORDERED, place, "its place in lists was changed", row.id)
        return None


def _gone(first: int, upto: int, before: Row | None, after: Row | None) -> Fault:
    between = [f"after `{before.id}`"] if before is not None else []
    between += [f"before `{after.id}`"] if after is not None else []
    verb = "they are gone" if upto > first else "it is gone"
    text = f"{verb}: {' and '.join(between)}" if between else verb
    return Fault(Wrong.REMOVED, record_place(first, upto), text)


def _differing(row: Row, fields: Mapping[str, object]) -> Iterator[str]:
    """The columns that do not say what the record itself says."""
    columns: dict[str, str | int | float] = {
        "id": row.id,
        "at": row.at,
        "host": row.host,
        "session": row.session,
        "verdict": row.verdict,
        "source": row.source,
        "seq": row.seq,
    }
    for name, value in columns.items():
        said = fields.get(name)
        if (storable(said) if isinstance(said, str) else said) != value:
            yield name
