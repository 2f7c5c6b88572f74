"""Words of a script as bash would expand them, as far as that can be known."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from automode.shell import braces
from automode.shell.parameters import arithmetic_hazard, expansion
from automode.shell.script import HOLE, Origin, Word
from automode.shell.state import NUMBER, UNKNOWN_VALUE, State
from automode.shell.syntax import Arith, Param, Part, Parts, Sub, Text

_GLOB = re.compile(r"[*?]|\[.*\]|[@!+]\(", re.DOTALL)


@dataclass(slots=True)
class Expander:
    """`substitute` reads the script inside `$(…)` and says what it would print."""

    state: State
    substitute: Callable[[Sub], Word]
    gap: Callable[[str], None]

    def words(self, parts: Parts) -> list[Word]:
        """One written word as the words the program gets."""
        alternatives = braces.expanded(parts)
        if alternatives is None:
            self.gap("a brace expansion is too large")
            return [Word(HOLE, Origin.UNKNOWN, splits=True)]
        result: list[Word] = []
        for alternative in alternatives:
            word = self.word(alternative)
            if word.splits and word.value is not None:
                result += [Word(piece) for piece in word.text.split()]
            else:
                result.append(word)
        return result

    def word(self, parts: Parts, *, literal: bool = False) -> Word:
        """One word without brace expansion. `literal` switches globbing off: assignments, `<<<`."""
        texts: list[str] = []
        origin, splits, plain = Origin.LITERAL, False, False
        for position, part in enumerate(parts):
            value = self.tilde(part, parts) if position == 0 else None
            if value is None:
                value = self.part(part, literal=literal)
            texts.append(value.text)
            origin = max(origin, value.origin)
            splits = splits or value.splits
            plain = value.plain if position == 0 else plain
        return Word("".join(texts), origin, splits, plain)

    def tilde(self, part: Part, parts: Parts) -> Word | None:
        if not isinstance(part, Text) or part.quoted or not part.value.startswith("~"):
            return None
        user, slash, rest = part.value[1:].partition("/")
        if not slash and len(parts) > 1:
            return None  # `~"x"` is not expanded
        tail = self.text(Text(slash + rest))
        if user == "":
            home = self.state.value("HOME")
            return Word(home.text + tail.text, max(home.origin, tail.origin), plain=True)
        if user == "+" and self.state.cwd is not None:
            return Word(self.state.cwd + tail.text, tail.origin)
        home = Word("/root" if user == "root" else f"/home/{user}")
        return Word(home.text + tail.text, Origin.UNKNOWN, plain=True)

    def part(self, part: Part, *, literal: bool) -> Word:
        match part:
            case Text():
                return Word(part.value) if literal else self.text(part)
            case Param():
                return self.parameter(part)
            case Sub():
                return self.substitution(part)
            case Arith():
                hazard = arithmetic_hazard(part.raw, part.inner, self.state.numbers)
                self.look_inside(part.inner)
                if hazard:
                    self.gap(hazard)
                return NUMBER

    def text(self, part: Text) -> Word:
        if HOLE in part.value:  # a long range such as {1..1000}
            return Word(part.value, Origin.DERIVED, plain=True)
        if not part.quoted and _GLOB.search(part.value):
            return Word(part.value, Origin.GLOB)
        return Word(part.value)

    def substitution(self, part: Sub) -> Word:
        word = self.substitute(part)
        return word if part.quoted or part.kind != "$(" else _unquoted(word)

    def parameter(self, part: Param) -> Word:
        self.look_inside(part.inner)
        asked = expansion(part, self.state.numbers)
        if asked.hazard:
            self.gap(asked.hazard)
        word = self.value_of(asked.name, asked.operator)
        return word if part.quoted else _unquoted(word)

    def value_of(self, name: str, operator: str) -> Word:
        known = self.state.value(name) if name else UNKNOWN_VALUE
        if operator == "":
            return known
        if operator == "#":
            return NUMBER
        if operator in (":-", "-", ":=", "=") and known.value:
            return known
        if operator in (":=", "="):
            self.state.forget(frozenset({name}))
        return Word(HOLE, max(known.origin, Origin.DERIVED))

    def look_inside(self, inner: Parts) -> None:
        """What an expansion nests is expanded too: `${x:-$(cmd)}` may run the command."""
        for part in inner:
            self.part(part, literal=True)


def _unquoted(word: Word) -> Word:
    if word.value == "":
        return Word("", splits=True)  # it vanishes
    if word.value is not None and not any(char in word.text for char in " \t\n*?["):
        return word
    if word.value is not None and _GLOB.search(word.text):
        return Word(word.text, Origin.GLOB, splits=True)
    return Word(word.text, word.origin, splits=True, plain=word.plain)
