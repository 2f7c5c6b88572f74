"""What is proved of JavaScript: it reads, computes and prints, and writes the files it names; or it
stays on its page.

The language of proved code is closed: kinds of syntax, globals, modules, functions and methods that
are not listed make the whole piece not proved. A field whose name is only known when it runs may be
any, also what makes functions out of texts: where such a value may go on, the piece is read
strictly, and calls nothing but what is written in it or listed.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from automode.programs.javascript_files import Files
from automode.programs.javascript_loading import Loading
from automode.programs.javascript_tree import Code, text_of_string, tree_of
from automode.programs.javascript_values import (
    Piece,
    bare,
    is_target,
    is_unbound,
    key_of,
    listed,
    operator,
)
from automode.programs.python_code import Proved

_NAME = re.compile(r"#?[A-Za-z_$][\w$]*")
_READING = frozenset("readFile readFileSync".split())
_WRITING = frozenset("writeFile writeFileSync appendFile appendFileSync".split())
_FILES = _READING | _WRITING
_OPTIONS = frozenset({"encoding"})
_STORES = frozenset(
    {"assignment_expression", "augmented_assignment_expression", "update_expression"}
)
_DOUBTFUL = frozenset("await yield let async".split())  # they are words of the language elsewhere
_NAMED = frozenset(
    """property_identifier private_property_identifier shorthand_property_identifier
    shorthand_property_identifier_pattern""".split()
)
_CLASSES = frozenset({"class", "class_declaration"})
_LOCATIONS = frozenset({"page:location", "page:window.location", "page:document.location"})
# A path of the page's own machine: not `//host`.
_PAGE_PATH = re.compile(r"/(?![/\\])[\w./?=&%#-]*")
_FETCHED = re.compile(r"/[\w-][^\\\s]*|https?://[\w.:\[\]-]+(?:/[^\\\s]*)?")
_WORDS = re.compile(r"[\w .,!?-]*")
_ATTRIBUTE = re.compile(r"(?:data|aria)-[\w-]+")


def prove_javascript(code: str) -> Proved | None:
    """Of code for Node; None: nothing is proved of it."""
    piece = Piece(tree_of(code))
    prover = _Prover(piece, Files(piece), Loading(piece))
    if not prover.proves():
        return None
    texts = (one for part in prover.piece.parts for one in _texts(part))
    written = prover.written
    return Proved(
        tuple(written),
        (*texts, *prover.files.read),
        0 < len(written) <= prover.filled,
        runs=(*prover.piece.runs, *prover.loading.data),
    )


def reached_from_page(code: str, *, acting: bool) -> tuple[str, ...] | None:
    """The addresses that code of a page fetches from; None where it may lead away from the page,
    or where it does more than to look and is not `acting`."""
    piece = Piece(tree_of(code), page=True)
    prover = _Prover(piece, Files(piece), Loading(piece), acting=acting)
    return tuple(prover.reaches) if prover.proves() else None


def _texts(part: Code) -> list[str]:
    if part.kind == "string":
        return [text_of_string(part)]
    return [part.text] if part.kind == "string_fragment" and part.up is not None else []


def _may_give_types(part: Code) -> bool:
    """Whether it is `f<T>(x)` to who reads types: a call."""
    right = part.get("right")
    if right is None or right.kind not in ("parenthesized_expression", "template_string"):
        return False
    closes = part.fields["operator"].text in (">", ">>", ">>>")
    outer: Code | None = part if closes else None
    while outer is not None and not outer.kind.endswith(("statement", "declaration", "body")):
        if any(_is_less(one) for one in (outer, *outer.named)):
            return True
        outer = outer.up
    return False


def _is_less(part: Code) -> bool:
    return part.kind == "binary_expression" and part.fields["operator"].text == "<"


def _is_words(part: Code | None) -> bool:
    """A text that is no code, in whatever language."""
    return (
        part is not None and part.kind == "string" and _WORDS.fullmatch(part.text[1:-1]) is not None
    )


def _in_class(part: Code) -> bool:
    """Whether `this` is an object of a class there."""
    up = part.up
    while up is not None and up.kind != "class_body":
        if up.kind in ("function_declaration", "function_expression", "object"):
            return False
        up = up.up
    return up is not None


@dataclass(slots=True)
class _Prover:
    piece: Piece
    files: Files
    loading: Loading
    acting: bool = False  # on its page
    changes_any: bool = False  # a field of something that may be everybody's
    options: bool = False  # it is told how a file is read
    written: list[str] = field(default_factory=list)
    reaches: list[str] = field(default_factory=list)  # addresses
    filled: int = 0

    def proves(self) -> bool:
        parts = self.piece.parts
        if not parts or not all(map(self.is_listed, parts)):
            return False
        for part in parts:
            self.piece.give(part)
        self.piece.keyed = not all(map(self.piece.stores_plain, parts))
        for part in parts:
            self.piece.look_up(part)
        self.piece.strict = self.piece.strict or self.piece.page or bool(self.piece.runs)
        if not all(map(self.is_harmless, parts)):
            return False
        if self.piece.strict and (self.piece.keyed or not self.piece.names_kept()):
            return False
        loads = self.options or self.piece.runs or self.loading.data
        return not (self.piece.computed and self.changes_any and loads)

    def words(self, name: str) -> frozenset[str]:
        return listed(f"page-{name}" if self.piece.page else name)

    # What the code is made of.

    def is_listed(self, part: Code) -> bool:
        up = part.up
        match part.kind:
            case "string":
                is_key = any(map(part.is_field, ("key", "index", "name")))
                return not (is_key and self.is_barred(text_of_string(part)))
            case "property_identifier" if up is not None and up.kind == "method_definition":
                return part.text == "constructor" or not self.is_barred(part.text)
            case kind if kind in _NAMED:
                return not self.is_barred(part.text)
            case "escape_sequence":
                return part.text == "\\0" or not part.text[1:2].isdigit()
            case "identifier" | "import":
                plain = _NAME.fullmatch(part.text) is not None and part.text not in _DOUBTFUL
                return (plain or part.kind == "import") and self.loading.loads_known(part)
            case "binary_expression":
                return not _may_give_types(part)
            case "this":
                return _in_class(part)
            case kind if (check := _CHECKS.get(kind)) is not None:
                return check(self, part)
            case kind:
                return kind in listed("kinds")

    def exports(self, part: Code) -> bool:
        return part.get("source") is None and not self.piece.page

    def is_known_key(self, part: Code) -> bool:
        return part.up is not None and part.up.kind != "pair_pattern"

    def tells_place(self, part: Code) -> bool:
        """Of `import.meta`."""
        key = part.up.get("property") if part.up is not None else None
        listed_key = key is not None and key.text in ("url", "dirname", "filename")
        return part.text == "import.meta" and listed_key

    def extends_known(self, part: Code) -> bool:
        base = part.named[0]
        own = base.binding is not None and self.is_class(base)
        return (own or (is_unbound(base) and base.text in listed("bases"))) and not self.piece.page

    def is_barred(self, name: str) -> bool:
        barred = listed("barred") | (listed("page-barred") if self.piece.page else frozenset())
        return name in barred or "\\" in name

    def is_class(self, part: Code) -> bool:
        binding = part.binding
        value = bare(binding.values[0]) if binding is not None and binding.values else None
        single = binding is not None and len(binding.values) == 1
        return single and value is not None and value.kind in _CLASSES

    # What the code does.

    def is_harmless(self, part: Code) -> bool:
        match part.kind:
            case "identifier" | "shorthand_property_identifier":
                return self.names(part)
            case "shorthand_property_identifier_pattern":
                return part.declares or self.names(part)
            case "member_expression":
                return self.looks(part) and (not is_target(part) or self.stores(part))
            case "subscript_expression" if is_target(part):
                return self.stores(part)
            case "subscript_expression" if self.piece.page:
                # Of a document it may be anything.
                known = not self.piece.is_unknown(part.get("index"))
                return known or self.piece.is_plain(part.get("object"))
            case "call_expression":
                return self.makes_call(part)
            case "new_expression":
                return self.makes_object(part)
            case _:
                return True

    def names(self, part: Code) -> bool:
        binding, up = part.binding, part.up
        if part.declares or up is None:
            return self.declares_known(part)
        if binding is None:
            return self.names_listed(part)
        whole = self.piece.place(part)
        if whole is not None:
            asserts = part.is_field("function") and whole.startswith("module:assert")
            return asserts or (up.kind == "member_expression" and part.is_field("object"))
        place = self.piece.place(binding.taken[0]) if binding.taken is not None else None
        if place is None or binding.taken is None:
            return True
        if len(binding.values) != 1:
            return False
        name = binding.taken[1]
        called = part.is_field("function") or part.is_field("constructor")
        return name in self.piece.members(place) and (called or name not in _FILES)

    def declares_known(self, part: Code) -> bool:
        """Whether a name that may mean what was there before, outside of where it is declared, is
        no name of everybody's."""
        binding, up = part.binding, part.up
        function = up is not None and up.kind.endswith("function_declaration")
        if not function and (binding is None or not binding.is_global):
            return True
        if self.piece.place(part) is not None and not function:
            return True  # it is a module, and only listed names are taken from it
        kinds = ("taken", "functions", "classes", "page-functions", "page-names")
        everybodys = any(part.text in listed(kind) for kind in kinds)
        return not everybodys and not any(
            self.piece.known(f"{kind}:{part.text}") for kind in ("object", "page")
        )

    def names_listed(self, part: Code) -> bool:
        """Of a name that is not the code's own."""
        name, up = part.text, part.up
        if up is None or name in self.words("names"):
            return up is not None and not is_target(part)
        known = self.words("functions") | self.words("classes")
        if self.acting:
            known |= listed("page-acting-classes") | {"fetch"}
        match up.kind:
            case "member_expression" if part.is_field("object"):
                return self.piece.place(part) is not None
            case "variable_declarator" if self.piece.place(part) is not None:
                return self.loading.takes(up.get("name"), part)
            case "call_expression" if part.is_field("function"):
                return name in known or name == "require"
            case "new_expression" if part.is_field("constructor"):
                return name in known
            case "arguments":
                return name in listed("handed")
            case "binary_expression":
                looks_at = operator(up) == "instanceof" and part.is_field("right")
                return looks_at and name in known | listed("kinds-of-objects")
            case "unary_expression":
                return operator(up) == "typeof"
            case kind:
                return kind == "class_heritage"

    def looks(self, part: Code) -> bool:
        """Of a field with a name."""
        name, up = part.fields["property"].text, part.up
        place = self.piece.place(part.get("object"))
        inner = self.piece.place(part)
        if inner is not None:
            return self.leads_on(part, up)
        if self.piece.page and name == "location":
            key = up.get("property") if up is not None and part.is_field("object") else None
            return key is not None and key.text in self.piece.members("page:location")
        if place is None:
            return True
        own = place == "page:window" and name[:2] == "__"
        if name not in self.piece.members(place) | {"default"} and not own:
            return False
        called = up is not None and part.is_field("function")
        return called or (name not in _FILES and name != "fromEntries")

    def leads_on(self, part: Code, up: Code | None) -> bool:
        """Whether an object or a module is only there for what is taken from it."""
        key, inner = part.fields["property"].text, part.fields["object"].get("property")
        if up is None or (key == "default" and inner is not None and inner.text == key):
            return False
        runs_through = up.kind == "for_in_statement" and part.is_field("right")
        return (
            runs_through
            or (up.kind == "member_expression" and part.is_field("object"))
            or (up.kind == "variable_declarator" and self.loading.takes(up.get("name"), part))
        )

    def stores(self, part: Code) -> bool:
        """Of what is stored into a field."""
        owner, up = part.get("object"), part.up
        key = part.get("property") or part.get("index")
        unknown = part.kind == "subscript_expression" and self.piece.is_unknown(key)
        name = None if unknown else key_of(key)
        place = self.piece.place(owner)
        if place is not None:
            return (place, name) == ("object:process", "exitCode") or self.leads(part, place)
        if self.piece.page:
            made = owner is not None and owner.kind == "identifier" and self.is_made(owner)
            sets = up is not None and up.kind in _STORES and part.kind == "member_expression"
            known = name in listed("page-settable") or (
                name in listed("page-texts") and up is not None and _is_words(up.get("right"))
            )
            return made or (self.acting and sets and known)
        own = self.piece.is_plain(owner) or (owner is not None and owner.kind == "this")
        self.changes_any = self.changes_any or not own
        return own or not (self.piece.strict and unknown)

    def is_made(self, part: Code) -> bool:
        """Whether it is an object or a list that the code made itself."""
        binding = part.binding
        values = binding.values if binding is not None and not binding.loops else []
        return bool(values) and all(
            one is not None and one.kind in ("object", "array") for one in map(bare, values)
        )

    def leads(self, part: Code, place: str) -> bool:
        """Whether it leads the page to another one of the same machine."""
        up, key = part.up, part.get("property")
        assigns = up is not None and up.kind == "assignment_expression"
        value = bare(up.get("right")) if assigns and up is not None else None
        if not self.acting or place not in _LOCATIONS or key is None or value is None:
            return False
        text = text_of_string(value) if value.kind == "string" else ""
        return key.text == "hash" or (key.text == "href" and bool(_PAGE_PATH.fullmatch(text)))

    def makes_call(self, call: Code) -> bool:
        function, given = call.fields["function"], call.arguments
        arguments = call.get("arguments")
        called = self.piece.called(call)
        place, _, name = called.rpartition(".")
        if arguments is not None and arguments.kind == "template_string":
            return called.endswith(":String.raw")
        if place:
            return self.uses_place(place, name, given)
        if called == "fetch":
            return self.fetches(given)
        if function.kind == "identifier" and function.binding is not None:
            return self.piece.is_function(function) or not self.piece.strict
        if function.kind in ("identifier", "import"):
            return self.hands_on(name, given)
        if function.kind == "super" or self.piece.is_function(function):
            return True
        if function.kind == "member_expression":
            return self.uses_method(function, name, given)
        owner = function.get("object")  # of one that only its run tells
        made = function.kind == "call_expression" or (
            owner is not None and self.piece.is_plain(owner)
        )
        return made and not self.piece.strict

    def uses_place(self, place: str, name: str, given: list[Code]) -> bool:
        """Of a function of an object or module that is listed."""
        if name == "parse" and place.endswith(":JSON") and len(given) != 1:
            return False
        if self.piece.page and name == "reload":
            return self.acting
        if place.startswith("module:fs") and name in _FILES:
            return self.uses_file(name, given)
        if name == "assign" and given:
            self.changes_any = self.changes_any or not self.piece.is_plain(given[0])
        return self.hands_on(name, given)

    def uses_file(self, name: str, given: list[Code]) -> bool:
        reads = name in _READING
        others = given[1:] if reads else given[2:]
        if not given or not all(map(self.is_option, others)):
            return False
        if reads:
            return self.files.reads(given[0])
        text = self.files.text(given[0], None)
        if text is None or len(given) < 2:
            return False
        data = given[1]
        self.filled += not (data.kind == "string" and not text_of_string(data).strip())
        self.written.append(text)
        return True

    def is_option(self, part: Code) -> bool:
        """How a text is written, or what is called when it is read."""
        if part.kind == "object":
            self.options = True
            return all(
                one.kind == "pair" and key_of(one.get("key")) in _OPTIONS for one in part.named
            )
        return part.kind in ("string", "null", "undefined") or self.piece.is_function(part)

    def uses_method(self, function: Code, name: str, given: list[Code]) -> bool:
        owner = function.get("object")
        values = self.piece.given.get(name, [])
        functions = bool(values) and all(
            one is not None and (one.kind == "method_definition" or self.piece.is_own(one))
            for one in values
        )
        if functions and (
            not self.piece.page
            or (owner is not None and (owner.kind == "this" or self.is_made(owner)))
        ):
            return True
        known = self.words("methods") | (listed("page-acting") if self.acting else frozenset())
        if self.piece.runs:
            known &= listed("foreign-methods")
        if name == "setAttribute":
            first = given[0] if given else None
            text = text_of_string(first) if first is not None and first.kind == "string" else ""
            plain = _ATTRIBUTE.fullmatch(text) is not None or text in listed("page-attributes")
            return self.acting and plain
        return name in known and self.hands_on(name, given)

    def hands_on(self, name: str, given: list[Code]) -> bool:
        """Whether what it is given, and what it may call, is known."""
        if name in listed("timers"):
            return bool(given) and self.piece.is_function(given[0])
        if name not in listed("callbacks") or not self.piece.strict:
            return True
        given = given[1:] if name in listed("calls-later") else given
        given = given[:1] if name in listed("calls-first") else given
        return all(map(self.may_be_handed, given))

    def may_be_handed(self, part: Code) -> bool:
        """Whether it is no function, or one that is written there or listed."""
        plain = self.piece.is_plain(part) or self.piece.is_own(part)
        listed_name = is_unbound(part) and part.text in listed("handed")
        place = self.piece.place(part.get("object")) if part.kind == "member_expression" else None
        return plain or listed_name or place is not None

    def fetches(self, given: list[Code]) -> bool:
        first = bare(given[0]) if given else None
        if first is None or first.kind not in ("string", "template_string"):
            return False
        start = first.named[0] if first.named else None
        text = text_of_string(first) if first.kind == "string" else ""
        if first.kind == "template_string" and start is not None:
            text = start.text if start.kind == "string_fragment" else ""
            whole = len(first.named) == 1 or "/" in text.removeprefix("http").partition("://")[2]
            text = text if whole or text[:1] == "/" else ""
        if _FETCHED.fullmatch(text) is None:
            return False
        self.reaches.append(text)
        return True

    def makes_object(self, part: Code) -> bool:
        maker = part.get("constructor")
        if maker is None or maker.kind != "identifier":
            return self.piece.called(part).startswith("object:Intl.")
        if maker.binding is None:
            return maker.text != "Promise" or (
                len(part.arguments) == 1 and self.piece.is_function(part.arguments[0])
            )
        taken = self.piece.called(part)
        return taken.startswith("module:url.") or self.is_class(maker)


_CHECKS: Mapping[str, Callable[[_Prover, Code], bool]] = {
    "meta_property": _Prover.tells_place,
    "import_statement": lambda prover, part: prover.loading.imports(part),
    "export_statement": _Prover.exports,
    "computed_property_name": _Prover.is_known_key,
    "class_heritage": _Prover.extends_known,
}
