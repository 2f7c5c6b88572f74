"""Files of a folder that steer a command: settings that its program picks up there or further up,
and names that a pattern brings.

Settings can name the code that the program starts, so a command that would only read no longer
does. The person's own settings in the home folder are trusted; what lies in a checkout is not.
"""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from automode.core.paths import locate, may_match, normal, parents, within, written_out
from automode.core.workspace import Kind as FileKind
from automode.core.workspace import Search, Workspace
from automode.programs.checks import harmless_of
from automode.programs.development import project_code
from automode.programs.row import Given, Kind, option_touches
from automode.programs.use import READS, Invocation, Use, unknown
from automode.shell.script import HOLE, Origin, Word

_BY_SHIM = (".tool-versions:settings.tool_versions",)  # found from the folder it runs in alone
_FILES = (Kind.READS, Kind.TREE, Kind.NAMES)


def loaded_use(given: Given) -> Use:
    """Settings of the folder that are not known to be harmless make a look run the project. A file
    that cannot steer it is opened all the same."""
    row, invocation = given.row, given.invocation
    if not row.loads and not row.opens:
        return READS
    places = [(_place(given, word), tree) for word, tree in _places(given)]
    steered = any(name not in _BY_SHIM for name in row.loads)
    if None in [_place(given, word) for word in _folders(given)] or (
        steered and None in [place for place, _ in places]
    ):
        return unknown(f"the folder of `{row.name}` is not known")
    kind = invocation.workspace.files.kind
    known = [(place, tree) for place, tree in places if place is not None]
    folders = [p if kind(p) is FileKind.FOLDER else posixpath.dirname(p) for p, _ in known]
    loads = {name: function for name, _, function in (one.partition(":") for one in row.loads)}
    files = {name: harmless_of(one) if one else None for name, one in loads.items()}
    for name, harmless in files.items():
        if has_settings(invocation, (name,), harmless, tuple(folders)):
            return project_code(invocation, READS, f"it loads `{name}` of this folder")
    if has_settings(invocation, row.opens, anything, tuple(folders)):
        return unknown("a file that it opens in this folder may lead elsewhere")
    files |= dict.fromkeys(row.opens, anything)
    trees = [p for p, tree in known if tree and kind(p) is FileKind.FOLDER]
    if any(has_settings_below(invocation.workspace, tree, files) for tree in trees):
        return project_code(invocation, READS, "it may load a file below this folder")
    return READS


def _folders(given: Given) -> list[Word]:
    """What is named as the folder to work in."""
    options = (*given.before.options, *given.options.options)
    return [one.value or Word("~") for one in options if one.name in given.row.folder]


def _places(given: Given) -> Iterator[tuple[Word, bool]]:
    """The words that name what it works on, and whether it reads all below."""
    yield from ((word, False) for word in _folders(given))
    yield from ((touch.word, False) for touch in option_touches(given))
    for kind, word in zip(given.kinds or (), given.operands, strict=False):
        if kind in _FILES and word.text != "-":
            yield word, kind is Kind.TREE or word.origin is Origin.GLOB
    words = given.row.words
    if words is not None and words.many is Kind.TREE and not given.operands:
        yield Word("."), True


def _place(given: Given, word: Word) -> str | None:
    """The path of a word; of a pattern the folder that it is matched in."""
    invocation, text = given.invocation, word.value
    if word.origin is Origin.GLOB:
        text = written_out(word.text).rpartition("/")[0] or "."
    if text is None or text[:1] == "~" or invocation.command.cwd is None:
        return None
    return locate(text, invocation.command.cwd, invocation.workspace.files)


LEVELS = 64
FILE_BYTES = 64 * 1024
MOST_NAMES = 10_000
MOST_BELOW = 20_000
_NOT_ENTERED = frozenset((".git", "node_modules", ".venv"))

Harmless: TypeAlias = Callable[[str], bool]
"""Says of the text of a file whether all its settings are known to be harmless."""


def anything(text: str) -> bool:
    """Of a file that cannot steer the program: it is opened, and printed where it is not as the
    program wants it."""
    return True


