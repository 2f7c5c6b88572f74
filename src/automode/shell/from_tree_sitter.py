"""tree-sitter-bash's tree → `syntax`. Node kinds are an allow-list; the rest is `Unread`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from automode.shell import syntax
from automode.shell.tree_sitter_words import REDIRECTS, TreeNode, TreeSitterWords

_SEPARATORS = {";": ";", "\n": ";", "&&": "&&", "||": "||", ";;": ";", ";&": ";", ";;&": ";"}
_PUNCTUATION = frozenset(("comment", "(", ")", "{", "}", "do", "done", "then", "`", "$("))
_EXPRESSIONS = (
    "binary_expression",
    "unary_expression",
    "parenthesized_expression",
    "ternary_expression",
    "postfix_expression",
)


class TreeSitterConverter(TreeSitterWords):
    """Converts one tree. `source` is the very text that was parsed, as bytes."""

    def script(self, root: TreeNode) -> syntax.Node:
        return self.body(root.children)

    # Statements

    def statement(self, node: TreeNode) -> syntax.Node:
        if node.is_missing:
            return syntax.Unread("a part is missing")
        kind = node.type
        convert = _STATEMENTS.get(kind)
        return convert(self, node) if convert else syntax.Unread(f"{kind} is not understood")

    def broken(self, node: TreeNode) -> syntax.Node:
        """Bash runs the lines before the one it cannot read: what stands there is still listed."""
        whole = [child for child in node.children if child.type in _STATEMENTS]
        found = [(";", self.statement(child)) for child in whole]
        return syntax.sequence([(";", syntax.Unread("a part is not understood")), *found])

    def statements(self, node: TreeNode) -> syntax.Node:
        return self.body(node.children)

    def body(self, children: Sequence[TreeNode]) -> syntax.Node:
        """Every statement among them, in order; punctuation links them."""
        items: list[tuple[str, syntax.Node]] = []
        link = ";"
        for child in children:
            kind = child.type
            if kind in _SEPARATORS:
                link = _SEPARATORS[kind]
            elif kind == "&":
                if items:
                    # `a && b &`: the whole list goes to the background, not `b` alone.
                    items[-1] = (items[-1][0], syntax.Background(items[-1][1]))
                link = ";"
            elif kind not in _PUNCTUATION:
                items.append((link, self.statement(child)))
                link = ";"
        return syntax.sequence(items) if items else syntax.NOTHING

    def subshell(self, node: TreeNode) -> syntax.Node:
        return syntax.Group(self.body(node.children), subshell=True)

    def command(self, node: TreeNode) -> syntax.Node:
        words: list[syntax.Parts] = []
        assigns: list[syntax.Assign] = []
        redirects: list[syntax.Redir] = []
        extra: list[tuple[str, syntax.Node]] = []
        before: list[tuple[str, syntax.Node]] = []
        end = node.start_byte
        for child in node.children:
            kind = child.type
            if self.ends_between(end, child.start_byte):
                before += [(";", syntax.Simple(tuple(words), tuple(assigns), tuple(redirects)))]
                words, assigns, redirects = [], [], []
            joined, end = child.start_byte == end, child.end_byte
            if kind == "command_name":
                inside = child.children
                self.add_word(words, inside[0] if inside else child, joined=False)
                if joined and assigns:  # `x=$a/$b.c`
                    assigns[-1] = self.longer(assigns[-1], words.pop(), child.start_byte)
            elif kind == "variable_assignment":
                assigns.append(self.assign(child))
            elif kind in REDIRECTS:
                extra += self.redirect(child, redirects, words)
            else:
                self.add_word(words, child, joined=joined)
        last = replace(syntax.timed(tuple(words), tuple(assigns)), redirects=tuple(redirects))
        return syntax.sequence([*before, (";", last), *extra])

    def ends_between(self, start: int, end: int) -> bool:
        """Whether a line ends there, and the command with it: of `a | b | c x`, newline, `d > f`
        tree-sitter makes the words `c x d`."""
        return b"\n" in self.source[start:end].replace(b"\\\n", b"")

    def plain_words(self, node: TreeNode) -> syntax.Node:
        """`export A=1 B`: assignments become words, as bash hands them to the builtin."""
        words: list[syntax.Parts] = []
        end = -1
        for child in node.children:
            if child.type == "variable_assignment":
                word = syntax.declared_word(self.assign(child))
                if word is None:
                    return syntax.Unread("an array in a declaration")
                words.append(word)
            else:
                self.add_word(words, child, joined=child.start_byte == end)
            end = child.end_byte
        return syntax.Simple(tuple(words))

    def bare_assignment(self, node: TreeNode) -> syntax.Node:
        found = [node] if node.type == "variable_assignment" else list(node.children)
        return syntax.Simple((), tuple(self.assign(child) for child in found))

    def pipeline(self, node: TreeNode) -> syntax.Node:
        return syntax.pipeline(self.stages(node))

    def negation(self, node: TreeNode) -> syntax.Node:
        inner = [self.statement(child) for child in node.children if child.type != "!"]
        if len(inner) != 1:
            return syntax.Unread("a negation is not understood")
        return syntax.Not(inner[0])

    def compound(self, node: TreeNode) -> syntax.Node:
        if node.children and node.children[0].type == "((":
            return self.evaluation("((", node)
        return syntax.Group(self.body(node.children), subshell=False)

    def evaluation(self, kind: str, node: TreeNode) -> syntax.Node:
        """The first and the last child are the brackets."""
        if len(node.children) < 3:
            return syntax.Evaluation(kind, "")
        raw = self.slice(node.children[0].end_byte, node.children[-1].start_byte)
        return syntax.Evaluation(kind, raw.strip(), self.nested_parts(node.children))

    def test(self, node: TreeNode) -> syntax.Node:
        opening = node.children[0].type if node.children else ""
        if opening in ("[[", "(("):
            return self.evaluation(opening, node)
        return syntax.Simple(tuple(self.test_words(node)))

    def test_words(self, node: TreeNode) -> list[syntax.Parts]:
        """`[ … ]` is a command like any other: its expression tree becomes plain words again."""
        words: list[syntax.Parts] = []
        for child in node.children:
            if child.type in _EXPRESSIONS:
                words += self.test_words(child)
            else:
                words.append(self.word(child))
        return words

    def branches(self, node: TreeNode) -> syntax.Node:
        conditions: list[syntax.Node] = []
        bodies: list[syntax.Node] = []
        self.add_branch(node, conditions, bodies)
        return syntax.Branches(tuple(conditions), tuple(bodies))

    def add_branch(
        self, node: TreeNode, conditions: list[syntax.Node], bodies: list[syntax.Node]
    ) -> None:
        before: list[TreeNode] = []
        after: list[TreeNode] = []
        target = after if node.type == "else_clause" else before
        clauses: list[TreeNode] = []
        for child in node.children:
            if child.type == "then":
                target = after
            elif child.type in ("elif_clause", "else_clause"):
                clauses.append(child)
            elif child.type not in ("if", "elif", "else", "fi"):
                target.append(child)
        if node.type != "else_clause":
            conditions.append(self.body(before))
        bodies.append(self.body(after))
        for clause in clauses:
            self.add_branch(clause, conditions, bodies)

    def while_loop(self, node: TreeNode) -> syntax.Node:
        condition = [c for c in node.children if c.type not in ("while", "until")][:-1]
        return syntax.Loop(self.statement(node.children[-1]), condition=self.body(condition))

    def for_loop(self, node: TreeNode) -> syntax.Node:
        variable = ""
        words: list[syntax.Parts] | None = None
        body: syntax.Node = syntax.NOTHING
        end = -1
        for child in node.children:
            joined, end = child.start_byte == end, child.end_byte
            if child.type in ("do_group", "compound_statement"):
                body = self.body(child.children)
            elif child.type == "in":
                words = []
            elif words is not None and child.type not in (";", "\n", "comment"):
                self.add_word(words, child, joined=joined)
            elif child.type == "variable_name":
                variable = self.text(child)
        return syntax.Loop(body, variable, tuple(words) if words is not None else None)

    def c_style_loop(self, node: TreeNode) -> syntax.Node:
        kinds = [child.type for child in node.children]
        if "((" not in kinds or "))" not in kinds:
            return syntax.Unread("a for loop is not understood")
        start, end = kinds.index("(("), kinds.index("))")
        raw = self.slice(node.children[start].end_byte, node.children[end].start_byte)
        head = syntax.Evaluation("for", raw.strip(), self.nested_parts(node.children[start:end]))
        return syntax.Loop(self.body(node.children[-1].children), condition=head)

    def case(self, node: TreeNode) -> syntax.Node:
        words: list[syntax.Parts] = []
        bodies: list[syntax.Node] = []
        for child in node.children:
            if child.type == "case_item":
                closing = next((i for i, c in enumerate(child.children) if c.type == ")"), 0)
                words.append(self.nested_parts(child.children[:closing]))
                bodies.append(self.body(child.children[closing + 1 :]))
            elif child.type not in ("case", "in", "esac", "\n", ";", "comment"):
                words.insert(0, self.word(child))
        return syntax.Branches((), tuple(bodies), tuple(words))

    def function(self, node: TreeNode) -> syntax.Node:
        names = [c for c in node.children if c.type == "word"]
        redirects = [c for c in node.children if c.type in REDIRECTS]
        body = next((c for c in reversed(node.children) if c.type in _STATEMENTS), None)
        if not names or body is None or redirects:
            return syntax.Unread("a function is not understood")
        return syntax.Function(self.text(names[0]), self.statement(body))

    # Redirects

    def redirect_statement(self, node: TreeNode) -> syntax.Node:
        return self.with_own_redirects(node.children)

    def with_own_redirects(self, children: Sequence[TreeNode]) -> syntax.Node:
        redirects: list[syntax.Redir] = []
        words: list[syntax.Parts] = []
        extra: list[tuple[str, syntax.Node]] = []
        inner: syntax.Node = syntax.Simple(())
        for child in children:
            if child.type in REDIRECTS:
                extra += self.redirect(child, redirects, words)
            else:
                inner = self.statement(child)
        # tree-sitter hangs redirects on whole pipelines and lists; bash on their last command.
        return _join(
            syntax.on_last_command(inner, syntax.fed_first(redirects), tuple(words)), extra
        )

    def redirect(
        self, node: TreeNode, redirects: list[syntax.Redir], words: list[syntax.Parts]
    ) -> list[tuple[str, syntax.Node]]:
        """Adds the redirect, and the words tree-sitter takes for further targets. Returns what
        stands behind a heredoc's marker on the same line: `cat <<EOF | sh`."""
        if node.type == "heredoc_redirect":
            return self.heredoc(node, redirects, words)
        fd, op = "", ""
        targets: list[syntax.Parts] = []
        end = -1
        for child in node.children:
            joined, end = child.start_byte == end, child.end_byte
            if child.type == "file_descriptor":
                fd = self.text(child)
            elif not op:
                op = self.text(child)
            else:
                self.add_word(targets, child, joined=joined)
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


