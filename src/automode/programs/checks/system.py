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


def shows_logs(given: Given) -> Use:
    """smartctl shows the log `scterc`, and sets it where numbers follow."""
    for option in given.options.options:
        log = option.value if option.name in ("-l", "--log") else None
        if log is not None and (log.value is None or re.match(r"sct\w+,", log.text)):
            return _SETS
    return READS