def has_settings(
    invocation: Invocation,
    names: tuple[str, ...],
    harmless: Harmless | None = None,
    folders: tuple[str, ...] = (),
) -> bool:
    """Whether a file with one of `names` is in force, or cannot be ruled out. `harmless` is asked
    about the text of each one that is there; without it none is. `folders` are further ones that
    the command works in."""
    workspace = invocation.workspace
    if invocation.command.cwd is None:
        return True
    # Should a `cd` before it fail, the command runs where the workspace is.
    for start in dict.fromkeys((invocation.command.cwd, workspace.cwd, *folders)):
        real = workspace.files.resolve(start)
        if real is None or len(parents(real)) > LEVELS:
            return True
        for folder in dict.fromkeys(
            (*_levels(workspace, normal(start)), *_levels(workspace, real))
        ):
            if not all(_plain_all(workspace, folder, name, harmless) for name in names):
                return True
    return False


def has_settings_below(
    workspace: Workspace, tree: str, names: Mapping[str, Harmless | None]
) -> bool:
    """The same of each file below a folder that the command goes through. A link there may lead
    out of the workspace."""
    ends = tuple(name.casefold() for name in names)
    found = workspace.files.below(Search(tree, MOST_BELOW, ends=ends, pruned=_NOT_ENTERED))
    if found is None:
        return True
    for folder, name in map(posixpath.split, found):
        if _leads_away(workspace, folder, name):
            return True
        if name in names and not _plain(workspace, folder, name, names[name]):
            return True
    return False


def _levels(workspace: Workspace, start: str) -> Iterator[str]:
    """The folder and those above it, without the home folder unless that is the workspace."""
    home = normal(workspace.home)
    own = not any(within(home, root) for root in workspace.folders)
    yield from (folder for folder in (start, *parents(start)[:LEVELS]) if not own or folder != home)


def _plain_all(workspace: Workspace, folder: str, name: str, harmless: Harmless | None) -> bool:
    """The same of each file that a pattern such as `.env*` stands for."""
    if "*" not in name:
        return _plain(workspace, folder, name, harmless)
    found = workspace.files.names(folder, MOST_NAMES)
    return len(found) < MOST_NAMES and all(
        _plain(workspace, folder, one, harmless) for one in found if may_match(name, one)
    )


def _plain(workspace: Workspace, folder: str, name: str, harmless: Harmless | None) -> bool:
    path = posixpath.join(folder, name)
    kind = workspace.files.kind(path)
    if kind is FileKind.MISSING:
        return True
    if harmless is None or kind is not FileKind.FILE or _leads_away(workspace, folder, name):
        return False
    if harmless is anything:
        return True
    text = workspace.files.text(path, FILE_BYTES + 1)
    return text is not None and len(text) <= FILE_BYTES and harmless(text)


def _leads_away(workspace: Workspace, folder: str, name: str) -> bool:
    """Whether it is a link to a file of another name, or to one outside the workspace: what it
    leads to may be a credential, which a complaint about the file would print."""
    files = workspace.files
    real, place = files.resolve(posixpath.join(folder, name)), files.resolve(folder)
    if real is None or place is None:
        return True
    if real == posixpath.join(place, name):
        return False
    roots = [files.resolve(root) or root for root in workspace.folders]
    same = posixpath.basename(real) == posixpath.basename(name)
    return not same or not any(within(real, root) for root in roots)


SPLIT_OPTIONS = tuple(f"{mark}-" for mark in " \t\n'\"\\")
"""What stands in the name of a file that becomes an option where it is split into words."""


def settle_patterns(invocation: Invocation) -> Invocation:
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
    names = files.names(folder, MOST_NAMES)
    first = word.text.partition("/")[0]
    odd = (name for name in names if word.could_be_flag and name[0] in "-@")
    if len(names) >= MOST_NAMES or any(may_match(first, name) for name in odd):
        return True
    splitting = Search(folder, MOST_BELOW, holds=SPLIT_OPTIONS, links=False)
    if word.splits and files.below(splitting) != ():
        return True
    return False if names else None
