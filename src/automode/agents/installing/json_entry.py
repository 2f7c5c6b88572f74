"""Plans how values of ours go into a JSON file of an agent's, and out of it again."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from automode.agents.installing.apply import present
from automode.agents.installing.hooks_file import left_alone
from automode.agents.installing.plan import Change, Placed, Receipt, Scope, Transport
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program
from automode.config.json_edit import (
    Edited,
    lifted,
    node_at,
    parsed,
    put,
    root_of,
    without,
    without_empty,
)
from automode.config.jsonc import Array, Member, Node, Object, content, plain
from automode.core.errors import BadSettings


@dataclass(frozen=True, slots=True)
class Entry:
    """`value` stands in the list at `box`, or, with a `key`, in the object there. `is_ours` tells
    what another release of automode has put there."""

    box: tuple[str, ...]
    value: object
    key: str | None = None
    is_ours: Callable[[object], bool] | None = None

    def fits(self, value: object) -> bool:
        return value == self.value or (self.is_ours is not None and self.is_ours(value))


@dataclass(frozen=True, slots=True)
class EntryFile:
    """`fresh`: what a file of our own holds beside the entries. `needed`: what any has to hold."""

    agent: str
    scope: Scope
    named: str
    entries: tuple[Entry, ...]
    fresh: dict[str, object] = field(default_factory=dict)
    needed: dict[str, object] = field(default_factory=dict)
    transport: Transport = Transport.EXTENSION


def plan_entries(file: EntryFile, program: Program, receipts: Receipts) -> tuple[Change, ...]:
    """Nothing where the entries stand there already. Raises CannotInstall."""
    path, before = present(file.named)
    receipt = receipts.find(file.agent, path)
    try:
        base = None if before is None else _without(before, file, receipt)
        edited = _with(base, file)
    except (BadSettings, UnicodeDecodeError) as error:
        raise left_alone(path, error) from error
    after = edited.text.encode()
    if after == before:
        return ()
    change = Placed(file.agent, file.scope, file.named, path, before).change(
        after, program.version, file.transport, base, pieces=edited.pieces, made=edited.made
    )
    return (change,)


def plan_no_entries(file: EntryFile, receipts: Receipts) -> tuple[Change, ...]:
    """Nothing to change: nothing of ours is known to be there. Raises CannotInstall."""
    path, before = present(file.named)
    receipt = receipts.find(file.agent, path)
    if receipt is None:
        return ()
    try:
        after = None if before is None else _without(before, file, receipt)
    except (BadSettings, UnicodeDecodeError) as error:
        raise left_alone(path, error) from error
    return (Change(path, before, after),)


def found_entries(data: bytes, entry: Entry) -> list[object]:
    """What of ours stands there. Raises BadSettings where the file cannot be read."""
    text = data.decode()
    if not text.strip():
        return []
    return [content(_value(child)) for _, child in _ours(text, entry)]


def value_at(data: bytes, name: str) -> object:
    """What stands there by that name; None for nothing. Raises BadSettings."""
    found = root_of(data.decode()).named(name) if data.strip() else ()
    return content(found[-1].value) if found else None


def _with(base: bytes | None, file: EntryFile) -> Edited:
    text = (base or b"").decode()
    if not text.strip():
        return _whole(file)
    edited = Edited(text)
    for name, value in file.needed.items():
        if not root_of(edited.text).named(name):
            edited = put(edited, (), name, value)
    for entry in reversed(file.entries):  # each is put first
        edited = _entered(edited, entry)
    return edited


def _whole(file: EntryFile) -> Edited:
    """A file of our own."""
    beside = {**file.fresh, **file.needed}
    edited = Edited(f"{json.dumps(beside, indent=2, ensure_ascii=False)}\n")
    for entry in reversed(file.entries):
        edited = _entered(edited, entry)
    return Edited(edited.text, made=edited.made)


def _entered(edited: Edited, entry: Entry) -> Edited:
    """Where a box is missing, it is made with what belongs into it."""
    root = root_of(edited.text)
    for depth, name in enumerate(entry.box):
        if node_at(root, entry.box[: depth + 1]) is None:
            value: object = [entry.value] if entry.key is None else {entry.key: entry.value}
            for missing in reversed(entry.box[depth + 1 :]):
                value = {missing: value}
            made = {".".join(entry.box[: end + 1]) for end in range(depth, len(entry.box))}
            added = put(edited, entry.box[:depth], name, value)
            return replace(added, made=added.made | made)
    return put(edited, entry.box, entry.key, entry.value)


def _without(data: bytes, file: EntryFile, receipt: Receipt | None) -> bytes | None:
    """Without a receipt only what tells by itself that it is ours is known to be."""
    if receipt is not None and receipt.knows(data):
        return receipt.without
    text = data.decode()
    if not text.strip():
        return data
    known = [one for one in file.entries if receipt is not None or one.is_ours is not None]
    rest = lifted(text, receipt.pieces if receipt is not None else ())
    rest, left = (_without_entries(one, known, receipt) for one in (rest, text))
    # What was put there goes as it was put, blanks and all, where that leaves the same.
    if plain(parsed(rest)) == plain(parsed(left)):
        left = rest
    made = receipt is not None and receipt.without is None
    if made and content(parsed(left)) in ({}, {**file.fresh, **file.needed}):
        return None
    return left.encode()


def _without_entries(text: str, entries: list[Entry], receipt: Receipt | None) -> str:
    for entry in entries:
        while found := next(_ours(text, entry), None):
            text = without(text, *found)
    made = receipt.made if receipt is not None else frozenset()
    for name in sorted(made, key=lambda one: -one.count(".")):
        text = without_empty(text, tuple(name.split(".")))
    return text


def _ours(text: str, entry: Entry) -> Iterator[tuple[Object | Array, Member | Node]]:
    match node_at(root_of(text), entry.box):
        case Array() as box if entry.key is None:
            yield from ((box, one) for one in box.children if entry.fits(content(one)))
        case Object() as box if entry.key is not None:
            named = box.named(entry.key)
            yield from ((box, one) for one in named if entry.fits(content(one.value)))
        case _:
            return


def _value(child: Member | Node) -> Node:
    return child.value if isinstance(child, Member) else child
