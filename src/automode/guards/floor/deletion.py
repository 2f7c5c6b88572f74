"""Deleting root, homes, system folders or the workspace, in every spelling."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from fnmatch import fnmatchcase

from automode.core.paths import absolute, locate, normal, within
from automode.core.word_lists import word_lists
from automode.core.workspace import Workspace
from automode.guards.guard import CommandContext, See, excerpt, words
from automode.programs.table import of_kind, programs
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import HOLE, POWERSHELL, Origin, Word
from automode.shell.wrappers import find_run_length

_LISTS = word_lists("automode.guards.floor", "places")
_TREES = (*_LISTS["trees"], "/c/program files", "/c/program files (x86)")
_GLOB_MARKS = "*?["


class Loss(Enum):
    SYSTEM = auto()
    HOME = auto()
    OF_HOME = auto()  # a folder in it
    WORKSPACE = auto()  # all of it, and nothing beside it
    AROUND_WORKSPACE = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Lost:
    """What would be lost, and how a sentence names it."""

    kind: Loss
    text: str


ROOT = Lost(Loss.OTHER, "the root folder")
SYSTEM_FOLDER = Lost(Loss.SYSTEM, "a system folder")
PART_OF_SYSTEM = Lost(Loss.SYSTEM, "a part of the system")


def home_of(path: str, workspace: Workspace) -> str | None:
    """The home folder that the absolute `path` is or lies in."""
    if within(path, workspace.home):
        return workspace.home
    if within(path, "/root"):
        return "/root"
    for folder in _LISTS["homes"]:
        if within(path, folder) and path.casefold() != folder:
            return posixpath.join(path[: len(folder)], path[len(folder) + 1 :].split("/", 1)[0])
    return None


def essential(path: str, workspace: Workspace, *, tree: bool = True) -> Lost | None:
    """What would be lost with the absolute `path` as a whole, or None. With `tree`, places below
    system folders count as well."""
    low = path.casefold()
    if low in _LISTS["single"] or low in _TREES:
        return ROOT if low == "/" else SYSTEM_FOLDER
    if low in ("/d", "/e"):
        return Lost(Loss.OTHER, "a drive")
    if low == f"/{HOLE}":
        return Lost(Loss.OTHER, "a folder right below the root folder")
    return (
        _home(path, workspace)
        or _workspace(path, workspace)
        or (_system(low) if tree else None)
        or _first_level(low)
    )


def _home(path: str, workspace: Workspace) -> Lost | None:
    home = home_of(path, workspace)
    if home is None:
        return None
    rest = path[len(home) :].strip("/").casefold()
    if not rest:
        name = posixpath.basename(home).casefold()
        return None if name in _LISTS["not-users"] else Lost(Loss.HOME, "a home folder")
    precious = Lost(Loss.OF_HOME, "a folder of a home that cannot be replaced")
    return precious if rest in _LISTS["precious"] else None


def _workspace(path: str, workspace: Workspace) -> Lost | None:
    for root in workspace.folders:
        if within(root, path):
            if path.casefold() == root.casefold():
                return Lost(Loss.WORKSPACE, "the whole workspace")
            return Lost(Loss.AROUND_WORKSPACE, "a folder that holds the workspace")
    return None


def _system(low: str) -> Lost | None:
    below = any(low.startswith(f"{tree}/") for tree in _TREES)
    return PART_OF_SYSTEM if below and not low.startswith(_LISTS["local"]) else None


def _first_level(low: str) -> Lost | None:
    folder, _, name = low.rpartition("/")
    ours = name in _LISTS["not-first-level"] or HOLE in name
    return SYSTEM_FOLDER if folder in _LISTS["first-level"] and not ours else None


def covers_all(pattern: str) -> bool:
    """Whether a glob takes every name, or every hidden name, of its folder."""
    bare = pattern.replace("[!.]", "?").replace("[^.]", "?").lstrip(".")
    return bool(bare) and set(bare) <= {"*", "?"} and "*" in bare


def essential_match(pattern: str, workspace: Workspace, *, tree: bool = True) -> Lost | None:
    """What a glob, as an absolute pattern, would take away as a whole."""
    folder, _, last = pattern.rpartition("/")
    while last and covers_all(last):
        # All of a folder's content is as good as the folder.
        folder = folder or "/"
        if not any(mark in folder for mark in _GLOB_MARKS):
            found = essential(folder, workspace, tree=tree)
            return Lost(found.kind, f"all of {found.text}") if found else None
        folder, _, last = folder.rpartition("/")
    if last == "" and pattern.startswith("/"):
        return Lost(Loss.OTHER, "all of the root folder")
    low = pattern.casefold()
    for place in known_places(workspace):
        if place.count("/") == low.count("/") and _matches(place, low):
            return Lost(_kind(place), f"`{place}`, which it matches")
    return _system(low) if tree else None


def _kind(place: str) -> Loss:
    if place in (*_LISTS["single"], *_LISTS["trees"]):
        return Loss.SYSTEM
    return Loss.HOME if within(place, "/home") else Loss.OTHER


def known_places(workspace: Workspace) -> tuple[str, ...]:
    home = normal(workspace.home).casefold()
    inside = tuple(f"{home}/{name}" for name in _LISTS["precious"])
    roots = tuple(root.casefold() for root in workspace.folders)
    return (*_LISTS["single"], *_LISTS["trees"], home, *inside, *roots)


def _matches(place: str, pattern: str) -> bool:
    """Matches part by part: `*` does not cross a slash, nor take a leading dot."""
    for part, wanted in zip(place.split("/"), pattern.split("/"), strict=True):
        if part.startswith(".") and not wanted.startswith("."):
            return False
        if part != wanted and not fnmatchcase(part, wanted):
            return False
    return True


_DELETERS = of_kind("remover") - {"rmdir"}  # which leaves folders that hold anything
_UNASKED = ("-delete", "-exec", "-execdir")
_RUNS = ("-exec", "-execdir", "-ok", "-okdir")
_FIND_NAMES = _LISTS["find-names"]
_CLEANED = ("/var", "/private/var", "/home", "/users", "/root")
_BEFORE = words("-H -L -P -E -X -d -s -x")


def find_delete(context: CommandContext) -> str | None:
    """Whether a `find` that deletes what it finds starts where nothing may go. What `-ok` runs, it
    asks about before each file."""
    asks = only_a_person_answers(context) and not any(text in _UNASKED for text in context.texts)
    return _found_lost(context, context.args) if _deletes(context.texts) and not asks else None


def only_a_person_answers(context: CommandContext) -> bool:
    """Whether what this command asks before it acts is asked of a person: it stands alone, so that
    nothing in the script (`yes |`, `< answers`, `exec <answers`) answers for them."""
    alone = all(
        one is context.command or one.via[-1:] == ("find",) for one in context.script.commands
    )
    fed = context.command.position or context.command.fed is not None
    reads = any(redirect.op.startswith("<") for redirect in context.command.redirects)
    return alone and not (fed or reads or context.command.via)


def piped_find(context: CommandContext) -> str | None:
    """`find / | xargs rm -rf`: what the find before it lists is deleted."""
    command = context.command
    if "xargs" not in command.via or not command.position:
        return None
    for one in context.script.commands:
        before = one.pipeline == command.pipeline and one.position == command.position - 1
        if before and one.program in ("find", "gfind"):
            return _found_lost(context, one.args)
    return None


def _found_lost(context: CommandContext, args: tuple[Word, ...]) -> str | None:
    filtered = _narrows([word.text for word in args])
    for word in _starts(args):
        path = context.path(word.text)
        if path is None or (context.command.remote and path != "/"):
            continue
        for place in (path, context.real_path(path)):
            found = _loss_below(place, context, filtered=filtered)
            if found:
                return f"everything below `{excerpt(word.text)}`, which is {found.text}"
    return None


def _loss_below(path: str, context: CommandContext, *, filtered: bool) -> Lost | None:
    """With a filter it may be a clean-up, but not of system folders."""
    found = essential(path, context.workspace, tree=not filtered)
    if not filtered or not found:
        return found
    system = found in (ROOT, SYSTEM_FOLDER)
    return found if system and not path.casefold().startswith(_CLEANED) else None


def _deletes(texts: list[str]) -> bool:
    if "-delete" in texts:
        return True
    for index, text in enumerate(texts[:-1]):
        if text in _RUNS:
            inner = [word.rsplit("/", 1)[-1] for word in texts[index + 1 :]]
            end = find_run_length(inner, text)
            if "{}" in inner[:end] and not _DELETERS.isdisjoint(inner[:end]):
                return True
    return False


def _starts(args: tuple[Word, ...]) -> tuple[Word, ...]:
    found: list[Word] = []
    for word in args:
        if word.text in _BEFORE or word.text.startswith(("-O", "-D")):
            continue
        if word.text[:1] in ("-", "(", "!", ","):
            break
        found.append(word)
    return tuple(found) or (Word("."),)


def _narrows(texts: list[str]) -> bool:
    """Whether something narrows what is found."""
    for index, text in enumerate(texts):
        after = texts[index + 1] if index + 1 < len(texts) else ""
        if text in (*_FIND_NAMES, *_LISTS["find-selects"]) and not (
            text in _FIND_NAMES and set(after) <= set("*./?")
        ):
            return True
        if text == "-type" and after == "l":
            return True
    return False


def lost(context: CommandContext, word: Word, *, tree: bool = True) -> Lost | None:
    """What goes away with `word` as a whole, or None."""
    text = word.text
    path = context.path(text)
    if path is None:
        return _lost_unknown(context, word)
    if context.command.remote:
        return _lost_remotely(path, word)
    globs = word.origin >= Origin.GLOB and any(mark in text for mark in _GLOB_MARKS)
    for place in _places(context, path, follows=text.endswith(("/", "/."))):
        found = (
            essential_match(place, context.workspace, tree=tree)
            if globs
            else essential(place, context.workspace, tree=tree)
        )
        if found:
            return Lost(found.kind, f"`{excerpt(text)}` is {found.text}")
    return None


def _lost_unknown(context: CommandContext, word: Word) -> Lost | None:
    """The folder is not known: another machine's, or behind a `cd` nobody can follow."""
    if context.command.remote or word.value is None:
        return None
    climbs = absolute(word.text, "/")
    # From anywhere, more `..` than any project is deep ends at the root folder.
    if climbs == "/" and word.text.count("..") > context.workspace.root.count("/") + 2:
        return Lost(Loss.OTHER, f"`{excerpt(word.text)}` is the root folder")
    return None


