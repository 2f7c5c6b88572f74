"""Checks of programs that print the state of the machine, and set it with one word more."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use

_SETS = Use(Effect.SYSTEM, "a word sets what it otherwise prints")
_SERVICE = re.compile(r"\w[\w@.:-]*")


def sets_by_word(given: Given) -> Use:
    """`hostname` prints the name, `hostname x` sets it."""
    return _SETS if given.operands else READS


def sysctl(given: Given) -> Use:
    """`sysctl name` prints, `sysctl name=value` sets."""
    if any(word.value is None or "=" in word.text for word in given.operands):
        return Use(Effect.SYSTEM, "sets kernel parameters")
    return READS


_LOGS = frozenset(
    """error xerror selftest xselftest selective directory gplog background sataphy sasphy scttemp
    scttempsts scttemphist sctstatus scterc devstat defects nvmelog ssd zdevstat farm envrep
    genstats tapealert tapedevstat""".split()
)


def shows_logs(given: Given) -> Use:
    """smartctl shows a log by its name and a number. Another word behind it resets or sets."""
    for option in given.options.options:
        if option.name in ("-l", "--log"):
            name, *rest = (option.value.value or "" if option.value else "").split(",")
            if name not in _LOGS or (rest and (name in _SET_BY_NUMBER or not _numbers(rest))):
                return _SETS
    return READS


_SET_BY_NUMBER = frozenset(("scterc", "scttempint"))


def _numbers(words: list[str]) -> bool:
    return all(
        re.fullmatch(r"[0-9]+(-[0-9]+)?|0x[0-9a-f]+|error|all|ssd|g|s", word) for word in words
    )