def _join(first: syntax.Node, extra: list[tuple[str, syntax.Node]]) -> syntax.Node:
    for link, node in extra:
        if link in ("|", "|&"):
            first = syntax.pipeline([syntax.with_errors(first) if link == "|&" else first, node])
        else:
            first = syntax.sequence([(";", first), (link, node)])
    return first


_STATEMENTS: Mapping[str, Callable[[TreeSitterConverter, "TreeNode"], syntax.Node]] = {
    "command": TreeSitterConverter.command,
    "declaration_command": TreeSitterConverter.plain_words,
    "unset_command": TreeSitterConverter.plain_words,
    "variable_assignment": TreeSitterConverter.bare_assignment,
    "variable_assignments": TreeSitterConverter.bare_assignment,
    "redirected_statement": TreeSitterConverter.redirect_statement,
    "pipeline": TreeSitterConverter.pipeline,
    "list": TreeSitterConverter.statements,
    "negated_command": TreeSitterConverter.negation,
    "subshell": TreeSitterConverter.subshell,
    "compound_statement": TreeSitterConverter.compound,
    "do_group": TreeSitterConverter.statements,
    "if_statement": TreeSitterConverter.branches,
    "while_statement": TreeSitterConverter.while_loop,
    "for_statement": TreeSitterConverter.for_loop,
    "c_style_for_statement": TreeSitterConverter.c_style_loop,
    "case_statement": TreeSitterConverter.case,
    "function_definition": TreeSitterConverter.function,
    "test_command": TreeSitterConverter.test,
    "ERROR": TreeSitterConverter.broken,
}