def _lost_remotely(path: str, word: Word) -> Lost | None:
    place = path[:-2] or "/" if path.endswith("/*") else path
    found = place.casefold() in _LISTS["remote"] or place == f"/{HOLE}"
    text = f"`{excerpt(word.text)}` is a system folder of that machine"
    return Lost(Loss.SYSTEM, text) if found else None


def _places(context: CommandContext, path: str, *, follows: bool) -> Iterator[str]:
    """The path as typed, and with links followed. A link itself may be deleted, what it leads to
    is safe, unless the path goes on behind it."""
    yield path
    folder, _, name = path.rpartition("/")
    if follows:
        yield context.real_path(path)
    elif folder:
        yield f"{context.real_path(folder).rstrip('/')}/{name}"


def _first_lost(
    context: CommandContext, given: tuple[Word, ...], *, tree: bool = True
) -> Lost | None:
    return next((found for word in given if (found := lost(context, word, tree=tree))), None)


def _text_of(found: Lost | None) -> str | None:
    return None if found is None else found.text


def _arguments(context: CommandContext, program: str) -> Arguments:
    return arguments(context.args, programs()[program].row.loose_spec)


def _rm(context: CommandContext) -> str | None:
    found = piped_find(context)
    if found:
        return found
    given = _arguments(context, "rm")
    if given.has("-r", "-R", "--recursive", "--no-preserve-root") or any(
        name.startswith("--r") for name in given.unclear
    ):
        loss = _first_lost(context, given.operands)
    else:  # the folders stay, the files in them do not
        every = tuple(word for word in given.operands if word.text.endswith("*"))
        loss = _first_lost(context, every, tree=False)
    # Answering for each file is plausible in a project, not for a whole machine.
    asked = _asks(given) and only_a_person_answers(context)
    return None if asked and loss and loss.kind is Loss.WORKSPACE else _text_of(loss)


