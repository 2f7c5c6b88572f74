"""What the nodes of a grammar are in the one tree."""

from collections.abc import Callable, Mapping
from itertools import chain

import tree_sitter

from automode.judge.code.bindings import Bindings
from automode.judge.code.tree import (
    LANGUAGES,
    TRIED,
    Code,
    Given,
    Scope,
    Tree,
    descend,
    parser,
    parts_of,
    text_of,
)
from automode.judge.words import read_words
from automode.programs.javascript_tree import unescaped

DEEPEST = 180
MOST_NODES = 60_000
_FRAGMENTS = ("string_fragment", "multiline_string_fragment", "escape_sequence", "string_content")
# Where a part of a file may stand.
_AROUND = {
    "javascript": "function f() {\n%s\n}",
    "go": "package p\nfunc f() {\n%s\n}",
    "rust": "fn f() {\n%s\n}",
    "java": "class A { void f() {\n%s\n} }",
}
_JOINING = ("||", "??", "&&")


def tree_of(code: str, ending: str, *, parts: bool = False) -> Tree:
    """`parts`: they need not stand alone."""
    wholes = [code, _AROUND[LANGUAGES[ending]].replace("%s", code)] if parts else [code]
    sources = [one.encode(errors="replace") for one in wholes]
    found = ((parser(one).parse(source), source) for source in sources for one in TRIED[ending])
    first = next(found)
    whole = (one for one in chain([first], found) if not one[0].root_node.has_error)
    parsed, source = next(whole, first)
    tree = Tree(LANGUAGES[ending])
    reader = _Reader(tree, source)
    reader.statements(parsed.root_node, tree.top)
    reader.finish()
    if parts:
        tree.broken.clear()
    return tree


