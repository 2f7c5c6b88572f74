"""Files that a program opens by itself, in the folders that it works in: they may steer it."""

import posixpath
from collections.abc import Iterator

from automode.core.files import Kind as FileKind
from automode.core.paths import located
from automode.core.wildcards import written_out
from automode.programs.checks import harmless_of
from automode.programs.row import Kind
from automode.programs.settings_above import (
    anything,
    has_settings,
    has_settings_below,
    project_code,
)
from automode.programs.touch import Given, option_touches
from automode.programs.use import READS, Use, unknown
from automode.shell.script import Origin, Word

_BY_SHIM = (".tool-versions:settings.tool_versions",)  # found from the folder it runs in alone
_FILES = (Kind.READS, Kind.TREE, Kind.NAMES)


def loading(given: Given) -> Use:
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
    return located(text, invocation.command.cwd, invocation.workspace.files)
