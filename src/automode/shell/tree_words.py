"""tree-sitter-bash's words → `syntax`: quotes, expansions, assignments."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from automode.shell import quoting
from automode.shell.syntax import Arith, Assign, Node, Param, Part, Parts, Sub, Text, Unread, merged


class TreeNode(Protocol):
    """The part of tree-sitter's node that is used here."""

    @property
    def type(self) -> str: ...
    @property
    def children(self) -> Sequence["TreeNode"]: ...
    @property
    def start_byte(self) -> int: ...
    @property
    def end_byte(self) -> int: ...
    @property
    def is_missing(self) -> bool: ...
    @property
    def has_error(self) -> bool: ...


REDIRECTS = frozenset(("file_redirect", "heredoc_redirect", "herestring_redirect"))
_EXPANSIONS = frozenset(
    "simple_expansion expansion command_substitution process_substitution arithmetic_expansion"
    "".split()
)
_COMPOSED = _EXPANSIONS | frozenset(
    "concatenation command_name brace_expression string translated_string raw_string ansi_c_string"
    "".split()
)
"""Words that are more than text outside quotes."""


class Children:
    """Some children of a node, where a converter wants a node."""

    type = ""
    start_byte = end_byte = 0
    is_missing = has_error = False

    def __init__(self, children: Sequence[TreeNode]) -> None:
        self.children = children


class TreeWords:
    """Words of one tree. `source` is the very text that was parsed, as bytes."""

    def __init__(self, source: bytes) -> None:
        self.source = source

    @abstractmethod
    def body(self, node: TreeNode) -> Node:
        """The statements among a node's children: words nest scripts."""

    @abstractmethod
    def redirected(self, node: TreeNode) -> Node: ...

    def text(self, node: TreeNode) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def slice(self, start: int, end: int) -> str:
        return self.source[start:end].decode("utf-8", "replace")

    def assign(self, node: TreeNode) -> Assign:
        name, appends, array = "", False, False
        index: Parts = ()
        value: list[Part] = []
        for child in node.children:
            if child.type == "variable_name":
                name = self.text(child)
            elif child.type == "subscript":
                name = self.text(child.children[0])
                index = merged([p for c in child.children[2:-1] for p in self.word(c)])
            elif child.type in ("=", "+="):
                appends = child.type == "+="
            elif child.type == "array":
                array = True
                for item in child.children[1:-1]:
                    if item.type != "comment":
                        value += [Text(" ", quoted=True), *self.word(item)]
            else:
                value += self.word(child)
        return Assign(name, merged(value), appends, array, index)

    def word(self, node: TreeNode) -> Parts:
        if node.type == "word":
            written = self.text(node)
            if written and "\\" not in written:
                return (Text(written),)
        return merged(self.parts(node))

    def parts(self, node: TreeNode) -> list[Part]:
        kind = node.type
        if kind not in _COMPOSED:
            return quoting.unquoted(self.text(node))
        if kind == "brace_expression":
            return [Text(self.text(node))]
        if kind in ("concatenation", "command_name"):
            return [part for child in node.children for part in self.parts(child)]
        if kind == "string":
            inner = self.between(node, node.start_byte + 1, node.end_byte - 1, "string")
            return list(inner) or [Text("", quoted=True)]
        if kind == "translated_string":
            return self.parts(node.children[-1])
        if kind == "raw_string":
            return [Text(self.text(node)[1:-1], quoted=True)]
        if kind == "ansi_c_string":
            value = quoting.ansi_c(self.text(node)[2:-1])
            return [Text(value, quoted=True)] if value is not None else [_unknown(self.text(node))]
        expansion = self.expansion(node, quoted=False)
        return [expansion] if expansion else []

    def expansion(self, node: TreeNode, *, quoted: bool) -> Part | None:
        kind = node.type
        if kind not in _EXPANSIONS:
            return None
        if kind == "simple_expansion":
            raw = self.text(node)
            after = self.slice(node.end_byte, node.end_byte + quoting.AHEAD)
            return Param(raw[1:], raw + quoting.zsh_tail(raw[1:], after), quoted)
        if kind == "expansion":
            return self.parameter(node, quoted=quoted)
        if kind == "command_substitution":
            return self.substitution(node, quoted=quoted)
        if kind == "process_substitution":
            return Sub(node.children[0].type, self.body(Children(node.children[1:-1])), quoted)
        if kind == "arithmetic_expansion":
            raw = self.slice(node.children[0].end_byte, node.children[-1].start_byte)
            return Arith(raw.strip(), self.nested(node), quoted)
        return None

    def parameter(self, node: TreeNode, *, quoted: bool) -> Part:
        name = ""
        for child in node.children:
            if child.type in ("variable_name", "special_variable_name"):
                name = self.text(child)
            elif child.type == "subscript":
                name = self.text(child.children[0])
            if name:
                break
        return Param(name, self.text(node), quoted, self.nested(node))

    def substitution(self, node: TreeNode, *, quoted: bool) -> Part:
        if node.children[0].type == "`" and "\\" in self.text(node):
            return Sub("$(", Unread("escapes inside backticks"), quoted)
        if node.children[1:2] and node.children[1].type in REDIRECTS:  # $(< file)
            return Sub("$(", self.redirected(Children(node.children[1:-1])), quoted)
        return Sub("$(", self.body(Children(node.children[1:-1])), quoted)

    def nested(self, node: "TreeNode | Children") -> Parts:
        """Every expansion somewhere below, in order, each without its own surroundings."""
        found: list[Part] = []
        for child in node.children:
            part = self.expansion(child, quoted=False)
            if part is not None:
                found.append(part)
            elif child.type in ("word", "regex", "extglob_pattern", "string") and _opaque(
                self.text(child), child
            ):
                found.append(_unknown(self.text(child)))
            else:
                found += self.nested(child)
        return tuple(found)

    def between(
        self, node: TreeNode, start: int, end: int, kind: str, *, tabs: bool = False
    ) -> Parts:
        """Quoted text with expansions in it, put together from the gaps between the expansions."""
        escapes = '$`"\\' if kind == "string" else "$`\\"
        parts: list[Part] = []
        position = start
        for child in node.children:
            part = self.expansion(child, quoted=True)
            if part is not None:
                parts.append(self.quoted_text(position, child.start_byte, escapes, tabs=tabs))
                parts.append(part)
                position = child.end_byte
        parts.append(self.quoted_text(position, end, escapes, tabs=tabs))
        return merged(parts)

    def quoted_text(self, start: int, end: int, escapes: str, *, tabs: bool) -> Part:
        raw = self.slice(start, end)
        return quoting.quoted(quoting.without_tabs(raw) if tabs else raw, escapes)


def _opaque(text: str, node: TreeNode) -> bool:
    """Whether a leaf holds an expansion that tree-sitter did not take apart."""
    return not node.children and ("`" in text or "$" in text.rstrip("$"))


def _unknown(raw: str) -> Part:
    return Param("", raw)
