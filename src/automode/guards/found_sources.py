"""Where the names lie that a command finds: `find src -name '*.py'`, `ls`, `git ls-files`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from automode.core.paths import located
from automode.core.workspace import Workspace
from automode.guards.below import Names
from automode.guards.committed import committed_name
from automode.guards.reached import known_folder, wild
from automode.guards.searched_trees import names_searched, searched, searches
from automode.shell.script import HOLE, Command, Origin, Word

Place: TypeAlias = tuple[str, Names]
"""A folder, and which of the names below it."""

_TRACKED = frozenset("ls-files diff show log ls-tree grep".split())
_FLAGS = frozenset("lrRniwEFPvsIhHxzZ0")
_NAME_TESTS = ("-name", "-iname")
_ENDS_OPERANDS = ("-", "(", "!", "\\(")


def found_by(command: Command, workspace: Workspace) -> tuple[Place, ...] | None:
    """The places whose names the command prints; None when it may print any name."""
    finder = _FINDERS.get(command.program)
    if finder is None or command.cwd is None:
        return None
    return finder(command, workspace)


def _find(command: Command, workspace: Workspace) -> tuple[Place, ...] | None:
    texts = [word.text for word in command.args]
    start = 0
    while start < len(texts) and texts[start] in ("-L", "-H", "-P"):
        start += 1
    end = start
    while end < len(texts) and not texts[end].startswith(_ENDS_OPERANDS):
        end += 1
    names = Names(_names_tested(texts[end:]), pruned=frozenset(_pruned(texts[end:])))
    if any(test in ("-files0-from", "-printf") for test in texts[end:]):
        return (("/", names),)  # any text
    folders = command.args[start:end] or (Word("."),)
    return tuple((_folder(word, command, workspace), names) for word in folders)


def _names_tested(tests: list[str]) -> tuple[str, ...]:
    """The patterns of `-name`, where every alternative has one; else none, which is every name."""
    found: list[str] = []
    alternatives: list[list[str]] = [[]]
    for index, test in enumerate(tests):
        if test in ("-o", "-or", ","):
            alternatives.append([])
        elif test in ("!", "-not") and tests[index + 1 : index + 2] not in (["-path"], ["-name"]):
            return ()
        elif test in _NAME_TESTS and tests[index - 1 : index] not in (["!"], ["-not"]):
            alternatives[-1] += tests[index + 1 : index + 2]
    if not all(alternatives):
        return ()
    for patterns in alternatives:
        found += patterns[:1]
    if "-iname" in tests:
        found = [_any_case(one) for one in found]
    return tuple(one.replace(HOLE, "*") for one in found)


def _any_case(pattern: str) -> str:
    if "[" in pattern:
        return "*"
    return "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else c for c in pattern)


def _pruned(tests: list[str]) -> Iterator[str]:
    """Folders that `-not -path '*/node_modules/*'` leaves out, where nothing brings them back."""
    if any(test in ("-o", "-or", ",") for test in tests):
        return
    for index, test in enumerate(tests[:-2]):
        if test in ("!", "-not") and tests[index + 1] == "-path":
            path = tests[index + 2]
            name = path.removeprefix("*/").removeprefix("./").removesuffix("/*")
            if path == f"*/{name}/*" and "/" not in name and not wild(name):
                yield name


def _fd(command: Command, workspace: Workspace) -> tuple[Place, ...] | None:
    folders = [word for word in command.args if word.text[:1] not in ("-", "")][1:]
    places = [_folder(word, command, workspace) for word in folders or (Word("."),)]
    place = places[0]
    names = names_searched(command, place, workspace)
    return tuple(
        (one, Names(names.wanted, names.unwanted, names.pruned, names.hidden)) for one in places
    )


def _ls(command: Command, workspace: Workspace) -> tuple[Place, ...] | None:
    flags = "".join(word.text[1:] for word in command.args if word.text[:1] == "-")
    operands = [word for word in command.args if word.text[:1] not in ("-", "")]
    here = _folder(Word("."), command, workspace)
    if "R" in flags or "--recursive" in (word.text for word in command.args):
        return None  # names from everywhere below are printed bare
    hidden = any(letter in flags for letter in "aAf")
    # The names in another folder are printed bare, and looked for here.
    bare = (here, Names(hidden=hidden or bool(operands), deep=False))
    return (bare, *((_folder(word, command, workspace), Names()) for word in operands))


def _git(command: Command, workspace: Workspace) -> tuple[Place, ...] | None:
    texts = [word.text for word in command.args]
    verb = texts[0] if texts else ""
    if verb not in _TRACKED or any(
        text.startswith(("-o", "--o", "--no-index", "--unt")) for text in texts
    ):
        return None
    names = verb == "ls-files" or "--name-only" in texts or (verb == "grep" and "-l" in texts)
    formatted = any(text.startswith(("--format", "--pretty")) for text in texts)
    if not names or (formatted and verb == "ls-files"):
        return None
    if committed_name(command, workspace) is not None:
        return None
    here = _folder(Word("."), command, workspace)
    return ((workspace.root, Names(tracked=True)), (here, Names(tracked=True, deep=False)))


def _searcher(command: Command, workspace: Workspace) -> tuple[Place, ...] | None:
    """Names of files that it has read itself, which is asked about for itself."""
    for word in command.args:
        bundle = word.text[1:] if word.text[:1] == "-" and word.text[1:2] != "-" else ""
        listed = "l" in bundle and set(bundle) <= _FLAGS
        if listed or word.text in ("--files-with-matches", "--files", "--files-without-match"):
            return tuple(_read_by(command, workspace))
    return None


def _read_by(command: Command, workspace: Workspace) -> Iterator[Place]:
    if searches(command):
        for folder in dict.fromkeys(searched(command, workspace)):
            names = names_searched(command, folder, workspace)
            yield folder, replace(names, tracked=True, follows=False)
        return
    for word in command.args:
        if word.origin is Origin.GLOB:
            names = Names(tracked=True, follows=False, deep=False)
            yield _folder(word, command, workspace), names


def _folder(word: Word, command: Command, workspace: Workspace) -> str:
    text = workspace.home + word.text[1:] if word.text.startswith("~/") else word.text
    path = located(text, command.cwd or workspace.cwd, workspace.files)
    return known_folder(path) if word.value is None else path


_FINDERS: Mapping[str, Callable[[Command, Workspace], tuple[Place, ...] | None]] = {
    "find": _find,
    "gfind": _find,
    "fd": _fd,
    "fdfind": _fd,
    "ls": _ls,
    "git": _git,
    **dict.fromkeys(("grep", "egrep", "fgrep", "rg", "ag", "ack"), _searcher),
}
