"""Whole folders that a command copies, moves or searches: whether they bring one of the files that
keep the gate standing, or take one away.

The disk is looked at only where such a file lies below the folder in question.
"""

import posixpath
from collections.abc import Iterator
from fnmatch import fnmatchcase

from automode.core.files import Kind
from automode.core.paths import within
from automode.guards.guard import Aim, Sight, words
from automode.guards.own_mods import brought_mods, filled_mod
from automode.shell.options import Spec, arguments
from automode.shell.script import HOLE

_READING_ACTIONS = words("cat grep egrep ls stat head tail wc file jq echo md5sum sha256sum diff")
_TREES = Spec(
    flags="rRaTvfinupzL", values="tS", long_flags=("--recursive", "--archive"),
    long_values=("--target-directory", "--suffix"),
)  # fmt: skip


def merged(sight: Sight) -> Iterator[Aim]:
    """A folder copied or moved over another: what the source holds decides, so it is looked at."""
    given = arguments(sight.args, _TREES)
    deep = given.has("-r", "-R", "-a", "--recursive", "--archive") or sight.name in ("mv", "gmv")
    target = given.value("-t", "--target-directory")
    sources = [word.text for word in given.operands]
    place = target.text if target else (sources.pop() if len(sources) > 1 else "")
    for source in sources if deep and place else ():
        origin = sight.path(source)
        if origin is None or HOLE in origin or _touched(sight, origin):
            yield from _unseen(sight, place)
        if origin is None or HOLE in origin:
            continue
        for goal in _goals(sight, source, place, exact=given.has("-T")):
            path = sight.path(goal)
            if path is not None and HOLE not in path:
                yield Aim(goal)
                yield from (Aim(one) for one in _brought(sight, origin, path))
                mods = brought_mods(origin, path, sight.own.skills, sight.workspace.files)
                yield from (Aim(one) for one in mods)


def _touched(sight: Sight, origin: str) -> bool:
    """Whether another command of the script may fill the folder before."""
    return any(
        within(path, origin)
        for command in sight.script.commands
        if command is not sight.command and command.program not in _READING_ACTIONS
        for word in command.args
        if (path := sight.path(word.text)) is not None
    )


def _unseen(sight: Sight, place: str) -> Iterator[Aim]:
    """A folder of which nobody knows what it holds."""
    path = sight.path(place)
    if path is not None and filled_mod(path, sight.own.skills):
        yield Aim(place, fills=True)


def _goals(sight: Sight, source: str, place: str, *, exact: bool) -> Iterator[str]:
    """A folder lands inside the place where that is a folder already, else it becomes the place."""
    name = posixpath.basename(source.rstrip("/"))
    path = sight.path(place)
    content = name in ("", ".") or (sight.name == "rsync" and source.endswith("/"))
    known = place.endswith("/") or (path and sight.workspace.files.kind(path) is Kind.FOLDER)
    if exact or content or not known:
        yield place
    if not content:
        yield posixpath.join(place, name)


def _brought(sight: Sight, origin: str, path: str) -> Iterator[str]:
    below = sight.own.below(path)
    if not below:
        return
    files = sight.workspace.files
    if _made_here(sight) or (sight.own.holds(path) and files.kind(origin) is Kind.MISSING):
        yield below[0]  # what it will hold by then nobody can say
    if files.kind(origin) is Kind.FOLDER:
        for one in below:
            inner = one[len(path.rstrip("/")) + 1 :]
            if files.kind(f"{origin}/{inner}") is not Kind.MISSING:
                yield one


def _made_here(sight: Sight) -> bool:
    """Whether another command of the script names a file as the settings are named."""
    return any(
        sight.own.names_setting(text)
        for command in sight.script.commands
        if command is not sight.command
        for text in (
            *(word.text for word in command.args),
            *(redirect.target.text for redirect in command.redirects if redirect.writes),
        )
    )


def found(sight: Sight) -> Iterator[Aim]:
    texts = sight.texts
    first = next((i for i, text in enumerate(texts) if text[:1] in ("-", "(", "!")), len(texts))
    runs = [texts[i + 1 : i + 2] for i, t in enumerate(texts) if t in ("-exec", "-execdir", "-ok")]
    acts = "-delete" in texts or any(run and run[0] not in _READING_ACTIONS for run in runs)
    names = [texts[i + 1] for i, t in enumerate(texts[:-1]) if t in ("-name", "-iname")]
    for start in (texts[:first] or ["."]) if acts else ():
        path = sight.path(start)
        if path is None:
            continue
        yield Aim(start, fills=True)
        if names:
            yield from (Aim(one) for one in _named_below(sight, path, names))


def _named_below(sight: Sight, path: str, names: list[str]) -> Iterator[str]:
    for one in sight.own.below(path):
        name = posixpath.basename(one).casefold()
        if any(fnmatchcase(name, pattern.casefold()) for pattern in names):
            yield from [one] if sight.workspace.files.kind(one) is Kind.FILE else []
