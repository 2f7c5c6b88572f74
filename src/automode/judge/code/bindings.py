"""What binds names in such a tree: declarations, assignments, loops, functions, imports."""

from bisect import bisect_left

import tree_sitter

from automode.judge.code.tree import (
    Code,
    Given,
    Scope,
    Tree,
    descend,
    package_name,
    parts_of,
    text_of,
)

_BREAK = ord("\n")


class Bindings:
    def __init__(self, tree: Tree, source: bytes) -> None:
        self.tree = tree
        self.breaks = [at for at, one in enumerate(source) if one == _BREAK]
        self.within: range | None = None  # the lines of what is read apart
        self.open: list[Code] = []  # functions
        self.assigned: list[tuple[Scope, str, Code]] = []

    def read(self, node: tree_sitter.Node, scope: Scope) -> Code:
        raise NotImplementedError

    def finish(self) -> None:
        for scope, name, value in self.assigned:
            at: Scope | None = scope
            while at is not None and name not in at.bound and name not in at.given:
                at = at.up
            (at or self.tree.top).bound.setdefault(name, []).append(value)

    def statements(self, node: tree_sitter.Node, scope: Scope) -> list[Code]:
        return [self.read(one, scope) for one in parts_of(node)]

    def make(self, kind: str, node: tree_sitter.Node, scope: Scope, text: str = "") -> Code:
        made = Code(kind, self.lines_of(node), scope, text, end=node.end_byte)
        self.tree.nodes.append(made)
        return made

    def lines_of(self, node: tree_sitter.Node) -> range:
        # `start_point` of tree-sitter 0.26 ends the process after some thousand uses.
        if self.within is not None:
            return self.within
        first, last = (bisect_left(self.breaks, at) for at in (node.start_byte, node.end_byte))
        return range(first + 1, last + 2)

    def maybe(self, node: tree_sitter.Node | None, scope: Scope) -> list[Code]:
        return [] if node is None else [self.read(node, scope)]

    def binds(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        return self._bound(node, scope, given, declares=True)

    def assigns(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        return self._bound(node, scope, given, declares=False)

    adds = assigns

    def field(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        made = self.make("other", node, scope)
        made.parts = self.maybe(given[1], scope)
        for one in made.parts:
            self._bind_field(text_of(given[0]), one)
        return made

    def each(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        made = self.make("other", node, scope)
        value = self.maybe(given[1], scope)
        names = list(given[0].named_children) if given[0] is not None else []
        go = self.tree.language == "go"
        inner = scope if go else Scope(scope)
        for pattern in names[1:] if go else [given[0]]:
            if pattern is not None and value:
                self.bind(pattern, value[0], inner, declares=True)
        for one in parts_of(node):
            if one.id not in {each.id for each in given if each is not None}:
                made.parts.append(self.read(one, inner))
        made.parts += value
        return made

    def _bound(self, node: tree_sitter.Node, scope: Scope, given: Given, *, declares: bool) -> Code:
        made = self.make("other", node, scope, "binds")
        targets = [one for one in node.children_by_field_name("name") if one.is_named]
        left = given[0]
        if left is not None and not targets:
            targets = left.named_children if left.type == "expression_list" else [left]
        right = given[1]
        several = right is not None and right.type == "expression_list"
        values = self.statements(right, scope) if several and right else self.maybe(right, scope)
        for at, target in enumerate(targets):
            value = values[at] if len(values) == len(targets) else next(iter(values), None)
            if value is not None:
                self.bind(target, value, scope, declares=declares)
            elif declares and target.type == "identifier":
                scope.bound.setdefault(text_of(target), [])
            if not declares and target.type not in ("identifier", "shorthand_property_identifier"):
                made.parts.append(self.read(target, scope))
        for one in parts_of(node):  # the other arm of `let … else`
            if one.type == "block" and (right is None or one.id != right.id):
                made.parts.append(self.read(one, scope))
        made.parts += values
        return made

    def bind(self, node: tree_sitter.Node, value: Code, scope: Scope, *, declares: bool) -> None:
        match node.type:
            case "identifier" | "shorthand_property_identifier_pattern" | "field_identifier":
                self._bind_name(text_of(node), value, scope, declares=declares)
            case "object_pattern":
                for one in parts_of(node):
                    self._bind_key(one, value, scope, declares=declares)
            case "assignment_pattern":
                inner, *defaults = node.named_children
                for given in (value, *(self.read(each, scope) for each in defaults)):
                    self.bind(inner, given, scope, declares=declares)
            case "member_expression" | "selector_expression" | "field_expression" | "field_access":
                self._bind_field(text_of(node.named_children[-1]), value)
            case "subscript_expression" | "index_expression":
                return
            case _:
                kind = node.child_by_field_name("type")
                for one in parts_of(node):
                    if kind is None or one.id != kind.id:
                        self.bind(one, value, scope, declares=declares)

    def _bind_name(self, name: str, value: Code, scope: Scope, *, declares: bool) -> None:
        if not declares:
            self.assigned.append((scope, name, value))
        elif name != "_":
            scope.bound.setdefault(name, []).append(value)
        if value.kind == "function":
            self.tree.functions.setdefault(name, []).append(value)

    def _bind_field(self, name: str, value: Code) -> None:
        self.tree.fields.setdefault(name, []).append(value)
        if value.kind == "function":
            self.tree.functions.setdefault(name, []).append(value)

    def _bind_key(
        self, node: tree_sitter.Node, value: Code, scope: Scope, *, declares: bool
    ) -> None:
        if node.type == "rest_pattern":
            self.bind(node.named_children[0], value, scope, declares=declares)
            return
        key = node.child_by_field_name("key") or node.child_by_field_name("left") or node
        inner = node.child_by_field_name("value") or key
        made = self.make("member", node, scope, text_of(key).strip("\"'`"))
        made.parts = [value]
        if key.type == "computed_property_name":
            made.kind = "index"
            made.parts += self.statements(key, scope)
        self.bind(inner, made, scope, declares=declares)
        default = node.child_by_field_name("right")
        if default is not None:
            self.bind(inner, self.read(default, scope), scope, declares=declares)

    def function(self, node: tree_sitter.Node, scope: Scope, given: Given) -> Code:
        name, parameters, body = given
        made = self.make("function", node, scope, text_of(name))
        inner = made.inner = Scope(scope)
        parameters = parameters or node.child_by_field_name("parameter")
        if parameters is not None:
            single = parameters.type == "identifier"
            for one in [parameters] if single else parts_of(parameters):
                self._parameter(one, made, inner)
        self.open.append(made)
        made.parts = self.maybe(body, inner)
        self.open.pop()
        if body is not None and not body.type.endswith("block"):
            made.returned += made.parts
        elif self.tree.language == "rust":
            made.returned += [one for one in made.parts if one.kind == "either"]
        if made.text:
            self.tree.functions.setdefault(made.text, []).append(made)
            if node.type in ("function_declaration", "function_item", "function_expression"):
                scope.bound.setdefault(made.text, []).append(made)
        return made

    def _parameter(self, node: tree_sitter.Node, made: Code, scope: Scope) -> None:
        if node.type in ("self_parameter", "receiver_parameter"):
            return
        rest = "*" if "variadic" in node.type or "spread" in node.type else ""
        names = node.children_by_field_name("name")
        pattern = node.child_by_field_name("pattern") or node
        default = node.child_by_field_name("value")
        if pattern.type == "rest_pattern":
            rest, pattern = "*", pattern.named_children[0]
        if pattern.type == "assignment_pattern":
            default, pattern = pattern.named_children[1], pattern.named_children[0]
        plain = names or ([pattern] if pattern.type in ("identifier", "mut_pattern") else [])
        for one in plain:
            name = text_of(one).removeprefix("mut ")
            made.given.append(rest + name)
            scope.given.add(name)
            if default is not None:
                scope.bound.setdefault(name, []).append(self.read(default, scope))
        if not plain:
            name = f"#{len(made.given)}"
            made.given.append(rest + name)
            scope.given.add(name)
            self.bind(pattern, self.make("name", node, scope, name), scope, declares=True)

    def imports(self, node: tree_sitter.Node, scope: Scope, _given: Given) -> Code:
        made = self.make("other", node, scope, "import")
        match self.tree.language:
            case "javascript":
                self._import_script(node, made, scope)
            case "go":
                path = text_of(node.child_by_field_name("path")).strip('"`')
                name = text_of(node.child_by_field_name("name"))
                self._brought(made, path, name or package_name(path), path)
                if name == ".":
                    self.tree.every.append(path)
            case "rust":
                self._use(node.child_by_field_name("argument"), "", made)
            case _:
                full = next((text_of(one) for one in node.named_children), "")
                if text_of(node).rstrip("; ").endswith("*"):
                    self.tree.every.append(full)
                self._brought(made, full, full.rpartition(".")[2], full)
        return made

    def _brought(self, made: Code, module: str, name: str, full: str) -> None:
        value = Code("module", made.lines, made.scope, full)
        self.tree.top.bound.setdefault(name, []).append(value)
        self.tree.loaded.append(Code("module", made.lines, made.scope, module))
        self.tree.nodes.append(value)

    def _import_script(self, node: tree_sitter.Node, made: Code, scope: Scope) -> None:
        clauses = list(descend(node))
        sources = (one.child_by_field_name("source") for one in clauses)
        named = next((one for one in sources if one is not None), None)
        if named is None:
            made.parts = self.statements(node, scope)
            return
        module = text_of(named).strip("\"'")
        self.tree.loaded.append(Code("module", made.lines, scope, module))
        for one in clauses:
            if one.type in ("import_clause", "import_require_clause", "namespace_import"):
                for each in one.named_children:
                    if each.type == "identifier":
                        self._brought(made, module, text_of(each), module)
            elif one.type == "import_specifier":
                name = text_of(one.child_by_field_name("name")).strip("\"'")
                alias = text_of(one.child_by_field_name("alias"))
                self._brought(made, module, alias or name, f"{module}.{name}")

    def _use(self, node: tree_sitter.Node | None, before: str, made: Code) -> None:
        def path_of(one: tree_sitter.Node | None) -> str:
            return f"{before}.{text_of(one).replace('::', '.')}".strip(".")

        match node.type if node is not None else "":
            case "use_list":
                for one in node.named_children if node is not None else ():
                    self._use(one, before, made)
            case "scoped_use_list" if node is not None:
                path = path_of(node.child_by_field_name("path"))
                self._use(node.child_by_field_name("list"), path, made)
            case "use_as_clause" if node is not None:
                full = path_of(node.child_by_field_name("path"))
                self._brought(made, full, text_of(node.child_by_field_name("alias")), full)
            case "use_wildcard" if node is not None:
                self.tree.every.append(path_of(next(iter(node.named_children), None)))
            case "self":
                self._brought(made, before, before.rpartition(".")[2], before)
            case _:
                full = path_of(node)
                self._brought(made, full, full.rpartition(".")[2], full)
