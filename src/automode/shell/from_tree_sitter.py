"""tree-sitter-bash's tree → `syntax`. Node kinds are an allow-list; the rest is `Unread`."""

from collections.abc import Callable, Mapping

from automode.shell import syntax
from automode.shell.tree_words import REDIRECTS, Children, TreeNode, TreeWords

_SEPARATORS = {";": ";", "\n": ";", "&&": "&&", "||": "||", ";;": ";", ";&": ";", ";;&": ";"}
_PUNCTUATION = frozenset(("comment", "(", ")", "{", "}", "do", "done", "then", "`", "$("))
_EXPRESSIONS = (
    "binary_expression",
    "unary_expression",
    "parenthesized_expression",
    "ternary_expression",
    "postfix_expression",
)


class TreeSitterConverter(TreeWords):
    """Converts the statements of one tree; redirects and words come from what it inherits."""

    def script(self, root: TreeNode) -> syntax.Node:
        return self.body(root)

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

    def body(self, node: TreeNode) -> syntax.Node:
        """Every statement among the children, in order; punctuation links them."""
        items: list[tuple[str, syntax.Node]] = []
        link = ";"
        for child in node.children:
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
        return syntax.Group(self.body(node), subshell=True)

    def command(self, node: TreeNode) -> syntax.Node:
        words: list[syntax.Parts] = []
        assigns: list[syntax.Assign] = []
        redirects: list[syntax.Redir] = []
        extra: list[tuple[str, syntax.Node]] = []
        for child in node.children:
            kind = child.type
            if kind == "command_name":
                inside = child.children
                words.append(self.word(inside[0] if inside else child))
            elif kind == "variable_assignment":
                assigns.append(self.assign(child))
            elif kind in REDIRECTS:
                extra += self.redirect(child, redirects, words)
            else:
                words.append(self.word(child))
        return syntax.sequence(
            [(";", syntax.Simple(tuple(words), tuple(assigns), tuple(redirects))), *extra]
        )

    def plain_words(self, node: TreeNode) -> syntax.Node:
        """`export A=1 B`: assignments become words, as bash hands them to the builtin."""
        words: list[syntax.Parts] = []
        for child in node.children:
            if child.type == "variable_assignment":
                assign = self.assign(child)
                if assign.index or assign.array:
                    return syntax.Unread("an array in a declaration")
                sign = "+=" if assign.appends else "="
                words.append(syntax.merge([syntax.Text(assign.name + sign), *assign.value]))
            else:
                words.append(self.word(child))
        return syntax.Simple(tuple(words))

    def bare_assignment(self, node: TreeNode) -> syntax.Node:
        found = [node] if node.type == "variable_assignment" else list(node.children)
        return syntax.Simple((), tuple(self.assign(child) for child in found))

    def pipeline(self, node: TreeNode) -> syntax.Node:
        return syntax.pipeline(self.stages(node))

    def negated(self, node: TreeNode) -> syntax.Node:
        inner = [self.statement(child) for child in node.children if child.type != "!"]
        return (
            syntax.Not(inner[0])
            if len(inner) == 1
            else syntax.Unread("a negation is not understood")
        )

    def compound(self, node: TreeNode) -> syntax.Node:
        if node.children and node.children[0].type == "((":
            return self.evaluation("((", node, 1)
        return syntax.Group(self.body(node), subshell=False)

    def evaluation(self, kind: str, node: TreeNode, trim: int) -> syntax.Node:
        """`trim` is how many children at each end are the brackets."""
        inside = node.children[trim:-trim]
        if not inside:
            return syntax.Evaluation(kind, "")
        raw = self.slice(node.children[trim - 1].end_byte, node.children[-trim].start_byte)
        return syntax.Evaluation(kind, raw.strip(), self.nested(node))

    def test(self, node: TreeNode) -> syntax.Node:
        opening = node.children[0].type if node.children else ""
        if opening == "[[":
            return self.evaluation("[[", node, 1)
        if opening == "((":
            return self.evaluation("((", node, 1)
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
            conditions.append(self.body(Children(before)))
        bodies.append(self.body(Children(after)))
        for clause in clauses:
            self.add_branch(clause, conditions, bodies)

    def while_loop(self, node: TreeNode) -> syntax.Node:
        condition = Children([c for c in node.children if c.type not in ("while", "until")][:-1])
        return syntax.Loop(self.statement(node.children[-1]), condition=self.body(condition))

    def for_loop(self, node: TreeNode) -> syntax.Node:
        variable = ""
        words: list[syntax.Parts] | None = None
        body: syntax.Node = syntax.NOTHING
        for child in node.children:
            if child.type in ("do_group", "compound_statement"):
                body = self.body(child)
            elif child.type == "in":
                words = []
            elif words is not None and child.type not in (";", "\n", "comment"):
                words.append(self.word(child))
            elif child.type == "variable_name":
                variable = self.text(child)
        return syntax.Loop(body, variable, tuple(words) if words is not None else None)

    def c_style_loop(self, node: TreeNode) -> syntax.Node:
        kinds = [child.type for child in node.children]
        if "((" not in kinds or "))" not in kinds:
            return syntax.Unread("a for loop is not understood")
        start, end = kinds.index("(("), kinds.index("))")
        raw = self.slice(node.children[start].end_byte, node.children[end].start_byte)
        head = syntax.Evaluation(
            "for", raw.strip(), self.nested(Children(node.children[start:end]))
        )
        return syntax.Loop(self.body(node.children[-1]), condition=head)

    def case(self, node: TreeNode) -> syntax.Node:
        words: list[syntax.Parts] = []
        bodies: list[syntax.Node] = []
        for child in node.children:
            if child.type == "case_item":
                closing = next((i for i, c in enumerate(child.children) if c.type == ")"), 0)
                words.append(self.nested(Children(child.children[:closing])))
                bodies.append(self.body(Children(child.children[closing + 1 :])))
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


_STATEMENTS: Mapping[str, Callable[[TreeSitterConverter, TreeNode], syntax.Node]] = {
    "command": TreeSitterConverter.command,
    "declaration_command": TreeSitterConverter.plain_words,
    "unset_command": TreeSitterConverter.plain_words,
    "variable_assignment": TreeSitterConverter.bare_assignment,
    "variable_assignments": TreeSitterConverter.bare_assignment,
    "redirected_statement": TreeSitterConverter.redirected,
    "pipeline": TreeSitterConverter.pipeline,
    "list": TreeSitterConverter.body,
    "negated_command": TreeSitterConverter.negated,
    "subshell": TreeSitterConverter.subshell,
    "compound_statement": TreeSitterConverter.compound,
    "do_group": TreeSitterConverter.body,
    "if_statement": TreeSitterConverter.branches,
    "while_statement": TreeSitterConverter.while_loop,
    "for_statement": TreeSitterConverter.for_loop,
    "c_style_for_statement": TreeSitterConverter.c_style_loop,
    "case_statement": TreeSitterConverter.case,
    "function_definition": TreeSitterConverter.function,
    "test_command": TreeSitterConverter.test,
    "ERROR": TreeSitterConverter.broken,
}
