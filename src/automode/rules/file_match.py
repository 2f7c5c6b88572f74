"""Rules for files against a shell script: `read(plan.md)` holds for `cat plan.md` too."""

from collections.abc import Iterable, Sequence

from automode.core.files import Kind as FileKind
from automode.core.paths import absolute
from automode.core.workspace import Workspace
from automode.programs.row import STREAMS, Kind
from automode.programs.touch import TouchedFile
from automode.rules.glob import could_match, matches
from automode.rules.path_match import folded, path_match, wide_globs
from automode.rules.pattern import Match, Pattern
from automode.shell.script import HOLE, Origin

_READING, _WRITING, _DELETING = ("read",), ("write", "edit"), ("write", "edit", "delete")
_TOOLS = {
    Kind.READS: _READING,
    Kind.TREE: _READING,
    Kind.LISTS: _READING,
    Kind.RUNS: _READING,
    Kind.WRITES: _WRITING,
    Kind.DELETES: _DELETING,
    Kind.MOVES: _DELETING,
    None: (*_READING, *_DELETING),
}
_WHOLE_FOLDERS = (Kind.TREE, Kind.DELETES, Kind.MOVES, None)
_GLOB_CHARACTERS = "*?["


def file_rules(patterns: Iterable[Pattern]) -> tuple[Pattern, ...]:
    """Those that speak of file tools by name. `*` speaks of the shell by itself."""
    tools = {tool for tools in _TOOLS.values() for tool in tools}
    return tuple(one for one in patterns if one.tool in tools)


def file_match(
    patterns: Sequence[Pattern], files: Iterable[TouchedFile], workspace: Workspace
) -> tuple[Match, Pattern | None]:
    """The surest match of any pattern with any file, and which pattern it is."""
    best: tuple[Match, Pattern | None] = (Match.NO, None)
    for file in dict.fromkeys(files):
        for pattern in patterns:
            if not any(matches(pattern.tool, tool) for tool in _TOOLS.get(file.kind, ())):
                continue
            found = _match(pattern.argument, file, workspace)
            if found > best[0]:
                best = (found, pattern)
            if found is Match.YES:
                return best
    return best


def _match(glob: str | None, file: TouchedFile, workspace: Workspace) -> Match:
    text = file.word.text
    if text in STREAMS:
        return Match.NO
    if glob is None:
        return Match.NO if file.kind is None else Match.YES
    if file.word.origin is Origin.GLOB:
        text = "".join(HOLE if letter in _GLOB_CHARACTERS else letter for letter in text)
    if text.startswith(HOLE) or (file.cwd is None and not text.startswith("/")):
        return Match.COULD if file.kind is not None else Match.NO
    path = absolute(text, file.cwd or "/")
    if HOLE in path:
        return _could(glob, path, workspace)
    found = path_match(glob, path, workspace)
    if found is Match.NO and file.kind in _WHOLE_FOLDERS:
        return _below(glob, path, workspace)
    return min(found, Match.COULD) if file.kind is None else found


def _could(glob: str, path: str, workspace: Workspace) -> Match:
    text = folded(path)
    fits = any(could_match(folded(one), text) for one in wide_globs(glob, workspace))
    return Match.COULD if fits else Match.NO


def _below(glob: str, path: str, workspace: Workspace) -> Match:
    """A folder that is read or removed as a whole may hold what the rule is about."""
    if workspace.files.kind(path) is not FileKind.FOLDER:
        return Match.NO
    return _could(glob, f"{path.rstrip('/')}/{HOLE}", workspace)
