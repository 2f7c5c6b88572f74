"""Puts entries of ours into JSON files of agents, and takes exactly them out again."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from automode.agents.installing.plan import (
    OWNER_ONLY,
    CannotInstall,
    Change,
    Receipt,
    Receipts,
    Scope,
    digest,
    present,
)
from automode.config.json_edit import (
    Edited,
    lift_pieces,
    node_at,
    parse_json,
    put,
    root_of,
    without,
    without_empty,
)
from automode.config.jsonc import MARK, Array, Member, Node, Object, content
from automode.config.places import content as file_content
from automode.core.errors import BadSettings

EVERYBODY_READS = 0o644
HOOKS = "hooks"
ANY = "*"


@dataclass(frozen=True, slots=True)
class Entry:
    """`value` stands in the list at `box`, or, with a `key`, in the object there, where nothing
    else has that key. `is_ours` knows it, also as another release of automode has put it there;
    without one it is ours where a receipt says that we put such a value in."""

    box: tuple[str, ...]
    value: object
    key: str | None = None
    is_ours: Callable[[object], bool] | None = None

    @property
    def found_at(self) -> tuple[str, ...]:
        """Another release may have chosen another list beside it."""
        return (*self.box[:-1], ANY) if self.is_ours and self.key is None else self.box

    def fits(self, value: object) -> bool:
        return self.is_ours(value) if self.is_ours else value == self.value


@dataclass(frozen=True, slots=True)
class Found:
    """An entry of ours in a file: `node` stands in `box`, which is at `path`."""

    path: tuple[str, ...]
    box: Object | Array
    node: Member | Node
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonFile:
    """A JSON file of an agent's, which may hold entries of others. `named` is what the agent calls
    it; it may be a link."""

    agent: str
    named: str
    entries: tuple[Entry, ...]
    scope: Scope = Scope.USER
    comments: bool = True
    """Whether the agent reads a file with comments in it."""
    last: bool = False
    """Behind the entries of others, for agents that know hooks by their number."""
    fresh: Mapping[str, object] = field(default_factory=dict)
    """What a file of our own holds besides."""
    needed: Mapping[str, object] = field(default_factory=dict)
    """What any file has to hold besides."""

    def plan(self, receipts: Receipts) -> tuple[Change, ...]:
        """Nothing where our entries stand there already. Raises CannotInstall."""
        path, before = present(self.named)
        try:
            base = self.without_us(before, receipts.find(self.agent, path))
            if not self.comments:
                need_strict_json(base or b"")
            edited = self.put_in(base)
        except (BadSettings, UnicodeDecodeError) as error:
            raise left_alone(path, error) from error
        after = edited.text.encode()
        if before is not None and before.strip() and self._says(before) == self._says(after):
            return ()
        receipt = Receipt(
            self.agent,
            path,
            base,
            digest(after),
            digest(before),
            edited.pieces,
            tuple(sorted(edited.made)),
            named=self.named,
        )
        mode = EVERYBODY_READS if self.scope is Scope.MANAGED else OWNER_ONLY
        return (Change(path, before, after, receipt, mode),)

    def plan_out(self, receipts: Receipts) -> tuple[Change, ...]:
        """Nothing to change: nothing of ours is there. Raises CannotInstall."""
        path, before = present(self.named)
        receipt = receipts.find(self.agent, path)
        try:
            after = self.without_us(before, receipt)
        except (BadSettings, UnicodeDecodeError) as error:
            raise left_alone(path, error) from error
        return () if after == before and receipt is None else (Change(path, before, after),)

    def put_in(self, base: bytes | None) -> Edited:
        """`base`, which holds nothing of ours, with our entries. BadSettings where they have no
        place."""
        text = (base or b"").decode()
        own = not text.strip()
        if own:
            text = f"{json.dumps({**self.fresh, **self.needed}, indent=2)}\n"
        edited = Edited(text)
        for name, value in self.needed.items():
            if not root_of(edited.text).members(name):
                edited = put(edited, (), name, value)
        for entry in reversed(self.entries):  # each is put first
            edited = _enter(edited, entry, last=self.last)
        return replace(edited, pieces=()) if own else edited

    def find(self, root: Object, *, known: bool = True) -> Iterator[Found]:
        """What is ours there. Not `known`, what we put in: only what tells by itself."""
        looked = {(one.found_at, one.key): one for one in self.entries if known or one.is_ours}
        for (path, _), entry in looked.items():
            for place, box in _boxes(root, path):
                yield from _matches(place, box, entry)

    def without_us(self, data: bytes | None, receipt: Receipt | None) -> bytes | None:
        """None where then nothing is left of a file that we made. Where nobody touched the file it
        is given back as it was, and what was put there goes as it was put, blanks and all, where
        that leaves the same. BadSettings where it cannot be read."""
        if data is None or not data.strip():
            return data
        if receipt is None:
            return self._take_out(data.decode(), None).encode()
        if receipt.knows(data):
            return receipt.without
        text = data.decode()
        left = self._take_out(text, receipt.made)
        rest = self._take_out(lift_pieces(text, receipt.pieces), receipt.made)
        if parse_json(rest) == parse_json(left):
            left = rest
        ours_alone = content(parse_json(left)) in ({}, {**self.fresh, **self.needed})
        return None if receipt.without is None and ours_alone else left.encode()

    def _take_out(self, text: str, made: tuple[str, ...] | None) -> str:
        """`made`: the boxes that we made. None: nobody knows, so those go that are empty then."""
        touched: set[str] = set()
        while found := next(self.find(root_of(text), known=made is not None), None):
            text = without(text, found.box, found.node)
            touched |= _prefixes(found.path)
        for name in sorted(touched if made is None else made, key=lambda one: -one.count(".")):
            text = without_empty(text, tuple(name.split(".")))
        return text

    def _says(self, data: bytes) -> list[str]:
        """All that we want there, however it is laid out."""
        root = root_of(data.decode())
        needed = [[name, content(one.value)] for name in self.needed for one in root.members(name)]
        found = [[one.path, one.value] for one in self.find(root)]
        return sorted(json.dumps(one, sort_keys=True) for one in (*needed, *found))


def _prefixes(path: tuple[str, ...]) -> set[str]:
    return {".".join(path[:end]) for end in range(1, len(path) + 1)}


def _enter(edited: Edited, entry: Entry, *, last: bool) -> Edited:
    """Where a box is missing, it is made with what belongs into it."""
    root, box = root_of(edited.text), entry.box
    for depth, name in enumerate(box):
        if node_at(root, box[: depth + 1]) is None:
            value: object = [entry.value] if entry.key is None else {entry.key: entry.value}
            for missing in reversed(box[depth + 1 :]):
                value = {missing: value}
            made = edited.made | (_prefixes(box) - _prefixes(box[:depth]))
            return replace(put(edited, box[:depth], name, value), made=made)
    there = node_at(root, box)
    if entry.key is not None and isinstance(there, Object) and there.members(entry.key):
        return edited
    return put(edited, box, entry.key, entry.value, last=last and entry.key is None)


def _boxes(
    node: Node, path: tuple[str, ...], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Node]]:
    if not path:
        yield above, node
    elif isinstance(node, Object):
        for member in node.children:
            if path[0] in (ANY, member.key):
                yield from _boxes(member.value, path[1:], (*above, member.key))


def _matches(place: tuple[str, ...], box: Node, entry: Entry) -> Iterator[Found]:
    match box:
        case Array() if entry.key is None:
            for node in box.children:
                value = content(node)
                if entry.fits(value):
                    yield Found(place, box, node, value)
                elif isinstance(node, Object) and isinstance(value, dict):
                    yield from _among_others(place, node, value, entry)
        case Object() if entry.key is not None:
            for member in box.members(entry.key):
                if entry.fits(value := content(member.value)):
                    yield Found(place, box, member, value)
        case _:
            return


def _among_others(
    place: tuple[str, ...], group: Object, value: dict[str, object], entry: Entry
) -> Iterator[Found]:
    """Hooks of ours in a group in which there are others."""
    for member in group.members(HOOKS):
        if isinstance(member.value, Array):
            for node in member.value.children:
                alone = {**value, HOOKS: [content(node)]}
                if entry.fits(alone):
                    yield Found(place, member.value, node, alone)


def value_at(data: bytes, name: str) -> object:
    """What stands there by that name; None for nothing. Raises BadSettings."""
    found = root_of(data.decode()).members(name) if data.strip() else ()
    return content(found[-1].value) if found else None


def need_strict_json(data: bytes) -> None:
    """One comment, and the agent takes nothing from the file: no hook either."""
    text = data.decode().removeprefix(MARK)
    if not text.strip():
        return
    root_of(text)
    try:
        json.loads(text)
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 0
        raise BadSettings(
            f"line {line}: a comment or a last comma, and so the agent ignores the whole file",
            "take it out, then install again",
        ) from error


def left_alone(path: str, error: BadSettings | UnicodeDecodeError) -> CannotInstall:
    if isinstance(error, UnicodeDecodeError):
        return CannotInstall(f"`{path}` was left alone: it is not UTF-8", "fix it by hand")
    return CannotInstall(f"`{path}` was left alone: {error}", error.hint or "fix it by hand")


def settings_in(path: str) -> Mapping[str, object]:
    """What another settings file says; nothing where it says nothing that counts."""
    try:
        found = content(root_of((file_content(path) or b"{}").decode()))
    except (BadSettings, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}
