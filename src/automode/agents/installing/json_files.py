"""Puts entries of ours into JSON files of agents, and takes exactly them out again.

Hooks over HTTP go where the agent's variables for proxies lead, and a project can set those: its
proxy would then answer in the daemon's place. So the variables that spare hosts are entries, too.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from automode.agents.installing.plan import (
    OWNER_ONLY,
    CannotInstall,
    Change,
    Placed,
    Receipt,
    Receipts,
    Scope,
    Transport,
    present,
)
from automode.agents.installing.site import Program, is_our_status_line, is_ours
from automode.config.json_edit import (
    Edited,
    inserted,
    lifted,
    node_at,
    parsed,
    put,
    root_of,
    without,
    without_empty,
)
from automode.config.jsonc import MARK, Array, Leaf, Member, Node, Object, content, plain
from automode.config.places import content as file_content
from automode.core.errors import BadSettings

NAMES = ("NO_PROXY", "no_proxy")
"""Both: programs differ in which of them they prefer."""
OURS = "127.0.0.1,localhost,automode.invalid"
"""The last one exists nowhere: it tells that automode wrote the list."""
EXTENSION = f",{OURS}"
_LOOPBACK = frozenset({"127.0.0.1", "*"})
EVERYBODY_READS = 0o644
HOOKS, STATUS_LINE, ENVIRONMENT = "hooks", "statusLine", "env"
SCREEN = "ui"  # holds the status line of agents that do not keep it beside the hooks


def spares_loopback(value: object) -> bool:
    return isinstance(value, str) and not _LOOPBACK.isdisjoint(_hosts(value))


def usual_hosts(environment: Mapping[str, str]) -> str:
    """What the person's own environment keeps from proxies. Settings outrank it, so they have to
    say it as well."""
    return environment.get("no_proxy") or environment.get("NO_PROXY") or ""


def whole_value(hosts: str) -> str:
    """The list where there was none in the settings."""
    known = OURS.split(",")
    return ",".join((*known, *(host for host in _hosts(hosts) if host not in known)))


def extended(value: str) -> str:
    if spares_loopback(value):
        return value
    return f"{value}{EXTENSION}" if value else OURS


def is_our_value(value: object) -> bool:
    """Whether all of it was written by us."""
    return isinstance(value, str) and (value == OURS or value.startswith(f"{OURS},"))


def _hosts(value: str) -> list[str]:
    return [host for host in re.split(r"[,\s]+", value) if host]


@dataclass(frozen=True, slots=True)
class JsonFile:
    """A JSON file of an agent's. `named` is what the agent calls it; it may be a link."""

    agent: str
    scope: Scope
    named: str
    transport: Transport = Transport.COMMAND
    comments: bool = True
    """Whether the agent reads a file with comments in it."""

    def put_in(self, base: bytes | None) -> Edited:
        """`base`, which holds nothing of ours, with our entries. BadSettings where they have no
        place."""
        raise NotImplementedError

    def take_out(self, text: str, made: frozenset[str] | None) -> str:
        """Without what is ours. `made`: the boxes that we made; None: nobody knows."""
        raise NotImplementedError

    def stands(self, before: bytes, edited: Edited) -> bool:
        """Whether exactly our entries stand there already."""
        return edited.text.encode() == before

    def is_left_over(self, left: str) -> bool:
        """Whether this is all that we put into a file of our own."""
        return plain(parsed(left)) == ()

    def plan(self, program: Program, receipts: Receipts) -> tuple[Change, ...]:
        """Nothing where our entries stand there already. Raises CannotInstall."""
        path, before = present(self.named)
        base = self.base(path, before, receipts)
        try:
            edited = self.put_in(base)
        except (BadSettings, UnicodeDecodeError) as error:
            raise left_alone(path, error) from error
        if before is not None and before.strip() and self.stands(before, edited):
            return ()
        change = Placed(self.agent, self.scope, self.named, path, before).change(
            edited.text.encode(),
            program.version,
            self.transport,
            base,
            pieces=edited.pieces,
            made=edited.made,
            mode=EVERYBODY_READS if self.scope is Scope.MANAGED else OWNER_ONLY,
        )
        return (change,)

    def plan_out(self, receipts: Receipts) -> tuple[Change, ...]:
        """Nothing to change: nothing of ours is there. Raises CannotInstall."""
        path, before = present(self.named)
        receipt = receipts.find(self.agent, path)
        try:
            after = self.without_us(before, receipt)
        except (BadSettings, UnicodeDecodeError) as error:
            raise left_alone(path, error) from error
        return () if after == before and receipt is None else (Change(path, before, after),)

    def base(self, path: str, before: bytes | None, receipts: Receipts) -> bytes | None:
        """The file without us, as the agent can read it. Raises CannotInstall."""
        try:
            base = self.without_us(before, receipts.find(self.agent, path))
            if not self.comments:
                need_strict_json(base or b"")
        except (BadSettings, UnicodeDecodeError) as error:
            raise left_alone(path, error) from error
        return base

    def without_us(self, data: bytes | None, receipt: Receipt | None) -> bytes | None:
        """None where then nothing is left of a file that we made. Where nobody touched the file it
        is given back as it was, and what was put there goes as it was put, blanks and all, where
        that leaves the same. BadSettings where it cannot be read."""
        if data is None or not data.strip():
            return data
        if receipt is None:
            return self.take_out(data.decode(), None).encode()
        if receipt.knows(data):
            return receipt.without
        text = data.decode()
        left = self.take_out(text, receipt.made)
        rest = self.take_out(lifted(text, receipt.pieces), receipt.made)
        if plain(parsed(rest)) == plain(parsed(left)):
            left = rest
        return None if receipt.without is None and self.is_left_over(left) else left.encode()


