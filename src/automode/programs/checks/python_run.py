"""Checks of python: what runs, and whether a file of the folder stands in for a module."""

import posixpath
import re
import sys

from automode.core.files import Kind
from automode.core.paths import absolute
from automode.programs.touch import Given
from automode.programs.use import READS, Invocation, Use, runs, unknown

_STANDARD = frozenset(sys.stdlib_module_names) - {"test"}  # which no other module imports
_CODE_SUFFIXES = ("py", "pyc", "so", "pyd")
_NAMES_LISTED = 4_000
# What follows the `m` in one word would be the module.
_MODULE = re.compile(r"-[uBISsEqOP]*m")


def run(given: Given) -> Use:
    """`python -m NAME`: a module with a row, and no file of the folder in its place."""
    if given.outer is None:
        return runs("it runs a module") if given.options.has("-m") else READS
    leading = given.invocation.args[: -len(given.args) - 1]
    if not given.before.has("-m") or not _MODULE.fullmatch(leading[-1].text):
        return runs("it runs a script")
    if not given.row.develops and shadowed(given.invocation, given.verb):
        return runs("a file here has the module's name")
    return READS


def calendar(given: Given) -> Use:
    allowed = {"--help", "-h", "-m", "-t", "text", "html"}
    known = all((word.value or "") in allowed or word.text.isdigit() for word in given.args)
    return READS if known else unknown("an argument is not known to be harmless")


def shadowed(invocation: Invocation, module: str) -> bool:
    """Whether a file of the folder it runs in would be imported instead of the module, or instead
    of a standard module that it imports in turn."""
    cwd = invocation.command.cwd
    if cwd is None:
        return True
    top = absolute(module.partition(".")[0], cwd)
    kind = invocation.workspace.files.kind
    if kind(top + ".py") is not Kind.MISSING or kind(top) is Kind.FOLDER:
        return True
    names = invocation.workspace.files.names(cwd, _NAMES_LISTED)
    return len(names) >= _NAMES_LISTED or any(_stands_in(invocation, cwd, name) for name in names)


def _stands_in(invocation: Invocation, cwd: str, name: str) -> bool:
    stem, _, suffix = name.partition(".")
    if stem not in _STANDARD:
        return False
    if suffix:
        return suffix.rpartition(".")[2] in _CODE_SUFFIXES
    # A folder without this file gives way to the standard module.
    package = posixpath.join(cwd, name, "__init__.py")
    return invocation.workspace.files.kind(package) is not Kind.MISSING
