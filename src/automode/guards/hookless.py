"""Proves that a command of git starts no file of the workspace: no hook, and no helper.

After a call that may have written any file of the workspace this is what tells a commit from a run
of what was written. What can start something stands in git's own folder, which nobody may change,
and in settings; all of it is looked at as it is now.
"""

import posixpath
import re
from collections.abc import Iterable

from automode.core.paths import within
from automode.core.word_lists import word_lists
from automode.core.workspace import Kind, Workspace
from automode.programs.call_facts import CallFacts
from automode.programs.git_config import Family, Repository, Setting, configured
from automode.programs.table import of_kind
from automode.programs.use import Effect
from automode.shell.script import Command

_LISTS = word_lists("automode.guards", "hookless")
_LOCAL, _REMOTE = frozenset(_LISTS["local"]), frozenset(_LISTS["remote"])
_REMOTE_OPTIONS = frozenset(_LISTS["remote-options"])
_HOOKS = _LISTS["hooks"]
_STARTS = re.compile("|".join(map(re.escape, _LISTS["starts"])).replace(r"\*", ".*"))
_FAMILIES = Family.DATA | Family.WORKTREE | Family.EXTERNAL | Family.TEXTCONV | Family.TRAILER
_MOST_HOOKS = 64
_PROGRAM = re.compile(
    r"!?(?P<path>/(?:usr|opt|bin|nix|snap|home/linuxbrew)/[\w./+-]*)?(?P<name>[\w+-][\w.+-]*)"
    r"(?: (?:--?[\w=.-]+|auth|git-credential))*"
)
_ELSEWHERE = re.compile(r"(?:https?|ssh|git)://[\w.@:/~%+-]+|[\w.+-]+@[\w.-]+:[\w./~+-]*")
_REMOTE_NAMED = re.compile(r"branch\..*\.(?:push)?remote|remote\.pushdefault", re.S)
_RUNNERS = of_kind("interpreter").union(
    of_kind("launcher"), word_lists("automode.guards", "executed")["interpreters"], ("env", "xargs")
)


def starts_nothing_here(command: Command, facts: CallFacts) -> bool:
    """Whether it is such a command, in a repository that has nothing to start."""
    if command.cwd is None or not everyday_git(command, facts):
        return False
    verb = command.args[0].text
    place = facts.workspace
    found = configured(place, command.cwd, _FAMILIES, verb)
    if found is None:
        return False
    repository, settings = found
    if not _is_ours(repository, place) or _has_hooks(repository, settings, place):
        return False
    if verb in _REMOTE and not _reaches_elsewhere(command, settings):
        return False
    return not any(_may_start_a_file(one, place) for one in settings)


def everyday_git(command: Command, facts: CallFacts) -> bool:
    """Whether it is a known command of git, fully read, in a form in which developers use it every
    day, with nothing around it that could change what git starts."""
    verb = command.args[0].value if command.args else None
    if command.words[0].value != "git" or verb not in _LOCAL | _REMOTE or not facts.script.complete:
        return False
    if command.assignments or command.environment or command.elsewhere:
        return False
    if any(word.splits for word in command.args):
        return False
    if verb in _REMOTE:
        options = [word for word in command.args[1:] if word.could_be_flag]
        if any((one.value or "").partition("=")[0] not in _REMOTE_OPTIONS for one in options):
            return False
    return verb == "push" or Effect.DEVELOPMENT in facts.of(command).effect


def _is_ours(repository: Repository, place: Workspace) -> bool:
    """A repository at the top without others in it: no confined call can change its own folder.
    One further down may have been made by such a call, and another may still change it."""
    index = posixpath.join(repository.git_dir, "index")
    alone = place.files.kind(index) is Kind.MISSING or place.files.gitlinks(index) == ()
    return alone and repository.top in [place.files.resolve(root) for root in place.folders]


def _reaches_elsewhere(command: Command, settings: Iterable[Setting]) -> bool:
    """Whether every remote is on another machine: a repository on this one has hooks of its own,
    and an address can be a command."""
    settings = tuple(settings)
    remotes = {one.subsection for one in settings if one.section == "remote" and one.name == "url"}
    named = [word.text for word in command.args[1:] if not word.text.startswith("-")][:1]
    named += [one.value for one in settings if _REMOTE_NAMED.fullmatch(one.key)]
    addresses = [one.subsection for one in settings if one.section == "url"]
    addresses += [
        one.value for one in settings if one.section == "remote" and one.name in ("url", "pushurl")
    ]
    return remotes.issuperset(named) and all(map(_ELSEWHERE.fullmatch, addresses))


def _may_start_a_file(setting: Setting, place: Workspace) -> bool:
    """Whether the setting may bring in a file of the workspace. A program is known not to where it
    is one of the system or on the path, and no word of it could name a file."""
    if setting.section in ("include", "includeif"):
        return _is_inside(setting.value, place)
    if not _STARTS.fullmatch(setting.key) or not setting.value:
        return False
    found = _PROGRAM.fullmatch(setting.value.strip())
    if found is None or found["name"] in _RUNNERS or found["name"].startswith("python"):
        return True
    return found["path"] is not None and _is_inside(found["path"], place)


def _is_inside(path: str, place: Workspace) -> bool:
    """Whether a path may lie in the workspace."""
    full = posixpath.join(place.home, path[2:]) if path.startswith("~/") else path
    found = place.files.resolve(full) if full.startswith("/") else None
    return found is None or any(
        within(found, place.files.resolve(root) or root) for root in place.folders
    )


def _has_hooks(repository: Repository, settings: Iterable[Setting], place: Workspace) -> bool:
    if any(one.key == "core.hookspath" for one in settings):
        return True  # whatever lies there, and will
    folder = posixpath.join(repository.common_dir, "hooks")
    if place.files.kind(folder) is Kind.MISSING:
        return False
    names = place.files.names(folder, _MOST_HOOKS)
    moved = place.files.resolve(folder) != folder
    named = any(place.files.kind(f"{folder}/{one}") is not Kind.MISSING for one in _HOOKS)
    unknown = len(names) == _MOST_HOOKS or not all(one.endswith(".sample") for one in names)
    return moved or named or unknown