@dataclass(frozen=True, slots=True)
class HooksFile(JsonFile):
    """Hooks by event, in groups, as most agents have them, and what stands beside them."""

    hooks: Mapping[str, object] = field(default_factory=dict)
    """A group for the list of each event."""
    status_line: object | None = None
    spared: str | None = None
    """Further hosts that no proxy may stand before; None: no word about proxies."""
    last: bool = False
    """Behind the groups that are there, for agents that know hooks by their number."""
    below: str = ""
    """The object in which the status line stands; empty: the settings themselves."""

    def put_in(self, base: bytes | None) -> Edited:
        text = (base or b"").decode()
        fresh = {event: [group] for event, group in self.hooks.items()}
        all_made = frozenset({HOOKS, *(f"{HOOKS}.{event}" for event in fresh)})
        if not text.strip():
            whole = json.dumps({HOOKS: fresh, **self._beside()}, indent=2, ensure_ascii=False)
            return Edited(f"{whole}\n", made=all_made | {ENVIRONMENT, SCREEN})
        edited = self._with_status_line(Edited(text))
        if self.spared is not None:
            edited = _with_spared_hosts(edited, self.spared)
        if node_at(root_of(text), (HOOKS,)) is None:
            return _note_made(put(edited, (), HOOKS, fresh), all_made)
        for event, group in reversed(list(self.hooks.items())):  # each is put first
            if node_at(root_of(edited.text), (HOOKS, event)) is None:
                edited = _note_made(put(edited, (HOOKS,), event, [group]), {f"{HOOKS}.{event}"})
            else:
                edited = put(edited, (HOOKS, event), None, group, last=self.last)
        return edited

    def _beside(self) -> dict[str, object]:
        """What a file of our own holds beside the hooks."""
        found: dict[str, object] = {}
        if self.spared is not None:
            found[ENVIRONMENT] = dict.fromkeys(NAMES, whole_value(self.spared))
        if self.status_line is not None:
            line = {STATUS_LINE: self.status_line}
            found |= {self.below: line} if self.below else line
        return found

    def _with_status_line(self, edited: Edited) -> Edited:
        """Where there is none."""
        path = (self.below,) if self.below else ()
        box = node_at(root_of(edited.text), path)
        there = isinstance(box, Object) and box.named(STATUS_LINE)
        if self.status_line is None or there:
            return edited
        if box is None:
            line = {STATUS_LINE: self.status_line}
            return _note_made(put(edited, (), self.below, line), {self.below})
        return put(edited, path, STATUS_LINE, self.status_line)

    def take_out(self, text: str, made: frozenset[str] | None) -> str:
        """Where nobody knows what we made, what is empty then goes as well."""
        root = root_of(text)
        touched = {event for event, _ in ours(root)}
        alone = any(map(is_our_value, variables(root).values()))
        shown = any(is_our_status_line(content(line.value)) for _, line in status_lines(root))
        while (shorter := _one_less(text)) != text:
            text = shorter
        boxes = [
            *((HOOKS, event) for event in touched),
            *([(HOOKS,)] if touched else []),
            *([(ENVIRONMENT,)] if alone else []),
            *([(SCREEN,)] if shown else []),
        ]
        for box in boxes:
            if made is None or ".".join(box) in made:
                text = without_empty(text, box)
        return text

    def stands(self, before: bytes, edited: Edited) -> bool:
        """However they are laid out."""
        root = root_of(before.decode())
        shown = [content(line.value) for _, line in status_lines(root)]
        status = self.status_line is None or self.status_line in shown
        spared = variables(root) == variables(root_of(edited.text))
        return status and spared and self.has_hooks(before)

    def has_hooks(self, data: bytes) -> bool:
        """Whether exactly these hooks stand there, however they are laid out."""
        wanted = [(event, _only_handler(group)) for event, group in self.hooks.items()]
        found = list(ours(root_of(data.decode())))
        return sorted(found, key=_event) == sorted(wanted, key=_event)


