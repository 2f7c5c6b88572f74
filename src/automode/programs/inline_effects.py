"""What inline code does, in the words of the shell: one set of guards fits all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from automode.shell.script import HOLE, Command, Redirect, Word

RUNS_DECODED = "\x01decoded"
FORKS_FOR_EVER = "\x01fork"
"""Names under which inline code is listed that runs what it decodes, or forks without end."""

UNKNOWN = "\ufdd0"
"""Stands for HOLE inside code, where a NUL could not be parsed. Never a character of real text."""


@dataclass(slots=True)
class Effects:
    commands: list[Command] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)  # handed to a shell
    _read: dict[tuple[str, int], None] = field(default_factory=dict, repr=False)  # code within code
    _length: int = 0

    def run(self, *words: str) -> None:
        self.commands.append(Command(tuple(Word(_with_holes(word)) for word in words)))

    def shell(self, text: str) -> None:
        self.texts.append(_with_holes(text).replace(HOLE, "${__unknown}"))

    def redirect(self, op: str, path: str) -> None:
        redirect = Redirect(op, Word(_with_holes(path)))
        self.commands.append(Command((), redirects=(redirect,)))

    def call(self, action: str, texts: Sequence[str | None]) -> None:
        """What a function does with its arguments: `>` writes a file, `<` reads one, `$` hands a
        text to a shell, `mv 2` is that program with two of them."""
        if action in (">", "<") and texts and texts[0]:
            self.redirect(action, texts[0])
        elif action == "$" and texts and texts[0]:
            self.shell(texts[0])
        elif action[-1].isdigit():
            *words, count = action.split()
            paths = texts[: int(count)]
            if len(paths) == int(count) and any(paths):
                self.run(*words, *(UNKNOWN if path is None else path for path in paths))

    def reads(self, code: str, depth: int, most: int) -> bool:
        """Whether code within code is still to be read: once, and `most` characters in all."""
        if (code, depth) in self._read:
            return False
        if self._length + len(code) > most:
            self.run(RUNS_DECODED)  # nobody can tell what so much of it does
            return False
        self._read[code, depth] = None
        self._length += len(code)
        return True


def _with_holes(text: str) -> str:
    return text.replace(UNKNOWN, HOLE)


def by_function(functions: Mapping[str, str]) -> Mapping[str, str]:
    """The action of each function, where a table has the functions of each action."""
    return {name: action for action, names in functions.items() for name in names.split()}
