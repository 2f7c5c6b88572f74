"""Which variables a part of a script may change."""

from automode.shell.parameters import changed_names
from automode.shell.syntax import (
    Background,
    Branches,
    Evaluation,
    Function,
    Group,
    Loop,
    Node,
    Pipe,
    Seq,
    Simple,
    Text,
    Unread,
)

_ASSIGNING = frozenset(
    "read export declare typeset local readonly unset mapfile readarray getopts let printf".split()
)


def assigned_names(node: Node) -> frozenset[str]:
    """Names assigned anywhere inside, subshells left out."""
    match node:
        case Simple():
            return _of_simple(node)
        case Pipe() | Background() | Unread():
            return frozenset()
        case Seq():
            return _of(node.items)
        case Group():
            return frozenset() if node.subshell else assigned_names(node.body)
        case Branches():
            return _of((*node.conditions, *node.bodies))
        case Loop():
            inside = (node.body,) if node.condition is None else (node.body, node.condition)
            return _of(inside) | ({node.variable} if node.variable else frozenset())
        case Function():
            return assigned_names(node.body)
        case Evaluation():
            return frozenset() if node.kind == "[[" else changed_names(node.raw)


def _of(nodes: tuple[Node, ...]) -> frozenset[str]:
    return frozenset(name for node in nodes for name in assigned_names(node))


def _of_simple(node: Simple) -> frozenset[str]:
    if not node.words:
        return frozenset(assign.name for assign in node.assigns)
    first = node.words[0]
    name = first[0].value if len(first) == 1 and isinstance(first[0], Text) else ""
    if name not in _ASSIGNING:
        return frozenset()
    found: set[str] = set()
    for word in node.words[1:]:
        if word and isinstance(word[0], Text):
            candidate = word[0].value.partition("=")[0].rstrip("+")
            if candidate.isidentifier():
                found.add(candidate)
    return frozenset(found)