class _Reader(Bindings):
    def __init__(self, tree: Tree, source: bytes) -> None:
        super().__init__(tree, source)
        self.shapes = read_words("code_trees")[tree.language]
        self.deep = self.count = 0

    def read(self, node: tree_sitter.Node, scope: Scope) -> Code:
        self.count += 1
        if node.is_error or node.is_missing or self.deep > DEEPEST or self.count > MOST_NODES:
            self.tree.broken.append(self.lines_of(node))
            if self.deep > DEEPEST or self.count > MOST_NODES:
                return self.make("other", node, scope)
        self.deep += 1
        shape, *fields = self.shapes.get(node.type, "other").split()
        given = [node.child_by_field_name(one) for one in fields]
        found = _SHAPES[shape](self, node, scope, given)
        for one in found.parts:
            one.up = one.up or found
        self.deep -= 1
        return found

    def other(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        made = self.make("other", node, scope, "" if node.child_count else text_of(node))
        made.parts = self.statements(node, scope)
        return made

    def name(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        return self.make("name", node, scope, unescaped(text_of(node)))

    def call(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        made = self.make("call", node, scope)
        made.parts = self.maybe(given[0], scope)
        words = given[1]
        if words is not None and words.type == "template_string":
            made.text = "tagged"
            made.parts.append(self.read(words, scope))
        elif words is not None:
            made.parts += self.statements(words, scope)
        for extra in parts_of(node):
            if extra.type == "class_body":
                made.parts.append(self.read(extra, scope))
        return made

    def made(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        """Of Go: `exec.Cmd{Args: words}` is read as a call of its type."""
        if given[0] is None or given[0].type != "qualified_type" or given[1] is None:
            return self.operand(node, scope, given[1:])
        call = self.make("call", node, scope, "made")
        package, _, name = text_of(given[0]).partition(".")
        function = self.make("member", given[0], scope, name)
        function.parts = [self.make("name", given[0], scope, package)]
        call.parts = [function, self.read(given[1], scope)]
        return call

    def rule(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        """Of Rust: what a macro stands for."""
        made = self.make("other", node, scope)
        text = text_of(given[0])[1:-1].replace("$", "")
        root = parser("rust").parse(f"fn f() {{ {text} }}".encode()).root_node
        before, self.within, broken = self.within, made.lines, len(self.tree.broken)
        made.parts = self.statements(root, scope)
        self.within = before
        del self.tree.broken[broken:]
        return made

    def method(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        """Of Java: `x.y(z)` is one node."""
        made = self.make("call", node, scope)
        if given[0] is None:
            made.parts = self.maybe(given[1], scope)
        else:
            function = self.make("member", node, scope, text_of(given[1]))
            function.parts = self.maybe(given[0], scope)
            function.parts[0].up = function
            made.parts = [function]
        words = node.child_by_field_name("arguments")
        made.parts += self.statements(words, scope) if words is not None else []
        return made

    def member(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        made = self.make("member", node, scope, unescaped(text_of(given[1])))
        made.parts = self.maybe(given[0], scope)
        if given[0] is None:  # `::x`
            made.kind = "name"
        return made

    def scoped(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        return self.make("module", node, scope, text_of(node))

    def index(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        made = self.make("index", node, scope)
        made.parts = [*self.maybe(given[0], scope), *self.maybe(given[1], scope)]
        return made

    def item(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        made = self.make("index", node, scope)
        made.parts = self.statements(node, scope)
        return made

    def text(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        whole = text_of(node)
        inner = whole.lstrip("bcr#").strip("#")
        quotes = 3 if inner[:3] == '"""' else 1
        raw = node.type.startswith("raw") or whole[:1] == "`"
        inner = inner[quotes:-quotes]
        return self.make("text", node, scope, inner if raw else unescaped(inner))

    def joined(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        made = self.make("joined", node, scope)
        for one in node.named_children:
            if one.type in _FRAGMENTS:
                made.parts.append(self.make("text", one, scope, unescaped(text_of(one))))
            else:
                made.parts += self.statements(one, scope)
        return made

    def binary(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        sign = text_of(node.child_by_field_name("operator"))
        kind = "joined" if sign == "+" else "either" if sign in _JOINING else "other"
        made = self.make(kind, node, scope, sign)
        made.parts = [one for each in given for one in self.maybe(each, scope)]
        return made

    def either(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        made = self.make("either", node, scope)
        taken = [one for one in given if one is not None]
        made.parts = [self.read(one, scope) for one in taken]
        for one in parts_of(node):  # the condition
            if all(one.id != each.id for each in taken):
                self.read(one, scope).up = made
        return made

    def listed(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        made = self.make("list", node, scope)
        made.parts = self.statements(node, scope)
        return made

    def items(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        made = self.listed(node, scope, given)
        if made.parts and made.parts[0].kind == "pair":
            made.kind = "pairs"
        return made

    def pairs(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        made = self.make("pairs", node, scope)
        for one in parts_of(node):
            part = self.read(one, scope)
            if part.kind in ("name", "function"):  # `{ a, b() {} }`
                pair = self.make("pair", one, scope, part.text)
                pair.parts, part.up, part = [part], pair, pair
            made.parts.append(part)
        return made

    def pair(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        key = text_of(given[0]).strip("\"'`")
        made = self.make("pair", node, scope, key)
        made.parts = self.maybe(given[1], scope)
        # What a key computes.
        if given[0] is not None and given[0].type in ("computed_property_name", "literal_element"):
            made.returned = self.statements(given[0], scope)
        if given[1] is not None and made.parts and given[1].type != "function":
            self.tree.fields.setdefault(key, []).append(made.parts[0])
        return made

    def same(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        inner = self.statements(node, scope)
        return inner[0] if len(inner) == 1 else self._several(node, scope, inner)

    def _several(self, node: tree_sitter.Node, scope: Scope, inner: list[Code]) -> Code:
        made = self.make("other", node, scope)
        made.parts = inner
        return made

    def first(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        return self.read(node.named_children[0], scope)

    def last(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        inner = self.statements(node, scope)
        return inner[-1] if inner else self.make("other", node, scope)

    def operand(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        return self.read(given[0], scope) if given[0] is not None else self.other(node, scope, [])

    def spread(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        made = self.make("spread", node, scope)
        made.parts = self.statements(node, scope)
        return made

    def returns(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        made = self.make("other", node, scope)
        made.parts = self.statements(node, scope)
        if self.open:
            self.open[-1].returned += made.parts[:1]
        return made

    def block(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        made = self.make("other", node, scope)
        made.parts = self.statements(node, Scope(scope))
        last = next(reversed(node.named_children), None)
        gives = last is not None and not last.type.endswith(("statement", "declaration", "item"))
        if self.tree.language == "rust" and gives:
            made.kind, made.parts, rest = "either", made.parts[-1:], made.parts[:-1]
            for one in rest:
                one.up = made
        return made

    def match(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        made = self.make("either", node, scope)
        value = self.maybe(given[0], scope)
        for arm in parts_of(given[1]) if given[1] is not None else ():
            inner = Scope(scope)
            pattern, result = arm.child_by_field_name("pattern"), arm.child_by_field_name("value")
            if pattern is not None and value:
                self.bind(pattern, value[0], inner, declares=True)
            made.parts += self.maybe(result, inner)
        for one in value:
            one.up = made
        return made

    def macro(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        """Of Rust: what it is given is read as what a function is given."""
        made = self.make("call", node, scope)
        name = text_of(node.child_by_field_name("macro"))
        made.parts = [self.make("name", node, scope, f"{name}!")]
        words = next((one for one in node.named_children if one.type == "token_tree"), None)
        inner = text_of(words)[1:-1].rpartition(";" if "\n" not in text_of(words) else "\0")
        text = (inner[0] or inner[2]) if name == "vec" else text_of(words)[1:-1]
        root = parser("rust").parse(f"fn f() {{ f({text}) }}".encode()).root_node
        calls = [one for one in descend(root) if one.type == "arguments"][:1]
        if root.has_error or not calls:
            for one in descend(words) if words is not None else ():
                if one.type in self.shapes and not one.named_child_count:
                    made.parts.append(self.read(one, scope))
            return made
        before, self.within = self.within, made.lines
        made.parts += self.statements(calls[0], scope)
        self.within = before
        return made


_SHAPES: Mapping[str, Callable[["_Reader", tree_sitter.Node, Scope, Given], Code]] = {
    one: getattr(_Reader, {"import": "imports", "list": "listed"}.get(one, one))
    for one in """other name call made rule method member scoped index item text joined binary
    either list items pairs pair same first last operand spread returns block binds assigns adds
    field each match function macro import""".split()
}
