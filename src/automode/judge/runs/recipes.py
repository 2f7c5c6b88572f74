"""Makefiles and justfiles: the commands of each recipe, as far as they can be read without running
anything.

What is computed stands as a variable that nobody knows, and the recipe is not sure: its commands
can tell that it is harmful, never that it is harmless.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from automode.judge.words import patterns

_STEERS = patterns("command_deeds")
UNKNOWN = "${UNKNOWN}"
"""What a shell makes of a part that nobody knows."""
MOST_LINES = 400
PATTERN = "%"
"""The name of all recipes together whose names are patterns, or only known when they run."""
DEEPEST = 8  # of variables in variables
MOST_REFERENCES = 10_000
LONGEST_LINE = 4_000
_DIRECTIVE = re.compile(r"(ifn?eq|ifn?def|else|endif|-?include|sinclude|define|endef|vpath|load)\b")
_ASSIGNMENT = re.compile(
    r"(?:(?:override|private|export)\s+)*([\w.-]+)\s*(:{0,3}=|\?=|\+=|!=)\s*(.*)", re.S
)
_RULE = re.compile(r"([^:=#]+?)\s*&?::?(?!=)\s*([^;]*)(?:;(.*))?$", re.S)
_SAYS = re.compile(r"(?:un)?export\b|\$\((?:info|warning|error)\b")
_PREFIX = re.compile(r"[@+\-\s]+")
_REFERENCE = re.compile(r"\$(\$|[({]|.)", re.S)
_COMMENT = re.compile(r"(?<!\\)#.*")
_JUST_HEAD = re.compile(
    r"@?([A-Za-z_][\w-]*)((?:\s+[*+$]*[\w-]+(?:=(?:'[^']*'|\"[^\"]*\"|[^\s'\"]\S*))?)*)\s*:(?!=)(.*)"
)
_JUST_RUNS = re.compile(r"`|\bshell\(")  # while parameters get their values
_JUST_SET = re.compile(r"(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.*)")
_JUST_NEED = re.compile(r"\(\s*([\w-]+)[^()]*\)|([\w-]+)")
_LITERAL = re.compile(r"'([^']*)'|\"([^\"\\]*)\"")
_JUST_PLAIN = re.compile(
    r"set (?:dotenv|export|positional|quiet|fallback|allow)"
    r"|\[(?:(?:private|group|doc|confirm|unix|linux|macos|windows|no-exit-message)\b[^\]]*)\]"
)
_IMPORTS = re.compile(r"(?:import|mod)\??\s")


@dataclass(frozen=True, slots=True)
class Recipe:
    """`sure`: nothing runs but these lines, and what they need."""

    needs: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Book:
    """`always`: what runs whichever recipe is wanted. `sure`: each recipe is known by its name, and
    nothing else steers how it runs."""

    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    first: str = ""
    always: tuple[str, ...] = ()
    sure: bool = True
    implied: tuple[str, ...] = ()  # what makes a file that no recipe makes

    def run(self, wanted: Sequence[str]) -> Recipe | None:
        """All that runs for some recipes; None where one of them is not there."""
        names = [one for one in wanted or (self.first,) if one]
        if not names or not all(one in self.recipes for one in names):
            return None
        order: dict[str, None] = {}
        self._gather(names, order)
        found = [self.recipes[one] for one in order if one in self.recipes]
        lines = [*self.always, *(line for one in found for line in one.lines)]
        if len(found) < len(order) or not all(one.lines for one in found):
            lines += self.implied
        sure = self.sure and len(lines) <= MOST_LINES and all(one.sure for one in found)
        sure = sure and not any(UNKNOWN in one for one in lines)
        sure = sure and (PATTERN not in self.recipes or order.keys() <= self.recipes.keys())
        return Recipe(tuple(order), tuple(lines[:MOST_LINES]), sure)

    def _gather(self, names: Sequence[str], order: dict[str, None]) -> None:
        for name in names:
            if name not in order:
                order[name] = None
                self._gather(self.recipes[name].needs if name in self.recipes else (), order)


def as_script(lines: Sequence[str]) -> str:
    """Each line is run by a shell of its own."""
    return "\n".join(f"({line}\n)" if len(lines) > 1 else line for line in lines)


@dataclass(slots=True)
class _Makefile:
    given: Mapping[str, str]  # on the command line: they take the place of the file's own
    values: dict[str, str | None] = field(default_factory=dict)  # None: not known
    rules: dict[str, list[tuple[str, str, bool]]] = field(default_factory=dict)
    always: list[str] = field(default_factory=list)
    first: str = ""
    sure: bool = True
    _depth: int = 0  # of conditions
    _left: int = MOST_REFERENCES

    def read(self, text: str) -> Book:
        current: list[str] = []
        defining = False
        for line in _logical_lines(text):
            word = _DIRECTIVE.match(line.strip())
            if defining or (word and word[1] == "define"):
                self.sure = self.sure and not (word and word[1] == "define")
                defining = not (word and word[1] == "endef")
            elif line.startswith("\t") and current:
                self._recipe(current, line[1:])
            elif word and not _ASSIGNMENT.fullmatch(line.strip()):
                self._directive(word[1], line)
            elif bare := _COMMENT.sub("", line).strip():
                current = self._statement(bare, current)
        return self._book()

    def _directive(self, word: str, line: str) -> None:
        self._depth += {"i": 1, "e": -1}.get(word[0], 0) if word[:2] in ("if", "en") else 0
        self.sure = self.sure and word in ("ifeq", "ifneq", "ifdef", "ifndef", "else", "endif")
        self._shells(line)

    def _statement(self, line: str, current: list[str]) -> list[str]:
        if len(line) > LONGEST_LINE:
            self.sure = False
            return []
        assigned = _ASSIGNMENT.fullmatch(line)
        if assigned:
            self._assign(assigned[1], assigned[2], assigned[3].strip())
            self.sure = self.sure and not (
                line.startswith("override") and assigned[1] in self.given
            )
            return current
        self._shells(line)
        rule = _RULE.match(line)
        if rule is None:
            self.sure = self.sure and _SAYS.match(line) is not None
            return current
        return self._rule(*rule.groups())

    def _rule(self, left: str, right: str, recipe: str | None) -> list[str]:
        names = self.expand(left)[0].split()
        own = _ASSIGNMENT.fullmatch(right.strip())
        if own:  # of these targets alone
            self.values[own[1]] = None
            self.sure = self.sure and not _leads(own[1])
            return []
        if any(map(_is_pattern, names)) or ":" in right:
            self.sure = self.sure and not any(UNKNOWN in one for one in names)
            names = []
        needs, known = self.expand(right.replace("|", " "))
        for name in names:
            own_lines = self.rules.setdefault(name, [])
            own_lines += [("need", one, known) for one in needs.split()]
            if not self.first and not name.startswith("."):
                self.first = name
            if name in _SPECIAL:
                self.sure = False
        if recipe is not None:
            self._recipe(names, recipe)
        return names or [PATTERN]

    def _recipe(self, names: Sequence[str], line: str) -> None:
        if line.strip():
            for name in names:
                self.rules.setdefault(name, []).append(("line", line, True))

    def _assign(self, name: str, sign: str, value: str) -> None:
        self._shells(value)
        if _leads(name):
            self.sure = self.sure and (name, value) in _PLAIN_SHELLS
        if name == ".DEFAULT_GOAL":
            self.first = value
        before = self.values.get(name)
        if sign == "!=":
            self.always.append(self.expand(value)[0])
            self.values[name] = None
        elif sign == "+=":
            joined = f"{before} {value}" if before is not None else None
            self.values[name] = joined if name in self.values else value
        elif self._depth and name in self.values:
            self.values[name] = None
        elif sign != "?=" or name not in self.values:
            lazy = sign == "=" or sign == "?="
            text, known = (value, True) if lazy else self.expand(value)
            self.values[name] = text if known else None
        if self._depth and sign != "!=":
            self.values[name] = None

    def _shells(self, text: str) -> None:
        """`$(shell …)` outside of recipes runs whatever is wanted."""
        for found in re.finditer(r"\$[({]shell\s", text):
            inner = _until_closed(text, found.end())
            expanded, known = self.expand(inner)
            self.always.append(expanded)
            self.sure = self.sure and known
        if re.search(r"\$[({](?:eval|call|file|guile)\b", text):
            self.sure = False

    def _book(self) -> Book:
        recipes = {}
        for name, parts in self.rules.items():
            needs = tuple(text for kind, text, _ in parts if kind == "need")
            sure = all(known for _, _, known in parts)
            automatic = {"@": name, "<": needs[0] if needs else "", "^": " ".join(needs)}
            lines = []
            for kind, text, _ in parts:
                if kind == "line":
                    line, known = self.expand(text, automatic, recipe=True)
                    lines.append(_PREFIX.sub("", line, count=1) if _PREFIX.match(line) else line)
                    sure = sure and known
            recipes[name] = Recipe(needs, tuple(one for one in lines if one.strip()), sure)
        names = self.values.keys() | self.given.keys()
        sure = self.sure and not any(map(_IMPLICIT.match, names))
        implied = [
            " ".join(self.expand(f"$({one})")[0] for one in (program, *flags.split()))
            for program, flags in _COMPILERS.items()
            if not names.isdisjoint((program, *flags.split()))
        ]
        return Book(recipes, self.first, tuple(self.always), sure, tuple(implied))

    def expand(
        self, text: str, automatic: Mapping[str, str] = {}, *, recipe: bool = False, depth: int = 0
    ) -> tuple[str, bool]:
        """With the values of variables, and whether all of them are known."""
        found: list[str] = []
        sure, at = True, 0
        while one := _REFERENCE.search(text, at):
            found.append(text[at : one.start()])
            at = one.end()
            name = one[1]
            if name == "$":
                found.append("$" if recipe else "$$")
                continue
            if name in "({":
                name = _until_closed(text, at)
                at += len(name) + 1
            value, known = self._value(name, automatic, recipe=recipe, depth=depth)
            found.append(value)
            sure = sure and known
        return "".join((*found, text[at:])), sure

    def _value(
        self, name: str, automatic: Mapping[str, str], *, recipe: bool, depth: int
    ) -> tuple[str, bool]:
        self._left -= 1
        if self._left < 0:
            return UNKNOWN, False
        if name in self.given:
            return self.given[name], UNKNOWN not in self.given[name]
        if name in automatic:
            return automatic[name], bool(automatic[name])
        if name.startswith("shell "):
            text, _ = self.expand(name[6:], automatic, recipe=recipe, depth=depth + 1)
            return (f"$({text})" if depth < DEEPEST else UNKNOWN), False
        if name in self.values:
            value = self.values[name]
            if value is None or depth > DEEPEST:
                return UNKNOWN, False
            return self.expand(value, automatic, recipe=recipe, depth=depth + 1)
        if name in _FLAGS:
            return "", True
        if name in _BUILT_IN:
            return _BUILT_IN[name], True
        return UNKNOWN, False


def _is_pattern(name: str) -> bool:
    """Whether a rule says how files of a kind are made: `%.o`, `.c.o`."""
    return UNKNOWN in name or "%" in name or _SUFFIXES.fullmatch(name) is not None


# What make runs by itself where no rule has commands, with these options.
_COMPILERS = {
    "CC": "CPPFLAGS CFLAGS TARGET_ARCH LDFLAGS LOADLIBES LDLIBS",
    "CXX": "CPPFLAGS CXXFLAGS TARGET_ARCH LDFLAGS LOADLIBES LDLIBS",
    "AS": "ASFLAGS",
    "AR": "ARFLAGS",
    "LD": "LDFLAGS",
    "FC": "FFLAGS",
    "CPP": "CPPFLAGS",
    "YACC": "YFLAGS",
    "LEX": "LFLAGS",
    "LINT": "LINTFLAGS",
    "TEX": "",
    "RM": "",
}
_FLAGS = frozenset(one for flags in _COMPILERS.values() for one in flags.split())
_IMPLICIT = re.compile(
    r"(?:COMPILE|LINK|PREPROCESS|YACC|LEX|LINT)\.|OUTPUT_OPTION$|(?:CO|GET|M2C|PC)$"
)
_SUFFIXES = re.compile(r"\.(?![A-Z]{4})\w{1,6}(?:\.\w{1,6})?")
# Names that change how others are read, or that make makes by itself.
_SPECIAL = frozenset("Makefile makefile GNUmakefile .DEFAULT .ONESHELL .SECONDEXPANSION".split())


def _leads(name: str) -> bool:
    """Whether a variable leads to other programs."""
    steers = ("PATH", "SHELL", ".SHELLFLAGS", "MAKEFLAGS", ".RECIPEPREFIX")
    return name in steers or _STEERS.steers.fullmatch(name) is not None


_BUILT_IN = {
    "HOME": "${HOME}",
    "PWD": "${PWD}",
    "MAKE": "make",
    "CC": "cc",
    "CXX": "c++",
    "AR": "ar",
    "RM": "rm -f",
    "CURDIR": ".",
}
_PLAIN_SHELLS = {
    ("SHELL", one) for one in ("/bin/sh", "/bin/bash", "bash", "sh", "/usr/bin/env bash")
} | {
    (".SHELLFLAGS", one) for one in ("-c", "-ec", "-euc", "-eu -o pipefail -c", "-euo pipefail -c")
}


def _logical_lines(text: str) -> Iterator[str]:
    """What a backslash joins is one line; in a recipe the shell joins it."""
    held: list[str] = []
    for line in text.split("\n"):
        line = line.rstrip("\r")
        recipe = (held[0] if held else line).startswith("\t")
        joins = len(line) - len(line.rstrip("\\"))
        if held and recipe:
            line = line.removeprefix("\t")
        if joins % 2:
            held.append(f"{line}\n" if recipe else f"{line[:-1]} ")
            continue
        yield "".join((*held, line))
        held = []
    if held:
        yield "".join(held)


def _until_closed(text: str, start: int) -> str:
    """Up to the bracket that closes the one before `start`."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    return text[start:]


