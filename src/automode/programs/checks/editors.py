"""The files that a command line of an editor writes."""

from collections.abc import Iterator

from automode.programs.row import Kind
from automode.programs.touch import Given, Touch
from automode.shell.script import Word

_WRITE = ("w", "w!", "write", "write!", "saveas", "saveas!", "sav", "sav!", "wq", "wq!", "x", "up")


def written(given: Given) -> Iterator[Touch]:
    """`-c "w FILE"` and `+"w FILE"` write elsewhere than to what was opened."""
    for word in given.operands:
        if not word.text.startswith("+"):
            yield Touch(Kind.WRITES, word)
    for word in given.args:
        command = word.text.lstrip("+:").split()
        if len(command) > 1 and command[0] in _WRITE:
            # Editors expand `~` themselves, in a word that no shell expands.
            yield Touch(Kind.WRITES, Word(command[-1], word.origin))
