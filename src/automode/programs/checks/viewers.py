"""Checks of viewers and of line counters."""

import re

from automode.core.files import Kind
from automode.core.paths import located
from automode.programs.touch import Given
from automode.programs.use import READS, Use, network, printable, runs, writes

_ARCHIVE = re.compile(r"\.(tar|tgz|tbz2?|txz|zip|whl|jar|ear|war|gz|bz2|xz|7z|rpm|deb|rar|Z)$")


def cloc(given: Given) -> Use:
    """What is no file is a revision, which git unpacks with the programs that its settings name."""
    if any(word.value is None or _ARCHIVE.search(word.text) for word in given.operands):
        return runs("archives are unpacked with other programs")
    cwd, files = given.invocation.command.cwd, given.invocation.workspace.files
    for word in given.operands:
        if cwd is None or files.kind(located(word.text, cwd, files)) is Kind.MISSING:
            return runs(f"`{printable(word)}` may be a revision")
    return READS


def pdftotext(given: Given) -> Use:
    """Without a second name, or with one that is not `-`, a file beside the document is written."""
    operands = given.operands
    if len(operands) != 2 or operands[1].value != "-":
        return writes("writes the text into a file")
    return READS


def glow(given: Given) -> Use:
    if not given.operands:
        return runs("glow may start a pager or an editor")
    if all(re.fullmatch(r"-|[^:]*\.(md|markdown)", word.value or "") for word in given.operands):
        return READS
    return network("glow fetches what is not a file")
