"""shfmt's words → `syntax`: quotes, expansions, assignments."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from automode.shell import quoting
from automode.shell.syntax import Arith, Assign, Node, Param, Part, Parts, Sub, Text, merged

Json: TypeAlias = Mapping[str, object]


def items(value: object) -> Iterator[Json]:
    """The objects in a JSON list; nothing for anything else."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            if isinstance(item, Mapping):
                yield item


def string(value: object) -> str:
    return value if isinstance(value, str) else ""


def mentions(value: object, kind: str) -> bool:
    """Whether a node of this kind is somewhere below."""
    if isinstance(value, Mapping):
        return value.get("Type") == kind or any(mentions(item, kind) for item in value.values())
    return isinstance(value, list) and any(mentions(item, kind) for item in value)


class ShfmtWords:
    """Words of one tree. `source` is the very text that was parsed, as bytes."""

    def __init__(self, source: bytes) -> None:
        self.source = source

    @abstractmethod
    def body(self, statements: object) -> Node:
        """A list of statements: words nest scripts."""

    def slice(self, start: int, end: int) -> str:
        return self.source[start:end].decode("utf-8", "replace")

    def extent(self, node: Json) -> tuple[int, int]:
        start, end = node.get("Pos"), node.get("End")
        first = start.get("Offset") if isinstance(start, Mapping) else None
        last = end.get("Offset") if isinstance(end, Mapping) else None
        return (
            first if isinstance(first, int) else 0,  # shfmt leaves zeros out
            last if isinstance(last, int) else 0,
        )

    def raw(self, node: Json) -> str:
        return self.slice(*self.extent(node))

    def word(self, word: Json) -> Parts:
        return merged([part for item in items(word.get("Parts")) for part in self.parts(item)])

    def parts(self, part: Json) -> list[Part]:
        kind = part.get("Type")
        if kind == "Lit":
            return list(quoting.unquoted(string(part.get("Value"))))
        if kind == "SglQuoted":
            return [self.single_quoted(part)]
        if kind == "DblQuoted":
            inner = [p for item in items(part.get("Parts")) for p in self.inside_quotes(item)]
            return inner or [Text("", quoted=True)]
        if kind == "ExtGlob":
            return [Param("", self.raw(part))]  # a syntax error in bash as it starts
        return [self.expansion(part, quoted=False)]

    def single_quoted(self, part: Json) -> Part:
        value = string(part.get("Value"))
        if not part.get("Dollar"):
            return Text(value, quoted=True)
        plain = quoting.ansi_c(value)
        return Text(plain, quoted=True) if plain is not None else Param("", self.raw(part))

    def inside_quotes(self, part: Json, escapes: str = '$`"\\') -> list[Part]:
        if part.get("Type") == "Lit":
            return [quoting.quoted(string(part.get("Value")), escapes)]
        return [self.expansion(part, quoted=True)]

    def heredoc_parts(self, parts: Iterator[Json], *, verbatim: bool) -> Parts:
        found: list[Part] = []
        for part in parts:
            if verbatim and part.get("Type") == "Lit":
                found.append(Text(string(part.get("Value")), quoted=True))
            else:
                found += self.inside_quotes(part, "$`\\")
        return merged(found) or (Text("", quoted=True),)

    def is_quoted(self, marker: Json) -> bool:
        return any(mark in self.raw(marker) for mark in "'\"\\")

    def expansion(self, part: Json, *, quoted: bool) -> Part:
        kind = part.get("Type")
        if kind == "ParamExp":
            return self.parameter(part, quoted=quoted)
        if kind == "CmdSubst":
            return Sub("$(", self.body(part.get("Stmts")), quoted)
        if kind == "ProcSubst":
            return Sub(string(part.get("Op")), self.body(part.get("Stmts")), quoted)
        if kind == "ArithmExp":
            raw = self.raw(part)
            inside = raw[3:-2] if raw.startswith("$((") else raw[2:-1]
            return Arith(inside.strip(), self.nested(part.get("X")), quoted)
        return Param("", self.raw(part), quoted)

    def parameter(self, part: Json, *, quoted: bool) -> Part:
        param = part.get("Param")
        name = string(param.get("Value")) if isinstance(param, Mapping) else ""
        inner = [part.get(key) for key in ("Index", "Slice", "Repl", "Exp")]
        raw = self.raw(part)
        if not raw.startswith("${"):
            end = self.extent(part)[1]
            raw += quoting.zsh_tail(name, self.slice(end, end + quoting.AHEAD))
        return Param(name, raw, quoted, self.nested(inner))

    def nested(self, value: object) -> Parts:
        """Every expansion somewhere below, in order, each without its own surroundings."""
        found: list[Part] = []
        if isinstance(value, Mapping):
            if value.get("Type") in ("ParamExp", "CmdSubst", "ProcSubst", "ArithmExp"):
                return (self.expansion(value, quoted=False),)
            if value.get("Type") == "SglQuoted" and value.get("Dollar"):
                return ()
            for item in value.values():
                if isinstance(item, Mapping | list):
                    found += self.nested(item)
        elif isinstance(value, list):
            for item in value:
                found += self.nested(item)
        return tuple(found)

    def assign(self, assign: Json) -> Assign:
        name, value, array = assign.get("Name"), assign.get("Value"), assign.get("Array")
        parts: Parts = self.word(value) if isinstance(value, Mapping) else ()
        if isinstance(array, Mapping):
            parts = self.elements(array)
        index = assign.get("Index")
        return Assign(
            string(name.get("Value")) if isinstance(name, Mapping) else "",
            parts,
            bool(assign.get("Append")),
            isinstance(array, Mapping),
            self.word(index) if isinstance(index, Mapping) else (),
        )

    def elements(self, array: Json) -> Parts:
        found: list[Part] = []
        for element in items(array.get("Elems")):
            value = element.get("Value")
            found.append(Text(" ", quoted=True))
            if element.get("Index"):
                found.append(Param("", self.raw(element)))
            elif isinstance(value, Mapping):
                found += self.word(value)
        return merged(found)
