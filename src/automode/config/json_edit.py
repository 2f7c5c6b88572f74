"""Changes a value or a list in a JSON text; every other byte stays as it was written.

For automode's own settings and for the files of agents. Comments and last commas are allowed.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from automode.config.jsonc import Array, Leaf, Member, Node, Object, read
from automode.config.keys import canonical
from automode.config.places import content, replace_file
from automode.core.errors import BadSettings

Lists: TypeAlias = Mapping[str, Sequence[str]]
_STEP = re.compile(r"\n([ \t]+)\"")
_GAP = re.compile(r"[ \t\r\n]+|//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Edited:
    """`pieces` were put into it, `made` are dotted names of objects and lists made for them."""

    text: str
    pieces: tuple[str, ...] = ()
    made: frozenset[str] = frozenset()


def parse_json(text: str) -> Node:
    """The value in `text`. BadSettings where there is none."""
    return read(text.encode()).root


def root_of(text: str) -> Object:
    root = parse_json(text)
    if not isinstance(root, Object):
        raise BadSettings("expected `{`: the settings are no object", "mend them by hand")
    return root


def node_at(root: Object, path: tuple[str, ...]) -> Node | None:
    """What stands at `path`; BadSettings where a name stands twice on the way."""
    node: Node | None = root
    for name in path:
        member = member_of(node, name) if isinstance(node, Object) else None
        node = None if member is None else member.value
    return node


def member_of(box: Object, name: str, above: Sequence[str] | None = None) -> Member | None:
    """The member called `name`. With `above`, the path of a section of our own settings, also
    under another spelling that counts as it."""

    def meaning(key: str) -> str:
        return key if above is None else canonical(".".join((*above, key)))

    found = [one for one in box.children if meaning(one.key) == meaning(name)]
    if len(found) > 1:
        lines = ", ".join(str(one.line) for one in found)
        raise BadSettings(f"`{name}` is set more than once, in lines {lines}", "leave one of them")
    return found[0] if found else None


def put(
    edited: Edited, path: tuple[str, ...], key: str | None, value: object, *, last: bool = False
) -> Edited:
    """`key` None: into the list at `path`, else into the object."""
    box = node_at(root_of(edited.text), path)
    if not isinstance(box, Array if key is None else Object):
        what = "a list" if key is None else "an object"
        raise BadSettings(f"expected {what} for `{'.'.join(path)}`", "mend it by hand")
    if last and box.children:
        at, piece = box.children[-1].end, piece_behind(edited.text, box, value)
    else:
        at, piece = box.start + 1, piece_for(edited.text, box, value, key)
    return Edited(insert(edited.text, at, piece), (*edited.pieces, piece), edited.made)


def lift_pieces(text: str, pieces: tuple[str, ...]) -> str:
    """The text without our pieces, each as often as it was put in, so that the rest can still be
    read. A small one that is also part of a larger one goes after it."""
    wanted = Counter(pieces)
    while wanted:
        for piece, times in wanted.items():
            rest = text.replace(piece, "")
            if text.count(piece) == times and _readable(rest):
                break
        else:
            return text
        text = rest
        del wanted[piece]
    return text


def _readable(text: str) -> bool:
    try:
        parse_json(text)
    except BadSettings:
        return False
    return True


def without_empty(text: str, path: tuple[str, ...]) -> str:
    """Without the object or list at `path`, where nothing is in it."""
    box = node_at(root_of(text), path[:-1])
    member = member_of(box, path[-1]) if isinstance(box, Object) else None
    if member is None or not isinstance(box, Object):
        return text
    empty = isinstance(member.value, Array | Object) and not member.value.children
    return without(text, box, member) if empty else text


def only_blanks(text: str) -> bool:
    return not text.strip(" \t\r\n")


def gaps(text: str, start: int) -> Iterator[tuple[int, int]]:
    """White space and comments that stand at `start`, one after the other."""
    while found := _GAP.match(text, start):
        yield found.start(), found.end()
        start = found.end()


def piece_for(text: str, box: Object | Array, value: object, key: str | None = None) -> str:
    """What has to stand right behind the bracket that opens `box`, so that `value` is its first
    child. Nothing that follows changes, whatever comments stand there."""
    if _stays_on_its_line(text, box):
        return _insert_beside(text, box, _dump(key, value))
    newline, step = _layout(text)
    before = _margin(text, box.start)
    indent = newline + before + step
    body = _dump(key, value, step).replace("\n", indent)
    if box.children:
        return f"{indent}{body},"
    closes = only_blanks(text[box.start + 1 : box.end - 1])
    ended = not closes or "\n" in text[box.start : box.end]
    return f"{indent}{body}{'' if ended else newline + before}"


def piece_behind(text: str, box: Object | Array, value: object) -> str:
    """What has to stand right behind the last child of `box`, so that `value` is the last one."""
    last = box.children[-1]
    if "\n" not in text[box.start : last.start]:
        return f", {_dump(None, value)}"
    newline, step = _layout(text)
    indent = newline + _margin(text, last.start)
    return f",{indent}{_dump(None, value, step).replace(chr(10), indent)}"


def _stays_on_its_line(text: str, box: Object | Array) -> bool:
    if box.children:
        return "\n" not in text[box.start : box.children[0].start]
    return "\n" not in text and not only_blanks(text[: box.start])


def _insert_beside(text: str, box: Object | Array, body: str) -> str:
    if not box.children:
        return body
    return f" {body}," if text[box.start + 1] == " " else f"{body}, "


def insert(text: str, at: int, piece: str) -> str:
    return text[:at] + piece + text[at:]


def without(text: str, box: Object | Array, child: Member | Node) -> str:
    """`text` without `child` and the comma that it needed. Comments around it stay."""
    comma = _comma_after(text, child.end)
    start = _gap_before(text, box, child.start)
    cuts = [(start, child.end)]
    if comma is not None:
        cuts = [(start, comma + 1)] if comma == child.end else [*cuts, (comma, comma + 1)]
    elif (before := _comma_before(text, box, child)) is not None:
        cuts = [(before, before + 1), *cuts]
    elif start == box.start + 1 and only_blanks(text[child.end : box.end - 1]):
        cuts = [(start, box.end - 1)]
    return _cut(text, cuts)


def _cut(text: str, cuts: list[tuple[int, int]]) -> str:
    for start, end in reversed(cuts):
        text = text[:start] + text[end:]
    return text


def _comma_after(text: str, end: int) -> int | None:
    at = end
    for _, gap_end in gaps(text, end):
        at = gap_end
    return at if text.startswith(",", at) else None


def _comma_before(text: str, box: Object | Array, child: Member | Node) -> int | None:
    ends = [one.end for one in box.children if one.end <= child.start]
    return _comma_after(text, max(ends)) if ends else None


def _gap_before(text: str, box: Object | Array, start: int) -> int:
    """Where the white space in front of `start` begins. That behind a comment of the `//` kind
    stays: its newline is what ends the comment."""
    ends = [one.end for one in box.children if one.end <= start]
    at = max(ends, default=box.start + 1)
    comma = _comma_after(text, at) if ends else None
    spans = list(gaps(text, at if comma is None else comma + 1))
    if not spans or not only_blanks(text[slice(*spans[-1])]):
        return start
    begin = spans[-1][0]
    behind_a_line_comment = len(spans) > 1 and text.startswith("//", spans[-2][0])
    return start if behind_a_line_comment else begin


def _dump(key: str | None, value: object, step: str | None = None) -> str:
    body = json.dumps(value, indent=step, ensure_ascii=False)
    return body if key is None else f"{json.dumps(key)}: {body}"


def _layout(text: str) -> tuple[str, str]:
    """What ends a line, and by how much one is indented."""
    return "\r\n" if "\r\n" in text else "\n", (_STEP.search(text) or ["", "  "])[1]


def _margin(text: str, at: int) -> str:
    """The white space that begins the line of `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def set_text(file: str, key: str, value: str) -> None:
    """Writes `value` for `key`, such as `autoMode.classifierModel`; makes the file when there is
    none. BadSettings when the file cannot be read or its text leaves open what to change."""
    _change(file, lambda before: with_text(before, key, value))


def add_entries(file: str, key: str, entries: Sequence[str], *, fresh: Sequence[str] = ()) -> int:
    """Puts `entries` in front of the list at `key`, such as `permissions.allow`, those that are not
    in it yet; a list that is made for them begins with `fresh`. Returns the line of the first."""
    after = _change(file, lambda before: with_entries(before, key, entries, fresh=fresh))
    found, _ = _find_setting(after, key)
    items = found.children if isinstance(found, Array) else ()
    return next(one.line for one in items if isinstance(one, Leaf) and one.value == entries[0])


def add_lists(file: str, lists: Lists, fresh: Lists) -> None:
    """The same for several lists, in one step: all of them or none."""
    _change(file, lambda before: with_lists(before, lists, fresh))


def _change(file: str, edit: Callable[[bytes | None], str]) -> str:
    real = os.path.realpath(file)  # a link that a person made stays a link
    try:
        after = edit(content(real))
    except BadSettings as error:
        raise BadSettings(f"`{file}` was not changed: {error}", error.hint) from error
    try:
        replace_file(real, after.encode())
    except (OSError, ValueError) as error:
        why = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise BadSettings(
            f"`{file}` cannot be written: {why.lower()}", "see who may write there, then try again"
        ) from error
    return after


def with_text(data: bytes | None, key: str, value: str) -> str:
    """`data` with `value` for `key`; None and blanks are an empty file."""
    text = _text_of(data)
    node, missing = _find_setting(text, key)
    if missing:
        return _put_setting(text, node, missing, value)
    if not isinstance(node, Leaf):
        raise BadSettings(f"line {node.line}: expected a text", "mend it by hand")
    return text[: node.start] + json.dumps(value, ensure_ascii=False) + text[node.end :]


def with_entries(
    data: bytes | None, key: str, entries: Sequence[str], *, fresh: Sequence[str] = ()
) -> str:
    """`data` with `entries` in the list at `key`."""
    text = _text_of(data)
    node, missing = _find_setting(text, key)
    if missing:
        return _put_setting(text, node, missing, [*fresh, *entries])
    if not isinstance(node, Array):
        raise BadSettings(f"line {node.line}: expected a list", "mend it by hand")
    known = [one.value for one in node.children if isinstance(one, Leaf)]
    for entry in reversed([one for one in entries if one not in known]):
        node, _ = _find_setting(text, key)
        if isinstance(node, Array):
            text = insert(text, node.start + 1, piece_for(text, node, entry))
    return text


def with_lists(data: bytes | None, lists: Lists, fresh: Lists) -> str:
    """`data` with the entries of each list at its key."""
    text = _text_of(data)
    for key, entries in lists.items():
        text = with_entries(text.encode(), key, entries, fresh=fresh.get(key, ()))
    return text


def _text_of(data: bytes | None) -> str:
    if data is None or not data.strip():
        return "{}\n"
    read(data)  # says in plain words what is wrong with it
    return data.decode()


def _find_setting(text: str, key: str) -> tuple[Node, list[str]]:
    """The deepest node on the way to `key`, in any spelling that counts as it, and the names that
    are missing below it."""
    node, path = parse_json(text), key.split(".")
    for depth, name in enumerate(path):
        if not isinstance(node, Object):
            where = ".".join(path[:depth]) or "all"
            raise BadSettings(
                f"line {node.line}: expected an object for `{where}`", "mend it by hand"
            )
        member = member_of(node, name, path[:depth])
        if member is None:
            return node, path[depth:]
        node = member.value
    return node, []


def _put_setting(text: str, node: Node, missing: Sequence[str], value: object) -> str:
    for name in reversed(missing[1:]):
        value = {name: value}
    box = node if isinstance(node, Object) else root_of(text)
    return insert(text, box.start + 1, piece_for(text, box, value, missing[0]))