def _asks(given: Arguments) -> bool:
    """`-i` asks before each file, unless `-f` or another `--interactive` has the last word."""
    clear = not any(name.startswith("-") for name in given.unclear)
    return given.has("-i") and clear and not given.has("-f", "--force", "--interactive")


def _always(context: CommandContext) -> str | None:
    """Programs that take folders whole without being told to: `trash`, `rimraf`, `srm -r`."""
    return _text_of(_first_lost(context, arguments(context.args, Spec(values="n")).operands))


def _gio(context: CommandContext) -> str | None:
    if not context.texts or context.texts[0] not in ("trash", "remove"):
        return None
    return _text_of(_first_lost(context, context.args[1:]))


def _mv(context: CommandContext) -> str | None:
    given = _arguments(context, "mv")
    into = given.value("-t", "--target-directory")
    sources = given.operands if into is not None else given.operands[:-1]
    for word in sources:
        found = lost(context, word, tree=False)
        # Moving the content of a project or of a home elsewhere loses nothing.
        kept = any(mark in word.text for mark in _GLOB_MARKS) and not word.text.startswith("/*")
        if found and (found.kind is Loss.SYSTEM or not kept):
            return found.text
    return None


def _rsync(context: CommandContext) -> str | None:
    deletes = any(text.startswith("--del") for text in context.texts)
    operands = _arguments(context, "rsync").operands
    if not deletes or "-n" in context.texts or "--dry-run" in context.texts or len(operands) < 2:
        return None
    if ":" in operands[-1].text.split("/", 1)[0]:
        return None
    return _text_of(lost(context, operands[-1], tree=False))


