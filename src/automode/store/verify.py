"""Goes through a chain and names everything that is not as it was written.

Faults do not cascade: one removed or altered record is one fault, and the records after it are
judged on their own.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from automode.store.encoding import storable
from automode.store.evidence import Evidence
from automode.store.faults import SPOOL, WITNESS, Fault, Findings, Wrong, record_place
from automode.store.links import Grave, Row, body_fields, grave_from, row_hash, text_digest
from automode.store.marks import Frame, checked, headless
from automode.store.witness import FOREIGN, GONE, NAMELESS, Sighting

MOST_FAULTS = 100
CHAIN_ID = "chain.id"
_DOUBTS = {
    GONE: (Wrong.REMOVED, WITNESS),
    FOREIGN: (Wrong.UNSEALED, WITNESS),
    NAMELESS: (Wrong.REMOVED, CHAIN_ID),
}


def verify(evidence: Evidence, key: bytes | None) -> Findings:
    """Every fault of the chain. Without a key the seals are not checked: then it can be told that
    the chain hangs together, not that it is the whole one."""
    frame = checked(evidence, key)
    walk = _Walk(evidence.chain, key, frame)
    faults = list(frame.faults[:MOST_FAULTS])
    more = len(frame.faults) - len(faults)
    for fault in _all(walk, evidence):
        if len(faults) < MOST_FAULTS:
            faults.append(fault)
        else:
            more += 1
    start = frame.start
    return Findings(
        chain=evidence.chain,
        records=walk.records,
        purged=walk.purged,
        since=start.at if start is not None and start.count == 0 else walk.since,
        until=walk.last.at if walk.last is not None else None,
        last=max(walk.expected - 1, frame.head.seq if frame.head else 0),
        marks=frame.marks,
        faults=tuple(faults),
        more=more,
    )


def beside(findings: Findings, sighting: Sighting, set_aside: Sequence[str]) -> Findings:
    """What the files beside the database add: the witness of this chain, and files of the spool
    with lines that were not believed."""
    faults: list[Fault] = []
    doubt = sighting.doubt or (NAMELESS if sighting.nameless(findings.chain) else "")
    if doubt:
        text = "without it nobody can say whether the database is the one that was left"
        faults.append(Fault(*_DOUBTS[doubt], f"{doubt}; {text}"))
    if sighting.head is not None and sighting.behind(findings.last):
        place = record_place(findings.last + 1, sighting.head.seq)
        text = "they were written, and the database is not there or older than that"
        faults.append(Fault(Wrong.REMOVED, place, text))
    for name in set_aside:
        text = f"`{name}` holds lines that were not applied; look at it, then move it away"
        faults.append(Fault(Wrong.ADDED, SPOOL, text))
    return replace(findings, faults=(*findings.faults, *faults))


def _all(walk: "_Walk", evidence: Evidence) -> Iterator[Fault]:
    for row in evidence.rows:
        yield from walk.step(row)
    yield from walk.end()
    yield from walk.lists.out_of_place()
    if walk.records and evidence.head is None and not evidence.marks:
        yield headless()
    if evidence.unnumbered:
        text = f"{evidence.unnumbered} of them have no place in the chain"
        yield Fault(Wrong.ADDED, "records", text)


@dataclass(frozen=True, slots=True)
class _Step:
    """A row that was gone past."""

    seq: int
    id: str
    at: float
    hash: str
    faulty: bool


class _Lists:
    """The places of sound records in lists. Only numbers are held, for a chain may be long."""

    def __init__(self) -> None:
        self._seqs = array("q")
        self._numbers = array("q")
        self._highest = (0, 0, "")  # number, seq and id
        self._suspects: dict[int, str] = {}  # the ids of records that may have to be named

    def add(self, row: Row) -> Iterator[Fault]:
        if row.number is None:
            return
        if row.number < 1:
            yield _moved(row.seq, row.id)
            return
        self._seqs.append(row.seq)
        self._numbers.append(row.number)
        number, seq, name = self._highest
        if row.number > number:
            self._highest = (row.number, row.seq, row.id)
        else:
            self._suspects |= {row.seq: row.id, seq: name}

    def out_of_place(self) -> Iterator[Fault]:
        """The fewest records that have to have been moved for the others to stand in order."""
        if not self._suspects:
            return
        kept = _likeliest(self._numbers, set(_longest_rise(self._numbers)))
        for place, seq in enumerate(self._seqs):
            if place not in kept:
                yield _moved(seq, self._suspects.get(seq, ""))


class _Walk:
    def __init__(self, chain: str, key: bytes | None, frame: Frame) -> None:
        self.chain = chain
        self.key = key
        self.head = frame.head
        self.anchors = frame.anchors
        self.first = frame.start.first if frame.start else 1
        self.expected = self.first
        self.records = self.purged = 0
        self.lists = _Lists()
        self.since: float | None = None
        self.last: _Step | None = None

    def step(self, row: Row) -> Iterator[Fault]:
        self.records += 1
        self.since = row.at if self.since is None else self.since
        fault = self._misplaced(row)
        if fault is not None:
            yield fault
            return
        if row.seq > self.expected:
            yield _gone(self.expected, row.seq - 1, self.last, row)
        own = self._own(row)
        if own is not None:
            yield own
        else:
            yield from self._link(row)
        self.expected = row.seq + 1
        self.last = _Step(row.seq, row.id, row.at, row.hash, own is not None)

    def end(self) -> Iterator[Fault]:
        if self.head is None:
            return
        if self.expected <= self.head.seq:
            yield _gone(self.expected, self.head.seq, self.last, None)
            return
        made = self.anchors.get(self.expected, "") if self.last is None else self.last.hash
        faulty = self.last is not None and self.last.faulty
        if self.expected == self.head.seq + 1 and made != self.head.hash and not faulty:
            place, name = record_place(self.head.seq), self.last.id if self.last else ""
            yield Fault(Wrong.ALTERED, place, "the head was made after another record", name)

    def _misplaced(self, row: Row) -> Fault | None:
        place = record_place(row.seq)
        if row.seq < self.first:
            return Fault(Wrong.ADDED, place, "it was removed once, and is there again", row.id)
        if row.seq < self.expected:
            return Fault(Wrong.REORDERED, place, "it does not stand in its place", row.id)
        if self.head is not None and row.seq > self.head.seq:
            return Fault(Wrong.ADDED, place, "the head does not know of it", row.id)
        return None

    def _own(self, row: Row) -> Fault | None:
        """What is wrong with a row by itself."""
        place = record_place(row.seq)
        fields = body_fields(row.body)
        if fields is None:
            return Fault(Wrong.ALTERED, place, "its text cannot be read", row.id)
        grave = grave_from(fields)
        digest = text_digest(row.body) if grave is None else grave.digest
        if row_hash(self.chain, row.seq, row.id, row.at, row.previous, digest) != row.hash:
            said = fields.get("seq")
            if isinstance(said, int) and said != row.seq:
                return Fault(Wrong.REORDERED, place, f"it was written as record {said}", row.id)
            return Fault(Wrong.ALTERED, place, "it is not what was written", row.id)
        if grave is not None:
            return self._buried(row, grave)
        wrong = next(_differing(row, fields), None)
        if wrong is not None:
            text = f"its column `{wrong}` does not say what the record says"
            return Fault(Wrong.ALTERED, place, text, row.id)
        return None

    def _buried(self, row: Row, grave: Grave) -> Fault | None:
        self.purged += 1
        blank = not (row.host or row.session or row.verdict or row.source)
        if blank and (self.key is None or grave.holds(row, self.chain, self.key)):
            return None
        text = "its content was taken out, but not by `automode purge`"
        return Fault(Wrong.ALTERED, record_place(row.seq), text, row.id)

    def _link(self, row: Row) -> Iterator[Fault]:
        """Whether a row that is sound in itself follows the one before it."""
        before = self.last
        anchor = self.anchors.get(row.seq)
        adjacent = before is not None and before.seq == row.seq - 1
        if anchor is not None:
            if row.previous != anchor:
                text = "it does not follow what the mark before it says"
                yield Fault(Wrong.ALTERED, record_place(row.seq), text, row.id)
        elif before is not None and adjacent and not before.faulty and row.previous != before.hash:
            text = "the next record was made after another one in its place"
            yield Fault(Wrong.ALTERED, record_place(before.seq), text, before.id)
        yield from self.lists.add(row)


def _moved(seq: int, record: str) -> Fault:
    text = "its place in lists was changed"
    return Fault(Wrong.REORDERED, record_place(seq), text, record)


def _longest_rise(numbers: Sequence[int]) -> Iterator[int]:
    """The places of as many numbers as can be had that rise from each to the next, the last
    first."""
    ends: list[int] = []  # by length, the lowest number that a rise so long ends with
    places: list[int] = []
    before = array("q", [-1]) * len(numbers)
    for place, number in enumerate(numbers):
        length = bisect_left(ends, number)
        ends[length : length + 1] = [number]
        places[length : length + 1] = [place]
        before[place] = places[length - 1] if length else -1
    place = places[-1] if places else -1
    while place >= 0:
        yield place
        place = before[place]


def _likeliest(numbers: Sequence[int], kept: set[int]) -> set[int]:
    """Of two neighbours that cannot both be right, the one that is nearer to those around them."""
    likely = set(kept)
    for place in range(len(numbers)):
        for other in (place - 1, place + 1):
            if place not in likely and other in likely and _nearer(numbers, likely, place, other):
                likely ^= {place, other}
    return likely


def _nearer(numbers: Sequence[int], kept: set[int], place: int, other: int) -> bool:
    low, high = min(place, other) - 1, max(place, other) + 1
    around = [one for one in (low, high) if one in kept]
    unclear = any(one not in kept for one in (low, high) if 0 <= one < len(numbers))
    if unclear or not around or not _rises([numbers[one] for one in sorted([*around, place])]):
        return False
    # By the one before, where there is one: what came later may have been numbered after a forgery.
    base = numbers[around[0]]
    return abs(numbers[place] - base) < abs(numbers[other] - base)


def _rises(numbers: Sequence[int]) -> bool:
    return all(one < other for one, other in pairwise(numbers))


def _gone(first: int, upto: int, before: _Step | None, after: Row | None) -> Fault:
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
