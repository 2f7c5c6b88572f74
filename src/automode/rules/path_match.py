"""Path patterns: `write(src/**)` against the typed path and against what it leads to."""

import posixpath
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from automode.core.paths import absolute, exactly_within, normal
from automode.core.tools import meant_paths
from automode.core.workspace import Kind as FileKind
from automode.core.workspace import Workspace
from automode.programs.row import STREAMS, Kind, TouchedFile
from automode.rules.pattern import Match, Pattern, could_match, matches, matches_path
from automode.shell.script import HOLE, Origin

Protected: TypeAlias = Callable[[str], bool]
"""Whether an absolute path is one that no allow rule may open for writing."""

PATH_LIMIT = 16_384  # characters; no system takes a longer path


def path_match(glob: str, path: str, workspace: Workspace) -> Match:
    """For deny and ask: the typed or the resolved path is enough, upper and lower case are one,
    a folder stands for what is in it, and a bare name for that name anywhere in the workspace."""
    if len(path) > PATH_LIMIT:
        return Match.COULD
    typed = meant_paths(path, workspace)
    resolved = [workspace.files.resolve(one) for one in typed]
    found = {folded(one) for one in (*typed, *resolved) if one is not None}
    for pattern in wide_globs(glob, workspace):
        wanted = folded(pattern)
        if any(matches_path(wanted, one) or matches_path(f"{wanted}/**", one) for one in found):
            return Match.YES
    return Match.COULD if None in resolved else Match.NO


def path_covered(glob: str | None, path: str, workspace: Workspace) -> bool:
    """For allow: everything the path may mean must match, as typed and as resolved, to the letter.
    A `glob` of None covers every path that can be resolved."""
    if len(path) > PATH_LIMIT:
        return False
    typed = meant_paths(path, workspace)
    resolved = [workspace.files.resolve(one) for one in typed]
    globs = _strict_globs(glob, workspace) if glob is not None else ("/**",)
    return all(
        one is not None and any(matches_path(pattern, one) for pattern in globs)
        for one in (*typed, *resolved)
    )


def unprotected(path: str, workspace: Workspace, protected: Protected) -> bool:
    """Whether neither the typed path nor what it leads to is protected."""
    for typed in meant_paths(path, workspace):
        resolved = workspace.files.resolve(typed)
        if resolved is None or protected(typed) or protected(resolved):
            return False
    return True


def folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def _placed(glob: str, root: str, home: str) -> str:
    """The pattern as an absolute one: from the project's root, from home, or absolute as it is."""
    if glob == "~" or glob.startswith("~/"):
        placed = absolute(home + glob[1:], root)
    elif glob.startswith("//"):
        placed = normal(glob[1:])
    else:
        placed = absolute(glob, root)
    return f"{placed}/**" if glob.endswith("/") and placed != "/" else placed


def _strict_globs(glob: str, workspace: Workspace) -> tuple[str, ...]:
    """The pattern under the names and under the real places of project and home. Links below those
    are not followed here: a link inside the project must not widen a rule."""
    root = workspace.files.resolve(workspace.root) or workspace.root
    home = workspace.files.resolve(workspace.home) or workspace.home
    placed = (_placed(glob, workspace.root, workspace.home), _placed(glob, root, home))
    return tuple(dict.fromkeys(placed))


def wide_globs(glob: str, workspace: Workspace) -> Iterator[str]:
    placed = _placed(glob, workspace.root, workspace.home)
    yield placed
    fixed = placed.replace("?", "*").partition("*")[0].rpartition("/")[0]
    real = workspace.files.resolve(fixed) if fixed else None
    if real is not None and real != fixed:
        yield real.rstrip("/") + placed[len(fixed) :]
    if "*" not in placed and "?" not in placed:
        whole = workspace.files.resolve(placed)
        if whole is not None:
            yield whole
    if "/" not in glob.rstrip("/") and not glob.startswith("~"):
        for folder in workspace.folders:
            yield posixpath.join(folder, "**", glob.rstrip("/"))


def inside(path: str, workspace: Workspace) -> bool:
    """Whether an absolute path, with links followed, lies in the workspace."""
    resolved = workspace.files.resolve(path)
    if resolved is None:
        return False
    roots = (*workspace.folders, *(workspace.files.resolve(one) for one in workspace.folders))
    return any(root is not None and exactly_within(resolved, root) for root in roots)


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
