"""Changes a value or a list in a JSON text; every other byte stays as it was written.

For automode's own settings and for the files of agents. Comments and last commas are allowed.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from automode.config.jsonc import Array, Leaf, Member, Node, Object, read
from automode.config.keys import canonical
from automode.config.places import content, replace_file
from automode.core.errors import BadSettings

_STEP = re.compile(r"\n([ \t]+)\"")
_GAP = re.compile(r"[ \t\r\n]+|//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Edited:
    """`pieces` were put into it, `made` are dotted names of objects and lists made for them."""

    text: str
    pieces: tuple[str, ...] = ()
    made: frozenset[str] = frozenset()


def parsed(text: str) -> Node:
    """The value in `text`. BadSettings where there is none."""
    return read(text.encode()).root


def root_of(text: str) -> Object:
    root = parsed(text)
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


def member_of(box: Object, name: str) -> Member | None:
    found = box.named(name)
    if len(found) > 1:
        raise BadSettings(f"`{name}` is set more than once", "leave one of them")
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
    return Edited(inserted(edited.text, at, piece), (*edited.pieces, piece), edited.made)


def lifted(text: str, pieces: tuple[str, ...]) -> str:
    """Without the pieces that stand there as they were put, as often as they were put, and so that
    the rest can still be read. A small one may also be a part of a larger one: it has its turn
    when that is gone."""
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
        parsed(text)
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
        return _beside(text, box, _written(key, value))
    newline = "\r\n" if "\r\n" in text else "\n"
    step = (_STEP.search(text) or ["", "  "])[1]
    before = margin(text, box.start)
    indent = newline + before + step
    body = _written(key, value, step).replace("\n", indent)
    if box.children:
        return f"{indent}{body},"
    closes = only_blanks(text[box.start + 1 : box.end - 1])
    ended = not closes or "\n" in text[box.start : box.end]
    return f"{indent}{body}{'' if ended else newline + before}"


def piece_behind(text: str, box: Object | Array, value: object) -> str:
    """What has to stand right behind the last child of `box`, so that `value` is the last one."""
    last = box.children[-1]
    if "\n" not in text[box.start : last.start]:
        return f", {_written(None, value)}"
    newline = "\r\n" if "\r\n" in text else "\n"
    step = (_STEP.search(text) or ["", "  "])[1]
    indent = newline + margin(text, last.start)
    return f",{indent}{_written(None, value, step).replace(chr(10), indent)}"


def _stays_on_its_line(text: str, box: Object | Array) -> bool:
    if box.children:
        return "\n" not in text[box.start : box.children[0].start]
    return "\n" not in text and not only_blanks(text[: box.start])


def _beside(text: str, box: Object | Array, body: str) -> str:
    if not box.children:
        return body
    return f" {body}," if text[box.start + 1] == " " else f"{body}, "


def inserted(text: str, at: int, piece: str) -> str:
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


def _written(key: str | None, value: object, step: str | None = None) -> str:
    body = json.dumps(value, indent=step, ensure_ascii=False)
    return body if key is None else f"{json.dumps(key)}: {body}"


def margin(text: str, at: int) -> str:
    """The white space that begins the line of `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


_INDENT = re.compile(r"\n([ \t]+)\"")


def set_text(file: str, key: str, value: str) -> None:
    """Writes `value` for `key`, such as `autoMode.classifierModel`; makes the file when there is
    none. BadSettings when the file cannot be read or its text leaves open what to change."""
    _change(file, lambda before: with_text(before, key, value))


def add_entries(file: str, key: str, entries: Sequence[str], *, fresh: Sequence[str] = ()) -> int:
    """Puts `entries` in front of the list at `key`, such as `permissions.allow`, those that are not
    in it yet; a list that is made for them begins with `fresh`. Returns the line of the first."""
    after = _change(file, lambda before: with_entries(before, key, entries, fresh=fresh))
    found = _at(read(after).root, key.split("."))
    items = found.items if isinstance(found, Array) else ()
    return next(one.line for one in items if isinstance(one, Leaf) and one.value == entries[0])


def _change(file: str, edit: Callable[[bytes | None], bytes]) -> bytes:
    real = os.path.realpath(file)  # a link that a person made stays a link
    try:
        before = content(real)
        after = edit(before)
    except BadSettings as error:
        raise BadSettings(f"`{file}` was not changed: {error}", error.hint) from error
    try:
        replace_file(real, after)
    except (OSError, ValueError) as error:
        raise BadSettings(f"`{file}` cannot be written: {error}") from error
    return after


def with_text(data: bytes | None, key: str, value: str) -> bytes:
    """`data` with `value` for `key`; None and blanks are an empty file."""
    return _with(data, key.split("."), value, lambda text, node: _replaced(text, node, value))


def with_entries(
    data: bytes | None, key: str, entries: Sequence[str], *, fresh: Sequence[str] = ()
) -> bytes:
    """`data` with `entries` in the list at `key`."""
    new = [*fresh, *entries]
    return _with(data, key.split("."), new, lambda text, node: _extended(text, node, entries))


def _with(
    data: bytes | None, path: Sequence[str], new: object, edit: Callable[[str, Node], str]
) -> bytes:
    """`edit` changes what stands at `path`; where nothing does, `new` is put there."""
    if data is None or not data.strip():
        return (json.dumps(_nested(path, new), indent=2, ensure_ascii=False) + "\n").encode()
    document = read(data)
    return _edited(data.decode(), document.root, path, new, edit).encode()


def _edited(
    text: str, root: Node, path: Sequence[str], new: object, edit: Callable[[str, Node], str]
) -> str:
    node = root
    for depth, name in enumerate(path):
        if not isinstance(node, Object):
            raise BadSettings(
                f"line {node.line}: expected an object for `{'.'.join(path[:depth]) or 'all'}`",
                "mend it by hand",
            )
        member = _member(node, path[:depth], name)
        if member is None:
            return _inserted(text, node, path[depth:], new)
        node = member.value
    return edit(text, node)


def _at(root: Node, path: Sequence[str]) -> Node | None:
    node: Node | None = root
    for depth, name in enumerate(path):
        member = _member(node, path[:depth], name) if isinstance(node, Object) else None
        node = None if member is None else member.value
    return node


def _member(node: Object, above: Sequence[str], name: str) -> Member | None:
    """The one member that is called `name`, in any spelling that counts as it."""
    wanted = ".".join((*above, name))
    found = [one for one in node.members if canonical(".".join((*above, one.key))) == wanted]
    if len(found) > 1:
        lines = ", ".join(str(one.line) for one in found)
        raise BadSettings(
            f"`{wanted}` is set more than once, in lines {lines}", "leave one of them"
        )
    return found[0] if found else None


def _replaced(text: str, node: Node, value: str) -> str:
    if not isinstance(node, Leaf):
        raise BadSettings(f"line {node.line}: expected a text", "mend it by hand")
    return text[: node.start] + json.dumps(value, ensure_ascii=False) + text[node.end :]


def _extended(text: str, node: Node, entries: Sequence[str]) -> str:
    """New first entries: nothing that follows has to change, whatever comments stand there."""
    if not isinstance(node, Array):
        raise BadSettings(f"line {node.line}: expected a list", "mend it by hand")
    known = {item.value for item in node.items if isinstance(item, Leaf)}
    new = [json.dumps(one, ensure_ascii=False) for one in entries if one not in known]
    if not new:
        return text
    start = node.start + 1
    if not node.items or node.items[0].line == node.line:
        comma = ", " if node.items else ""
        return f"{text[:start]}{', '.join(new)}{comma}{text[start:].lstrip(' ')}"
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = newline + margin(text, node.items[0].start)
    return f"{text[:start]}{''.join(f'{indent}{one},' for one in new)}{text[start:]}"


def _inserted(text: str, node: Object, path: Sequence[str], value: object) -> str:
    """A new first member: nothing that follows has to change, whatever comments stand there."""
    start = node.start + 1
    step = (_INDENT.search(text) or ["", "  "])[1]
    one_line = bool(node.members) and node.members[0].line == node.line
    written = json.dumps(_nested(path, value), ensure_ascii=False)[1:-1]
    if one_line:
        return f"{text[:start]}{written}, {text[start:].lstrip(' ')}"
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = margin(text, node.start) + step
    comma = "," if node.members else ""
    lines = json.dumps(_nested(path, value), indent=step, ensure_ascii=False).splitlines()[1:-1]
    # The dump is indented by one step already; what is missing is where the object stands.
    body = newline.join(indent + line.removeprefix(step) for line in lines)
    rest = text[start:]
    if not node.members and not rest.lstrip(" \t").startswith(("\n", "\r\n", "//", "/*")):
        rest = newline + margin(text, node.start) + rest.lstrip(" \t")
    return f"{text[:start]}{newline}{body}{comma}{rest}"


def _nested(path: Sequence[str], value: object) -> dict[str, object]:
    nested: object = value
    for name in reversed(path[1:]):
        nested = {name: nested}
    return {path[0]: nested}
