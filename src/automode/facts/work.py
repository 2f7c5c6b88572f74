"""Work in a folder that git does not have: who destroys it has destroyed it."""

import os
import stat
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import partial

from automode.core.word_lists import word_lists
from automode.core.workspace import Workspace
from automode.facts.git import (
    SAFELY,
    STATUS_FAMILIES,
    Ask,
    GitProcess,
    NotKnown,
    repository_above,
)
from automode.programs.git_config import Place, configuration_use

MOST_WORK = 200
SECONDS = 10.0
_OUTPUTS = word_lists("automode.facts", "work")["outputs"]
_GITLINK = "160000"
# git would run in a submodule under its own configuration: those are taken from the index.
_STATUS = (
    *(*SAFELY, "status", "--porcelain=v1", "-b", "-z", "--no-renames", "--ignore-submodules=all"),
    *("--untracked-files=all", "--ignored=matching", "--", "."),
)
_INDEX = (*SAFELY, "ls-files", "-v", "-s", "-z", "--full-name", "--", ".")
_ask_status = GitProcess(words=_STATUS, seconds=SECONDS)
_ask_index = GitProcess(words=_INDEX, seconds=SECONDS)

Made = Callable[[os.stat_result], bool]
"""Whether a file was last changed by a confined call."""


def uncommitted(
    root: str, place: Workspace, made: Made, ask: Ask = _ask_status, index: Ask = _ask_index
) -> tuple[str, ...]:
    """Files and folders that are not as they were committed, and what git ignores but for known
    outputs of builds. Raises NotKnown, also where there is no repository."""
    top = repository_above(root, place)
    if top is None:
        raise NotKnown(f"`{root}` is in no git repository, so nothing tells what of it is work")
    proved = configuration_use(place, Place(root), STATUS_FAMILIES, "status")
    if proved.effect:
        raise NotKnown(proved.why)
    told = [one for one in ask(root, place.home).split("\0") if one]
    entries = [one for one in told if not one.startswith("## ")]
    # What is ignored by a file that nobody has committed may be work: a call could have written it.
    rules = [os.path.dirname(one[3:]) for one in entries if f"/{one[3:]}".endswith("/.gitignore")]

    def is_output(name: str) -> bool:
        return _is_output(name) and not any(f"/{name}".startswith(_below(one)) for one in rules)

    names = [one[3:] for one in entries if not (one.startswith("!!") and is_output(one[3:]))]
    try:
        names += _hidden_from_status(index(root, place.home))
    except NotKnown:  # git prints nothing, and nothing was ever added
        if not told[0].startswith("## No commits yet"):
            raise
    found = list(filter(partial(_is_work, made=made), (f"{top}/{one}" for one in names)))
    if any("\ufffd" in one for one in found):
        raise NotKnown("the name of a file that is not committed is no UTF-8")
    if len(found) > MOST_WORK:
        raise NotKnown(f"more than {MOST_WORK} files in `{root}` are not committed")
    return tuple(dict.fromkeys(one.rstrip("/") for one in found))


def _hidden_from_status(index: str) -> Iterator[str]:
    """Submodules, and files of which git was told not to look whether they are changed."""
    for entry in filter(None, index.split("\0")):
        about, _, name = entry.partition("\t")
        tag, mode, *_ = about.split(" ")
        if mode == _GITLINK or tag == "S" or tag.islower():
            yield name


def _below(folder: str) -> str:
    return f"/{folder}/" if folder else "/"


def _is_output(name: str) -> bool:
    return any(fnmatchcase(part, one) for part in name.split("/") for one in _OUTPUTS)


def _is_work(path: str, made: Made) -> bool:
    try:
        state = os.lstat(path)
    except FileNotFoundError:
        return False
    # No mount holds a link; what it leads to is not in it.
    return not stat.S_ISLNK(state.st_mode) and not made(state)