@lru_cache(maxsize=64)
def makefile(text: str, given: tuple[tuple[str, str], ...] = ()) -> Book:
    return _Makefile(dict(given)).read(text)


@lru_cache(maxsize=64)
def justfile(text: str) -> Book:
    values: dict[str, str] = {}
    always: list[str] = []
    plain, first, name = True, "", ""
    heads: dict[str, _JustHead] = {}
    lines = text.replace("\\\n", "\\\n\t").split("\n")
    sure = all(len(one) <= LONGEST_LINE for one in lines)
    for line in lines if sure else ():
        if line[:1] in (" ", "\t") and name:
            heads[name].body.append(line)
        elif (given := _JUST_SET.fullmatch(line.strip())) and not line.startswith("set "):
            literal = _LITERAL.fullmatch(given[2].strip())
            if literal:
                values[given[1]] = literal[1] or literal[2] or ""
            always += re.findall(r"`([^`]*)`", given[2])
            sure = sure and not _leads(given[1]) and "shell(" not in given[2]
        elif line.startswith("alias ") and ":=" in line:
            other, _, real = line[6:].partition(":=")
            heads[other.strip()] = _JustHead((real.strip(),))
        elif head := _JUST_HEAD.fullmatch(line.rstrip()):
            name = head[1]
            needs = _LITERAL.sub("", head[3]).replace("&&", " ")
            found = tuple(a or b for a, b in _JUST_NEED.findall(_COMMENT.sub("", needs)))
            heads[name] = _JustHead(found, plain=plain and not _JUST_RUNS.search(line))
            plain = True
            first = first or name
        elif line.startswith("set "):
            sure = sure and _JUST_PLAIN.match(line) is not None
        elif line[:1] == "[":
            plain = plain and _JUST_PLAIN.match(line) is not None
        elif _IMPORTS.match(line):
            sure = False
    recipes = {one: _just_recipe(head, values) for one, head in heads.items()}
    return Book(recipes, first, tuple(always), sure)


