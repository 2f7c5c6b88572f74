"""Folders of skills, where an agent also loads plug-ins from that answer before the gate.

A folder right below one of them is a plug-in as soon as it holds `.claude-plugin`; without that it
is an ordinary skill, which anybody may edit. Measured with Claude Code 2.1.325.
"""

from collections.abc import Iterator

from automode.core.files import Files, Kind
from automode.core.paths import within

MANIFEST = ".claude-plugin"
HOOKS = ("hooks", "hooks.json")
MOST_SKILLS = 512


def part_of_mod(path: str, skills: tuple[str, ...]) -> bool:
    """Whether the path, by its names alone, makes a folder of skills one of plug-ins."""
    for folder in skills:
        parts = _below(path, folder)
        if parts[1:2] == (MANIFEST,) or parts[1:3] == HOOKS:
            return True
    return False


def filled_mod(path: str, skills: tuple[str, ...]) -> bool:
    """Whether files of unknown names, put there, may make a plug-in."""
    return any(within(path, one) and len(_below(path, one)) <= 1 for one in skills)


def in_mod(path: str, skills: tuple[str, ...], files: Files) -> bool:
    """Whether it lies inside of what is a plug-in already."""
    for folder in skills:
        parts = _below(path, folder)
        known = len(parts) > 1 and files.kind(f"{folder}/{parts[0]}/{MANIFEST}")
        if known and known is not Kind.MISSING:
            return True
    return False


def real_skills(skills: tuple[str, ...], files: Files) -> Iterator[str]:
    """The same folders where links lead to, each as a folder in which skills lie."""
    for folder in skills:
        yield files.resolve(folder) or folder
        for name in files.links(folder, MOST_SKILLS) or ():
            yield (files.resolve(f"{folder}/{name}") or folder).rpartition("/")[0]


def brought_mods(origin: str, goal: str, skills: tuple[str, ...], files: Files) -> Iterator[str]:
    """What of a plug-in comes with a folder `origin` that is copied or moved to `goal`. Where the
    folder cannot be looked into, nobody can say what comes."""
    for folder in skills:
        depth = len(_below(goal, folder))
        if depth == 1:
            plugins = {origin: goal}
        elif depth == 0 and within(folder, goal):
            inner = f"{origin}{folder[len(goal.rstrip('/')) :]}"
            names = files.names(inner, MOST_SKILLS)
            plugins = {f"{inner}/{name}": f"{folder}/{name}" for name in names}
        else:
            continue
        unknown = filled_mod(goal, skills) and files.kind(origin) in (Kind.MISSING, Kind.OTHER)
        for one, becomes in (plugins or {origin: f"{goal}/a"}).items():
            if unknown or files.kind(f"{one}/{MANIFEST}") is not Kind.MISSING:
                yield f"{becomes}/{MANIFEST}"


def _below(path: str, folder: str) -> tuple[str, ...]:
    """The names below a folder, in small letters; none for itself and for what lies elsewhere."""
    low, top = path.casefold().rstrip("/"), folder.casefold()
    return tuple(low[len(top) + 1 :].split("/")) if low.startswith(f"{top}/") else ()
