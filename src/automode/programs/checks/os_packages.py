"""Checks of package managers: queries that fetch, and letters that are operations."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network, runs, unknown
from automode.shell.options import may_split

_NO_QUERY = Use(Effect.WRITES | Effect.SYSTEM, "it is not a plain query")
# The first letter is the operation, the others bend it; `-Sy` refreshes, so it writes.
_LOCAL = {"Q": frozenset("qeldtmnikosugcpv"), "T": frozenset("qv")}
_SYNC = {"S": frozenset("silgqp"), "F": frozenset("lxqso")}


def pacman(given: Given) -> Use:
    if any(may_split(word) for word in given.invocation.args):
        return _NO_QUERY
    letters = [option.name[1:] for option in given.options.options if len(option.name) == 2]
    operation = letters[0] if letters else "Q" if given.options.has("--query") else ""
    rest = set(letters[1:])
    if operation in _LOCAL and rest <= _LOCAL[operation]:
        return READS
    if operation in _SYNC and rest and rest <= _SYNC[operation]:
        return Use(Effect.REMOTE_READ) if given.invocation.literal else _NO_QUERY
    return _NO_QUERY


def local_packages(given: Given) -> Use:
    """`rpm -qp URL` fetches the package. rpm expands `%(command)` in the name of a file."""
    if any("%" in word.text for word in given.operands):
        return runs("`%` starts a macro, which may run a command")
    if any("://" in word.text for word in given.invocation.args):
        return network("it fetches a package")
    if any(word.value is None for word in given.operands):
        return unknown("a word that is only known when it runs may be an address or a macro")
    return READS


def no_local_package(given: Given) -> Use:
    """A word with a slash is a package file, or a release; neither is needed to simulate."""
    if any(word.value is None or word.text[:1] in "./~" for word in given.operands):
        return unknown("the package may come from somewhere else")
    return READS


def numbers_only(given: Given) -> Use:
    """`dnf history 3` shows; other words may be commands."""
    plain = all(re.fullmatch(r"\d+|last", word.value or "") for word in given.operands)
    return READS if plain else unknown("the command of `history` is not known to only read")


def plain_names(given: Given) -> Use:
    """A path or an address leads to a description that is code."""
    plain = all(re.fullmatch(r"[\w@+.*-]*", word.value or "/") for word in given.operands)
    return READS if plain else unknown("the package may come from somewhere else")


_QUERY = re.compile(r"/?[\w@+.*?~^:,()<>=%{}\[\]| -]+(/[\w@+.*?~^<>=-]+)*")


def no_address(given: Given) -> Use:
    """Packages by name, and files by where they are installed. What stands at an address would be
    fetched."""
    if all(_QUERY.fullmatch(word.value or "://") for word in given.operands):
        return READS
    return unknown("a word may be an address")
