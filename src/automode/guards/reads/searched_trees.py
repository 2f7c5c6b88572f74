"""Whether a command that reads through whole folders comes across credentials: `grep -r`, `rg`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from automode.core.paths import alternatives, located, may_match
from automode.core.word_lists import word_lists
from automode.core.workspace import Kind, Workspace
from automode.guards.guard import expanded, known_folder, wild
from automode.guards.own_files import OwnFiles
from automode.guards.reads.below import Names, reading_objection
from automode.shell.script import HOLE, Command, Origin, Word

_LISTS = word_lists("automode.guards.reads", "programs")
_GREPS, _IGNORING, _COMPARERS = (_LISTS[one] for one in ("greps", "ignoring", "comparers"))
_FOLLOWING = {
    **dict.fromkeys(_GREPS, ("R", ("--dereference-recursive",))),
    **dict.fromkeys(
        ("rg", "ripgrep", "fd", "fdfind", "find", "gfind"), ("L", ("--follow", "-follow"))
    ),
    "ag": ("f", ("--follow",)),
    "ack": ("", ("--follow",)),
    "ack-grep": ("", ("--follow",)),
    "ugrep": ("RS", ("--dereference-recursive", "--dereference")),
}
"""The letters and words by which a program follows links; comparing always does."""

_KEEPING_LETTERS = frozenset("nilcwFovSsxNhjpUeABCmgtqr0123456789")
_FLAGS = frozenset("rRnilcwFovsxEHhPqzIaLS")  # letters that take no value
_NOTHING = "/"  # a pattern that no name matches
_PATTERN_GIVEN = re.compile(r"-[a-zA-Z]*[ef]|--(regexp|file)(=.*)?", re.DOTALL)
_GITIGNORE_BYTES = 16_384
_IGNORE_FILES = (".ignore", ".rgignore")  # they overrule what git ignores


def tree_objection(command: Command, workspace: Workspace, own: OwnFiles) -> str | None:
    """A search shows what it finds; so does a comparison. Both read all of a folder."""
    if command.remote or not searches(command):
        return None
    for folder in dict.fromkeys(searched(command, workspace)):
        found = reading_objection(
            folder, names_searched(command, folder, workspace), workspace, own
        )
        if found is not None:
            return found
    return None


def searches(command: Command) -> bool:
    """Whether the command reads the files below a folder it is given."""
    name = command.program
    texts = [word.text for word in command.args]
    if name in _LISTS["searchers"] or name in _COMPARERS:
        return True
    if name in _GREPS:
        return any(
            set(text[1:]) & set("rRd") if text[1:2] != "-" else text[2:3] in ("r", "d")
            for text in texts
            if text[:1] == "-"
        )
    # Git shows what it tracks, unless it is told to look at anything.
    return name == "git" and any(text in ("--no-index", "--untracked") for text in texts)


def names_searched(command: Command, folder: str, workspace: Workspace) -> Names:
    """Which names below the folder the search reads, as its options say."""
    options = tuple(_options(command))
    follows = _follows(command)
    if any(HOLE in name or HOLE in value for name, value in options):
        return Names(follows=follows)
    if command.program in _GREPS:
        return _grepped(options, follows=follows)
    if command.program in _IGNORING and _leaves_out(command):
        return _left(options, folder, workspace, follows=follows)
    return Names(follows=follows)


def _grepped(options: tuple[tuple[str, str], ...], *, follows: bool) -> Names:
    """With `--include` in front nothing else is read; behind `--exclude` it leaves nothing out."""
    choosing = [
        one for one in options if one[0][:5] in ("--inc", "--exc") and one[0] != "--exclude-dir"
    ]
    pruned = [value.rstrip("/") for name, value in options if name == "--exclude-dir"]
    # It reads no braces: those that the shell has left stand for themselves.
    pruned = [value for value in pruned if not wild(value)]
    names = Names(pruned=frozenset(pruned), follows=follows)
    if choosing and choosing[0][0] == "--include":
        wanted = (
            value if name == "--include" else "*" for name, value in choosing if "x" not in name
        )
        return replace(names, wanted=tuple(one for value in wanted for one in alternatives(value)))
    if all(name == "--exclude" for name, _ in choosing):
        return replace(names, unwanted=tuple(value for _, value in choosing))
    return names


def _left(
    options: tuple[tuple[str, str], ...], folder: str, workspace: Workspace, *, follows: bool
) -> Names:
    """What `rg` and its like read: a pattern that asks for a file brings it in, hidden or not."""
    globs = [value for name, value in options if name in ("-g", "--glob")]
    asked = [value.rpartition("/")[2] for value in globs if not value.startswith("!")]
    if asked:
        wanted = tuple(one for value in asked for one in alternatives(value or "*"))
        return Names(wanted, follows=follows)
    types = [value for name, value in options if name in ("-t", "--type")]
    if types and all(value in _LISTS["languages"] for value in types):
        return Names((_NOTHING,), follows=follows)
    unwanted, pruned, kept = _ignored(workspace)
    plain = [value[1:].removeprefix("**/").removesuffix("/**").rstrip("/") for value in globs]
    pruned |= {value for value in plain if not wild(value) and "/" not in value}
    hidden = any(name == "--hidden" for name, _ in options)
    return Names((), unwanted, frozenset(pruned), hidden=hidden, follows=follows, kept=kept)


def _options(command: Command) -> Iterator[tuple[str, str]]:
    """Options with their values, however they are joined: `-g x`, `-gx`, `--glob=x`, `--glob x`."""
    for word, after in pairwise((*command.args, Word(""))):
        text = word.text
        if text.startswith("--"):
            name, equals, value = text.partition("=")
            yield name, value if equals else after.text
        elif text[:2] in ("-g", "-t") and command.program in _IGNORING:
            yield text[:2], text[2:] or after.text


def _leaves_out(command: Command) -> bool:
    """Whether hidden and ignored files stay unread: every option is known to change nothing."""
    for word in command.args:
        name = word.text.partition("=")[0]
        if word.could_be_flag and word.text[:1] != "-":
            return False
        valued = name.startswith(("-g", "-t", "-e", "-m", "-A", "-B", "-C"))
        letters = set() if valued or name[:1] != "-" else set(name[1:])
        if name not in _LISTS["bring-nothing-in"] and not letters <= _KEEPING_LETTERS:
            return False
    return True


def _ignored(workspace: Workspace) -> tuple[tuple[str, ...], set[str], tuple[str, ...]]:
    """Patterns and folders of the repository's own ignore file, and the names it brings back."""
    files, root = workspace.files, workspace.root
    text = files.text(f"{root}/.gitignore", _GITIGNORE_BYTES)
    stronger = any(files.kind(f"{root}/{one}") is not Kind.MISSING for one in _IGNORE_FILES)
    if text is None or stronger or files.kind(f"{root}/.git") is Kind.MISSING:
        return (), set(), ()
    lines = [line.strip() for line in text.splitlines()]
    if len(text) >= _GITIGNORE_BYTES:
        return (), set(), ()
    kept = [part for line in lines if line[:1] == "!" for part in line[1:].split("/") if part]
    plain = [line for line in lines if line and line[0] not in "#!" and "\\" not in line]
    unwanted = tuple(line for line in plain if "/" not in line)
    bare = [line.rstrip("/") for line in plain if not wild(line)]
    folders = {line if "/" not in line else f"{root}/{line.lstrip('/')}" for line in bare}
    pruned = {
        one for one in folders if not any(may_match(name, one.rpartition("/")[2]) for name in kept)
    }
    return unwanted, pruned, tuple(kept)


