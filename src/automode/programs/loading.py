"""Files that a program opens by itself, in the folders that it works in: they may steer it."""

import posixpath
from collections.abc import Iterator

from automode.core.files import Kind as FileKind
from automode.core.paths import located
from automode.core.wildcards import written_out
from automode.programs.checks import harmless_of
from automode.programs.row import Kind
from automode.programs.settings_above import anything, has_settings, project_code
from automode.programs.touch import Given, option_touches
from automode.programs.use import READS, Use, unknown
from automode.shell.script import Origin, Word

_FILES = (Kind.READS, Kind.TREE, Kind.NAMES)


def loading(given: Given) -> Use:
    """Settings of the folder that are not known to be harmless make a look run the project. A file
    that cannot steer it is opened all the same."""
    row, invocation = given.row, given.invocation
    if not row.loads and not row.opens:
        return READS
    folders: list[str] = []
    trees: list[str] = []
    for word, tree in _places(given):
        place = _place(given, word)
        if place is None:
            return unknown(f"the folder of `{row.name}` is not known")
        folder = invocation.workspace.files.kind(place) is FileKind.FOLDER
        folders.append(place if folder else posixpath.dirname(place))
        trees += folders[-1:] if tree and folder else ()
    for name, _, function in (one.partition(":") for one in row.loads):
        harmless = harmless_of(function) if function else None
        if has_settings(invocation, (name,), harmless, tuple(folders), tuple(trees)):
            return project_code(invocation, READS, f"it loads `{name}` of this folder")
    for name in row.opens:
        if has_settings(invocation, (name,), anything, tuple(folders), tuple(trees)):
            return unknown(f"`{name}` of this folder may lead elsewhere")
    return READS


def _places(given: Given) -> Iterator[tuple[Word, bool]]:
    """The words that name what it works on, and whether it reads all below."""
    for option in (*given.before.options, *given.options.options):
        if option.name in given.row.folder:
            yield option.value or Word("~"), False
    yield from ((touch.word, False) for touch in option_touches(given))
    kinds = given.kinds or ()
    for kind, word in zip(kinds, given.operands, strict=False):
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
