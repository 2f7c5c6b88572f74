"""What is known at one point of a script: folder, variables, functions."""

from dataclasses import dataclass, field

from automode.shell.script import HOLE, Assignment, Origin, Word

UNKNOWN_VALUE = Word(HOLE, Origin.UNKNOWN)
DERIVED_VALUE = Word(HOLE, Origin.DERIVED)
NUMBER = Word(HOLE, Origin.DERIVED, plain=True)


@dataclass(slots=True)
class State:
    cwd: str | None
    home: str
    variables: dict[str, Word] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)  # variables that surely hold a number
    exported: dict[str, Assignment] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)

    def copy(self) -> "State":
        return State(
            self.cwd,
            self.home,
            dict(self.variables),
            set(self.numbers),
            dict(self.exported),
            set(self.functions),
        )

    def assign(self, name: str, value: Word, *, appends: bool = False) -> None:
        if appends:
            before = self.variables.get(name, UNKNOWN_VALUE)
            worst = max(before.origin, value.origin)
            value = Word(before.text + value.text, worst)
        self.variables[name] = value
        self.mark_number(name, number=(value.value or "").lstrip("-").isdigit())

    def mark_number(self, name: str, *, number: bool = True) -> None:
        (self.numbers.add if number else self.numbers.discard)(name)

    def forget(self, names: frozenset[str]) -> None:
        """These variables may have been changed where we cannot tell how."""
        for name in names:
            self.variables[name] = DERIVED_VALUE
            self.numbers.discard(name)

    def value(self, name: str) -> Word:
        if name in self.variables:
            return self.variables[name]
        if name == "HOME":
            return Word(self.home)
        if name == "PWD" and self.cwd is not None:
            return Word(self.cwd)
        if name in ("?", "#", "$", "!", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID"):
            return NUMBER
        return UNKNOWN_VALUE
