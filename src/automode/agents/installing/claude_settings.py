"""Puts automode's entries into the text of Claude Code's settings and takes exactly them out."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from automode.agents.installing.claude_hooks import is_our_status_line, is_ours
from automode.agents.installing.no_proxy import (
    EXTENSION,
    NAMES,
    is_our_value,
    spares_loopback,
    whole_value,
)
from automode.agents.installing.plan import Receipt
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
from automode.config.jsonc import Array, Leaf, Member, Node, Object, content, plain
from automode.core.errors import BadSettings

HOOKS, STATUS_LINE, ENVIRONMENT = "hooks", "statusLine", "env"
SCREEN = "ui"  # holds the status line of agents that do not keep it beside the hooks


@dataclass(frozen=True, slots=True)
class Entries:
    """What belongs into the settings: a group for the list of each event, maybe a status line."""

    hooks: Mapping[str, object]
    status_line: object | None = None
    spared: str | None = None
    """Further hosts that no proxy may stand before; None: no word about proxies."""
    last: bool = False
    """Behind the groups that are there, for agents that know hooks by their number."""
    below: str = ""
    """The object in which the status line stands; empty: the settings themselves."""


def with_entries(data: bytes | None, entries: Entries) -> Edited:
    """`data`, which holds nothing of ours, with `entries`. BadSettings where they have no place."""
    text = (data or b"").decode()
    fresh = {event: [group] for event, group in entries.hooks.items()}
    all_made = frozenset({HOOKS, *(f"{HOOKS}.{event}" for event in fresh)})
    if not text.strip():
        whole = json.dumps({HOOKS: fresh, **_beside(entries)}, indent=2, ensure_ascii=False)
        return Edited(f"{whole}\n", made=all_made | {ENVIRONMENT, SCREEN})
    edited = _shown(Edited(text), entries)
    if entries.spared is not None:
        edited = _sparing(edited, entries.spared)
    if node_at(root_of(text), (HOOKS,)) is None:
        return _made(put(edited, (), HOOKS, fresh), all_made)
    for event, group in reversed(list(entries.hooks.items())):  # each is put first
        if node_at(root_of(edited.text), (HOOKS, event)) is None:
            edited = _made(put(edited, (HOOKS,), event, [group]), {f"{HOOKS}.{event}"})
        else:
            edited = put(edited, (HOOKS, event), None, group, last=entries.last)
    return edited


def _beside(entries: Entries) -> dict[str, object]:
    """What a file of our own holds beside the hooks."""
    found: dict[str, object] = {}
    if entries.spared is not None:
        found[ENVIRONMENT] = dict.fromkeys(NAMES, whole_value(entries.spared))
    if entries.status_line is not None:
        line = {STATUS_LINE: entries.status_line}
        found |= {entries.below: line} if entries.below else line
    return found


def _shown(edited: Edited, entries: Entries) -> Edited:
    """With the status line, where there is none."""
    path = (entries.below,) if entries.below else ()
    box = node_at(root_of(edited.text), path)
    there = isinstance(box, Object) and box.named(STATUS_LINE)
    if entries.status_line is None or there:
        return edited
    if box is None:
        line = {STATUS_LINE: entries.status_line}
        return _made(put(edited, (), entries.below, line), {entries.below})
    return put(edited, path, STATUS_LINE, entries.status_line)


def _sparing(edited: Edited, hosts: str) -> Edited:
    """A list that is there stays, and gets what it misses at its end."""
    there = variables(root_of(edited.text))
    listed = [value for value in there.values() if isinstance(value, str)]
    value = whole_value(listed[0] if listed else hosts)
    if node_at(root_of(edited.text), (ENVIRONMENT,)) is None:
        added = put(edited, (), ENVIRONMENT, dict.fromkeys(NAMES, value))
        return _made(added, {ENVIRONMENT})
    for name in reversed(NAMES):
        if name not in there:
            edited = put(edited, (ENVIRONMENT,), name, value)
        elif not spares_loopback(there[name]):
            edited = _lengthened(edited, name)
    return edited


def _lengthened(edited: Edited, name: str) -> Edited:
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


def without_entries(data: bytes, receipt: Receipt | None) -> bytes | None:
    """`data` without what is ours; None where then nothing is left of a file that we made. Where
    nobody touched the file it is given back as it was. BadSettings where it cannot be read."""
    if receipt is not None and receipt.knows(data):
        return receipt.without
    text = data.decode()
    made = None if receipt is None else receipt.made
    structural = _without(text, made)
    left = structural
    if receipt is not None:
        rest = _without(lifted(text, receipt.pieces), made)
        if plain(parsed(rest)) == plain(parsed(structural)):
            left = rest
    if receipt is not None and receipt.without is None and plain(parsed(left)) == ():
        return None
    return left.encode()


def ours(root: Object) -> Iterator[tuple[str, dict[str, object]]]:
    """The handlers that are ours, each with its event."""
    for event, _, group in _groups(root):
        for handler in _handlers(group):
            found = content(handler)
            if isinstance(found, dict) and is_ours(found):
                yield event.key, found


def _made(edited: Edited, names: Collection[str]) -> Edited:
    return Edited(edited.text, edited.pieces, edited.made | frozenset(names))


def _without(text: str, made: frozenset[str] | None) -> str:
    """`made` None: nobody knows, so what is empty then goes as well."""
    root = root_of(text)
    touched = {event for event, _ in ours(root)}
    alone = any(map(is_our_value, variables(root).values()))
    shown = any(is_our_status_line(content(line.value)) for _, line in status_lines(root))
    while (shorter := _one_less(text)) != text:
        text = shorter
    for event in touched:
        if made is None or f"{HOOKS}.{event}" in made:
            text = without_empty(text, (HOOKS, event))
    if touched and (made is None or HOOKS in made):
        text = without_empty(text, (HOOKS,))
    if alone and (made is None or ENVIRONMENT in made):
        text = without_empty(text, (ENVIRONMENT,))
    if shown and (made is None or SCREEN in made):
        text = without_empty(text, (SCREEN,))
    return text


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
