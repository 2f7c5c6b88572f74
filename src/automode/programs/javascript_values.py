"""What the values in a piece of JavaScript are known to be: an object or module with listed names,
a function that is written there, no function at all, or a number; and where they go."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from automode.core.word_lists import word_lists
from automode.programs.javascript_tree import (
    FUNCTION_VALUES,
    NAMES,
    Binding,
    Code,
    text_of_string,
)

STEPS = 12  # that a value is followed
_DECLARED = frozenset({"function_declaration", "generator_function_declaration"})
_PLAIN = frozenset(
    """string template_string number regex array object true false null undefined unary_expression
    update_expression""".split()
)
_WRAPPING = frozenset({"parenthesized_expression", "await_expression"})
_PATTERNS = frozenset(
    """array_pattern object_pattern pair_pattern assignment_pattern object_assignment_pattern
    rest_pattern""".split()
)
_ABSORBING = frozenset(
    """unary_expression template_substitution expression_statement update_expression spread_element
    member_expression subscript_expression""".split()
)
_ARITHMETIC = frozenset("- * / % ** & | ^ << >> >>>".split())
_LOGICAL = frozenset("|| && ??".split())


@cache
def listed(name: str) -> frozenset[str]:
    return frozenset(word_lists("automode.programs", "javascript_names").get(name, ()))


@cache
def _places(kind: str) -> Mapping[str, frozenset[str]]:
    """The objects or modules of a kind, with their listed names."""
    lists = word_lists("automode.programs", "javascript_names")
    start = f"{kind}:"
    return {key: frozenset(names) for key, names in lists.items() if key.startswith(start)}


def bare(part: Code | None) -> Code | None:
    """Without parentheses and `await` around it."""
    while part is not None and part.kind in _WRAPPING:
        part = part.named[0] if len(part.named) == 1 else None
    return part


def outside(part: Code) -> tuple[Code, Code]:
    """The same with the parentheses and `await` around it, and what that is a part of."""
    while part.up is not None and part.up.kind in _WRAPPING:
        part = part.up
    return part, part.up or part


def loaded(part: Code | None) -> Code | None:
    """What is required or imported there, where it is one text."""
    if part is None or part.kind != "call_expression":
        return None
    function, given = part.fields["function"], part.arguments
    loads = function.kind == "import" or (function.text == "require" and is_unbound(function))
    return given[0] if loads and given and given[0].kind == "string" else None


def is_unbound(part: Code) -> bool:
    return part.kind == "identifier" and part.binding is None


def callee(call: Code) -> Code | None:
    return call.get("function") or call.get("constructor")


def operator(part: Code) -> str:
    return part.fields["operator"].text.removesuffix("=")


@dataclass(slots=True)
class Piece:
    parts: list[Code]
    page: bool = False
    keyed: bool = (
        False  # a function may have got any name: no method is sure to be what it is called
    )
    given: dict[str, list[Code | None]] = field(default_factory=dict)  # fields, and their values
    runs: list[str] = field(default_factory=list)  # modules of the project
    left: int = 100_000  # steps that values are followed, in all
    strict: bool = False
    computed: bool = False  # some field is only known when it runs

    def place(self, part: Code | None, steps: int = STEPS) -> str | None:
        """The listed object or module that it stands for: `object:process.stdout`, `module:fs`."""
        part = bare(part)
        if part is None or steps == 0:
            return None
        name = loaded(part)
        if part.kind == "import_clause" and part.up is not None:
            name = part.up.get("source")
        if name is not None:
            text = text_of_string(name).removeprefix("node:")
            return self.known(f"module:{text}") if not self.page else None
        if part.kind == "member_expression":
            outer = self.place(part.get("object"), steps - 1)
            return self.inner(outer, part.fields["property"].text)
        if part.kind != "identifier":
            return None
        binding = part.binding
        if binding is None:
            return self.known(f"{'page' if self.page else 'object'}:{part.text}")
        if len(binding.values) != 1 or binding.loops:
            return None
        if binding.taken is not None:
            return self.inner(self.place(binding.taken[0], steps - 1), binding.taken[1])
        place = self.place(binding.values[0], steps - 1)
        return place if place is not None and place.startswith("module:") else None

    def known(self, place: str) -> str | None:
        return place if place in _places(place.partition(":")[0]) else None

    def inner(self, place: str | None, name: str) -> str | None:
        if place is None or (name == "default" and place.startswith("module:")):
            return place
        return self.known(f"{place}.{name}")

    def members(self, place: str) -> frozenset[str]:
        return _places(place.partition(":")[0])[place]

    def called(self, call: Code | None) -> str:
        """What is called: `module:path.join`, `object:Math.max`, a global function, `.method`;
        empty for a function of the code's own."""
        function = callee(call) if call is not None else None
        if function is None:
            return ""
        if function.kind == "identifier":
            binding = function.binding
            if binding is None:
                return function.text
            place = self.place(binding.taken[0]) if binding.taken is not None else None
            single = len(binding.values) == 1 and place is not None and binding.taken is not None
            return f"{place}.{binding.taken[1]}" if single and binding.taken else ""
        if function.kind != "member_expression":
            return ""
        return f"{self.place(function.get('object')) or ''}.{function.fields['property'].text}"

    def calls(self, call: Code | None, names: str) -> bool:
        """Whether what is called is surely one of the list, and no function with such a name."""
        called = self.called(call)
        name = called.rpartition(".")[2]
        return name in listed(names) and not (called[:1] == "." and self.may_mean_more(name))

    def may_mean_more(self, method: str) -> bool:
        return self.keyed or bool(self.runs) or method in self.given

    def goes_on(self, steps: int) -> bool:
        """Whether a value is followed any further."""
        self.left -= 1
        return steps > 0 and self.left > 0

    def is_function(self, part: Code | None) -> bool:
        """Whether it is a function that is written there, and nothing else."""
        part = bare(part)
        if part is None or part.kind in FUNCTION_VALUES:
            return part is not None
        binding = part.binding if part.kind == "identifier" else None
        return binding is not None and self.names_function(binding)

    def names_function(self, binding: Binding) -> bool:
        if binding.loops or len(binding.values) != 1 or binding.is_global:
            return False
        if binding.parameter is not None:
            outer = binding.parameter[0].up
            maker = outer.up if outer is not None and outer.kind == "arguments" else None
            return (
                maker is not None
                and maker.kind == "new_expression"
                and (self.called(maker) == "Promise")
            )
        value = bare(binding.values[0])
        return value is not None and value.kind in FUNCTION_VALUES | _DECLARED

    def is_plain(self, part: Code | None, steps: int = STEPS) -> bool:
        """Whether it is surely no function, nor what objects have in common."""
        part = bare(part)
        if part is None or not self.goes_on(steps):
            return False
        branches = _branches(part)
        if part.kind in _PLAIN or branches is not None:
            return all(self.is_plain(one, steps - 1) for one in branches or ())
        match part.kind:
            case "member_expression":
                return part.fields["property"].text == "length" and "length" not in self.given
            case "new_expression":
                maker = callee(part)
                return maker is not None and is_unbound(maker)
            case "identifier" if part.binding is None:
                return part.text in ("NaN", "Infinity", "__dirname", "__filename")
            case "identifier" if part.binding is not None:
                binding = part.binding
                known = not binding.loops and not binding.is_global
                return known and all(self.is_plain(one, steps - 1) for one in binding.values)
            case "call_expression":
                data = loaded(part)
                return self.calls(part, "fresh") or (data is not None and is_data(data))
            case _:
                return False

    def is_counted(self, part: Code | None, steps: int = STEPS) -> bool:
        """Whether it is surely a number."""
        part = bare(part)
        if part is None or not self.goes_on(steps):
            return False
        match part.kind:
            case "number" | "update_expression":
                return True
            case "unary_expression":
                return operator(part) in ("+", "-", "~")
            case "binary_expression":
                both = (part.get("left"), part.get("right"))
                return operator(part) in _ARITHMETIC or (
                    operator(part) in ("+", "||", "??")
                    and all(self.is_counted(one, steps - 1) for one in both)
                )
            case "call_expression":
                return self.calls(part, "counting")
            case "identifier" if part.binding is not None:
                return self.counts(part.binding, steps)
            case _:
                return False

    def counts(self, binding: Binding, steps: int) -> bool:
        if binding.loops or binding.is_global or binding.taken is not None:
            return False
        if binding.parameter is not None:
            function, index = binding.parameter
            call = function.up.up if function.up is not None else None
            return index == 1 and len(binding.values) == 1 and self.calls(call, "numbered")
        if not binding.values:
            return False
        return all(self.is_counted(_added(one), steps - 1) for one in binding.values)

    def is_absorbed(self, part: Code, steps: int = STEPS) -> bool:
        """Whether the value is only printed, compared, computed with, or looked into: nobody keeps
        it, and nobody calls it."""
        up = part.up
        if up is None or not self.goes_on(steps):
            return False
        if up.kind in _ABSORBING:
            return True  # what is taken from it is looked at for itself
        if up.kind == "arrow_function":
            outer = up.up.up if up.up is not None else None
            return part.is_field("body") and self.calls(outer, "asking")
        match up.kind:
            case "binary_expression" | "augmented_assignment_expression":
                return operator(up) not in _LOGICAL or self.is_absorbed(up, steps - 1)
            case "parenthesized_expression" | "await_expression":
                tested = up.is_field("condition") and up.up is not None
                tested = tested and up.up is not None and up.up.kind.endswith("statement")
                return tested or self.is_absorbed(up, steps - 1)
            case "ternary_expression" | "for_in_statement":
                decides = part.is_field("condition") or part.is_field("right")
                return decides or self.is_absorbed(up, steps - 1)
            case "pair" | "array" | "object":
                return self.is_printed(up, steps - 1)
            case "arguments":
                return self.calls(up.up, "absorbing") or self.is_printed(part, 1)
            case "variable_declarator":
                name = up.get("name")
                return name is not None and self.absorbs(name, steps)
            case _:
                return False

    def absorbs(self, name: Code, steps: int) -> bool:
        """Whether a name that is given the value hands it on to nobody."""
        binding = name.binding
        if binding is None or len(binding.values) != 1 or binding.is_global:
            return name.kind in ("array_pattern", "object_pattern")
        return all(self.is_absorbed(one, steps - 1) for one in binding.uses)

    def is_printed(self, part: Code, steps: int) -> bool:
        up = part.up
        if up is None or not self.goes_on(steps):
            return False
        if up.kind != "arguments":
            return up.kind in ("pair", "array", "object") and self.is_printed(up, steps - 1)
        others = [one for one in up.named if one is not part]
        place = self.called(up.up).rpartition(".")[0]
        prints = place in ("object:console", "page:console")
        return prints or (place in ("object:JSON", "page:JSON") and all(map(self.is_plain, others)))

    def give(self, part: Code) -> None:
        """Notes what fields with a name are given."""
        given = self.given
        match part.kind:
            case "pair" if (name := key_of(part.get("key"))) is not None:
                given.setdefault(name, []).append(part.get("value"))
            case "shorthand_property_identifier":
                given.setdefault(part.text, []).append(part)
            case "method_definition" if (name := key_of(part.get("name"))) is not None:
                getter = "get" in part.marks
                given.setdefault(name, []).append(None if getter else part)
            case "field_definition" if (name := key_of(part.get("property"))) is not None:
                given.setdefault(name, []).append(part.get("value"))
            case "member_expression" if is_target(part):
                name = part.fields["property"].text
                given.setdefault(name, []).append(_stored(part))
            case "subscript_expression" if is_target(part):
                index = part.get("index")
                if index is not None and index.kind == "string":
                    given.setdefault(text_of_string(index), []).append(_stored(part))
            case _:
                pass

    def stores_plain(self, part: Code) -> bool:
        """Whether what gets a name that only its run tells is surely no function."""
        match part.kind:
            case "subscript_expression" if is_target(part) and self.is_unknown(part.get("index")):
                return self.is_plain(_stored(part))
            case "computed_property_name" if part.up is not None:
                return part.up.kind == "pair" and self.is_plain(part.up.get("value"))
            case "call_expression" if self.called(part).endswith(":Object.fromEntries"):
                return self.pairs_plain(part.arguments)
            case _:
                return True

    def pairs_plain(self, given: list[Code]) -> bool:
        """Of `Object.fromEntries(x.map(y => [y, …]))`."""
        call = given[0] if given else None
        if call is None or self.called(call) != ".map" or len(call.arguments) != 1:
            return False
        body = bare(call.arguments[0].get("body"))
        pair = body is not None and body.kind == "array" and len(body.named) == 2
        return pair and body is not None and self.is_plain(body.named[1])

    def is_unknown(self, index: Code | None) -> bool:
        return index is None or not (index.kind == "string" or self.is_counted(index))

    def look_up(self, part: Code) -> None:
        """Whether a field is read whose name only its run tells, and its value may go on."""
        if part.kind in NAMES and part.binding is not None:
            self.strict = self.strict or part.binding.is_global
        if part.kind != "subscript_expression" or not self.is_unknown(part.get("index")):
            return
        self.computed = True
        operates = part.up is not None and part.up.kind == "augmented_assignment_expression"
        if is_target(part) and not operates:
            return
        plain = self.is_plain(part.get("object"))
        self.strict = self.strict or not (plain or self.is_absorbed(part))

    def names_kept(self) -> bool:
        """Whether no method that is called, by its name or without, is anything but what it is
        called, or a function that is written there."""
        every = map(self.called, self.parts)
        called = {name[1:] for name in every if name[:1] == "."}
        return all(
            (value is not None and (value.kind == "method_definition" or self.is_own(value)))
            or self.is_plain(value)
            for name, values in self.given.items()
            if name in called | listed("implicit")
            for value in values
        )

    def is_own(self, part: Code | None) -> bool:
        if part is not None and part.kind == "shorthand_property_identifier":
            return part.binding is not None and self.names_function(part.binding)
        return self.is_function(part)


