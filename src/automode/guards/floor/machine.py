"""What harms the whole machine and takes more than a row: disks, permissions, fork bombs."""

from itertools import pairwise

from automode.guards.floor.deletion import Loss, essential, essential_match
from automode.guards.floor.rows import below_home, is_device
from automode.guards.guard import CommandContext, excerpt
from automode.programs.inline_python import FORKS_FOR_EVER
from automode.programs.table import programs
from automode.shell.options import arguments
from automode.shell.script import Command, Word
from automode.shell.wrappers import wrapper


def sees_disk(context: CommandContext) -> str | None:
    for target in context.targets:
        if is_device(target.path) or is_device(target.resolved):
            return f"`{excerpt(target.path)}` is a disk"
    return None


def _mode_and_paths(context: CommandContext) -> tuple[str, tuple[Word, ...], bool]:
    """The new mode (or owner), the paths, and whether all below them change too."""
    if context.name == "setfacl":
        given = arguments(context.args, programs()["setfacl"].row.loose_spec)
        return "", given.operands, given.has("-R")
    # A symbolic mode may start with a dash: `chmod -x FILE`.
    symbolic = next((w for w in context.args if _takes_away(w.text)), None)
    rest = tuple(word for word in context.args if word is not symbolic)
    given = arguments(rest, programs()["chmod"].row.loose_spec)
    recursive = given.has("-R", "--recursive")
    if symbolic is not None:
        return symbolic.text, given.operands, recursive
    if given.has("--reference"):
        return "", given.operands, recursive
    return "".join(word.text for word in given.operands[:1]), given.operands[1:], recursive


def _takes_away(text: str) -> bool:
    return len(text) > 1 and text[0] == "-" and set(text[1:]) <= set("rwxXst") and text != "-R"


def _private(mode: str) -> bool:
    """A mode that leaves nothing to group and others: people need it for their keys."""
    if mode.isdigit():
        return mode.endswith("00") and len(mode.lstrip("0")) <= 3
    parts = mode.split(",")
    return all(
        "-" in part or part in ("go=", "g=", "o=") or part.startswith(("u+", "u="))
        for part in parts
    )


def sees_permissions(context: CommandContext) -> str | None:
    if context.name in ("icacls", "takeown"):
        return _windows(context)
    mode, paths, recursive = _mode_and_paths(context)
    for word in paths:
        path = context.path(word.text)
        if path is None:
            continue
        for place in (path, context.real_path(path)):
            found = _guarded_place(context, place, mode, recursive=recursive)
            if found:
                return f"`{excerpt(word.text)}` is {found}"
    return None


def _guarded_place(context: CommandContext, path: str, mode: str, *, recursive: bool) -> str | None:
    rest = below_home(path, context)
    if rest is not None and (rest == ".ssh" or rest.startswith(".ssh/")):
        keys = context.name in ("chmod", "gchmod") and _private(mode)
        return None if keys or context.name in ("chown", "chgrp") else "where the keys are"
    globs = any(mark in path for mark in "*?[")
    find = essential_match if globs else essential
    found = find(path, context.workspace)
    if not found or found.kind in (Loss.WORKSPACE, Loss.AROUND_WORKSPACE, Loss.OF_HOME):
        return None
    return found.text if recursive or found.kind is not Loss.HOME else None


def _windows(context: CommandContext) -> str | None:
    for word in context.args:
        if len(word.text) > 1 and word.text[1] == ":":
            path = context.path(word.text)
            found = essential(path, context.workspace) if path else None
            if found:
                return f"`{excerpt(word.text)}` is {found.text}"
    return None


def sees_setuid(context: CommandContext) -> str | None:
    mode, paths, _ = _mode_and_paths(context)
    if not paths or context.name not in ("chmod", "gchmod"):
        return None
    if mode.isdigit():
        digits = mode.lstrip("0")
        return f"`{mode}` sets it" if len(digits) == 4 and digits[0] in "4567" else None
    for part in mode.split(","):
        who, plus, what = part.partition("+") if "+" in part else part.partition("=")
        if plus and "s" in what and who in ("u", "", "a", "ug", "gu"):
            return f"`{part}` sets it"
    return None


def sees_bomb(context: CommandContext) -> str | None:
    """A function whose body starts the function itself twice.

    The reading lists a function's body where it is defined; the calls from outside are marked as
    transparent, those of the function by itself are not."""
    command = context.command
    name = command.program
    if not command.transparent or wrapper(name) is not None:
        # Inline code that forks in a loop is read as this word.
        return "it starts itself without end" if name == FORKS_FOR_EVER else None
    inside = [c for c in context.script.commands if _calls_itself(c, command)]
    if len(inside) < 2:
        return None
    # With arguments it may well be walking down a tree, which has an end.
    if all(len(c.words) == 1 for c in inside) or _in_one_pipe(inside):
        return f"`{excerpt(name)}` starts itself twice, and so on without end"
    return None


def _calls_itself(inner: Command, outer: Command) -> bool:
    return (
        not inner.transparent
        and bool(inner.words)
        and inner.program == outer.program
        and inner.via == outer.via
    )


def _in_one_pipe(calls: list[Command]) -> bool:
    return any(
        one.pipeline == other.pipeline and one.pipeline > 0 and one.position != other.position
        for one, other in pairwise(calls)
    )
