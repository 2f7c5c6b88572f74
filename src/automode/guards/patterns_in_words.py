"""Patterns that a program reads itself, not the shell: pathspecs of git, members of archives."""

import re
from collections.abc import Iterator
from itertools import pairwise

from automode.guards.credentials import may_name_credential
from automode.shell.script import Command, Word

_ARCHIVERS = frozenset("tar gtar bsdtar unzip zipinfo 7z 7za 7zz unrar cpio bsdcpio ar".split())
_MAGIC = re.compile(r":(?:\((?P<long>[^)]*)\)|(?P<short>[/!^]+):?)?")
_TEXT_FOLLOWS = frozenset(
    """--grep --author --committer --format --pretty --date --since --until --after --before -S -G
    -e -L -m --sort --glob --exclude --branches --tags --remotes --match --list -l""".split()
)
_PATTERN_GIVEN = re.compile(r"-[a-zA-Z]*[ef].*", re.DOTALL)


def pattern_objection(command: Command) -> str | None:
    """Why a pattern for the program itself may stand for a credential."""
    if command.program == "git":
        patterns = list(_pathspecs(command))
    elif command.program in _ARCHIVERS:
        patterns = [word.text for word in command.args if word.text[:1] not in ("-", "")]
    else:
        return None
    found = next(filter(may_name_credential, patterns), None)
    return None if found is None else f"`{found[:80]}` may stand for a credential"


def _pathspecs(command: Command) -> Iterator[str]:
    """The words of git that may name files, without the marks in front of them."""
    words = [word.text for word in _words(command.args)]
    if words[:1] == ["grep"] and not any(_PATTERN_GIVEN.match(w.text) for w in command.args):
        words = words[2:]
    for text in words:
        magic = _MAGIC.match(text)
        if magic is None:
            yield text
        elif "exclude" not in (magic["long"] or "") and not set("!^") & set(magic["short"] or ""):
            yield text[magic.end() :]


def _words(args: tuple[Word, ...]) -> Iterator[Word]:
    for before, word in pairwise((Word(""), *args)):
        if word.text[:1] not in ("-", "") and before.text not in _TEXT_FOLLOWS:
            yield word
