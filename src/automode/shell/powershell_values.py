"""Values of PowerShell: expressions, members, functions of .NET."""

import re
from dataclasses import replace

from automode.shell.powershell_commands import Commands
from automode.shell.powershell_words import (
    ACTING,
    ASSIGN,
    BARE,
    BLOCK,
    CONSTANTS,
    DERIVED,
    DOUBLE_QUOTES,
    LISTS,
    NUMBER,
    REDIRECT,
    SINGLE_QUOTES,
    STATICS,
    TYPE,
    UNKNOWN,
    VARIABLE,
    as_path,
)
from automode.shell.script import (
    Word,
)

_OPERATOR = re.compile(r"-[a-z]+(?![\w])|\+\+|--|\.\.|\?\?|[-+*/%,!?:]", re.I)
_JOINED = re.compile(r"[ \t\r]*(?:`?\r?\n\s*)?")  # behind an operator the line goes on
_MEMBER = re.compile(r"(\??\.|::)([A-Za-z_]\w*)")


class Values(Commands):
    def expression(self) -> Word:  # noqa: C901 - a case per piece
        """Up to what ends it. Its value, where it is one literal or the sum of some."""
        values: list[Word] = []
        plain = True
        while self.place < len(self.text):
            self.blanks()
            char = self.char
            if not char or char in "\n;|)}]=&>" or ASSIGN.match(self.text, self.place):
                break
            operand = self.operand()
            if operand is not None:
                values.append(operand)
                continue
            operator = self.match(_OPERATOR)
            if operator is None:
                if REDIRECT.match(self.text, self.place):
                    break
                self.gap("an expression that is not understood")
                if not self.match(BARE):
                    self.place += 1
                plain = False
            elif operator[0] in ("+", "++", "--"):
                plain = plain and operator[0] == "+"
            else:
                plain = False
                if (
                    operator[0][:1] == "-"
                    and len(operator[0]) > 1
                    and operator[0].casefold() not in LISTS["operators"]
                ):
                    self.gap(f"`{operator[0]}` is no operator")
            if operator:
                self.match(_JOINED)
        if len(values) == 1 and plain:
            return values[0]
        if values and plain:
            origin = max(one.origin for one in values)
            return Word("".join(one.text for one in values), origin, plain=True)
        return DERIVED

    def operand(self) -> Word | None:  # noqa: C901 - a case per kind
        """One value with what is done to it; None where there is an operator."""
        char = self.char
        value: Word | None = None
        of_type = ""
        if char in SINGLE_QUOTES:
            self.place += 1
            value = self.single_quoted()
        elif char in DOUBLE_QUOTES:
            self.place += 1
            value = self.double_quoted()
        elif self.at("@'") or self.at('@"'):
            value = self.here_string()
        elif self.at("$(") or self.at("@("):
            self.place += 2
            value = self.substitution()
        elif self.at("("):
            self.place += 1
            value = self.parenthesis()
        elif self.at("@{"):
            self.place += 2
            self.hashtable()
            value = DERIVED
        elif self.at("{"):
            self.nested("{", blocks=1)
            value = BLOCK
        elif char in "$@":
            variable = self.match(VARIABLE)
            value = None if variable is None else self.value_of(variable)
            if variable and char == "@":
                value = replace(UNKNOWN, splits=True)
        elif char == "[":
            found = self.match(TYPE)
            if found is None:
                self.gap("a type that is not understood")
                self.place += 1
                return DERIVED
            of_type = type_name(found[1])
            value = self.typed(of_type)
        elif number := self.match(NUMBER):
            value = Word(number[0], plain=True)
        return None if value is None else self.accessed(value, of_type)

    def typed(self, name: str) -> Word | None:
        """Behind a type: a cast has its value, a function is looked at by `accessed`."""
        function = self.at("::")
        called = function and re.compile(r"::(\w+)").match(self.text, self.place)
        static = f"{name}::{called[1].casefold()}" if called else ""
        if name not in LISTS["types"] and static not in STATICS:
            self.gap(f"the type `{name}`")
        if function:
            return DERIVED
        self.blanks()
        value = self.operand()
        simple = name in ("string", "char", "int", "path")
        return value if simple and value is not None and name == "string" else DERIVED

    def parenthesis(self) -> Word:
        place = self.position
        self.lines()
        value = self.statement() if not self.at(")") else DERIVED
        self.lines()
        while self.place < len(self.text) and not self.at(")"):
            before = self.place
            if self.at(","):
                self.place += 1
            else:
                self.statement()
            value = DERIVED
            self.lines()
            if self.place == before:
                break
        if self.at(")"):
            self.place += 1
        else:
            self.gap("a bracket is not closed")
        self.position = place
        return value

    def hashtable(self) -> None:
        while self.place < len(self.text):
            self.lines()
            if self.at("}"):
                self.place += 1
                return
            before = self.place
            if not self.match(re.compile(r"[\w-]+(?=\s*=)")):
                self.expression()
            self.blanks()
            if self.at("="):
                self.place += 1
                self.lines()
                self.statement()
            if self.place == before:
                break
        self.gap("a table that is not understood")

    def accessed(self, value: Word, of_type: str = "") -> Word:
        """`.Name`, `::Name(…)` and `[…]` behind a value."""
        while True:
            member = self.match(_MEMBER)
            if member:
                value = self.member(member, value, of_type)
            elif self.at("[") and not of_type:
                self.place += 1
                self.expression()
                if self.at("]"):
                    self.place += 1
                else:
                    self.gap("a bracket is not closed")
                value = DERIVED
            elif self.char == "." and self.text[self.place + 1 : self.place + 2] in (
                "$",
                "(",
                "'",
                '"',
                "{",
            ):
                self.gap("a member that is put together at run time")
                self.place += 1
                value = DERIVED
            elif self.at("::"):
                self.gap("a member that is put together at run time")
                self.place += 2
                value = DERIVED
            else:
                return value
            of_type = ""

    def member(self, found: re.Match[str], value: Word, of_type: str) -> Word:
        name = found[2].casefold()
        if not self.at("("):
            same = value.text.endswith("_profile.ps1") or name in ("path", "fullname")
            return value if same and value.value is not None else DERIVED
        self.place += 1
        arguments = self.arguments()
        if found[1] == "::":
            static = f"{of_type}::{name}"
            if static in STATICS:
                self.do(STATICS[static], arguments)
            elif name in ("gettempfilename", "compiletoassembly"):
                self.gap("a function that makes a file")
        elif name in ACTING:
            self.do(ACTING[name], arguments or [value])
        elif name not in LISTS["methods"] or (name == "foreach" and arguments != [BLOCK]):
            self.gap(f"the method `{name}`")
        self.replaces = self.replaces or (name == "replace" and found[1] != "::")
        return DERIVED

    def arguments(self) -> list[Word]:
        """Of a method, behind its bracket."""
        found: list[Word] = []
        place = self.position
        while self.place < len(self.text):
            self.lines()
            if self.at(")"):
                self.place += 1
                self.position = place
                return found
            before = self.place
            if self.at(","):
                self.place += 1
            else:
                found.append(self.argument_value())
            if self.place == before:
                break
        self.gap("a bracket is not closed")
        return found

    def argument_value(self) -> Word:
        """Up to the comma."""
        value = self.operand()
        self.lines()
        while self.char and self.char not in ",)":
            before = self.place
            if not self.match(_OPERATOR):
                self.gap("an argument that is not understood")
            self.lines()
            value = DERIVED
            if self.char and self.char not in ",)":
                self.operand()
            self.lines()
            if self.place == before:
                self.place += 1
        return UNKNOWN if value is None else value

    def do(self, name: str, arguments: list[Word]) -> None:
        """A function of .NET as the command that does the same."""
        words = [Word(name)]
        if name == "remove-item" and CONSTANTS["true"] in arguments:
            words.append(Word("-recurse"))
        words += [as_path(one) for one in arguments if one not in CONSTANTS.values()]
        self.emit(tuple(words), (), ())
        self.commands[-1] = replace(self.commands[-1], pipeline=-1)


def type_name(written: str) -> str:
    """Without `System.`, and without the types that a collection is of."""
    name = written.casefold().removeprefix("system.")
    return name if name.endswith("[]") else name.partition("[")[0]
