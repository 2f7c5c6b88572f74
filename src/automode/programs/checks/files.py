"""The files that programs touch whose purpose is to change files."""

import posixpath
from collections.abc import Iterator

from automode.programs.row import Kind
from automode.programs.touch import Given, Touch
from automode.shell.script import Word

_DEEP = ("-r", "-R", "-a", "--recursive", "--archive")


def rm(given: Given) -> Iterator[Touch]:
    """Without `-r` a folder stays, with all that is in it."""
    whole = given.options.has("-r", "-R", "--recursive")
    for word in given.operands:
        yield Touch(Kind.DELETES, word, whole)


def copied(given: Given) -> Iterator[Touch]:
    yield from _placed(given, Kind.TREE if given.options.has(*_DEEP) else Kind.READS)


def moved(given: Given) -> Iterator[Touch]:
    yield from _placed(given, Kind.MOVES)


def linked(given: Given) -> Iterator[Touch]:
    """A link is a second name for its source: what is written to the one is written to the other,
    and a later command of the same script may do just that."""
    yield from _placed(given, Kind.WRITES)


def installed(given: Given) -> Iterator[Touch]:
    if given.options.has("-d", "--directory"):
        yield from (Touch(Kind.WRITES, word) for word in given.operands)
    else:
        yield from _placed(given, Kind.READS)


def _placed(given: Given, source: Kind) -> Iterator[Touch]:
    """The last operand, or a file of the same name inside it."""
    folder = given.options.value("-t", "--target-directory")
    sources = list(given.operands)
    if folder is not None:
        place = folder
    elif len(sources) > 1:
        place = sources.pop()
    else:
        place = Word(".")
    yield Touch(Kind.WRITES, place)
    for word in sources:
        name = posixpath.basename(word.text.rstrip("/")) or "."
        inside = Word(posixpath.join(place.text, name), max(place.origin, word.origin))
        yield Touch(Kind.WRITES, inside)
        yield Touch(source, word)


def dd(given: Given) -> Iterator[Touch]:
    for word in given.args:
        key, _, file = word.text.partition("=")
        if key in ("if", "of"):
            kind = Kind.READS if key == "if" else Kind.WRITES
            yield Touch(kind, Word(file, word.origin, word.splits))
