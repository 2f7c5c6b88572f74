"""Whether a command that reads through whole folders comes across credentials, or links to some:
`grep -r`, `rg`, names that `find` prints."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import pairwise

from automode.core.paths import alternatives, locate, may_match, within
from automode.core.word_lists import word_lists
from automode.core.workspace import Kind, Search, Workspace
from automode.guards.guard import excerpt, expand_pattern, is_pattern, known_folder
from automode.guards.reads.credentials import (
    HOLDERS,
    NAME_ENDS,
    NAME_STARTS,
    SETTING_NAMES,
    holds_token,
    in_credential_folder,
    is_credential,
    is_credential_word,
    may_hold_token,
    repository_configs,
)
from automode.programs.loading import SPLIT_OPTIONS
from automode.shell.script import HOLE, Command, Origin, Word

MOST_NAMES = 20_000  # below one folder
_STARTS = (*NAME_STARTS, *SETTING_NAMES)
_PLAIN_STATE = [[name] for name in ("sys", "bus", "driver", "fs", "irq", "tty", "acpi", "scsi")]
_SURE = re.compile(r"[\w.*?~ -]+")  # every program reads such a pattern the same way


@dataclass(frozen=True, slots=True)
class Names:
    """Which of the names below a folder are read. By itself: all of them, links as they are."""

    wanted: tuple[str, ...] = ()  # patterns; none: every name
    unwanted: tuple[str, ...] = ()
    pruned: frozenset[str] = frozenset()  # names or paths of folders that are left out
    hidden: bool = True
    deep: bool = True
    follows: bool = True  # links below it
    tracked: bool = False  # by git: only its links are of interest
    kept: tuple[str, ...] = ()  # patterns of names that stay although they are unwanted
    words: bool = False  # the names become words of a command, so that one may be an option

    def include(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        # To leave a name out takes certainty, to read it does not.
        unwanted = any(_SURE.fullmatch(one) and fnmatchcase(name, one) for one in self.unwanted)
        if unwanted and not any(may_match(pattern, name) for pattern in self.kept):
            return False
        return not self.wanted or any(may_match(pattern, name) for pattern in self.wanted)


def reading_objection(folder: str, names: Names, workspace: Workspace) -> str | None:
    """Why reading such names below the absolute `folder` may show a credential."""
    real = workspace.files.resolve(folder)
    if real is None:
        return "reads below a folder that cannot be looked at"
    if holds_credentials(real, workspace.home):
        return "reads whatever lies in a folder where programs keep their keys"
    if shows_processes(real) and names.include("environ"):
        return "reads whatever the system shows of processes, their environment too"
    if _shows_token(real, names, workspace):
        return "reads the configuration of the repository, which holds a credential"
    search = Search(
        real,
        MOST_NAMES,
        (*(() if names.tracked else _STARTS), *("-" if names.words else ())),
        () if names.tracked else NAME_ENDS,
        names.pruned,
        names.hidden,
        names.deep,
        SPLIT_OPTIONS if names.words else (),
    )
    found = workspace.files.below(search)
    if found is None:
        return "reads more files than can be looked at"
    for path in found:
        name = path[len(real) :].lstrip("/")
        if names.words and _brings_option(name):
            return f"`{name}` becomes an option where names become words"
        if _secret(path, real, names, workspace):
            return f"reads whatever is found, `{name}` too"
    return None


def match_objection(typed: str, path: str, names: Names, workspace: Workspace) -> str | None:
    """The same for the names that an absolute pattern matches."""
    found = expand_pattern(path, workspace.files)
    if found is None:
        return reading_objection(known_folder(path), names, workspace)
    if any(is_credential_file(one, workspace) for one in found):
        return f"`{excerpt(typed)}` matches a credential"
    return None


def _brings_option(name: str) -> bool:
    """A name is printed with the folders above it, so only the first of them begins the word."""
    return name.startswith("-") or any(one in name for one in SPLIT_OPTIONS)


def _shows_token(folder: str, names: Names, workspace: Workspace) -> bool:
    if folder.endswith("/.git"):
        seen = True
    else:
        seen = names.hidden and not names.tracked and ".git" not in names.pruned
    return seen and any(
        names.include(one) and holds_token(one, workspace.files)
        for one in repository_configs(folder)
    )


def is_credential_file(path: str, workspace: Workspace) -> bool:
    """Whether a path that was found is a credential. A folder may be called `token`."""
    if is_credential(path, workspace.home) or may_hold_token(path, workspace.files):
        return True
    return is_credential_word(path) and workspace.files.kind(path) is Kind.FILE


def holds_credentials(folder: str, home: str) -> bool:
    """A home, what is above it, or a folder in it where programs keep their keys."""
    return within(home, folder) or any(folder == f"{home}/{name}" for name in HOLDERS)


def shows_processes(folder: str) -> bool:
    """Whether the environment of processes lies below the folder."""
    return within(folder, "/proc") and folder.split("/")[2:3] not in _PLAIN_STATE


def _secret(path: str, folder: str, names: Names, workspace: Workspace) -> bool:
    real = workspace.files.resolve(path)
    if real == path:  # a folder is named for what is in it
        if in_credential_folder(path):
            return True
        return not names.tracked and names.include(path) and is_credential_file(path, workspace)
    if not names.follows:
        return False
    if real is None or is_credential_file(real, workspace) or in_credential_folder(real):
        return True
    # What lies below another folder has not been looked at.
    return not within(real, folder) and workspace.files.kind(real) is Kind.FOLDER


_LISTS = word_lists("automode.guards.reads", "programs")
_GREPS, _IGNORING, _COMPARERS = (_LISTS[one] for one in ("greps", "ignoring", "comparers"))
_FOLLOWING = {
    **dict.fromkeys(_GREPS, "R"),
    **dict.fromkeys(("rg", "ripgrep", "fd", "fdfind", "find", "gfind", "cp", "gcp"), "L"),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), "h"),
    "rsync": "Lk",
    "ag": "f",
    "ugrep": "RS",
}
"""The letters by which a program follows links; comparing always does."""

_FOLLOW = frozenset(
    "--follow -follow --dereference-recursive --dereference --copy-links --copy-dirlinks".split()
)
_KEEPING_LETTERS = frozenset("nilcwFovSsxNhjpUeABCmgtqr0123456789")
_FLAGS = frozenset("rRnilcwFovsxEHhPqzIaLS")  # letters that take no value
_NOTHING = "/"  # a pattern that no name matches
_PATTERN_GIVEN = re.compile(r"-[a-zA-Z]*[ef]|--(regexp|file)(=.*)?", re.DOTALL)
_GITIGNORE_BYTES = 16_384
_IGNORE_FILES = (".ignore", ".rgignore")  # they overrule what git ignores


def tree_objection(command: Command, workspace: Workspace) -> str | None:
    """A search shows what it finds; so does a comparison. Both read all of a folder."""
    if command.remote or not searches(command):
        return None
    names = names_searched(command, workspace)
    folders = dict.fromkeys(searched_folders(command, workspace))
    reasons = (reading_objection(folder, names, workspace) for folder in folders)
    return next(filter(None, reasons), None)


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


def names_searched(command: Command, workspace: Workspace) -> Names:
    """Which names below a folder the search reads, as its options say."""
    options = tuple(_options(command))
    names = Names()
    if any(HOLE in name or HOLE in value for name, value in options):
        pass
    elif command.program in _GREPS:
        names = _names_of_grep(options)
    elif command.program in _IGNORING and _keeps_ignoring(command):
        names = _names_of_rg(options, workspace)
    return replace(names, follows=follows_links(command))


def _names_of_grep(options: tuple[tuple[str, str], ...]) -> Names:
    """With `--include` in front nothing else is read; behind `--exclude` it leaves nothing out."""
    choosing = [
        one for one in options if one[0][:5] in ("--inc", "--exc") and one[0] != "--exclude-dir"
    ]
    pruned = [value.rstrip("/") for name, value in options if name == "--exclude-dir"]
    # It reads no braces: those that the shell has left stand for themselves.
    names = Names(pruned=frozenset(value for value in pruned if not is_pattern(value)))
    if choosing and choosing[0][0] == "--include":
        wanted = (
            value if name == "--include" else "*" for name, value in choosing if "x" not in name
        )
        return replace(names, wanted=tuple(one for value in wanted for one in alternatives(value)))
    if all(name == "--exclude" for name, _ in choosing):
        return replace(names, unwanted=tuple(value for _, value in choosing))
    return names


def _names_of_rg(options: tuple[tuple[str, str], ...], workspace: Workspace) -> Names:
    """What `rg` and its like read: a pattern that asks for a file brings it in, hidden or not."""
    globs = [value for name, value in options if name in ("-g", "--glob")]
    asked = [value.rpartition("/")[2] for value in globs if not value.startswith("!")]
    if asked:
        return Names(tuple(one for value in asked for one in alternatives(value or "*")))
    types = [value for name, value in options if name in ("-t", "--type")]
    if types and all(value in _LISTS["languages"] for value in types):
        return Names((_NOTHING,))
    names = _not_ignored(workspace)
    plain = [value[1:].removeprefix("**/").removesuffix("/**").rstrip("/") for value in globs]
    left_out = (value for value in plain if not is_pattern(value) and "/" not in value)
    hidden = any(name == "--hidden" for name, _ in options)
    return replace(names, pruned=names.pruned.union(left_out), hidden=hidden)


def _options(command: Command) -> Iterator[tuple[str, str]]:
    """Options with their values, however they are joined: `-g x`, `-gx`, `--glob=x`, `--glob x`."""
    for word, after in pairwise((*command.args, Word(""))):
        text = word.text
        if text.startswith("--"):
            name, equals, value = text.partition("=")
            yield name, value if equals else after.text
        elif text[:2] in ("-g", "-t") and command.program in _IGNORING:
            yield text[:2], text[2:] or after.text


def _keeps_ignoring(command: Command) -> bool:
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


def _not_ignored(workspace: Workspace) -> Names:
    """What the repository's own ignore file leaves."""
    files, root = workspace.files, workspace.root
    text = files.text(f"{root}/.gitignore", _GITIGNORE_BYTES)
    stronger = any(files.kind(f"{root}/{one}") is not Kind.MISSING for one in _IGNORE_FILES)
    if text is None or stronger or files.kind(f"{root}/.git") is Kind.MISSING:
        return Names()
    if len(text) >= _GITIGNORE_BYTES:
        return Names()
    lines = [line.strip() for line in text.splitlines()]
    kept = [part for line in lines if line[:1] == "!" for part in line[1:].split("/") if part]
    plain = [line for line in lines if line and line[0] not in "#!" and "\\" not in line]
    bare = (line.rstrip("/") for line in plain if not is_pattern(line))
    folders = (line if "/" not in line else f"{root}/{line.lstrip('/')}" for line in bare)
    return Names(
        unwanted=tuple(line for line in plain if "/" not in line),
        pruned=frozenset(
            one
            for one in folders
            if not any(may_match(name, one.rpartition("/")[2]) for name in kept)
        ),
        kept=tuple(kept),
    )


