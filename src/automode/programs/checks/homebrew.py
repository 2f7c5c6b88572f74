"""Checks of package managers whose packages are code: Homebrew and nix."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Use, runs

_NAME = re.compile(r"(homebrew/[\w-]+/)?[\w@+.-]+|homebrew/[\w-]+")


def reviewed(given: Given) -> Use:
    """A formula is Ruby code. A plain name means a reviewed one; a path or an address runs code of
    somebody's choosing, and a name in another tap fetches it first."""
    for word in given.operands:
        if word.value is None or word.text.endswith(".rb") or not _NAME.fullmatch(word.text):
            return runs("the formula may come from somewhere else")
    return READS


def in_store(given: Given) -> Use:
    """A path in the store is data; any other word names code that is evaluated first."""
    if all((word.value or "").startswith("/nix/store/") for word in given.operands):
        return READS if given.operands else runs("evaluates the flake of this folder")
    return runs("evaluates code to find the package")
