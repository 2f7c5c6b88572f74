"""JavaScript as a tree of its code, with what each name in it stands for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import tree_sitter
import tree_sitter_javascript

NODE_LIMIT = 20_000
CODE_LIMIT_BYTES = 20_000
"""The parser cannot be interrupted; longer code is left to others."""

LONGEST_TEXT = 400  # of a part that is none
_FUNCTIONS = frozenset(
    """function_declaration function_expression arrow_function method_definition generator_function
    generator_function_declaration class_static_block""".split()
)
FUNCTION_VALUES = frozenset("arrow_function function_expression generator_function".split())
_SCOPES = _FUNCTIONS | frozenset(
    """program statement_block for_statement for_in_statement catch_clause switch_body
    class_body""".split()
)
_PATTERNS = frozenset(
    """array_pattern object_pattern assignment_pattern object_assignment_pattern rest_pattern
    pair_pattern""".split()
)
NAMES = frozenset(
    "identifier shorthand_property_identifier shorthand_property_identifier_pattern".split()
)
_ASSIGNING = frozenset(
    """assignment_expression augmented_assignment_expression update_expression
    for_in_statement""".split()
)
# Not a name, or one that may read otherwise elsewhere.
_ODD = re.compile(r"[\0\u2028\u2029\ufeff\u200b\u2060]|\r(?!\n)|\\\r")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "\n": "", "0": "\0"}
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL
)


@dataclass(slots=True, eq=False)
class Binding:
    """What a name of the code's own stands for."""

    name: str
    values: list["Code | None"] = field(default_factory=list)  # None: nobody can tell
    loops: list["Code"] = field(default_factory=list)  # what it runs through, in turn
    uses: list["Code"] = field(default_factory=list)
    parameter: "tuple[Code, int] | None" = None  # of a function
    taken: "tuple[Code, str] | None" = None  # a name out of a value: `const {a} = x`
    is_global: bool = False  # `var` outside of every function may mean what was there before


@dataclass(slots=True, eq=False)
class Scope:
    up: "Scope | None"
    is_function: bool
    names: dict[str, Binding] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Code:
    kind: str
    text: str
    up: "Code | None"
    scope: Scope
    named: list["Code"] = field(default_factory=list)
    fields: dict[str, "Code"] = field(default_factory=dict)
    marks: list[str] = field(default_factory=list)  # `async`, `var`, `?.`
    binding: Binding | None = None
    declares: bool = False

    def get(self, name: str) -> "Code | None":
        return self.fields.get(name)

    def is_field(self, name: str) -> bool:
        return self.up is not None and self.up.fields.get(name) is self

    @property
    def arguments(self) -> list["Code"]:
        """Of a call."""
        given = self.fields.get("arguments")
        return given.named if given is not None else []


@cache
def parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_javascript.language()))


def tree_of(code: str) -> list[Code]:
    """All parts of the code, each before its own parts; none where it is not known to be read as
    whoever runs it reads it."""
    source = code.encode(errors="replace")
    if len(source) > CODE_LIMIT_BYTES or _ODD.search(code):
        return []
    root = parser().parse(source).root_node
    if root.has_error:
        return []
    found = _parts(root, source)
    for part in found:
        _declare(part)
    for part in found:
        if part.kind in NAMES and not part.declares:
            part.binding = _resolve(part.text, part.scope)
            if part.binding is not None:
                part.binding.uses.append(part)
    for part in found:
        _assign(part)
    return found


def _parts(root: tree_sitter.Node, source: bytes) -> list[Code]:
    found: list[Code] = []
    waiting: list[tuple[tree_sitter.Node, Code | None, str | None]] = [(root, None, None)]
    while waiting:
        node, up, name = waiting.pop()
        if len(found) > NODE_LIMIT:
            return []
        if node.type == "--" and source[: node.start_byte].endswith(b"<!"):
            return []  # a comment, where the code is no module
        if not node.is_named and up is not None:
            up.marks.append(node.type)
            if name == "operator":
                up.fields[name] = Code("operator", node.type, up, up.scope)
        elif node.type != "comment":
            part = _part(node, up, name)
            found.append(part)
            names = map(node.field_name_for_child, range(len(node.children)))
            children = [(one, part, own) for one, own in zip(node.children, names, strict=True)]
            waiting.extend(reversed(children))
    return found


def _part(node: tree_sitter.Node, up: Code | None, name: str | None) -> Code:
    scope = None if up is None else up.scope
    if scope is None or node.type in _SCOPES:
        scope = Scope(scope, is_function=scope is None or node.type in _FUNCTIONS)
    short = node.text if node.text and (len(node.text) < LONGEST_TEXT or _is_text(node)) else b""
    part = Code(node.type, short.decode(errors="replace"), up, scope)
    if up is not None:
        up.named.append(part)
        if name is not None:
            up.fields.setdefault(name, part)
    return part


def _is_text(node: tree_sitter.Node) -> bool:
    return node.type in ("string", "string_fragment")


