"""What keeps the gate standing: its files, the hosts' switches, what sessions have said."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from automode.core.paths import absolute, located, may_match, within
from automode.core.workspace import Kind
from automode.guards.floor.agents import changed_by_agent
from automode.guards.floor.own_writers import aims
from automode.guards.guard import Aim, Sight, Target, aimed, shown, targets, wild
from automode.guards.own_files import in_mod, part_of_mod, real_skills
from automode.programs.call_facts import CommandFacts
from automode.shell.script import HOLE

_MOST_PLACES = 16
_POINTER_BYTES = 4_096
_OF_WORKTREES = (".claude/settings.json", ".claude/settings.local.json")
_WORKTREES = "/.git/worktrees/"


def sees_settings(sight: Sight) -> str | None:
    if sight.command.cwd is not None:
        return _sees_files_here(sight)
    return next(filter(None, map(_sees_files_here, _anywhere(sight))), None)


def _anywhere(sight: Sight) -> Iterator[Sight]:
    """Where it runs is not known: it may be where the agent is, or where the script goes."""
    here = sight.workspace.cwd
    moves = (one for one in sight.script.commands if one.program in ("cd", "pushd"))
    places = (located(word.text, here, sight.workspace.files) for one in moves for word in one.args)
    for place in islice(dict.fromkeys((here, *places)), _MOST_PLACES):
        moved = replace(
            sight, facts=CommandFacts(replace(sight.command, cwd=place), sight.workspace)
        )
        yield replace(moved, targets=targets(moved.facts))


def _sees_files_here(sight: Sight) -> str | None:
    for target in sight.targets:
        if _is_setting(sight, target):
            return _belongs(target.path)
    for aim in aims(sight):
        path = sight.path(aim.text)
        if path is not None and _aimed_at(sight, aim, path):
            return _belongs(path)
    return changed_by_agent(sight)


def _belongs(path: str) -> str:
    return f"`{shown(path)}` belongs to the gate or to the agent's permissions"


def _aimed_at(sight: Sight, aim: Aim, path: str) -> bool:
    own = sight.own
    # Most words are no such name, and then the disk is left alone.
    looked = own.may_be_named(path) and HOLE not in path
    for target in (
        aimed(sight.facts, aim.text, whole=aim.whole) if looked else (Target(path, path),)
    ):
        if aim.fills and (own.holds(target.path) or own.holds(target.resolved)):
            return True
        if own.setting(path) or (looked and _is_setting(sight, target)):
            return True
    return wild(path) and _may_be_setting(sight, path, whole=aim.whole)


def _is_setting(sight: Sight, target: Target) -> bool:
    own = sight.own
    paths = {target.path, target.resolved}
    if any(own.setting(path) for path in paths):
        return True
    if target.whole and any(own.removed_with(path) for path in paths):
        return True
    if any(in_mod(path, own.skills, sight.workspace.files) for path in paths):
        return True
    if wild(target.path):
        return _may_be_setting(sight, target.path, whole=target.whole)
    return _through_link(sight, target.resolved) or _of_main_checkout(sight, target)


def _may_be_setting(sight: Sight, pattern: str, *, whole: bool) -> bool:
    """A pattern that can only mean one of them, or takes a hidden folder of them away. Where a
    part is not known it may mean anything, which says nothing."""
    if HOLE in pattern:
        return False
    own = sight.own
    if any(may_match(pattern, one) for one in own.files):
        return True
    hidden = pattern.rpartition("/")[2].startswith(".")
    return whole and hidden and any(may_match(pattern, one) for one in own.holders)


def _through_link(sight: Sight, path: str) -> bool:
    """Another name for the very same file, or for one that is yet to be: where the agent's folder
    is a link, its settings are created elsewhere."""
    files = sight.workspace.files
    kind = files.kind(path) if HOLE not in path else Kind.OTHER
    if kind not in (Kind.FILE, Kind.MISSING):
        return False
    present = [group for group in sight.own.groups if files.kind(group.top) is not Kind.MISSING]
    settings = [one for group in present for one in group.files]
    if kind is Kind.FILE:
        same = any(files.kind(one) is Kind.FILE and files.same(path, one) for one in settings)
    else:
        same = any(within(path, files.resolve(one) or one) for one in settings)
    folders = (one for group in present for one in group.folders)
    if same or any(within(path, files.resolve(one) or one) for one in folders):
        return True
    return part_of_mod(path, tuple(real_skills(sight.own.skills, files)))


def _of_main_checkout(sight: Sight, target: Target) -> bool:
    """An agent in a worktree also obeys the local settings of the checkout it belongs to."""
    if not target.resolved.casefold().endswith(_OF_WORKTREES):
        return False
    root = sight.workspace.root
    pointer = sight.workspace.files.text(f"{root}/.git", _POINTER_BYTES) or ""
    named = absolute(pointer.removeprefix("gitdir:").strip(), root)
    main, marked, _ = named.partition(_WORKTREES)
    paths = (target.path, target.resolved)
    return bool(marked) and any(within(path, f"{main}/.claude") for path in paths)


def sees_transcripts(sight: Sight) -> str | None:
    for target in sight.targets:
        gone = target.whole and any(
            target.path.casefold() == folder.casefold() for folder in sight.own.transcripts
        )
        if gone or any(sight.own.transcript(path) for path in (target.path, target.resolved)):
            return f"`{shown(target.path)}` is a record of an agent's session"
    return None
