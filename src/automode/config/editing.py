"""Changes one value or list of a settings file and leaves every other byte as it was written."""

import json
import os
import re
from collections.abc import Callable, Sequence

from automode.config.disk import content, replace_file
from automode.config.json_edit import margin
from automode.config.json_tree import Array, Leaf, Member, Node, Object
from automode.config.jsonc import read
from automode.config.keys import canonical
from automode.core.errors import BadSettings

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