def _bound(pattern: Code, path: str = "") -> Iterator[tuple[Code, str]]:
    """The names in a pattern, each with the key that it is taken from: empty for the whole of it,
    `?` where nobody can tell."""
    waiting = [(pattern, path)]
    while waiting:
        part, key = waiting.pop()
        if part.kind in NAMES:
            is_short = part.kind == "shorthand_property_identifier_pattern"
            yield part, part.text if is_short and key == "{" else ("?" if key == "{" else key)
        elif part.kind == "object_pattern":
            waiting += [(one, "{" if not key else "?") for one in part.named]
        elif part.kind == "pair_pattern":
            name, value = part.get("key"), part.get("value")
            plain = key == "{" and name is not None and name.kind == "property_identifier"
            if value is not None:
                is_name = value.kind == "identifier"
                waiting.append((value, name.text if plain and name and is_name else "?"))
        elif part.kind in ("assignment_pattern", "object_assignment_pattern"):
            left = part.get("left")
            waiting += [(left, "?")] if left is not None else []
        elif part.kind in _PATTERNS:
            waiting += [(one, "?") for one in part.named]


def _put(pattern: Code, scope: Scope, value: Code | None, *, is_var: bool = False) -> None:
    """Declares what the pattern names; `value` is what it is given."""
    scope = _function_scope(scope) if is_var else scope
    for part, key in _bound(pattern):
        part.declares = True
        binding = part.binding = scope.names.setdefault(part.text, Binding(part.text))
        binding.is_global = binding.is_global or (is_var and scope.up is None)
        binding.values.append(None if key else value)
        if key not in ("", "?") and value is not None:
            binding.taken = (value, key)


def _function_scope(scope: Scope) -> Scope:
    while not scope.is_function and scope.up is not None:
        scope = scope.up
    return scope


def _declare(part: Code) -> None:
    name = part.get("name")
    match part.kind:
        case "variable_declarator" if name is not None and part.up is not None:
            is_var = part.up.kind == "variable_declaration"
            _put(name, part.scope, part.get("value"), is_var=is_var)
        case "for_in_statement" if (left := part.get("left")) is not None:
            _declare_loop(part, left)
        case "function_declaration" | "generator_function_declaration" if name is not None:
            _put(name, part.scope.up or part.scope, part)
        case "class_declaration" | "function_expression" | "generator_function" if name is not None:
            _put(name, part.scope, part)
        case "catch_clause" if (one := part.get("parameter")) is not None:
            _put(one, part.scope, None)
        case "import_clause":
            for one in part.named:
                _import(one, part)
        case _:
            pass
    if part.kind in _FUNCTIONS:
        _parameters(part)


def _declare_loop(part: Code, left: Code) -> None:
    if {"const", "let", "var"}.isdisjoint(part.marks):
        return
    through = left.kind == "identifier" and "of" in part.marks
    _put(left, part.scope, None, is_var="var" in part.marks)
    if through and left.binding is not None and (right := part.get("right")) is not None:
        left.binding.values.pop()
        left.binding.loops.append(right)


def _parameters(function: Code) -> None:
    single, several = function.get("parameter"), function.get("parameters")
    every = [single] if single is not None else several.named if several is not None else []
    for index, one in enumerate(every):
        _put(one, function.scope, None)
        if one.kind == "identifier":
            function.scope.names[one.text].parameter = (function, index)


def _import(one: Code, clause: Code) -> None:
    if one.kind == "identifier":
        _put(one, clause.scope, clause)
    elif one.kind == "namespace_import":
        _put(one.named[0], clause.scope, clause)
    for given in one.named if one.kind == "named_imports" else ():
        name, alias = given.get("name"), given.get("alias") or given.get("name")
        if name is not None and alias is not None:
            _put(alias, clause.scope, None)
            clause.scope.names[alias.text].taken = (clause, name.text)
            name.declares = True


def _resolve(name: str, scope: Scope | None) -> Binding | None:
    while scope is not None:
        if name in scope.names:
            return scope.names[name]
        scope = scope.up
    return None


def _assign(part: Code) -> None:
    """What names are given after they were declared."""
    target = part.get("argument") if part.kind == "update_expression" else part.get("left")
    if target is None or part.kind not in _ASSIGNING:
        return
    value: Code | None = part
    if part.kind == "assignment_expression":
        value = part.get("right")
    elif part.kind == "augmented_assignment_expression":
        logical = part.fields["operator"].text in ("||=", "&&=", "??=")
        value = part.get("right") if logical else part
    known = target.kind == "identifier" and part.kind != "for_in_statement"
    for one, _ in _bound(target):
        if one.binding is not None and not one.declares:
            one.binding.values.append(value if known else None)


def text_of_string(part: Code) -> str:
    """What a text that is written out says."""
    return unescaped(part.text[1:-1])


def unescaped(text: str) -> str:
    return _ESCAPE.sub(_escaped, text) if "\\" in text else text


def _escaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        return chr(int(code, 16)) if int(code, 16) < 0x110000 else ""
    return _ESCAPES.get(found[4], found[4])
