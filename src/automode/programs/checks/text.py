"""Checks of programs that print, sort, count and compare text."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, runs, unknown
from automode.shell.script import HOLE

_SUMS = re.compile(r"[\dA-F\s._+*/%^~|vpnfcdrkioKIOzZ-]*")
# A line break ends the search; what follows would be further commands of the pager.
_POSITION = re.compile(r"\+(\d+|[FG]|/[^!|\x00-\x1f\x7f]*)")


def date(given: Given) -> Use:
    """`date 01020304` sets the clock; `date +%F` and the BSD form `-j` only print."""
    if given.options.has("-j") or all(word.text[:1] == "+" for word in given.operands):
        return READS
    return Use(Effect.SYSTEM, "an operand without `+` sets the clock")


def dc(given: Given) -> Use:
    """In dc a `!` runs a program, `?` and standard input bring more code, strings are code too."""
    words = [word.value for word in given.args]
    command = given.invocation.command
    fed = command.position > 0 or command.fed is not None
    fed = fed or any(redirect.op.startswith("<") for redirect in command.redirects)
    if not fed and len(words) == 2 and words[0] == "-e" and _SUMS.fullmatch(words[1] or "!"):
        return READS
    return runs("`!` in its input runs a program")


def pager(given: Given) -> Use:
    """`+command` runs a pager command, `+/text` and `+12` only position."""
    positions = [word for word in given.args if word.text.startswith("+")]
    if all(_POSITION.fullmatch(word.text) for word in positions):
        return READS
    return unknown("`+` starts with a pager command")


def less(given: Given) -> Use:
    """less looks for further options behind a number and behind a `$` in a value."""
    for option in given.options.options:
        text = option.value.text if option.value else "0"
        plain = "$" not in text if option.name == "-P" else re.fullmatch(r"-?[\d.,]+", text)
        if not plain or HOLE in text:
            return unknown(f"the value of `{option.name}` may bring an option along")
    return pager(given)
