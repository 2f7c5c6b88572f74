"""Checks of query tools for JSON, YAML and XML, and the files that they touch."""

from collections.abc import Iterator

from automode.programs.row import Kind
from automode.programs.touch import Given, Touch
from automode.programs.use import READS, Use, network, unknown, writes
from automode.shell.script import HOLE

_SCHEMES = ("http://", "https://", "ftp://")


def no_address(given: Given) -> Use:
    """A file may also be an address that is fetched."""
    if any("://" in word.text for word in given.args):
        return network("an address is fetched")
    starts = {word.text.partition(HOLE)[0] for word in given.operands if HOLE in word.text}
    if any(start and scheme.startswith(start) for start in starts for scheme in _SCHEMES):
        return unknown("a word may be an address")
    return READS


def dasel(given: Given) -> Use:
    """The verb may stand behind options."""
    if any(word.text in ("put", "delete") for word in given.args):
        return writes("`dasel put` and `dasel delete` edit a file")
    if not given.invocation.literal:
        return unknown("an argument is not known and may be a verb")
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