def _event(row: tuple[str, object]) -> str:
    return row[0]


def _only_handler(group: object) -> object:
    match group:
        case {"hooks": [handler]}:
            return handler
        case _:
            return None


def _with_spared_hosts(edited: Edited, hosts: str) -> Edited:
    """A list that is there stays, and gets what it misses at its end."""
    there = variables(root_of(edited.text))
    listed = [value for value in there.values() if isinstance(value, str)]
    value = whole_value(listed[0] if listed else hosts)
    if node_at(root_of(edited.text), (ENVIRONMENT,)) is None:
        added = put(edited, (), ENVIRONMENT, dict.fromkeys(NAMES, value))
        return _note_made(added, {ENVIRONMENT})
    for name in reversed(NAMES):
        if name not in there:
            edited = put(edited, (ENVIRONMENT,), name, value)
        elif not spares_loopback(there[name]):
            edited = _lengthen(edited, name)
    return edited


def _lengthen(edited: Edited, name: str) -> Edited:
    leaf = node_at(root_of(edited.text), (ENVIRONMENT, name))
    if not isinstance(leaf, Leaf) or not isinstance(leaf.value, str):
        raise BadSettings(f"expected a text for `{ENVIRONMENT}.{name}`", "mend it by hand")
    text = inserted(edited.text, leaf.end - 1, EXTENSION)
    return Edited(text, (*edited.pieces, EXTENSION), edited.made)


def status_lines(root: Object) -> Iterator[tuple[Object, Member]]:
    """All that stand where an agent looks for one, each in its object."""
    inner = [one.value for one in root.named(SCREEN)]
    for box in (root, *(one for one in inner if isinstance(one, Object))):
        for member in box.named(STATUS_LINE):
            yield box, member


def variables(root: Object) -> dict[str, object]:
    """What the settings say about hosts that no proxy may stand before."""
    found = [content(member.value) for member in root.named(ENVIRONMENT)]
    last = found[-1] if found else {}
    known = last if isinstance(last, dict) else {}
    return {name: known[name] for name in NAMES if name in known}


def ours(root: Object) -> Iterator[tuple[str, dict[str, object]]]:
    """The handlers that are ours, each with its event."""
    for event, _, group in _groups(root):
        for handler in _handlers(group):
            found = content(handler)
            if isinstance(found, dict) and is_ours(found):
                yield event.key, found


def _note_made(edited: Edited, names: Collection[str]) -> Edited:
    return replace(edited, made=edited.made | frozenset(names))


def _one_less(text: str) -> str:
    root = root_of(text)
    for box, member in status_lines(root):
        if is_our_status_line(content(member.value)):
            return without(text, box, member)
    for box, member in _lists_of_hosts(root):
        if is_our_value(content(member.value)):
            return without(text, box, member)
        if text.endswith(f'{EXTENSION}"', 0, member.end):
            return text[: member.end - 1 - len(EXTENSION)] + text[member.end - 1 :]
    for _, groups, group in _groups(root):
        handlers = _handlers(group)
        mine = [handler for handler in handlers if is_ours(content(handler))]
        if mine and len(mine) == len(handlers):
            return without(text, groups, group)
        if mine and isinstance(listed := group.named(HOOKS)[-1].value, Array):
            return without(text, listed, mine[0])
    return text