@dataclass(slots=True)
class _JustHead:
    needs: tuple[str, ...]
    body: list[str] = field(default_factory=list)
    plain: bool = True  # it is run by the shell, in the folder of the file


def _just_recipe(head: _JustHead, values: Mapping[str, str]) -> Recipe:
    sure = head.plain

    def fill(found: re.Match[str]) -> str:
        nonlocal sure
        inner = found[1].strip()
        literal = _LITERAL.fullmatch(inner)
        if literal:
            return literal[1] or literal[2] or ""
        known = inner in values
        sure = sure and known
        return values[inner] if known else UNKNOWN

    whole = re.sub(
        r"\{\{(?!\{)(.*?)\}\}", fill, "\n".join(one.strip() for one in head.body), flags=re.S
    )
    lines = [one for one in whole.replace("\\\n", "").split("\n") if one]
    if lines and lines[0].startswith("#!"):
        shell = re.search(r"\b(?:ba|z|k)?sh\b", lines[0]) is not None
        return Recipe(head.needs, ("\n".join(lines[1:]),) if shell else (), sure and shell)
    lines = [_PREFIX.sub("", one, count=1) if _PREFIX.match(one) else one for one in lines]
    return Recipe(head.needs, tuple(one for one in lines if one and one[0] != "#"), sure)
