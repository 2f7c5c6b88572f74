"""shfmt's JSON tree → `syntax`. Node types are an allow-list; the rest is `Unread`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from automode.shell import syntax

Json: TypeAlias = Mapping[str, object]
_Convert: TypeAlias = Callable[[Json], syntax.Node]


def items(value: object) -> Iterator[Json]:
    """The objects in a JSON list; nothing for anything else."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            if isinstance(item, Mapping):
                yield item


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def name_of(node: object) -> str:
    """What a literal says; empty where there is none."""
    return text_of(node.get("Value")) if isinstance(node, Mapping) else ""


def mentions(value: object, kind: str) -> bool:
    """Whether a node of this kind is somewhere below."""
    if isinstance(value, Mapping):
        return value.get("Type") == kind or any(mentions(item, kind) for item in value.values())
    return isinstance(value, list) and any(mentions(item, kind) for item in value)


class ShfmtConverter:
    """Converts one tree. `source` is the very text that was parsed, as bytes."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.commands: Mapping[str, _Convert] = {
            "CallExpr": self.call,
            "BinaryCmd": self.binary,
            "Subshell": lambda cmd: syntax.Group(self.body(cmd.get("Stmts")), subshell=True),
            "Block": lambda cmd: syntax.Group(self.body(cmd.get("Stmts")), subshell=False),
            "IfClause": self.branches,
            "WhileClause": self.while_loop,
            "ForClause": self.for_loop,
            "CaseClause": self.case,
            "FuncDecl": self.function,
            "DeclClause": self.declaration,
            "TestClause": lambda cmd: self.evaluation("[[", cmd, 2),
            "ArithmCmd": lambda cmd: self.evaluation("((", cmd, 2),
            "LetClause": self.let,
            "TimeClause": self.time,
        }

    def script(self, root: Json) -> syntax.Node:
        return self.body(root.get("Stmts"))

    def body(self, statements: object) -> syntax.Node:
        found = [(";", self.statement(statement)) for statement in items(statements)]
        return syntax.sequence(found) if found else syntax.NOTHING

    def statement(self, statement: Json) -> syntax.Node:
        command = statement.get("Cmd")
        redirects = syntax.fed_first([self.redirect(one) for one in items(statement.get("Redirs"))])
        node: syntax.Node = syntax.Simple(())
        if isinstance(command, Mapping):
            convert = self.commands.get(text_of(command.get("Type")))
            if convert is None:
                return syntax.Unread(f"{text_of(command.get('Type'))} is not understood")
            node = convert(command)
        if redirects:
            compound = not isinstance(node, syntax.Simple | syntax.Group)
            node = syntax.on_last_command(
                syntax.Group(node, False) if compound else node, redirects
            )
        if statement.get("Coprocess"):
            return syntax.Unread("a coprocess")
        if statement.get("Negated"):
            node = syntax.Not(node)
        return syntax.Background(node) if statement.get("Background") else node

    def call(self, command: Json) -> syntax.Node:
        words = tuple(self.word(word) for word in items(command.get("Args")))
        assigns = tuple(self.assign(assign) for assign in items(command.get("Assigns")))
        if words[:1] == ((syntax.Text("in"),),) and not assigns:
            return syntax.Unread("`in` is no program to bash")
        return syntax.Simple(words, assigns)

    def binary(self, command: Json) -> syntax.Node:
        left, right = command.get("X"), command.get("Y")
        if not isinstance(left, Mapping) or not isinstance(right, Mapping):
            return syntax.Unread("half a list")
        one, other = self.statement(left), self.statement(right)
        op = text_of(command.get("Op"))
        if op in ("|", "|&"):
            return syntax.pipeline([syntax.with_errors(one) if op == "|&" else one, other])
        return syntax.sequence([(";", one), (op, other)])

    def branches(self, command: Json) -> syntax.Node:
        conditions: list[syntax.Node] = []
        bodies: list[syntax.Node] = []
        clause: object = command
        while isinstance(clause, Mapping):
            if clause.get("Cond"):
                conditions.append(self.body(clause.get("Cond")))
            bodies.append(self.body(clause.get("Then")))
            clause = clause.get("Else")
        return syntax.Branches(tuple(conditions), tuple(bodies))

    def while_loop(self, command: Json) -> syntax.Node:
        return syntax.Loop(self.body(command.get("Do")), condition=self.body(command.get("Cond")))

    def for_loop(self, command: Json) -> syntax.Node:
        loop = command.get("Loop")
        body = self.body(command.get("Do"))
        if not isinstance(loop, Mapping) or command.get("Select"):
            return syntax.Unread("a for loop is not understood")
        if loop.get("Type") == "CStyleLoop":
            return syntax.Loop(body, condition=self.c_style_head(loop))
        listed = loop.get("Items") is not None or self.says_in(loop)
        words = tuple(self.word(word) for word in items(loop.get("Items"))) if listed else None
        return syntax.Loop(body, name_of(loop.get("Name")), words)

    def says_in(self, loop: Json) -> bool:
        """`for x in; do` lists nothing; `for x; do` takes the positional parameters."""
        place = loop.get("InPos")
        return isinstance(place, Mapping) and bool(place.get("Line"))

    def c_style_head(self, loop: Json) -> syntax.Node:
        start, end = self.extent(loop)
        raw = self.slice(start, end)
        inside = raw[2:-2] if raw.startswith("((") and raw.endswith("))") else raw
        heads: list[object] = [loop.get("Init"), loop.get("Cond"), loop.get("Post")]
        return syntax.Evaluation("for", inside.strip(), self.nested_parts(heads))

    def case(self, command: Json) -> syntax.Node:
        words = [self.word(command.get("Word"))]
        bodies: list[syntax.Node] = []
        for item in items(command.get("Items")):
            if mentions(item.get("Patterns"), "ExtGlob"):
                return syntax.Unread("an extended pattern, which bash takes only when told to")
            words.append(self.nested_parts(item.get("Patterns")))
            bodies.append(self.body(item.get("Stmts")))
        return syntax.Branches((), tuple(bodies), tuple(words))

    def function(self, command: Json) -> syntax.Node:
        name, body = name_of(command.get("Name")), command.get("Body")
        if not name or not isinstance(body, Mapping) or body.get("Redirs"):
            return syntax.Unread("a function is not understood")
        return syntax.Function(name, self.statement(body))

    def declaration(self, command: Json) -> syntax.Node:
        """`export A=1 B`: assignments become words, as bash hands them to the builtin."""
        words: list[syntax.Parts] = [(syntax.Text(name_of(command.get("Variant"))),)]
        for argument in items(command.get("Args")):
            assign = self.assign(argument)
            word = syntax.declared_word(assign)
            if word is None:
                return syntax.Unread("an array in a declaration")
            if argument.get("Naked"):
                word = assign.value or (syntax.Text(assign.name),)
            words.append(word)
        return syntax.Simple(tuple(words))

    def evaluation(self, kind: str, command: Json, trim: int) -> syntax.Node:
        start, end = self.extent(command)
        return syntax.Evaluation(
            kind, self.slice(start + trim, end - trim).strip(), self.nested_parts(command)
        )

    def let(self, command: Json) -> syntax.Node:
        """`let a=b+1` is a program to the other parser: the text is split at blanks again."""
        start, end = self.extent(command)
        raw = self.slice(start, end)
        if any(mark in raw for mark in "'\"\\`$*?[~{"):
            return syntax.Unread("a let is not understood")
        return syntax.Simple(tuple((syntax.Text(word),) for word in raw.split()))

    def time(self, command: Json) -> syntax.Node:
        inner = command.get("Stmt")
        if not isinstance(inner, Mapping):
            return syntax.Unread("`time` of nothing")
        node = self.statement(inner)
        if command.get("PosixFormat"):
            node = syntax.with_first_word(node, (syntax.Text("-p"),))
        return syntax.with_first_word(node, (syntax.Text("time"),))

    def redirect(self, redirect: Json) -> syntax.Redir:
        fd, op = name_of(redirect.get("N")), text_of(redirect.get("Op"))
        if op in ("<<", "<<-"):
            return syntax.Redir("<<", self.heredoc(redirect, op), fd)
        return syntax.Redir(op, self.word(redirect.get("Word")), fd)

    def heredoc(self, redirect: Json, op: str) -> syntax.Parts:
        body, marker = redirect.get("Hdoc"), redirect.get("Word")
        if not isinstance(body, Mapping):
            return ()
        verbatim = isinstance(marker, Mapping) and self.is_quoted(marker)
        parts = self.heredoc_parts(items(body.get("Parts")), verbatim=verbatim)
        if op == "<<-":
            parts = tuple(
                syntax.Text(syntax.without_tabs(part.value), True)
                if isinstance(part, syntax.Text)
                else part
                for part in parts
            )
        return parts

    # Words

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

    def word(self, word: object) -> syntax.Parts:
        if not isinstance(word, Mapping):
            return ()
        return syntax.merge([one for part in items(word.get("Parts")) for one in self.parts(part)])

    def parts(self, part: Json) -> list[syntax.Part]:
        kind = part.get("Type")
        if kind == "Lit":
            return list(syntax.unquote(text_of(part.get("Value"))))
        if kind == "SglQuoted":
            return [self.single_quoted(part)]
        if kind == "DblQuoted":
            inner = [p for item in items(part.get("Parts")) for p in self.inside_quotes(item)]
            return inner or [syntax.Text("", quoted=True)]
        if kind == "ExtGlob":
            return [syntax.Param("", self.raw(part))]  # a syntax error in bash as it starts
        return [self.expansion(part, quoted=False)]

    def single_quoted(self, part: Json) -> syntax.Part:
        value = text_of(part.get("Value"))
        if not part.get("Dollar"):
            return syntax.Text(value, quoted=True)
        plain = syntax.ansi_c(value)
        return syntax.Param("", self.raw(part)) if plain is None else syntax.Text(plain, True)

    def inside_quotes(self, part: Json, escapes: str = '$`"\\') -> list[syntax.Part]:
        if part.get("Type") == "Lit":
            return [syntax.quoted_part(text_of(part.get("Value")), escapes)]
        return [self.expansion(part, quoted=True)]

    def heredoc_parts(self, parts: Iterator[Json], *, verbatim: bool) -> syntax.Parts:
        found: list[syntax.Part] = []
        for part in parts:
            if verbatim and part.get("Type") == "Lit":
                found.append(syntax.Text(text_of(part.get("Value")), quoted=True))
            else:
                found += self.inside_quotes(part, "$`\\")
        return syntax.merge(found) or (syntax.Text("", quoted=True),)

    def is_quoted(self, marker: Json) -> bool:
        return any(mark in self.raw(marker) for mark in "'\"\\")

    def expansion(self, part: Json, *, quoted: bool) -> syntax.Part:
        kind = part.get("Type")
        if kind == "ParamExp":
            return self.parameter(part, quoted=quoted)
        if kind == "CmdSubst":
            return syntax.Sub("$(", self.body(part.get("Stmts")), quoted)
        if kind == "ProcSubst":
            return syntax.Sub(text_of(part.get("Op")), self.body(part.get("Stmts")), quoted)
        if kind == "ArithmExp":
            raw = self.raw(part)
            inside = raw[3:-2] if raw.startswith("$((") else raw[2:-1]
            return syntax.Arith(inside.strip(), self.nested_parts(part.get("X")), quoted)
        return syntax.Param("", self.raw(part), quoted)

    def parameter(self, part: Json, *, quoted: bool) -> syntax.Part:
        name = name_of(part.get("Param"))
        inner = [part.get(key) for key in ("Index", "Slice", "Repl", "Exp")]
        raw = self.raw(part)
        if not raw.startswith("${"):
            end = self.extent(part)[1]
            raw += syntax.zsh_tail(name, self.slice(end, end + syntax.AHEAD))
        return syntax.Param(name, raw, quoted, self.nested_parts(inner))

    def nested_parts(self, value: object) -> syntax.Parts:
        """Every expansion somewhere below, in order, each without its own surroundings."""
        found: list[syntax.Part] = []
        if isinstance(value, Mapping):
            if value.get("Type") in ("ParamExp", "CmdSubst", "ProcSubst", "ArithmExp"):
                return (self.expansion(value, quoted=False),)
            if value.get("Type") == "SglQuoted" and value.get("Dollar"):
                return ()
            for item in value.values():
                if isinstance(item, Mapping | list):
                    found += self.nested_parts(item)
        elif isinstance(value, list):
            for item in value:
                found += self.nested_parts(item)
        return tuple(found)

    def assign(self, assign: Json) -> syntax.Assign:
        array = assign.get("Array")
        return syntax.Assign(
            name_of(assign.get("Name")),
            self.elements(array) if isinstance(array, Mapping) else self.word(assign.get("Value")),
            bool(assign.get("Append")),
            isinstance(array, Mapping),
            self.word(assign.get("Index")),
        )

    def elements(self, array: Json) -> syntax.Parts:
        found: list[syntax.Part] = []
        for element in items(array.get("Elems")):
            found.append(syntax.Text(" ", quoted=True))
            if element.get("Index"):
                found.append(syntax.Param("", self.raw(element)))
            else:
                found += self.word(element.get("Value"))
        return syntax.merge(found)
