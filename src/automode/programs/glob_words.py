"""Words that the shell puts in the place of a pattern: a file called `-r` becomes an option, one
called `@list` perhaps the words in it."""

from dataclasses import replace

from automode.core.files import Search
from automode.core.wildcards import may_match
from automode.programs.use import Invocation
from automode.shell.script import HOLE, Origin, Word

SPLIT_OPTIONS = tuple(f"{mark}-" for mark in " \t\n'\"\\")
"""What stands in the name of a file that becomes an option where it is split into words."""

_MOST_NAMES = 10_000  # in the folder that a pattern is matched in
_MOST_BELOW = 20_000  # below it


def settled(invocation: Invocation) -> Invocation:
    """The command with every pattern marked that the folder shows to bring no option."""
    if not any(word.origin is Origin.GLOB for word in invocation.args):
        return invocation
    args = tuple(
        replace(word, plain=True) if brings_option(word, invocation) is False else word
        for word in invocation.args
    )
    return replace(invocation, args=args)


def brings_option(word: Word, invocation: Invocation) -> bool | None:
    """Whether a name that the pattern matches may be an option; None where nothing is there for it
    to match, so that it stays as it is, or the call was recorded elsewhere."""
    folder, files = invocation.command.cwd, invocation.workspace.files
    pattern = word.origin is Origin.GLOB and HOLE not in word.text and word.text[:1] != "-"
    if not pattern or folder is None or invocation.command.remote:
        return True
    names = files.names(folder, _MOST_NAMES)
    first = word.text.partition("/")[0]
    odd = (name for name in names if word.could_be_flag and name[0] in "-@")
    if len(names) >= _MOST_NAMES or any(may_match(first, name) for name in odd):
        return True
    if word.splits and files.below(_splitting(folder)) != ():
        return True
    return False if names else None


def _splitting(folder: str) -> Search:
    return Search(folder, _MOST_BELOW, holds=SPLIT_OPTIONS, links=False)
