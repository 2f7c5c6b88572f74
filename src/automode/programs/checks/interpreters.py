"""Checks of shells that only look at the syntax of a script."""

from automode.programs.touch import Given
from automode.programs.use import READS, Use, runs


def shell(given: Given) -> Use:
    """`bash -n FILE` and nothing else."""
    plain = all(word.text[:1] not in ("-", "+") for word in given.operands)
    known = given.invocation.literal and not given.options.unclear
    looks = given.options.has("-n") and given.operands and plain and known
    return READS if looks else runs("it runs code")
