"""Parameter expansions and arithmetic: which of them can run a command in bash.

Bash evaluates array subscripts and arithmetic operands recursively, so `$((p))` runs a command when
`p` holds `x[$(…)]`. Only what is known to be a number, or never evaluated, is harmless.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from automode.shell.syntax import Param, Parts

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


def expansion(part: Param, numbers: Collection[str]) -> Expansion:
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


def arithmetic_hazard(raw: str, inner: Parts, numbers: Collection[str]) -> str:
    """Why evaluating `raw` as arithmetic may run a command; empty when it cannot."""
    text = raw
    for part in inner:
        if not isinstance(part, Param):
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


def assigning_default(part: Param) -> str:
    """The variable that `${name:=value}` may assign; empty for any other expansion."""
    found = _EXPANSION.match(part.raw)
    assigns = found is not None and not found["prefix"] and found["rest"].startswith((":=", "="))
    return found["name"] if found is not None and assigns else ""


def conditional_hazard(raw: str, inner: Parts, numbers: Collection[str]) -> str:
    """Why `[[ raw ]]` may run a command by evaluation; empty when it cannot."""
    if re.search(r"(?<![\w-])-[vR](?![\w-])", raw):
        return "`-v` evaluates a subscript"
    if re.search(r"(?<![\w-])-t\s+(?!\d+(\s|$))", raw):
        return "`-t` evaluates a number in zsh"
    if not re.search(r"-(eq|ne|lt|le|gt|ge)\b", raw):
        return ""
    for part in inner:
        if not isinstance(part, Param):
            return "a number comparison over the output of a command"
        asked = expansion(part, numbers)
        if asked.operator != "#" and asked.name not in numbers and asked.name not in ALWAYS_NUMBERS:
            return f"a number comparison over `{part.raw}`, which may not be a number"
    around = re.findall(r"(\S+)\s+-(?:eq|ne|lt|le|gt|ge)\s+(\S+)", raw)
    for operand in (side.strip("\"'()") for pair in around for side in pair):
        if not _OPERAND.fullmatch(operand):
            return f"a number comparison over `{operand}`, which is evaluated"
    return ""
