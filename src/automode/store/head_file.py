"""A small sealed file beside the database that knows how far the chain has come.

A database that was deleted, or replaced by an older copy of itself, is sound in itself. The head
file tells: it was noted after each commit, so it never knows more than was committed. It has two
places and they are used in turn, so that whoever reads during a note finds the other one whole.
"""

import os
from contextlib import suppress
from dataclasses import dataclass, field

from automode.store.folder import StateFolder, known_secret, made_once
from automode.store.links import GENESIS, Head, head_from, same

_PLACE_BYTES = 512
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe in its place must hold nobody
GONE = "the head file was gone"
FOREIGN = "the head file had another seal"
NAMELESS = "`chain.id` was gone"


@dataclass(frozen=True, slots=True)
class HeadFileState:
    """What the head file says. `doubt` is why it cannot be asked; without one, and without a head,
    nothing was ever begun."""

    head: Head | None = None
    doubt: str = ""
    missing: str = ""  # the path of the chain's id, where none was found

    def behind(self, last: int) -> bool:
        """Whether a chain whose last record is number `last` once was longer."""
        return self.head is not None and last < self.head.seq

    def nameless(self, chain: str) -> bool:
        """Whether the database has a chain that nothing says to be the one of this folder. Who
        began to write it since the look has made its id first."""
        return bool(chain and self.missing) and not os.path.lexists(self.missing)


@dataclass(slots=True)
class HeadFile:
    path: str
    chain: str
    key: bytes = field(repr=False)
    _turns: int = 0

    def begin(self) -> None:
        """For a chain that is made now. What speaks of records is left, whosever they are: it
        tells that this chain took the place of another. Raises OSError."""
        if not self.speaks_of_records():
            self.note(Head(0, GENESIS, 0, "").text(self.chain, self.key))

    def note(self, head: str) -> None:
        """`head` with its seal, as the database has it. Raises OSError."""
        text = head.encode("ascii").ljust(_PLACE_BYTES - 1) + b"\n"
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | _FLAGS, 0o600)
        try:
            if self._turns:
                os.pwrite(descriptor, text, self._turns % 2 * _PLACE_BYTES)
            else:
                # What another one left there may be of a longer chain that was given up.
                os.pwrite(descriptor, text * 2, 0)
        finally:
            os.close(descriptor)
        self._turns += 1

    def sighting(self) -> HeadFileState:
        try:
            found = self._read()
        except OSError:
            return HeadFileState(doubt=GONE)
        heads = [head for place in _places(found) if (head := self._believed(place)) is not None]
        if not heads:
            return HeadFileState(doubt=FOREIGN)
        return HeadFileState(max(heads, key=lambda head: head.seq))

    def speaks_of_records(self) -> bool:
        """Of any chain and without a look at the seal: a beginning that was cut short does not."""
        try:
            found = self._read()
        except OSError:
            return False
        heads = (head_from(place.decode("ascii", "replace")) for place in _places(found))
        return any(head is not None and head[0].seq > 0 for head in heads)

    def _read(self) -> bytes:
        descriptor = os.open(self.path, os.O_RDONLY | _FLAGS)
        try:
            return os.read(descriptor, 2 * _PLACE_BYTES)
        finally:
            os.close(descriptor)

    def _believed(self, place: bytes) -> Head | None:
        text = place.decode("ascii", "replace").rstrip()
        read = head_from(text)
        if read is None or not same(text, read[0].text(self.chain, self.key)):
            return None
        return read[0]


def _places(found: bytes) -> tuple[bytes, bytes]:
    return found[:_PLACE_BYTES], found[_PLACE_BYTES:]


def head_file_of(folder: StateFolder, chain: str, key: bytes) -> HeadFile:
    return HeadFile(folder.head_file, chain, key)


def read_head_file(folder: StateFolder) -> HeadFileState:
    """For who only looks: it makes no file. To be asked before the database, because a writer
    notes after it wrote. Raises BadFolder."""
    # Before the look for the id: who begins a chain makes that first, and notes records later.
    recorded = head_file_of(folder, "", b"").speaks_of_records()
    if not os.path.lexists(folder.chain):
        return HeadFileState(doubt=NAMELESS if recorded else "", missing=folder.chain)
    key = known_secret(folder.signing_key)
    if key is None:
        return HeadFileState()
    return head_file_of(folder, made_once(folder.chain, str), key).sighting()


def noted(one: HeadFile, head: str) -> None:
    """A note that cannot be made leaves the head file behind the chain, where it accuses nobody."""
    with suppress(OSError):
        one.note(head)
