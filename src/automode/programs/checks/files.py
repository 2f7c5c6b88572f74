"""The files that programs touch whose purpose is to change files: copies, editors, formatters."""

import posixpath
from collections.abc import Iterator

from automode.programs.row import Given, Kind, Touch
from automode.programs.use import READS, Effect, Use, network, unknown
from automode.shell.script import HOLE, Word

_DEEP = ("-r", "-R", "-a", "--recursive", "--archive")


def rm(given: Given) -> Iterator[Touch]:
    """Without `-r` a folder stays, with all that is in it."""
    whole = given.options.has("-r", "-R", "--recursive")
    for word in given.operands:
        yield Touch(Kind.DELETES, word, whole)


def copy(given: Given) -> Iterator[Touch]:
    yield from _place(given, Kind.TREE if given.options.has(*_DEEP) else Kind.READS)


def move(given: Given) -> Iterator[Touch]:
    yield from _place(given, Kind.MOVES)


def link(given: Given) -> Iterator[Touch]:
    """A link is a second name for its source: what is written to the one is written to the other,
    and a later command of the same script may do just that."""
    yield from _place(given, Kind.WRITES)


def install(given: Given) -> Iterator[Touch]:
    if given.options.has("-d", "--directory"):
        yield from (Touch(Kind.WRITES, word) for word in given.operands)
    else:
        yield from _place(given, Kind.READS)


def _place(given: Given, source: Kind) -> Iterator[Touch]:
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


_WRITE = ("w", "w!", "write", "write!", "saveas", "saveas!", "sav", "sav!", "wq", "wq!", "x", "up")


def editor_files(given: Given) -> Iterator[Touch]:
    """`-c "w FILE"` and `+"w FILE"` write elsewhere than to what was opened."""
    for word in given.operands:
        if not word.text.startswith("+"):
            yield Touch(Kind.WRITES, word)
    for word in given.args:
        command = word.text.lstrip("+:").split()
        if len(command) > 1 and command[0] in _WRITE:
            # Editors expand `~` themselves, in a word that no shell expands.
            yield Touch(Kind.WRITES, Word(command[-1], word.origin))


_WRITING = ("-w", "-i", "--i", "-inplace", "--write", "--fix", "--fix-only", "--in-place")


def files(given: Given) -> Iterator[Touch]:
    """Some write when they are asked to, some unless they are asked to check."""
    row = given.row
    always = Effect.WRITES in row.base.effect and "*" not in row.reads_with
    writes = given.options.has(*_WRITING) or (always and not given.options.has(*row.reads_with))
    for word in given.operands:
        yield Touch(Kind.WRITES if writes else Kind.TREE, word)


_SCHEMES = ("http://", "https://", "ftp://")


def no_address(given: Given) -> Use:
    """A file may also be an address that is fetched."""
    if any("://" in word.text for word in given.args):
        return network("an address is fetched")
    starts = {word.text.partition(HOLE)[0] for word in given.operands if HOLE in word.text}
    if any(start and scheme.startswith(start) for start in starts for scheme in _SCHEMES):
        return unknown("a word may be an address")
    return READS


def dasel_file(given: Given) -> Iterator[Touch]:
    """The file of `-f`, which `put` and `delete` rewrite."""
    changes = any(word.text in ("put", "delete") for word in given.args)
    for option in given.options.options:
        if option.value is not None and option.name in ("-f", "--file", "-o", "--out"):
            written = changes or option.name in ("-o", "--out")
            yield Touch(Kind.WRITES if written else Kind.READS, option.value)


def yq_files(given: Given) -> Iterator[Touch]:
    """The expression may be left out: then the first word is a file, too."""
    options = (*given.before.options, *given.options.options)
    writes = any(one.name in ("-i", "--inplace", "--in-place") for one in options)
    for word in given.operands:
        yield Touch(Kind.WRITES if writes else Kind.READS, word)
