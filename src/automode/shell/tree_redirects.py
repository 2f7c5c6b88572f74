"""tree-sitter-bash's redirects and heredocs → `syntax`, and what hangs on them."""

from abc import abstractmethod

from automode.shell import quoting
from automode.shell.syntax import (
    Group,
    Node,
    Not,
    Parts,
    Pipe,
    Redir,
    Seq,
    Simple,
    Text,
    Unread,
    pipeline,
    sequence,
    with_errors,
)
from automode.shell.tree_words import REDIRECTS, TreeNode, TreeWords


class TreeRedirects(TreeWords):
    """Redirects of one tree; statements are the business of whoever inherits."""

    @abstractmethod
    def statement(self, node: TreeNode) -> Node: ...

    def redirected(self, node: TreeNode) -> Node:
        redirects: list[Redir] = []
        words: list[Parts] = []
        extra: list[tuple[str, Node]] = []
        inner: Node = Simple(())
        for child in node.children:
            if child.type in REDIRECTS:
                extra += self.redirect(child, redirects, words)
            else:
                inner = self.statement(child)
        return self.with_redirects(inner, tuple(redirects), tuple(words), extra)

    def with_redirects(
        self,
        inner: Node,
        redirects: tuple[Redir, ...],
        words: tuple[Parts, ...],
        extra: list[tuple[str, Node]],
    ) -> Node:
        """tree-sitter hangs redirects on whole pipelines and lists; bash on their last command."""
        if isinstance(inner, Simple):
            done: Node = Simple(inner.words + words, inner.assigns, inner.redirects + redirects)
        elif isinstance(inner, Not):
            done = Not(self.with_redirects(inner.body, redirects, words, []))
        elif isinstance(inner, Pipe | Seq):
            rest = inner.stages if isinstance(inner, Pipe) else inner.items
            last = self.with_redirects(rest[-1], redirects, words, [])
            done = (
                Pipe((*rest[:-1], last))
                if isinstance(inner, Pipe)
                else Seq((*rest[:-1], last), inner.links)
            )
        elif isinstance(inner, Group) and not words:
            done = Group(inner.body, inner.subshell, inner.redirects + redirects)
        elif words:
            return Unread("words after a redirect of a compound command")
        else:
            done = Group(inner, False, redirects)
        return _joined(done, extra)

    def redirect(
        self, node: TreeNode, redirects: list[Redir], words: list[Parts]
    ) -> list[tuple[str, Node]]:
        """Adds the redirect, and the words tree-sitter takes for further targets. Returns what
        stands behind a heredoc's marker on the same line: `cat <<EOF | sh`."""
        if node.type == "heredoc_redirect":
            return self.heredoc(node, redirects, words)
        fd, op = "", ""
        targets: list[Parts] = []
        for child in node.children:
            if child.type == "file_descriptor":
                fd = self.text(child)
            elif not op:
                op = self.text(child)
            else:
                targets.append(self.word(child))
        if op in (">&-", "<&-"):
            targets.insert(0, (Text("-"),))
            op = op[:2]
        redirects.append(Redir(op, targets[0] if targets else (), fd))
        words += targets[1:]
        return []

    def heredoc(
        self, node: TreeNode, redirects: list[Redir], words: list[Parts]
    ) -> list[tuple[str, Node]]:
        by_kind = {child.type: child for child in node.children}
        op = "<<-" if "<<-" in by_kind else "<<"
        start = self.text(by_kind["heredoc_start"]) if "heredoc_start" in by_kind else ""
        body = by_kind.get("heredoc_body")
        parts = self.heredoc_body(body, start, op) if body else (Text("", quoted=True),)
        fd = by_kind.get("file_descriptor")
        redirects.append(Redir("<<", parts, self.text(fd) if fd else ""))
        known = ("file_descriptor", op, "heredoc_start", "heredoc_body", "heredoc_end", "\n")
        rest = [child for child in node.children if child.type not in known]
        return self.after_heredoc(rest, redirects, words)

    def after_heredoc(
        self, rest: list[TreeNode], redirects: list[Redir], words: list[Parts]
    ) -> list[tuple[str, Node]]:
        """What stands behind the marker on its line."""
        extra: list[tuple[str, Node]] = []
        link = ""
        for child in rest:
            if child.type == "pipeline":
                link = "|&" if child.children and child.children[0].type == "|&" else "|"
                extra.append((link, pipeline(self.stages(child))))
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

    def stages(self, node: TreeNode) -> list[Node]:
        """What a pipeline joins; `|&` passes on the errors of what stands before it."""
        found: list[Node] = []
        for child in node.children:
            if child.type == "|&" and found:
                found[-1] = with_errors(found[-1])
            elif child.type not in ("|", "|&", "comment"):
                found.append(self.statement(child))
        return found

    def heredoc_body(self, node: TreeNode, start: str, op: str) -> Parts:
        if any(mark in start for mark in "'\"\\"):
            text = self.text(node)
            return (Text(quoting.without_tabs(text) if op == "<<-" else text, quoted=True),)
        return self.between(node, node.start_byte, node.end_byte, "heredoc", tabs=op == "<<-")


def _joined(first: Node, extra: list[tuple[str, Node]]) -> Node:
    for link, node in extra:
        first = with_errors(first) if link == "|&" else first
        piped = link in ("|", "|&")
        first = pipeline([first, node]) if piped else sequence([(";", first), (link, node)])
    return first
