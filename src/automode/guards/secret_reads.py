"""Whether a command may read or print a credential: by a word, a folder, or names it is fed."""

from functools import lru_cache
from typing import NamedTuple

from automode.core.paths import absolute, within
from automode.core.workspace import Workspace
from automode.guards.credentials import (
    HOLDERS,
    in_credential_folder,
    is_credential,
    may_be_credential,
)
from automode.guards.reached import followed, known_folder, through_links
from automode.shell.script import HOLE, Assignment, Command, Origin, Script, Word

_LISTS_NAMES = frozenset("ls eza exa lsd tree stat du file test [ cd pushd".split())
_READS_TREES = frozenset("grep egrep fgrep zgrep rg ag ack diff colordiff".split())
_PRINTS_FILES = _READS_TREES | frozenset(
    """cat tac head tail less more bat batcat sed awk gawk mawk nawk sort uniq cut paste comm join
    nl rev fold fmt column strings xxd od hexdump base64 base32 jq yq xmllint zcat bzcat xzcat
    iconv pr cmp""".split()
)
_FINDS_NAMES = frozenset("find gfind fd fdfind ls tree locate mlocate rg grep".split())
_LONGEST = 4_096  # characters of what can be a path
_LONGEST_KEPT = 512  # characters of a word and its folder whose path is kept


class _Named(NamedTuple):
    """What a word, or a part of it, says as a path, whatever is on the disk."""

    path: str
    known: bool  # to the letter
    credential: bool
    in_folder: bool  # of credentials, or such a folder itself


def word_objection(word: Word, command: Command, workspace: Workspace) -> str | None:
    """Whether a word may print a secret, or names a credential, as it stands or resolved."""
    if word.origin is Origin.UNKNOWN:
        return f"`{shown(word)}` may hold a secret or anything else"
    base = command.cwd or workspace.cwd
    parts = _kept_parts if len(word.text) + len(base) <= _LONGEST_KEPT else _parts
    for named in parts(word.text, base, workspace.home):
        if not named.known or word.origin is Origin.GLOB:
            found = _pattern_objection(named.path, word, command, workspace)
            if found is not None:
                return found
            continue
        if named.credential:
            return f"`{shown(word)}` is a credential"
        resolved = workspace.files.resolve(named.path) if not command.remote else None
        if resolved and resolved != named.path and is_credential(resolved, workspace.home):
            return f"`{shown(word)}` leads to a credential"
    return None


def _parts(text: str, base: str, home: str) -> tuple[_Named, ...]:
    """The word, and what stands in it behind a mark."""
    found = dict.fromkeys(
        (text, text.rpartition("=")[2], text.lstrip("@"), text.rpartition(":")[2])
    )
    return tuple(_look(one, base, home) for one in found if one and len(one) <= _LONGEST)


def _look(text: str, base: str, home: str) -> _Named:
    path = _path_from(text, base, home)
    return _Named(path, HOLE not in text, is_credential(path, home), _in_folder(path))


# Each word is asked about twice, and commands share most of their words.
_kept_parts = lru_cache(maxsize=4_096)(_parts)


def _as_a_whole(text: str, base: str, home: str) -> _Named:
    short = bool(text) and len(text) + len(base) <= _LONGEST_KEPT
    return _kept_parts(text, base, home)[0] if short else _look(text, base, home)


def _pattern_objection(full: str, word: Word, command: Command, workspace: Workspace) -> str | None:
    followed_links = [full] if command.remote else [full, followed(full, workspace.files)]
    if any(_below_a_home(path, command, workspace) for path in followed_links):
        return f"`{shown(word)}` may be any file of a home folder"
    if command.program in _PRINTS_FILES and not command.remote:
        behind = through_links(full, workspace.files)
        if behind is None:
            return f"`{shown(word)}` matches too many files to look where each leads"
        followed_links += behind
    if any(may_be_credential(path, workspace.home) for path in followed_links):
        return f"`{shown(word)}` may be a credential"
    return None


