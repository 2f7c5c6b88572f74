"""Checks of PowerShell's cmdlets, and the files that they touch."""

import re
from collections.abc import Iterator

from automode.programs.row import Given, Kind, Touch
from automode.programs.use import READS, Use, network, unknown
from automode.shell.script import HOLE, Origin, Word

_PATHS = ("-path", "-literalpath", "-pspath", "-lp", "-filepath")
_DRIVE = re.compile(r"[\w.]{2,}::?|.*::")
"""Of another provider than files: `Env:`, `HKLM:`, `Cert:`, `Registry::…`."""
_MARKS = re.compile(r"[*?\[]")


def _named_paths(given: Given, kinds: tuple[Kind, ...]) -> list[Word]:
    """The paths on the command line."""
    pairs = zip(given.kinds or (), given.operands, strict=False)
    found = [word for kind, word in pairs if kind in kinds]
    values = [one.value for one in given.options.options if one.name in _PATHS]
    return [*found, *(value for value in values if value is not None)]


def places(given: Given) -> Use:
    """Paths that are no files of this machine. What comes through the pipe may be such a path."""
    kinds = (Kind.READS, Kind.NAMES)
    named = _named_paths(given, kinds)
    reads = given.row.words is not None and given.row.words.many is Kind.READS
    if reads and not named:
        return unknown("reads files whose names come in")
    return _use(named, reads=reads)


def search(given: Given) -> Use:
    return _use([touch.word for touch in search_touches(given)], reads=True)


def search_touches(given: Given) -> Iterator[Touch]:
    """The first word is the pattern, unless a parameter names it."""
    words = given.operands if given.options.has("-pattern") else given.operands[1:]
    for word in (*_paths(given), *words):
        yield Touch(Kind.READS, word)


def _use(words: list[Word], *, reads: bool) -> Use:
    for word in words:
        text = word.text
        if text.startswith(("//", "\\\\")):
            return network(f"`{text.replace(HOLE, '…')}` lies on another machine")
        if _DRIVE.match(text):
            return unknown("the path is of another drive than files")
        if word.value is None and HOLE in text:
            return unknown("a path is known only when it runs")
        if reads and word.origin is Origin.LITERAL and _MARKS.search(text):
            return unknown("a pattern in quotes stands for files, too")
    return READS


def _is_file(word: Word) -> bool:
    return not _DRIVE.match(word.text)


def _paths(given: Given, *others: str) -> list[Word]:
    names = (*_PATHS, *others)
    return [o.value for o in given.options.options if o.name in names and o.value is not None]


def write_touches(given: Given) -> Iterator[Touch]:
    """The file is the first word, unless a parameter names it. Of a list of files each is meant."""
    named = _paths(given)
    for word in named or given.operands[:1]:
        if _is_file(word):
            yield Touch(Kind.WRITES, word)


def new_item_touches(given: Given) -> Iterator[Touch]:
    named = _paths(given) or list(given.operands[:1])
    name = given.options.value("-name")
    for word in named or [Word(".")]:
        if _is_file(word):
            joined = (
                word
                if name is None
                else Word(f"{word.text}/{name.text}", max(word.origin, name.origin))
            )
            yield Touch(Kind.WRITES, joined)
    target = given.options.value("-target")
    if target is not None:
        yield Touch(Kind.READS, target)


def remove_touches(given: Given) -> Iterator[Touch]:
    whole = given.options.has("-recurse")
    for word in (*_paths(given), *given.operands):
        if _is_file(word):
            yield Touch(Kind.DELETES, word, whole)


def _from_to(given: Given, kind: Kind) -> Iterator[Touch]:
    operands = list(given.operands)
    target = given.options.value("-destination", "-newname")
    sources = _paths(given)
    if target is None and len(operands) + len(sources) > 1 and operands:
        target = operands.pop()
    for word in (*sources, *operands):
        yield Touch(kind, word)
    if target is not None:
        yield Touch(Kind.WRITES, target)


def copy_touches(given: Given) -> Iterator[Touch]:
    return _from_to(given, Kind.READS)


def move_touches(given: Given) -> Iterator[Touch]:
    return _from_to(given, Kind.MOVES)


def fetch_touches(given: Given) -> Iterator[Touch]:
    for name, kind in (
        ("-outfile", Kind.WRITES),
        ("-destination", Kind.WRITES),
        ("-infile", Kind.READS),
    ):
        value = given.options.value(name)
        if value is not None:
            yield Touch(kind, value)
