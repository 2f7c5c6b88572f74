"""Reads PowerShell: lists the commands that a script would run, in order, whatever the branch.

A parser by hand, because no grammar that can be had reads everyday scripts without errors. What it
does not know by name is a gap. Functions of .NET that touch something are listed as the cmdlet that
does the same. The language is read as both Windows PowerShell 5.1 and PowerShell 7 read it; where
an alias of the one is a program to the other, both are listed.
"""

import re

from automode.shell.powershell_values import Values, type_name
from automode.shell.powershell_words import (
    ALIASES,
    ASSIGN,
    BARE,
    CMDLET,
    DERIVED,
    DOUBLE_QUOTES,
    LISTS,
    LOCAL,
    SINGLE_QUOTES,
    TYPE,
    VARIABLE,
)
from automode.shell.script import (
    POWERSHELL,
    Assignment,
    Command,
    Script,
    Word,
)

_KEYWORD = re.compile(r"([A-Za-z]+)(?=[\s({;}]|\Z)")
_EXPRESSION = re.compile(
    rf"[$@(\[{{0-9+!,{SINGLE_QUOTES}{DOUBLE_QUOTES}]|-(?![A-Za-z])|-(?:not|bnot|split|join)\b|\.\d",
    re.I,
)
_CALL = re.compile(rf"[&.](?=[\s$({{{SINGLE_QUOTES}{DOUBLE_QUOTES}])|&(?!&)")
_REQUIRES = re.compile(r"#requires\b", re.IGNORECASE)
_LONE_RETURN = re.compile(r"\r(?!\n)")
_ODD = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\u00ad\u034f\u061c\u115f-\u1160\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2018-\u201f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]"
)


MOST_VARIABLES = 64  # of the environment
LONGEST = 40_000  # characters
DEPTH = 60


def read_powershell(text: str, cwd: str, home: str) -> tuple[Script, tuple[tuple[int, ...], ...]]:
    """The script, and where in the text each command of it and each of its arguments begins."""
    if len(text) > LONGEST:
        return Script((), ("the script is too long to be read",)), ()
    lone = _LONE_RETURN.search(text) is not None
    text = _LONE_RETURN.sub("\n", text)  # PowerShell ends a line there
    counted = _Reader(text, cwd, home, {})
    counted.whole()
    reader = _Reader(text, cwd, home, counted.assigned)
    reader.counting = False
    reader.whole()
    gaps = [*reader.gaps]
    if _REQUIRES.search(text):
        gaps.append("`#requires` loads modules")
    if lone:
        gaps.append("a line ends with a carriage return alone")
    if reader.replaces and any(one.name in LISTS["finds"] for one in reader.commands):
        gaps.append("`Replace` of a file puts it in the place of another one")
    if _ODD.search(text):
        gaps.append("it contains invisible characters, or quotes that look like others")
    return Script(tuple(reader.commands), tuple(gaps)), tuple(reader.begins)