def value_objection(assignment: Assignment, command: Command, workspace: Workspace) -> str | None:
    """A variable that names a credential is on its way to a command that reads it."""
    if assignment.value.origin is Origin.UNKNOWN:
        return None  # keeping a secret in a variable prints nothing
    for text in assignment.value.text.split():
        found = word_objection(Word(text, assignment.value.origin), command, workspace)
        if found is not None:
            return found
    return None


def fed_objection(command: Command, workspace: Workspace) -> str | None:
    """Text on standard input may be a list of files to read: `echo ~/.netrc | xargs cat`."""
    if command.fed is None or not command.via or command.via[-1] != "xargs":
        return None
    for text in command.fed.split()[:1000]:
        found = word_objection(Word(text), command, workspace)
        if found is not None:
            return found
    return None


def folder_objection(command: Command, workspace: Workspace) -> str | None:
    """Whether the command reads through a folder that holds credentials: `grep -r x ~/.aws`,
    `cd ~/.ssh && cat $(ls)`. Listing names is fine; searching a whole home is not."""
    if command.program in _LISTS_NAMES or command.remote:
        return None
    home = workspace.home
    if command.cwd is not None and in_credential_folder(command.cwd):
        return "works in a folder of credentials"
    searches = command.program in _READS_TREES
    for word in command.args:
        if word.text[:1] in ("-", "") or HOLE in word.text:
            continue
        named = _as_a_whole(word.text, command.cwd or workspace.cwd, home)
        real = followed(named.path, workspace.files)
        if named.in_folder or (real != named.path and _in_folder(real)):
            return f"`{shown(word)}` is a folder of credentials or lies in one"
        if searches and (_holds_credentials(named.path, home) or _holds_credentials(real, home)):
            return f"searches all of `{shown(word)}`, credentials included"
    return _here_objection(command, home)


def _in_folder(path: str) -> bool:
    return in_credential_folder(path) and not path.endswith(".pub")


def _here_objection(command: Command, home: str) -> str | None:
    """A search that names no folder searches where it is: `cd && grep -r token`."""
    if command.program not in _READS_TREES or command.cwd is None or command.position > 0:
        return None
    plain = [word for word in command.args if word.text[:1] != "-"]
    if len(plain) > 1 or not _holds_credentials(command.cwd, home):
        return None
    return "searches all of its folder, credentials included"


def names_objection(script: Script, workspace: Workspace) -> str | None:
    """Names found outside the workspace and read by a program that prints what it reads:
    `find ~ -name 'cred*' | xargs cat`."""
    reads = any(
        command.program in _PRINTS_FILES
        and any(HOLE in word.text and word.origin is Origin.DERIVED for word in command.args)
        for command in script.commands
    )
    if not reads:
        return None
    for command in script.commands:
        if command.program in _FINDS_NAMES and not command.remote:
            for word in command.args:
                full = _placed(word.text, command, workspace)
                if word.text[:1] in ("/", "~", ".") and _holds_credentials(full, workspace.home):
                    return f"reads files that are found in `{shown(word)}`"
    return None


def _below_a_home(path: str, command: Command, workspace: Workspace) -> bool:
    """Whether what is not known about `path` may be anything below a home: `~/…` found by find."""
    if HOLE not in path or command.program not in _PRINTS_FILES:
        return False
    return _holds_credentials(known_folder(path), workspace.home)


def _holds_credentials(folder: str, home: str) -> bool:
    """A home, what is above it, or a folder in it where programs keep their keys."""
    return within(home, folder) or folder in _holders(home)


@lru_cache(maxsize=64)
def _holders(home: str) -> frozenset[str]:
    return frozenset(f"{home}/{name}" for name in HOLDERS)


def _placed(path: str, command: Command, workspace: Workspace) -> str:
    return _path_from(path, command.cwd or workspace.cwd, workspace.home)


def _path_from(path: str, base: str, home: str) -> str:
    if path.startswith("~/"):  # an element of an array, or a word that a program expands itself
        path = home + path[1:]
    return absolute(path, base)


def shown(word: Word) -> str:
    text = word.text.replace(HOLE, "…")
    return text if len(text) <= 80 else text[:77] + "…"
