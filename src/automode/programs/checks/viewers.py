"""Checks of viewers and of line counters."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Use, network, runs, writes

_ARCHIVE = re.compile(r"\.(tar|tgz|tbz2?|txz|zip|whl|jar|ear|war|gz|bz2|xz|7z|rpm|deb|rar|Z)$")


def cloc(given: Given) -> Use:
    if any(word.value is None or _ARCHIVE.search(word.text) for word in given.operands):
        return runs("archives are unpacked with other programs")
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
