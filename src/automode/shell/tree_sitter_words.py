"""The words of tree-sitter-bash's tree, and the expansions in them."""

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from automode.shell import syntax

if TYPE_CHECKING:
    import tree_sitter

TreeNode: TypeAlias = "tree_sitter.Node"

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

_SPACE = syntax.Text(" ", quoted=True)
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]", re.ASCII)
_BLANKS = " \t\n"
"""Behind another expansion tree-sitter takes them for the beginning of the next one."""


class TreeSitterWords:
    """The half of the converter that deals with words."""

    def __init__(self, source: bytes) -> None:
        self.source = source

    @abstractmethod
    def body(self, children: Sequence[TreeNode]) -> syntax.Node:
        """Every statement among them: substitutions nest scripts."""

    @abstractmethod
    def with_own_redirects(self, children: Sequence[TreeNode]) -> syntax.Node:
        """A statement with the redirects that stand beside it."""

    def text(self, node: TreeNode) -> str:
        return self.slice(node.start_byte, node.end_byte)

    def slice(self, start: int, end: int) -> str:
        return self.source[start:end].decode("utf-8", "replace")

    def assign(self, node: TreeNode) -> syntax.Assign:
        name, appends, array = "", False, False
        index: syntax.Parts = ()
        value: list[syntax.Part] = []
        for child in node.children:
            if child.type == "variable_name":
                name = self.text(child)
            elif child.type == "subscript":
                name = self.text(child.children[0])
                index = syntax.merge([p for c in child.children[2:-1] for p in self.word(c)])
            elif child.type in ("=", "+="):
                appends = child.type == "+="
            elif child.type == "array":
                array = True
                items: list[syntax.Parts] = []
                end = -1
                for item in child.children[1:-1]:
                    if item.type != "comment":
                        self.add_word(items, item, joined=item.start_byte == end)
                    end = item.end_byte
                value += [part for one in items for part in (_SPACE, *one)]
            else:
                value += self.word(child)
        return syntax.Assign(name, syntax.merge(value), appends, array, index)

    def add_word(self, words: list[syntax.Parts], node: TreeNode, *, joined: bool) -> None:
        """`$a/$b.c` is one word; tree-sitter ends it behind the second `$`."""
        if joined and words:
            words[-1] = self.continued(words[-1], self.word(node), node.start_byte)
        else:
            words.append(self.word(node))

    def longer(self, assign: syntax.Assign, word: syntax.Parts, start: int) -> syntax.Assign:
        return replace(assign, value=self.continued(assign.value, word, start))

    def continued(self, before: syntax.Parts, rest: syntax.Parts, start: int) -> syntax.Parts:
        """The word `before` with what stands right behind it, at byte `start`."""
        if not before or not rest:
            return before or rest
        last, first = before[-1], rest[0]
        if not isinstance(last, syntax.Text) or not isinstance(first, syntax.Text):
            return syntax.merge([*before, *rest])
        name = _NAME.match(first.value)
        if name is None or last.quoted or first.quoted or not last.value.endswith("$"):
            return syntax.merge([*before, *rest])
        end = start + len(name[0])
        tail = syntax.zsh_tail(name[0], self.slice(end, end + syntax.AHEAD))
        middle = syntax.Param(name[0], f"${name[0]}{tail}")
        left, right = syntax.Text(last.value[:-1]), syntax.Text(first.value[name.end() :])
        return syntax.merge([*before[:-1], left, middle, right, *rest[1:]])

    def word(self, node: TreeNode) -> syntax.Parts:
        if node.type == "word":
            written = self.text(node)
            if written and "\\" not in written:
                return _with_number((syntax.Text(written),))
        return _with_number(syntax.merge(self.parts(node)))

    def parts(self, node: TreeNode) -> list[syntax.Part]:
        kind = node.type
        if kind not in _COMPOSED:
            return syntax.unquote(self.text(node))
        if kind == "brace_expression":
            return [syntax.Text(self.text(node))]
        if kind in ("concatenation", "command_name"):
            return [part for child in node.children for part in self.parts(child)]
        if kind == "string":
            inner = self.between(node, node.start_byte + 1, node.end_byte - 1, "string")
            return list(inner) or [syntax.Text("", quoted=True)]
        if kind == "translated_string":
            return self.parts(node.children[-1])
        if kind == "raw_string":
            return [syntax.Text(self.text(node)[1:-1], quoted=True)]
        if kind == "ansi_c_string":
            value = syntax.ansi_c(self.text(node)[2:-1])
            unknown = syntax.Param("", self.text(node))
            return [unknown if value is None else syntax.Text(value, quoted=True)]
        expansion = self.expansion(node, quoted=False)
        return [expansion] if expansion else []

    def expansion(self, node: TreeNode, *, quoted: bool) -> syntax.Part | None:
        kind = node.type
        if kind not in _EXPANSIONS:
            return None
        if kind == "simple_expansion":
            raw = self.text(node).lstrip(_BLANKS)
            after = self.slice(node.end_byte, node.end_byte + syntax.AHEAD)
            return syntax.Param(raw[1:], raw + syntax.zsh_tail(raw[1:], after), quoted)
        if kind == "expansion":
            return self.parameter(node, quoted=quoted)
        if kind == "command_substitution":
            return self.substitution(node, quoted=quoted)
        if kind == "process_substitution":
            return syntax.Sub(node.children[0].type, self.body(node.children[1:-1]), quoted)
        if kind == "arithmetic_expansion":
            raw = self.slice(node.children[0].end_byte, node.children[-1].start_byte)
            return syntax.Arith(raw.strip(), self.nested_parts(node.children), quoted)
        return None

    def parameter(self, node: TreeNode, *, quoted: bool) -> syntax.Part:
        name = ""
        for child in node.children:
            if child.type in ("variable_name", "special_variable_name"):
                name = self.text(child)
            elif child.type == "subscript":
                name = self.text(child.children[0])
            if name:
                break
        raw = self.text(node).lstrip(_BLANKS)
        return syntax.Param(name, raw, quoted, self.nested_parts(node.children))

    def substitution(self, node: TreeNode, *, quoted: bool) -> syntax.Part:
        if node.children[0].type == "`" and "\\" in self.text(node):
            return syntax.Sub("$(", syntax.Unread("escapes inside backticks"), quoted)
        if node.children[1:2] and node.children[1].type in REDIRECTS:  # $(< file)
            return syntax.Sub("$(", self.with_own_redirects(node.children[1:-1]), quoted)
        return syntax.Sub("$(", self.body(node.children[1:-1]), quoted)

    def nested_parts(self, children: Sequence[TreeNode]) -> syntax.Parts:
        """Every expansion somewhere below, in order, each without its own surroundings."""
        found: list[syntax.Part] = []
        for child in children:
            part = self.expansion(child, quoted=False)
            if part is not None:
                found.append(part)
            elif child.type in ("word", "regex", "extglob_pattern", "string") and _opaque(
                self.text(child), child
            ):
                found.append(syntax.Param("", self.text(child)))
            else:
                found += self.nested_parts(child.children)
        return tuple(found)

    def between(
        self, node: TreeNode, start: int, end: int, kind: str, *, tabs: bool = False
    ) -> syntax.Parts:
        """Quoted text with expansions in it, put together from the gaps between the expansions."""
        escapes = '$`"\\' if kind == "string" else "$`\\"
        parts: list[syntax.Part] = []
        position = start
        for child in node.children:
            part = self.expansion(child, quoted=True)
            if part is not None:
                before = self.text(child)
                start = child.start_byte + len(before) - len(before.lstrip(_BLANKS))
                parts.append(self.quoted_text(position, start, escapes, tabs=tabs))
                parts.append(part)
                position = child.end_byte
        parts.append(self.quoted_text(position, end, escapes, tabs=tabs))
        return syntax.merge(parts)

    def quoted_text(self, start: int, end: int, escapes: str, *, tabs: bool) -> syntax.Part:
        raw = self.slice(start, end)
        return syntax.quoted_part(syntax.without_tabs(raw) if tabs else raw, escapes)


def _opaque(text: str, node: TreeNode) -> bool:
    """Whether a leaf holds an expansion that tree-sitter did not take apart."""
    return not node.children and ("`" in text or "$" in text.rstrip("$"))


def _with_number(parts: syntax.Parts) -> syntax.Parts:
    """`x.$$`, which the parser takes for text as it stands."""
    found: list[syntax.Part] = []
    for part in parts:
        if not isinstance(part, syntax.Text) or part.quoted or "$$" not in part.value:
            found.append(part)
            continue
        first, *rest = part.value.split("$$")
        found.append(syntax.Text(first))
        for one in rest:
            found += [syntax.Param("$", "$$"), syntax.Text(one)]
    return tuple([one for one in found if one != syntax.Text("")] or parts)
