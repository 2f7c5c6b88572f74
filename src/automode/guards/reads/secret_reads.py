"""Whether a command may read or print a credential: by a word, a folder, or names it is fed."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from automode.core.paths import absolute, exactly_within, locate
from automode.core.word_lists import word_lists
from automode.core.workspace import Kind, Workspace
from automode.guards.guard import (
    excerpt,
    follow_links,
    is_pattern,
    known_folder,
    links_behind,
)
from automode.guards.reads.credentials import (
    holds_token,
    in_credential_folder,
    is_credential,
    is_credential_word,
    may_be_credential,
    may_hold_token,
    meets_credentials,
)
from automode.guards.reads.trees import holds_credentials, searches, shows_processes
from automode.programs.table import of_kind
from automode.shell.script import HOLE, Assignment, Command, Origin, Word

_LISTS_NAMES = of_kind("names-only")
SHOWS_NO_CONTENTS = _LISTS_NAMES | of_kind("no-contents") | {"git", "xargs"}
"""Programs that print nothing out of the files whose names they are given."""

_LONGEST = 4_096  # characters of what can be a path


class _Named(NamedTuple):
    """What a word, or a part of it, says as a path, whatever is on the disk."""

    path: str
    known: bool  # to the letter


def word_objection(word: Word, command: Command, workspace: Workspace) -> str | None:
    """Whether a word may print a secret, or names a credential, as it stands or resolved."""
    if word.origin is Origin.UNKNOWN:
        return f"`{excerpt(word.text)}` may hold a secret or anything else"
    for named in _possible_paths(word.text, command.cwd or workspace.cwd, workspace):
        if not named.known or word.origin is Origin.GLOB:
            found = _pattern_objection(named.path, word, command, workspace)
            if found is not None:
                return found
            continue
        if is_credential(named.path, workspace.home):
            return f"`{excerpt(word.text)}` is a credential"
        resolved = workspace.files.resolve(named.path) if not command.remote else None
        if resolved and holds_token(resolved, workspace.files):
            return f"`{excerpt(word.text)}` holds a credential"
        if resolved and resolved != named.path and is_credential(resolved, workspace.home):
            return f"`{excerpt(word.text)}` leads to a credential"
    return None


def file_objection(word: Word, command: Command, workspace: Workspace) -> str | None:
    """The same of a word that is a file whose contents are read: `cat token`."""
    files = workspace.files
    path = locate(word.text, command.cwd or workspace.cwd, files)
    real = path if command.remote else files.resolve(path) or path
    if is_private_setting(path, workspace) or is_private_setting(real, workspace):
        return f"`{excerpt(word.text)}` is a setting of a home that may hold a secret"
    if word.origin is Origin.LITERAL:
        folder = not command.remote and files.kind(real) is Kind.FOLDER
        if not folder and (is_credential_word(path) or is_credential_word(real)):
            return f"`{excerpt(word.text)}` is a credential"
        if may_hold_token(path, files) or may_hold_token(real, files):
            return f"`{excerpt(word.text)}` may hold a credential"
    return word_objection(word, command, workspace)


def leads_to_credential(text: str, cwd: str | None, workspace: Workspace) -> bool:
    """Whether what is named may be a credential: as it is written, and where the disk says it is.
    A pattern stands for whatever it matches."""
    home, files = workspace.home, workspace.files
    if may_be_credential(text, home):
        return True
    if not text or len(text) > _LONGEST or HOLE in text or "\n" in text:
        return False
    path = locate(home + text[1:] if text[:2] == "~/" else text, cwd or workspace.cwd, files)
    if is_pattern(path):
        if meets_credentials(path, home):
            return True
        behind = links_behind(path, files)
    else:
        behind = (files.resolve(path) or path,)
    return behind is None or any(may_be_credential(one, home) for one in (path, *behind))


def _possible_paths(text: str, base: str, workspace: Workspace) -> Iterator[_Named]:
    """What the word says, and where the system finds it: links go before dots."""
    yield from (_look(one, base, workspace.home) for one in _texts(text))
    for one in _texts(text) if ".." in text or ".." in base else ():
        yield _look(locate(one, base, workspace.files), "/", workspace.home)


def _texts(text: str) -> tuple[str, ...]:
    """The word, and what stands in it behind a mark."""
    glued = text[2:] if text[:1] == "-" and text[1:2] != "-" else ""  # `-fNAME`
    found = (text, text.rpartition("=")[2], text.lstrip("@"), text.rpartition(":")[2], glued)
    return tuple(one for one in dict.fromkeys(found) if one and len(one) <= _LONGEST)


def _look(text: str, base: str, home: str) -> _Named:
    return _Named(_path_from(text, base, home), HOLE not in text)


def _pattern_objection(full: str, word: Word, command: Command, workspace: Workspace) -> str | None:
    followed_links = [full] if command.remote else [full, follow_links(full, workspace.files)]
    if any(_below_a_home(path, command, workspace) for path in followed_links):
        return f"`{excerpt(word.text)}` may be any file of a home folder"
    if command.program not in SHOWS_NO_CONTENTS and not command.remote:
        behind = links_behind(full, workspace.files)
        if behind is None:
            return f"`{excerpt(word.text)}` matches too many files to look where each leads"
        followed_links += behind
    if any(may_be_credential(path, workspace.home) for path in followed_links):
        return f"`{excerpt(word.text)}` may be a credential"
    shows = command.program not in SHOWS_NO_CONTENTS and HOLE not in full
    if shows and any(meets_credentials(path, workspace.home) for path in followed_links):
        return f"`{excerpt(word.text)}` may be a credential"
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


def folder_objection(command: Command, workspace: Workspace) -> str | None:
    """Whether the command reads through a folder that holds credentials: `grep -r x ~/.aws`,
    `cd ~/.ssh && cat $(ls)`. Listing names is fine; searching a whole home is not."""
    if command.program in _LISTS_NAMES or command.remote:
        return None
    home = workspace.home
    if command.cwd is not None and in_credential_folder(command.cwd):
        return "works in a folder of credentials"
    reads_all = searches(command)
    for word in command.args:
        if word.text[:1] in ("-", "") or HOLE in word.text:
            continue
        path = _path_from(word.text, command.cwd or workspace.cwd, home)
        real = follow_links(path, workspace.files)
        if _in_folder(path) or (real != path and _in_folder(real)):
            return f"`{excerpt(word.text)}` is a folder of credentials or lies in one"
        if reads_all and any(
            holds_credentials(one, home) or shows_processes(one) for one in (path, real)
        ):
            return f"searches all of `{excerpt(word.text)}`, credentials included"
    return None


def _in_folder(path: str) -> bool:
    return in_credential_folder(path) and not path.endswith(".pub")


def _below_a_home(path: str, command: Command, workspace: Workspace) -> bool:
    """Whether what is not known about `path` may be anything below a home: `~/…` found by find."""
    if HOLE not in path or command.program in SHOWS_NO_CONTENTS:
        return False
    return holds_credentials(known_folder(path), workspace.home)


def _path_from(path: str, base: str, home: str) -> str:
    if path.startswith("~/"):  # an element of an array, or a word that a program expands itself
        path = home + path[1:]
    return absolute(path, base)


_HARMLESS = tuple(
    f"{name}/" for name in word_lists("automode.guards.reads", "credentials")["without-secrets"]
)
_LOGS = (".log", ".jsonl")  # records of what happened are no settings
_HOMES = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root)/")


def is_private_setting(path: str, workspace: Workspace) -> bool:
    """Whether the absolute `path` is, or lies in, a hidden part of a home that is not known to be
    without secrets. A project that lies in such a part is no setting."""
    home = workspace.home.rstrip("/") + "/"
    other = _HOMES.match(path)
    above = home if path.startswith(home) else other[0] if other else None
    if above is None or path[len(above) : len(above) + 1] != ".":
        return False
    if exactly_within(path, workspace.root) and workspace.root.startswith(f"{above}."):
        return False
    return not (path.endswith(_LOGS) or f"{path[len(above) :]}/".startswith(_HARMLESS))