class _Reader(Values):
    def whole(self) -> None:
        try:
            self.statements("")
            while self.place < len(self.text):
                self.gap("a bracket too many")
                self.place += 1
                self.statements("")
        except RecursionError:
            self.gap("it is nested too deeply")

    def inner_script(self, text: str) -> None:
        if self.counting or len(text) >= len(self.text):
            return
        inner, _ = read_powershell(text, self.folder or "/", self.home)
        self.commands += inner.commands
        self.begins += [()] * len(inner.commands)

    # Statements.

    def statements(self, closing: str) -> None:
        """Up to the closing bracket, which is taken."""
        self.depth += 1
        if self.depth > DEPTH:
            self.gap("it is nested too deeply")
            self.place = len(self.text)
        while self.place < len(self.text):
            self.lines()
            if not self.char or self.char in ")}":
                break
            before = self.place
            self.statement()
            if self.place == before:
                self.gap(f"`{self.char}` is not understood here")
                self.place += 1
        self.depth -= 1
        if closing:
            if self.char != closing:
                self.gap("a bracket is not closed")
            else:
                self.place += 1

    def statement(self) -> Word:
        keyword = _KEYWORD.match(self.text, self.place)
        name = keyword[1].casefold() if keyword else ""
        if keyword and name in LISTS["asking"] | LISTS["blocks"]:
            self.place = keyword.end()
            self.compound(name)
        elif keyword and name in ("function", "filter"):
            self.place = keyword.end()
            self.function()
        elif keyword and name in LISTS["values"]:
            self.place = keyword.end()
            self.blanks()
            if self.char and self.char not in ";\n)}":
                self.chain()
        elif keyword and name == "param":
            self.place = keyword.end()
            self.blanks()
            self.nested("(", blocks=1)
        else:
            if name in LISTS["unread_statements"]:
                self.gap(f"a `{name}` statement")
            return self.chain()
        return DERIVED

    def compound(self, name: str) -> None:
        """`if (…) {…}`, and everything else that is a condition and a block."""
        self.lines()
        if name == "switch" and self.char == "-":
            self.gap("a `switch` with options")
        while name == "catch" and (kind := self.match(TYPE)):
            del kind
            self.lines()
        if name == "foreach" and self.at("("):
            self.place += 1
            self.lines()
            self.variable_name()
            found = self.match(re.compile(r"\s*in\b", re.IGNORECASE))
            if not found:
                self.gap("a `foreach` that is not understood")
            self.blocks += 1
            self.statements(")")
            self.blocks -= 1
        elif name in LISTS["asking"] and self.at("("):
            self.nested("(", blocks=1)
        elif name in LISTS["asking"] and name != "catch":
            self.gap(f"an `{name}` that is not understood")
        self.lines()
        if self.at("{"):
            self.nested("{", blocks=1) if name != "switch" else self.cases()
        elif name not in ("until", "while"):  # `do {…} while (…)` has no block behind it
            self.gap(f"an `{name}` without a block")

    def cases(self) -> None:
        """The block of a `switch`."""
        self.place += 1
        while self.place < len(self.text):
            self.lines()
            if self.at("}"):
                self.place += 1
                return
            before = self.place
            if self.at("{"):
                self.nested("{", blocks=1)
            elif not self.match(BARE):
                self.expression()
            self.lines()
            if self.at("{"):
                self.nested("{", blocks=1)
            if self.place == before:
                break
        self.gap("a `switch` that is not understood")

    def function(self) -> None:
        self.blanks()
        name = self.match(re.compile(r"[\w:-]+"))
        if name is None or name[0].casefold() in ALIASES or ":" in name[0]:
            self.gap("a function with a name that is something else")
        else:
            self.functions.add(name[0].casefold())
        if name and CMDLET.fullmatch(name[0]):
            self.gap("a function with the name of a cmdlet")
        self.lines()
        if self.at("("):
            self.nested("(", blocks=1)
            self.lines()
        if self.at("{"):
            self.nested("{", blocks=1)
        else:
            self.gap("a function without a block")

    def nested(self, opening: str, *, blocks: int = 0) -> None:
        if not self.at(opening):
            self.gap(f"`{opening}` is missing")
            return
        self.place += 1
        self.blocks += blocks
        self.statements(")" if opening == "(" else "}")
        self.blocks -= blocks

    def substitution(self) -> Word:
        place = self.position
        self.statements(")")
        self.position = place
        return DERIVED

    def chain(self) -> Word:
        value = self.pipeline()
        while True:
            self.blanks()
            if self.at("&&") or self.at("||"):
                self.place += 2
                self.lines()
                self.pipeline()
                value = DERIVED
            elif self.at("&"):
                self.place += 1
                self.gap("it goes on in the background")
            else:
                return value

    def pipeline(self) -> Word:
        around = self.position
        self.pipelines += 1
        number, stage = self.pipelines, 0
        self.position = (number, 0)
        value = self.element(first=True)
        while True:
            self.blanks()
            if not self.at("|") or self.at("||"):
                break
            self.place += 1
            self.lines()
            stage += 1
            self.position = (number, stage)
            self.element(first=False)
            value = DERIVED
        self.position = around
        return value

    def element(self, *, first: bool) -> Word:
        start = self.place
        call = _CALL.match(self.text, start)
        if call:
            self.place = call.end()
            self.blanks()
            self.called(start, dotted=call[0] == ".")
            return DERIVED
        if not _EXPRESSION.match(self.text, start) or (self.char == "?" and not first):
            self.command(start)
            return DERIVED
        if not first:
            self.gap("a value where a command belongs")
        return self.valued(start)

    def valued(self, start: int) -> Word:
        """An expression as a statement: an assignment, or a value that is printed."""
        gaps = dict(self.gaps)
        value = self.expression()
        self.blanks()
        assign = self.match(ASSIGN)
        if assign:
            if self.text[start : start + 5].casefold() == "$env:":
                self.gaps = gaps  # it is not read
            self.lines()
            self.assignment(self.text[start : assign.start()].strip(), assign[0])
            return DERIVED
        if value.value is not None:
            self.found = (*self.position, value)  # it may be the path that the next one works on
        redirects = self.redirects()
        if redirects:
            self.emit((Word("write-output"), value), (), redirects)
        return value

    def assignment(self, target: str, operator: str) -> None:
        value = self.statement()
        target = re.sub(r"^(?:\[[\w.]+(?:\[\])?\]\s*)+(?=\$)", "", target)
        name = re.fullmatch(r"\$(?:\{([^{}:]+)\}|(?:(\w+):)?(\w+))", target)
        if name and (name[2] or "").casefold() == "env":
            self.set_environment(name[3].upper(), value, operator)
            return
        plain = name is not None and (name[2] or "").casefold() in LOCAL
        if name is not None and plain:
            self.assign((name[1] or name[3]).casefold(), value, operator)
        elif re.fullmatch(r"\$\w+(?:\s*,\s*\$\w+)+", target):
            for one in re.findall(r"\w+", target):
                self.assign(one.casefold(), DERIVED, operator)
        elif re.fullmatch(r"\$\w+\[.*\]", target, re.DOTALL):
            self.assign(re.split(r"\W", target[1:], maxsplit=1)[0].casefold(), DERIVED, "+=")
        else:
            self.setting(target, value)

    def setting(self, target: str, value: Word) -> None:
        """A property that is set: of an object nobody knows, or of a type."""
        found = re.fullmatch(r"\[([\w.]+)\]::(\w+)", target)
        if found:
            name = f"{type_name(found[1])}::{found[2].casefold()}"
            self.emit((Word("set-staticproperty"), Word(name, plain=True), value), (), ())
        self.gap("a property of an object is set")

    def set_environment(self, name: str, value: Word, operator: str) -> None:
        if len(self.environment) >= MOST_VARIABLES:
            self.gap("too many variables")
            return
        one = Assignment(name, value if operator == "=" and not self.blocks else DERIVED)
        self.environment[name] = one
        self.commands.append(
            Command(
                (), assignments=(one,), cwd=self.folder, via=(POWERSHELL,), pipeline=self.pipelines
            )
        )
        self.begins.append(())

    def assign(self, name: str, value: Word, operator: str) -> None:
        if name in LISTS["steering"]:
            self.gap(f"`${name}` changes how PowerShell works")
        again = 1 if operator == "=" and not self.blocks else 2
        self.assigned[name] = self.assigned.get(name, 0) + again
        if name in self.once:
            self.known[name] = value

    def variable_name(self) -> None:
        """Of a loop: its value differs each time."""
        found = self.match(VARIABLE)
        if not found:
            self.gap("a loop without a variable")
            return
        name = (found[1] or found[2] or found[3]).casefold()
        self.assigned[name] = 2
        if name in LISTS["steering"] or ":" in name:
            self.gap(f"`${name}` changes how PowerShell works")