def _follows(command: Command) -> bool:
    if command.program in _COMPARERS or command.program == "git":
        return True
    letters, long = _FOLLOWING.get(command.program, ("", ()))
    for word in command.args:
        text = word.text
        bundle = text[1:] if text[:1] == "-" and text[1:2] != "-" else ""
        is_word = command.program in ("find", "gfind") and len(bundle) > 1
        if text in long or (not is_word and set(letters) & set(bundle)):
            return True
    return False


def searched(command: Command, workspace: Workspace) -> Iterator[str]:
    here = command.cwd or workspace.cwd
    words = [word for word in command.args if word.text and word.text[:1] != "-"]
    for word in words:
        yield from _folders(word, here, workspace)
    # A search that names no folder searches where it is; one in a pipe may read what it is given.
    given = any(_PATTERN_GIVEN.fullmatch(word.text) for word in command.args)
    piped = command.position > 0 and command.program not in _GREPS
    sure = sum(map(_is_operand, (Word(""), *command.args), command.args))
    if sure < (1 if given else 2) and not piped and command.program not in _COMPARERS:
        yield here


def _is_operand(before: Word, word: Word) -> bool:
    """Whether the word is surely no option, and no option's value."""
    if word.text[:1] in ("-", "", HOLE) or word.splits:
        return False
    option = before.text[:1] == "-" and "=" not in before.text
    return not option or set(before.text[1:]) <= _FLAGS


def _folders(word: Word, here: str, workspace: Workspace) -> Iterator[str]:
    files = workspace.files
    text = workspace.home + word.text[1:] if word.text.startswith("~/") else word.text
    path = located(text, here, files)
    if word.origin is Origin.LITERAL and HOLE not in path:
        found: tuple[str, ...] | None = (path,)
    else:
        found = expanded(path, files)
    paths = (known_folder(path),) if found is None else found
    yield from (path for path in paths if files.kind(path) is Kind.FOLDER)
