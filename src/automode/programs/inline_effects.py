"""What inline code does, in the words of the shell: one set of guards fits all."""

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
        self.commands.append(Command(tuple(Word(_restored(word)) for word in words)))

    def shell(self, text: str) -> None:
        self.texts.append(_restored(text).replace(HOLE, "${__unknown}"))

    def write(self, path: str) -> None:
        redirect = Redirect(">", Word(_restored(path)))
        self.commands.append(Command((), redirects=(redirect,)))

    def read(self, path: str) -> None:
        redirect = Redirect("<", Word(_restored(path)))
        self.commands.append(Command((), redirects=(redirect,)))

    def reads(self, code: str, depth: int, most: int) -> bool:
        """Whether code within code is still to be read: once, and `most` characters in all."""
        if (code, depth) in self._read:
            return False
        if self._length + len(code) > most:
            self.runs_decoded()  # nobody can tell what so much of it does
            return False
        self._read[code, depth] = None
        self._length += len(code)
        return True

    def runs_decoded(self) -> None:
        self.run(RUNS_DECODED)

    def forks_for_ever(self) -> None:
        self.run(FORKS_FOR_EVER)


def _restored(text: str) -> str:
    return text.replace(UNKNOWN, HOLE)
