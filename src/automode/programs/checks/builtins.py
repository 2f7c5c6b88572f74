"""Checks of builtins that change nothing but this shell: what each operand must be."""

import re

from automode.programs.checks.assigning import JOB, LISTS_ALL, NUMBER, is_number
from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, runs, unknown

_PLACE = re.compile(r"\+[0-9]{1,9}")
_MASK = re.compile(r"[0-7]{1,4}|[ugoa]*[-+=][rwxXst,ugoa=+-]*")
_LIMIT = re.compile(r"[0-9]{1,18}|unlimited|hard|soft")
_PROGRAM = re.compile(r"[\w./+-]+")
_ALIAS = re.compile(r"[\w.+-]+")


def _all_are(pattern: re.Pattern[str], given: Given) -> Use:
    """zsh evaluates numbers, so a word that is not known must at least be one."""
    for word in given.operands:
        if not is_number(word) and not (word.value is not None and pattern.fullmatch(word.value)):
            return unknown(f"an argument of {given.row.name} is not known to be harmless")
    return READS


def number(given: Given) -> Use:
    return _all_are(NUMBER, given)


def job(given: Given) -> Use:
    return _all_are(JOB, given)


def place(given: Given) -> Use:
    """A place in the stack of folders."""
    return _all_are(_PLACE, given)


def mask(given: Given) -> Use:
    return _all_are(_MASK, given)


def limit(given: Given) -> Use:
    return _all_are(_LIMIT, given)


def program(given: Given) -> Use:
    return _all_are(_PROGRAM, given)


def alias_name(given: Given) -> Use:
    return _all_are(_ALIAS, given)


def alias(given: Given) -> Use:
    """Names are looked up; a name with a value replaces a command."""
    names = all(_ALIAS.fullmatch(word.value or "") for word in given.operands)
    return READS if names else runs("an alias replaces a command")


_SET_NAMES = frozenset(
    "pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace noexec physical "
    "posix".split()
)


def set_options(given: Given) -> Use:
    words = [word.value for word in given.args]
    if not words:
        return LISTS_ALL
    while words and words[0] not in ("--", "-", None):
        word = words.pop(0) or ""
        if word[:1] not in ("-", "+"):
            return READS  # positional parameters
        if set(word[1:]) - set("euxvfnETBhCPo"):
            return unknown(f"`set {word}` is not known to be harmless")
        if word.endswith("o") and words:
            name = words.pop(0)
            if name == "history":
                return Use(Effect.SYSTEM, "switches the history")
            if name not in _SET_NAMES:
                return unknown("the shell option is not known to be harmless")
    return unknown("an argument of set is not known") if words[:1] == [None] else READS


_SHOPT_NAMES = frozenset(
    "globstar nullglob dotglob extglob nocaseglob nocasematch failglob lastpipe inherit_errexit "
    "globasciiranges globskipdots checkwinsize".split()
)


def shopt(given: Given) -> Use:
    names = {word.value for word in given.operands}
    if None in names:
        return unknown("an argument of shopt is not known")
    if not given.options.has("-s", "-u"):
        return READS
    if "expand_aliases" in names:
        return runs("aliases replace commands")
    known = _SET_NAMES if given.options.has("-o") else _SHOPT_NAMES
    return READS if names <= known else unknown("a shell option may change meanings")


def trap(given: Given) -> Use:
    """Without text to run it lists, resets or ignores signals."""
    first = given.args[0].value if given.args else "-p"
    plain = first in ("-", "", "-l", "-p") and given.invocation.literal
    return READS if plain else runs("runs text as shell code")