def _git(context: CommandContext) -> str | None:
    """`git clean` at home or root. In the workspace it is the classifier's business."""
    given = context.facts.given
    verb = given.before.operands[:1] if given else ()
    if given is None or not verb or verb[0].text != "clean":
        return None
    if not given.options.has("-f", "--force") or given.options.has("-n", "--dry-run"):
        return None
    before, files = given.before, context.workspace.files
    place = before.value("--work-tree") or before.value("-C") or Word(context.command.cwd or ".")
    path = context.path(place.text)
    if path is None:
        return None
    for word in given.operands or (Word("."),):
        found = lost(context, Word(locate(word.text, path, files)), tree=False)
        if found and found.kind is not Loss.WORKSPACE:
            return found.text
    return None


_WINDOWS_PLACE = re.compile(r"[a-zA-Z]:|~|/(?!/?\w{1,2}$)")  # and no option as `/s`


def _windows_words(context: CommandContext) -> str | None:
    """`rd /s /q C:\\`, `del /s D:\\*` and `Remove-Item -Recurse`, typed into bash."""
    low = [text.casefold() for text in context.texts]
    if not any(text in ("/s", "//s") or text.startswith("-r") for text in low):
        return None
    places = (word for word in context.args if _WINDOWS_PLACE.match(word.text))
    plain = tuple(replace(word, text=word.text.rstrip("*\\/") + "/") for word in places)
    return _text_of(_first_lost(context, plain))


def _remove_item(context: CommandContext) -> str | None:
    """PowerShell's own; typed into bash, its words are all that is known."""
    given = context.facts.given
    if given is None or POWERSHELL not in context.command.via:
        return _windows_words(context)
    if given.options.has("-whatif", "-wi") and given.options.value("-whatif", "-wi") is None:
        return None  # it only says what it would do
    for touch in context.facts.touches:
        every = touch.word.text.endswith("*")
        found = lost(context, touch.word, tree=touch.whole) if touch.whole or every else None
        if found:
            return found.text
    return None


def _unknown_program(context: CommandContext) -> str | None:
    """`${RM} -rf /`: whatever it runs, these words mean one thing."""
    given = _arguments(context, "rm")
    if given.unclear or not given.has("-f", "--force"):
        return None
    return _rm(context)


DELETERS: Mapping[str, See] = {
    "rm": _rm,
    "grm": _rm,
    "find": find_delete,
    "gfind": find_delete,
    "mv": _mv,
    "gmv": _mv,
    "rsync": _rsync,
    "git": _git,
    "gio": _gio,
    HOLE: _unknown_program,
    **dict.fromkeys(words("rd rmdir del erase ri"), _windows_words),
    "remove-item": _remove_item,
    **dict.fromkeys(words("srm trash trash-put rimraf del-cli trash-cli gtrash rip"), _always),
}


def sees_deletion(context: CommandContext) -> str | None:
    return DELETERS[context.name](context)