def follows_links(command: Command) -> bool:
    """Whether it goes into folders that links below the named ones lead to."""
    if command.program in _COMPARERS or command.program == "git":
        return True
    letters = frozenset(_FOLLOWING.get(command.program, ""))
    words = command.program in ("find", "gfind")  # `-name` is no bundle of letters
    for text in (word.text for word in command.args):
        bundle = "" if text[:2] == "--" or text[:1] != "-" or (words and len(text) > 2) else text
        if text in _FOLLOW or not letters.isdisjoint(bundle):
            return True
    return False


def searched_folders(command: Command, workspace: Workspace) -> Iterator[str]:
    """The folders that a search goes through."""
    here = command.cwd or workspace.cwd
    words = [word for word in command.args if word.text and word.text[:1] != "-"]
    for word in (one for one in words if not one.is_pipe):
        yield from _folders(word, here, workspace)
    if searches_here(command):
        yield here


def searches_here(command: Command) -> bool:
    """Whether a search may name no folder: then it searches where it is. One in a pipe may read
    what it is given."""
    if command.program in _COMPARERS or (command.position > 0 and command.program not in _GREPS):
        return False
    given = any(_PATTERN_GIVEN.fullmatch(word.text) for word in command.args)
    sure = sum(map(_is_operand, (Word(""), *command.args), command.args))
    return sure < (1 if given else 2)


def _is_operand(before: Word, word: Word) -> bool:
    """Whether the word is surely no option, and no option's value."""
    if word.text[:1] in ("-", "", HOLE) or word.splits:
        return False
    option = before.text[:1] == "-" and "=" not in before.text
    return not option or set(before.text[1:]) <= _FLAGS


def _folders(word: Word, here: str, workspace: Workspace) -> Iterator[str]:
    files = workspace.files
    text = workspace.home + word.text[1:] if word.text.startswith("~/") else word.text
    path = locate(text, here, files)
    if word.origin is Origin.LITERAL and HOLE not in path:
        found: tuple[str, ...] | None = (path,)
    else:
        found = expand_pattern(path, files)
    paths = (known_folder(path),) if found is None else found
    yield from (path for path in paths if files.kind(path) is Kind.FOLDER)
