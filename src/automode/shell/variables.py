"""Variables: which are harmless to assign, which expansions can run a command in bash, and which of
them a part of a script may change.

Bash evaluates array subscripts and arithmetic operands recursively, so `$((p))` runs a command when
`p` holds `x[$(…)]`. Only what is known to be a number, or never evaluated, is harmless.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from automode.core.word_lists import toml_texts, word_sets
from automode.shell import syntax
from automode.shell.script import Assignment

WORDS = word_sets("automode.shell")

_EXPANSION = re.compile(
    r"^\$\{(?P<prefix>[#!]?)(?P<name>[A-Za-z_]\w*|[0-9]+|[@*#?$!_-])(?P<index>\[[^\]]*\])?(?P<rest>.*)\}$",
    re.DOTALL,
)
_DEFAULTS = (":-", ":=", ":+", ":?", "-", "=", "+", "?")
_WHOLE_ARRAY = ("[@]", "[*]")
_IDENTIFIER = re.compile(r"(?<![\w$#])[A-Za-z_]\w*")
_ASSIGNED = re.compile(r"\s*=(?!=)")
_OPERAND = re.compile(r"[-+]?\d+|\$\w+|\$[#?$!]|\$\{#?\w+(\[[@*]\])?\}", re.ASCII)
_PERHAPS = re.compile(r"[?]|&&|\|\|")
_CHANGES = re.compile(
    r"(?<![\w$])([A-Za-z_]\w*)\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--|<<=|>>=)|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
ALWAYS_NUMBERS = frozenset("#?$!") | {
    "RANDOM",
    "SECONDS",
    "LINENO",
    "UID",
    "EUID",
    "PPID",
}


@dataclass(frozen=True, slots=True)
class Expansion:
    name: str
    operator: str  # `` for the plain value, `#` for a length, else the first characters of `rest`
    argument: str
    hazard: str = ""  # why it may run a command; empty when it cannot
    several: bool = False  # `${a[@]}`: any number of words, even between quotes


def expansion(part: syntax.Param, numbers: Collection[str]) -> Expansion:
    """What `$name` or `${…}` asks for. `numbers` are the variables known to hold a number."""
    if not part.raw.startswith("${"):
        if part.name and part.raw != f"${part.name}":
            return Expansion(part.name, "", "", f"zsh reads more than a name in `{part.raw}`")
        return Expansion(part.name, "", "", "" if part.name else "an expansion is not understood")
    found = _EXPANSION.match(part.raw)
    if found is None:
        return Expansion(part.name, "?", "", "an expansion is not understood")
    prefix, index, rest = found["prefix"], found["index"] or "", found["rest"]
    hazard = _index_hazard(index, numbers)
    if prefix == "!" and index not in _WHOLE_ARRAY and rest not in ("*", "@"):
        hazard = "an indirect expansion"
    if rest.startswith("@") and not re.fullmatch(r"@[QUuLaAkK]", rest):
        hazard = "an expansion that is evaluated as a prompt"
    if rest.startswith(":") and not rest.startswith(_DEFAULTS[:4]):
        hazard = hazard or arithmetic_hazard(rest[1:].replace(":", " "), part.inner, numbers)
    operator = prefix or next((op for op in _DEFAULTS if rest.startswith(op)), rest[:2])
    if index and not operator:
        operator = "["
    argument = rest[len(operator) :] if not prefix and operator != "[" else rest
    several = index in _WHOLE_ARRAY or (prefix == "!" and rest in ("*", "@"))
    return Expansion(found["name"], operator, argument, hazard, several and operator != "#")


def _index_hazard(index: str, numbers: Collection[str]) -> str:
    inside = index[1:-1].strip()
    if inside in ("", "@", "*") or inside.lstrip("-").isdigit() or inside.lstrip("$") in numbers:
        return ""
    return "a subscript is evaluated"


def arithmetic_hazard(raw: str, inner: syntax.Parts, numbers: Collection[str]) -> str:
    """Why evaluating `raw` as arithmetic may run a command; empty when it cannot."""
    text = raw
    for part in inner:
        if not isinstance(part, syntax.Param):
            return "arithmetic over the output of a command"
        asked = expansion(part, numbers)
        if asked.operator != "#" and asked.name not in numbers and asked.name not in ALWAYS_NUMBERS:
            return f"arithmetic over `{part.raw}`, which may not be a number"
        if re.search(r"[A-Za-z_]\w*" + re.escape(part.raw), raw):
            return "a name in arithmetic is put together"
        text = text.replace(part.raw, " ")
    if any(mark in text for mark in "[`$'\"\\"):
        return "arithmetic with a subscript or quotes"
    unknown = _first_unknown(text, {*numbers, *ALWAYS_NUMBERS})
    return f"arithmetic over `{unknown}`, which may not be a number" if unknown else ""


def _first_unknown(text: str, known: set[str]) -> str:
    """The first name that is read before it surely holds a number: `x += 1` reads `x`."""
    for found in _IDENTIFIER.finditer(text):
        name = found[0]
        if name in known:
            continue
        if not _ASSIGNED.match(text, found.end()) or _PERHAPS.search(text, 0, found.start()):
            return name
        known.add(name)
    return ""


def changed_names(raw: str) -> frozenset[str]:
    """The variables that an arithmetic text assigns."""
    return frozenset(one or other for one, other in _CHANGES.findall(raw))


def assigning_default(part: syntax.Param) -> str:
    """The variable that `${name:=value}` may assign; empty for any other expansion."""
    found = _EXPANSION.match(part.raw)
    assigns = found is not None and not found["prefix"] and found["rest"].startswith((":=", "="))
    return found["name"] if found is not None and assigns else ""


def conditional_hazard(raw: str, inner: syntax.Parts, numbers: Collection[str]) -> str:
    """Why `[[ raw ]]` may run a command by evaluation; empty when it cannot."""
    if re.search(r"(?<![\w-])-[vR](?![\w-])", raw):
        return "`-v` evaluates a subscript"
    if re.search(r"(?<![\w-])-t\s+(?!\d+(\s|$))", raw):
        return "`-t` evaluates a number in zsh"
    if not re.search(r"-(eq|ne|lt|le|gt|ge)\b", raw):
        return ""
    for part in inner:
        if not isinstance(part, syntax.Param):
            return "a number comparison over the output of a command"
        asked = expansion(part, numbers)
        if asked.operator != "#" and asked.name not in numbers and asked.name not in ALWAYS_NUMBERS:
            return f"a number comparison over `{part.raw}`, which may not be a number"
    around = re.findall(r"(\S+)\s+-(?:eq|ne|lt|le|gt|ge)\s+(\S+)", raw)
    for operand in (side.strip("\"'()") for pair in around for side in pair):
        if not _OPERAND.fullmatch(operand):
            return f"a number comparison over `{operand}`, which is evaluated"
    return ""


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

_TIED = WORDS["tied-names"]

_IN_ENVIRONMENTS = re.compile(r"(?i:npm_.*|.*_proxy)")
"""Lower-case names that programs look for."""

_ORDINARY = WORDS["ordinary-words"]

_READ_BY_OTHERS = WORDS["read-by-others"]

PRESENTATION = {
    name: re.compile(values)
    for names, values in toml_texts("automode.shell", "presentation").items()
    for name in names.split()
}
"""By name, the values that change nothing but colours, widths, language and chatter."""

_NUMBER = re.compile(r"[0-9]{1,6}")
_NUMBERED = frozenset(("SECONDS", "OPTIND", "RANDOM"))
"""Variables of the shell that a script may set to a number."""

_EVALUATED = WORDS["evaluated-names"]

_SHELLS_OWN = re.compile(
    r"(?:BASH|ZSH|HIST|COMP|READLINE|R?PROMPT|RPS|ZLE|READNULL|REPORT|TRY_BLOCK|USERNAME)"
)

_REFUSED_BY_ZSH = frozenset({"status"})
"""Where a script assigns to one, it ends there; what zsh holds in it is a number."""


def plain_name(name: str) -> bool:
    """Whether assigning any text to the variable leaves it text and changes no program's
    behaviour."""
    if name == "_":
        return True
    if not _NAME.fullmatch(name):
        return False
    if name.upper() != name:
        return name not in _TIED and not _IN_ENVIRONMENTS.fullmatch(name)
    words = {word.rstrip("0123456789") for word in name.split("_")} - {""}
    return name not in _READ_BY_OTHERS and bool(words) and words <= _ORDINARY


def harmless_assignment(name: str, value: str | None) -> bool:
    """Whether assigning this value (None: not known) changes nothing but the variable, or how
    programs present what they show."""
    if plain_name(name) or name in _REFUSED_BY_ZSH:
        return True
    known = _NUMBER if name in _NUMBERED else PRESENTATION.get(name)
    return known is not None and value is not None and known.fullmatch(value) is not None


def only_presents(assignment: Assignment) -> bool:
    """Whether the variable, with this value, changes nothing but how programs present things."""
    values = PRESENTATION.get(assignment.name)
    value = assignment.value.value
    if values is None or value is None or assignment.appends or assignment.array:
        return False
    return values.fullmatch(value) is not None


def shells_own(name: str) -> bool:
    """Whether the shell itself may act by the variable, or it is none."""
    own = name in _EVALUATED | _TIED | WORDS["shells-own"] or _SHELLS_OWN.match(name)
    return bool(own) or not _NAME.fullmatch(name)


def evaluated_name(name: str) -> bool:
    """Whether the shell is known to evaluate what is assigned to the variable."""
    return name in _EVALUATED


_ASSIGNING = frozenset(
    "read export declare typeset local readonly unset mapfile readarray getopts let printf wait"
    "".split()
)
_ALSO = {"read": ("REPLY",), "getopts": ("OPTARG",), "mapfile": ("MAPFILE",)}
_MOVING = frozenset("cd pushd popd chdir".split())
_ANYTHING = frozenset("eval source . command builtin trap jobs noglob".split())
_LOOKS_UP = frozenset({("command", "-v"), ("command", "-V")})


@dataclass(frozen=True, slots=True)
class Changes:
    names: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()  # those of `names` that only ever get a number
    arrays: frozenset[str] = frozenset()  # those that may become arrays
    moves: bool = False  # may leave the folder
    anything: bool = False  # may change any variable

    def __or__(self, other: "Changes") -> "Changes":
        if other is NO_CHANGES:
            return self
        if self is NO_CHANGES:
            return other
        spoiled = (self.names - self.counted) | (other.names - other.counted)
        return Changes(
            self.names | other.names,
            (self.counted | other.counted) - spoiled,
            self.arrays | other.arrays,
            self.moves or other.moves,
            self.anything or other.anything,
        )


NO_CHANGES = Changes()
_EVERYTHING = Changes(moves=True, anything=True)


def changes_of(node: syntax.Node) -> Changes:
    """What is changed for the commands after it, subshells left out."""
    match node:
        case syntax.Simple():
            return _simple_changes(node)
        case syntax.Pipe() | syntax.Background() | syntax.Unread():
            return NO_CHANGES
        case syntax.Seq():
            return _of(node.items)
        case syntax.Not():
            return changes_of(node.body)
        case syntax.Group():
            return NO_CHANGES if node.subshell else changes_of(node.body)
        case syntax.Branches():
            return _of((*node.conditions, *node.bodies)) | _word_changes(node.words)
        case syntax.Loop():
            inside = (node.body,) if node.condition is None else (node.body, node.condition)
            head = Changes(frozenset({node.variable} if node.variable else ()))
            return _of(inside) | head | _word_changes(node.words or ())
        case syntax.Function():
            return changes_of(node.body)
        case syntax.Evaluation():
            inner = _part_changes(node.inner)
            return inner if node.kind == "[[" else inner | _count_changes(node.raw)


def _of(nodes: Iterable[syntax.Node]) -> Changes:
    found = NO_CHANGES
    for node in nodes:
        found |= changes_of(node)
    return found


def _count_changes(raw: str) -> Changes:
    names = changed_names(raw)
    return Changes(names, names)


def _word_changes(words: Iterable[syntax.Parts]) -> Changes:
    found = NO_CHANGES
    for word in words:
        found |= _part_changes(word)
    return found


def _part_changes(parts: syntax.Parts) -> Changes:
    """`${x:=y}` and `$((x=1))` assign in the middle of a word."""
    found = NO_CHANGES
    for part in parts:
        if isinstance(part, syntax.Arith):
            found |= _count_changes(part.raw) | _part_changes(part.inner)
        elif isinstance(part, syntax.Param):
            name = assigning_default(part)
            found |= _part_changes(part.inner)
            if name:
                found |= Changes(frozenset({name}))
    return found


def _assign_changes(assign: syntax.Assign) -> Changes:
    name = frozenset({assign.name})
    plain = not assign.array and not assign.index and not assign.appends
    number = plain and len(assign.value) == 1 and _is_number(assign.value)
    arrays = frozenset() if not assign.array and not assign.index else name
    return Changes(name, name if number else frozenset(), arrays) | _part_changes(assign.value)


def _is_number(parts: syntax.Parts) -> bool:
    part = parts[0]
    if isinstance(part, syntax.Text):
        return re.fullmatch(r"0|[1-9][0-9]{0,17}", part.value) is not None
    return isinstance(part, syntax.Arith)


def _simple_changes(node: syntax.Simple) -> Changes:
    found = _word_changes(node.words) | _word_changes(redir.target for redir in node.redirects)
    for assign in node.assigns:
        found |= _assign_changes(assign) if not node.words else _part_changes(assign.value)
    if not node.words:
        return found
    first = node.words[0]
    name = first[0].value if len(first) == 1 and isinstance(first[0], syntax.Text) else ""
    if name == "time":
        return found | _simple_changes(syntax.Simple(node.words[1:], node.assigns))
    if (name, *(_plain_text(word) for word in node.words[1:2])) in _LOOKS_UP:
        return found
    if any(not isinstance(part, syntax.Text) for part in first):
        return found  # the path of a program, or the reading is incomplete
    if not name or name in _ANYTHING:
        return found | _EVERYTHING
    if name in _MOVING:
        return found | Changes(moves=True)
    if name in _ASSIGNING:
        names = frozenset(_names_in(node.words[1:])) | frozenset(_ALSO.get(name, ()))
        return found | Changes(names, arrays=names if _makes_arrays(name, node) else frozenset())
    return found


def _makes_arrays(name: str, node: syntax.Simple) -> bool:
    options = [_plain_text(word) for word in node.words[1:]]
    lists = any(text[:1] in ("-", "+", "") and "a" in text.lower() for text in options)
    return lists or name in ("mapfile", "readarray")


def _plain_text(word: syntax.Parts) -> str:
    return "".join(part.value for part in word if isinstance(part, syntax.Text))


def _names_in(words: tuple[syntax.Parts, ...]) -> Iterable[str]:
    """Every name in the arguments of a builtin that assigns; a word too many does no harm."""
    for word in words:
        yield from re.findall(r"[A-Za-z_]\w*", _plain_text(word).removeprefix("-v"))
