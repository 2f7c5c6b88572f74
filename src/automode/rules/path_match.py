"""Path patterns: `write(src/**)` against the typed path and against what it leads to."""

import posixpath
import unicodedata
from collections.abc import Callable, Iterator
from typing import TypeAlias

from automode.core.paths import absolute, exactly_within, normal
from automode.core.tools import meant_paths
from automode.core.workspace import Workspace
from automode.rules.glob import matches_path
from automode.rules.pattern import Match

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