def _lists_of_hosts(root: Object) -> Iterator[tuple[Object, Member]]:
    for environment in root.named(ENVIRONMENT):
        if isinstance(box := environment.value, Object):
            for member in box.children:
                if member.key in NAMES:
                    yield box, member


def _groups(root: Object) -> Iterator[tuple[Member, Array, Object]]:
    for hooks in root.named(HOOKS):
        events = hooks.value.children if isinstance(hooks.value, Object) else ()
        for event in events:
            if isinstance(event.value, Array):
                for group in event.value.children:
                    if isinstance(group, Object):
                        yield event, event.value, group


def _handlers(group: Object) -> tuple[Node, ...]:
    listed = [one.value for one in group.named(HOOKS)]
    return listed[-1].children if listed and isinstance(listed[-1], Array) else ()


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
class EntryFile(JsonFile):
    """Single values. `fresh`: what a file of our own holds beside them. `needed`: what any has to
    hold."""

    entries: tuple[Entry, ...] = ()
    fresh: Mapping[str, object] = field(default_factory=dict)
    needed: Mapping[str, object] = field(default_factory=dict)

    def put_in(self, base: bytes | None) -> Edited:
        text = (base or b"").decode()
        own = not text.strip()
        if own:
            beside = {**self.fresh, **self.needed}
            text = f"{json.dumps(beside, indent=2, ensure_ascii=False)}\n"
        edited = Edited(text)
        for name, value in self.needed.items():
            if not root_of(edited.text).named(name):
                edited = put(edited, (), name, value)
        for entry in reversed(self.entries):  # each is put first
            edited = _enter(edited, entry)
        return Edited(edited.text, made=edited.made) if own else edited

    def take_out(self, text: str, made: frozenset[str] | None) -> str:
        """Where nobody knows what we put in, only what tells by itself that it is ours goes."""
        for entry in self.entries:
            while (made is not None or entry.is_ours) and (
                found := next(_fitting(text, entry), None)
            ):
                text = without(text, *found)
        for name in sorted(made or (), key=lambda one: -one.count(".")):
            text = without_empty(text, tuple(name.split(".")))
        return text

    def is_left_over(self, left: str) -> bool:
        return content(parsed(left)) in ({}, {**self.fresh, **self.needed})


def found_entries(data: bytes, entry: Entry) -> list[object]:
    """What of ours stands there. Raises BadSettings where the file cannot be read."""
    text = data.decode()
    found = _fitting(text, entry) if text.strip() else ()
    return [content(one.value if isinstance(one, Member) else one) for _, one in found]


def value_at(data: bytes, name: str) -> object:
    """What stands there by that name; None for nothing. Raises BadSettings."""
    found = root_of(data.decode()).named(name) if data.strip() else ()
    return content(found[-1].value) if found else None


def _enter(edited: Edited, entry: Entry) -> Edited:
    """Where a box is missing, it is made with what belongs into it."""
    root = root_of(edited.text)
    for depth, name in enumerate(entry.box):
        if node_at(root, entry.box[: depth + 1]) is None:
            value: object = [entry.value] if entry.key is None else {entry.key: entry.value}
            for missing in reversed(entry.box[depth + 1 :]):
                value = {missing: value}
            made = {".".join(entry.box[: end + 1]) for end in range(depth, len(entry.box))}
            return _note_made(put(edited, entry.box[:depth], name, value), made)
    return put(edited, entry.box, entry.key, entry.value)


def _fitting(text: str, entry: Entry) -> Iterator[tuple[Object | Array, Member | Node]]:
    match node_at(root_of(text), entry.box):
        case Array() as box if entry.key is None:
            yield from ((box, one) for one in box.children if entry.fits(content(one)))
        case Object() as box if entry.key is not None:
            named = box.named(entry.key)
            yield from ((box, one) for one in named if entry.fits(content(one.value)))
        case _:
            return


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
        return CannotInstall(f"`{path}` was left alone: it is not UTF-8", "mend it by hand")
    return CannotInstall(f"`{path}` was left alone: {error}", error.hint or "mend it by hand")


def settings_in(path: str) -> Mapping[str, object]:
    """What another settings file says; nothing where it says nothing that counts."""
    try:
        found = content(root_of((file_content(path) or b"{}").decode()))
    except (BadSettings, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}
