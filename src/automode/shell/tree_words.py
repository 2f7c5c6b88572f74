"""tree-sitter-bash's words and redirects → `syntax`: quotes, expansions, assignments, heredocs."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from automode.shell import syntax


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
    """Words and redirects of one tree; statements are the business of whoever inherits. `source` is
    the very text that was parsed, as bytes."""

    def __init__(self, source: bytes) -> None:
        self.source = source

    @abstractmethod
    def body(self, node: TreeNode) -> syntax.Node:
        """The statements among a node's children: words nest scripts."""

    @abstractmethod
    def statement(self, node: TreeNode) -> syntax.Node: ...

    def text(self, node: TreeNode) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

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
                for item in child.children[1:-1]:
                    if item.type != "comment":
                        value += [syntax.Text(" ", quoted=True), *self.word(item)]
            else:
                value += self.word(child)
        return syntax.Assign(name, syntax.merge(value), appends, array, index)

    def word(self, node: TreeNode) -> syntax.Parts:
        if node.type == "word":
            written = self.text(node)
            if written and "\\" not in written:
                return (syntax.Text(written),)
        return syntax.merge(self.parts(node))

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
            return (
                [syntax.Text(value, quoted=True)]
                if value is not None
                else [_unknown(self.text(node))]
            )
        expansion = self.expansion(node, quoted=False)
        return [expansion] if expansion else []

    def expansion(self, node: TreeNode, *, quoted: bool) -> syntax.Part | None:
        kind = node.type
        if kind not in _EXPANSIONS:
            return None
        if kind == "simple_expansion":
            raw = self.text(node)
            after = self.slice(node.end_byte, node.end_byte + syntax.AHEAD)
            return syntax.Param(raw[1:], raw + syntax.zsh_tail(raw[1:], after), quoted)
        if kind == "expansion":
            return self.parameter(node, quoted=quoted)
        if kind == "command_substitution":
            return self.substitution(node, quoted=quoted)
        if kind == "process_substitution":
            return syntax.Sub(
                node.children[0].type, self.body(Children(node.children[1:-1])), quoted
            )
        if kind == "arithmetic_expansion":
            raw = self.slice(node.children[0].end_byte, node.children[-1].start_byte)
            return syntax.Arith(raw.strip(), self.nested(node), quoted)
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
        return syntax.Param(name, self.text(node), quoted, self.nested(node))

    def substitution(self, node: TreeNode, *, quoted: bool) -> syntax.Part:
        if node.children[0].type == "`" and "\\" in self.text(node):
            return syntax.Sub("$(", syntax.Unread("escapes inside backticks"), quoted)
        if node.children[1:2] and node.children[1].type in REDIRECTS:  # $(< file)
            return syntax.Sub("$(", self.redirected(Children(node.children[1:-1])), quoted)
        return syntax.Sub("$(", self.body(Children(node.children[1:-1])), quoted)

    def nested(self, node: "TreeNode | Children") -> syntax.Parts:
        """Every expansion somewhere below, in order, each without its own surroundings."""
        found: list[syntax.Part] = []
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
    ) -> syntax.Parts:
        """Quoted text with expansions in it, put together from the gaps between the expansions."""
        escapes = '$`"\\' if kind == "string" else "$`\\"
        parts: list[syntax.Part] = []
        position = start
        for child in node.children:
            part = self.expansion(child, quoted=True)
            if part is not None:
                parts.append(self.quoted_text(position, child.start_byte, escapes, tabs=tabs))
                parts.append(part)
                position = child.end_byte
        parts.append(self.quoted_text(position, end, escapes, tabs=tabs))
        return syntax.merge(parts)

    def quoted_text(self, start: int, end: int, escapes: str, *, tabs: bool) -> syntax.Part:
        raw = self.slice(start, end)
        return syntax.quoted_part(syntax.without_tabs(raw) if tabs else raw, escapes)

    # Redirects

    def redirected(self, node: TreeNode) -> syntax.Node:
        redirects: list[syntax.Redir] = []
        words: list[syntax.Parts] = []
        extra: list[tuple[str, syntax.Node]] = []
        inner: syntax.Node = syntax.Simple(())
        for child in node.children:
            if child.type in REDIRECTS:
                extra += self.redirect(child, redirects, words)
            else:
                inner = self.statement(child)
        return self.with_redirects(inner, tuple(redirects), tuple(words), extra)

    def with_redirects(
        self,
        inner: syntax.Node,
        redirects: tuple[syntax.Redir, ...],
        words: tuple[syntax.Parts, ...],
        extra: list[tuple[str, syntax.Node]],
    ) -> syntax.Node:
        """tree-sitter hangs redirects on whole pipelines and lists; bash on their last command."""
        if isinstance(inner, syntax.Simple):
            done: syntax.Node = syntax.Simple(
                inner.words + words, inner.assigns, inner.redirects + redirects
            )
        elif isinstance(inner, syntax.Not):
            done = syntax.Not(self.with_redirects(inner.body, redirects, words, []))
        elif isinstance(inner, syntax.Pipe | syntax.Seq):
            rest = inner.stages if isinstance(inner, syntax.Pipe) else inner.items
            last = self.with_redirects(rest[-1], redirects, words, [])
            done = (
                syntax.Pipe((*rest[:-1], last))
                if isinstance(inner, syntax.Pipe)
                else syntax.Seq((*rest[:-1], last), inner.links)
            )
        elif isinstance(inner, syntax.Group) and not words:
            done = syntax.Group(inner.body, inner.subshell, inner.redirects + redirects)
        elif words:
            return syntax.Unread("words after a redirect of a compound command")
        else:
            done = syntax.Group(inner, False, redirects)
        return _join(done, extra)

    def redirect(
        self, node: TreeNode, redirects: list[syntax.Redir], words: list[syntax.Parts]
    ) -> list[tuple[str, syntax.Node]]:
        """Adds the redirect, and the words tree-sitter takes for further targets. Returns what
        stands behind a heredoc's marker on the same line: `cat <<EOF | sh`."""
        if node.type == "heredoc_redirect":
            return self.heredoc(node, redirects, words)
        fd, op = "", ""
        targets: list[syntax.Parts] = []
        for child in node.children:
            if child.type == "file_descriptor":
                fd = self.text(child)
            elif not op:
                op = self.text(child)
            else:
                targets.append(self.word(child))
        if op in (">&-", "<&-"):
            targets.insert(0, (syntax.Text("-"),))
            op = op[:2]
        redirects.append(syntax.Redir(op, targets[0] if targets else (), fd))
        words += targets[1:]
        return []

    def heredoc(
        self, node: TreeNode, redirects: list[syntax.Redir], words: list[syntax.Parts]
    ) -> list[tuple[str, syntax.Node]]:
        by_kind = {child.type: child for child in node.children}
        op = "<<-" if "<<-" in by_kind else "<<"
        start = self.text(by_kind["heredoc_start"]) if "heredoc_start" in by_kind else ""
        body = by_kind.get("heredoc_body")
        parts = self.heredoc_body(body, start, op) if body else (syntax.Text("", quoted=True),)
        fd = by_kind.get("file_descriptor")
        redirects.append(syntax.Redir("<<", parts, self.text(fd) if fd else ""))
        known = ("file_descriptor", op, "heredoc_start", "heredoc_body", "heredoc_end", "\n")
        rest = [child for child in node.children if child.type not in known]
        return self.after_heredoc(rest, redirects, words)

    def after_heredoc(
        self, rest: list[TreeNode], redirects: list[syntax.Redir], words: list[syntax.Parts]
    ) -> list[tuple[str, syntax.Node]]:
        """What stands behind the marker on its line."""
        extra: list[tuple[str, syntax.Node]] = []
        link = ""
        for child in rest:
            if child.type == "pipeline":
                link = "|&" if child.children and child.children[0].type == "|&" else "|"
                extra.append((link, syntax.pipeline(self.stages(child))))
                link = ""
            elif child.type in ("&&", "||"):
                link = child.type
            elif child.type in REDIRECTS:
                extra += self.redirect(child, redirects, words)
            elif link:
                extra.append((link, self.statement(child)))
                link = ""
            else:
                words.append(self.word(child))
        return extra

    def stages(self, node: TreeNode) -> list[syntax.Node]:
        """What a pipeline joins; `|&` passes on the errors of what stands before it."""
        found: list[syntax.Node] = []
        for child in node.children:
            if child.type == "|&" and found:
                found[-1] = syntax.with_errors(found[-1])
            elif child.type not in ("|", "|&", "comment"):
                found.append(self.statement(child))
        return found

    def heredoc_body(self, node: TreeNode, start: str, op: str) -> syntax.Parts:
        if any(mark in start for mark in "'\"\\"):
            text = self.text(node)
            return (syntax.Text(syntax.without_tabs(text) if op == "<<-" else text, quoted=True),)
        return self.between(node, node.start_byte, node.end_byte, "heredoc", tabs=op == "<<-")


def _opaque(text: str, node: TreeNode) -> bool:
    """Whether a leaf holds an expansion that tree-sitter did not take apart."""
    return not node.children and ("`" in text or "$" in text.rstrip("$"))


def _unknown(raw: str) -> syntax.Part:
    return syntax.Param("", raw)


def _join(first: syntax.Node, extra: list[tuple[str, syntax.Node]]) -> syntax.Node:
    for link, node in extra:
        first = syntax.with_errors(first) if link == "|&" else first
        piped = link in ("|", "|&")
        first = (
            syntax.pipeline([first, node])
            if piped
            else syntax.sequence([(";", first), (link, node)])
        )
    return first
