"""Which files formatters and linters read, and which they rewrite."""

from collections.abc import Iterator

from automode.programs.row import Kind
from automode.programs.touch import Given, Touch
from automode.programs.use import Effect

_WRITING = ("-w", "-i", "--i", "-inplace", "--write", "--fix", "--fix-only", "--in-place")


def files(given: Given) -> Iterator[Touch]:
    """Some write when they are asked to, some unless they are asked to check."""
    row = given.row
    always = Effect.WRITES in row.base.effect and "*" not in row.reads_with
    writes = given.options.has(*_WRITING) or (always and not given.options.has(*row.reads_with))
    for word in given.operands:
        yield Touch(Kind.WRITES if writes else Kind.TREE, word)