def _branches(part: Code) -> list[Code | None] | None:
    """What it gives one of; none where it gives something new."""
    match part.kind:
        case "binary_expression" | "augmented_assignment_expression":
            both = [part.get("left"), part.get("right")]
            return both if operator(part) in _LOGICAL else []
        case "ternary_expression":
            return [part.get("consequence"), part.get("alternative")]
        case "assignment_expression":
            return [part.get("right")]
        case _:
            return None


def is_data(name: Code) -> bool:
    """Of what is required: whether it holds no code."""
    return text_of_string(name).endswith(".json")


def _added(value: Code | None) -> Code | None:
    """What a name gets: of `n += 1` what is added to it."""
    adds = value is not None and value.kind == "augmented_assignment_expression"
    return value.get("right") if adds and value is not None else value


def key_of(part: Code | None) -> str | None:
    """The name that a field is written with; None where only its run tells."""
    if part is None:
        return None
    if part.kind == "string":
        return text_of_string(part)
    return None if part.kind == "computed_property_name" else part.text


def is_target(part: Code) -> bool:
    """Whether something is stored into it."""
    up = part.up
    if up is None:
        return False
    if up.kind in ("assignment_expression", "augmented_assignment_expression"):
        return part.is_field("left")
    if up.kind == "for_in_statement":
        return part.is_field("left")
    if up.kind == "pair_pattern":
        return part.is_field("value")
    if up.kind in ("assignment_pattern", "object_assignment_pattern"):
        return part.is_field("left")
    deletes = up.kind == "unary_expression" and operator(up) == "delete"
    return deletes or up.kind in _PATTERNS or up.kind == "update_expression"


def _stored(target: Code) -> Code | None:
    """What is stored there; None where nobody can tell."""
    up = target.up
    if up is None:
        return None
    if up.kind == "assignment_expression":
        return up.get("right")
    if up.kind == "augmented_assignment_expression":
        logical = operator(up) in ("||", "&&", "??")
        return up.get("right") if logical else up
    return up if up.kind in ("update_expression", "unary_expression") else None
