"""Deny and ask patterns against a shell script: each command it would run, however spelled."""

from collections.abc import Iterable

from automode.core.call import Shell
from automode.core.workspace import Workspace
from automode.rules.pattern import Match, Pattern
from automode.rules.shell_texts import definitely, possibly, script_texts, single_spaced
from automode.shell.script import HOLE, Script

SCRIPT_LIMIT = 1_048_576
"""Characters past which no fast path allows a script."""


def shell_match(
    patterns: Iterable[Pattern], script: Script, raw: str, workspace: Workspace
) -> tuple[Match, Pattern | None]:
    """The surest match of any of the patterns, and which one it is.

    Where the reading has gaps, what stands in them is not known, so every pattern could match."""
    scoped = [pattern for pattern in patterns if pattern.argument is not None]
    texts = tuple(dict.fromkeys(script_texts(script, raw, workspace)))
    for pattern in scoped:
        if any(definitely(pattern.argument or "", text) for text in texts):
            return Match.YES, pattern
    unknown = [text for text in texts if HOLE in text]
    for pattern in scoped:
        if not script.complete or any(possibly(pattern.argument or "", text) for text in unknown):
            return Match.COULD, pattern
    return Match.NO, None


_OBFUSCATED = ("`", "^", "&(", "& (", "& $", ".(", ". (", "iex", "invoke-expression", "frombase64")
_OBFUSCATED_IN = {"powershell": (*_OBFUSCATED, "-enc", " -e "), "cmd": (*_OBFUSCATED, "%", "!")}


def raw_match(patterns: Iterable[Pattern], action: Shell) -> tuple[Match, Pattern | None]:
    """For shells whose language is not read here: the whole text and each of its parts, without
    case. Where a command may be put together while it runs, it could be any."""
    text = action.command.casefold()
    parted = text
    for mark in (";", "|", "&", "\n", "{", "}", "(", ")"):
        parted = parted.replace(mark, "\n")
    parts = (text, *parted.splitlines())
    texts = tuple(dict.fromkeys(single_spaced(part) for part in parts if part.strip()))
    scoped = list(patterns)
    for pattern in scoped:
        if any(definitely((pattern.argument or "").casefold(), one) for one in texts):
            return Match.YES, pattern
    if any(mark in text for mark in _OBFUSCATED_IN.get(action.dialect, _OBFUSCATED)):
        return Match.COULD, scoped[0]
    return Match.NO, None
