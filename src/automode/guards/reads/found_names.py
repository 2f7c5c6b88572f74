"""Whether a command shows files whose names nobody wrote down: found, listed, matched or fed in."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from automode.core.paths import locate
from automode.core.word_lists import word_lists
from automode.core.workspace import Kind, Workspace
from automode.guards.guard import excerpt, is_pattern, known_folder, word_path
from automode.guards.reads.committed import committed_name
from automode.guards.reads.credentials import (
    is_credential_word,
    may_be_credential,
    may_name_credential,
)
from automode.guards.reads.secret_reads import SHOWS_NO_CONTENTS, word_objection
from automode.guards.reads.trees import (
    Names,
    holds_credentials,
    match_objection,
    names_searched,
    reading_objection,
    searched_folders,
    searches,
    tree_objection,
)
from automode.programs.table import of_kind
from automode.shell.options import may_split
from automode.shell.script import HOLE, Command, Origin, Script, Word

Place: TypeAlias = tuple[str, Names]
"""A folder, and which of the names below it."""

_LISTS = word_lists("automode.guards.reads", "programs")
_COPIERS = of_kind("copier") | {"ln", "mv"}
_LISTERS = frozenset(
    "compgen dir du eza exa file get-childitem locate lsd mdfind stat tree vdir".split()
)
_EXECUTING = (("find",), ("fd",), ("fdfind",))
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
    names = Names(_names_tested(texts[end:]), pruned=frozenset(_pruned_folders(texts[end:])))
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


def _pruned_folders(tests: list[str]) -> Iterator[str]:
    """Folders that `-not -path '*/node_modules/*'` leaves out, where nothing brings them back."""
    if any(test in ("-o", "-or", ",") for test in tests):
        return
    for index, test in enumerate(tests[:-2]):
        if test in ("!", "-not") and tests[index + 1] == "-path":
            path = tests[index + 2]
            name = path.removeprefix("*/").removeprefix("./").removesuffix("/*")
            if path == f"*/{name}/*" and "/" not in name and not is_pattern(name):
                yield name


def _fd(command: Command, workspace: Workspace) -> tuple[Place, ...] | None:
    folders = [word for word in command.args if word.text[:1] not in ("-", "")][1:]
    places = [_folder(word, command, workspace) for word in folders or (Word("."),)]
    names = replace(names_searched(command, workspace), follows=True)
    return tuple((one, names) for one in places)


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
    if verb not in _LISTS["git-tracked"] or any(
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
        names = replace(names_searched(command, workspace), tracked=True, follows=False)
        yield from ((one, names) for one in dict.fromkeys(searched_folders(command, workspace)))
        return
    for word in command.args:
        if word.origin is Origin.GLOB:
            names = Names(tracked=True, follows=False, deep=False)
            yield _folder(word, command, workspace), names


def _folder(word: Word, command: Command, workspace: Workspace) -> str:
    path = word_path(word.text, command, workspace)
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


_LIST_BYTES = 65_536
_LIST_OPTION = re.compile(
    r"--[a-z-]*(files?0?-from|arg-file|file-list|list-file)[a-z-]*", re.DOTALL
)
_LIST_LETTERS = {"xargs": "-a", "tar": "-T", "gtar": "-T", "bsdtar": "-T", "file": "-f"}
_PATTERN_OPTION = re.compile(
    r"-[a-zA-Z]*[ef].*|--(regexp|expression|file|from-file)(=.*)?", re.DOTALL
)
_MATCHING_OTHERWISE = ("dotglob", "nocaseglob", "globstar")


def found_objection(script: Script, workspace: Workspace) -> str | None:
    """The first reason why some command may show a credential by a name that was found."""
    for at, command in enumerate(script.commands):
        if command.remote or not command.words:
            continue
        reasons = (
            _list_objection(command, workspace),
            None if command.transparent else _names_objection(at, script, workspace),
        )
        if found := next(filter(None, reasons), None):
            return found
    return None


def _names_objection(at: int, script: Script, workspace: Workspace) -> str | None:
    command = script.commands[at]
    if command.program in SHOWS_NO_CONTENTS:
        return None
    for word in file_words(command):
        if command.cwd is None and not word.text.startswith(("/", "~")):
            return f"`{excerpt(word.text)}` is looked for in a folder that is not known"
        if _climbs(word):
            return f"`{excerpt(word.text)}` leads up from a folder that is not known"
        if word.origin is Origin.GLOB and HOLE not in word.text:
            path = word_path(word.text, command, workspace)
            if _matches_otherwise(script):
                found = reading_objection(known_folder(path), Names(), workspace)
            else:
                found = match_objection(word.text, path, Names(), workspace)
        elif HOLE in word.text:
            found = _hole_objection(word, at, script, workspace)
        else:
            continue
        if found is not None:
            return found
    return None


def _climbs(word: Word) -> bool:
    """Whether `..` stands behind a part that may be a link to anywhere: `*/../config`."""
    return "/.." in word.text and word.origin is not Origin.LITERAL and is_pattern(word.text)


def file_words(command: Command) -> Iterator[Word]:
    """The words that may name files: no options, and no pattern in front of them."""
    words = [word for word in command.args if word.text[:1] not in ("-", "")]
    taken = command.program in _LISTS["takes-pattern"] and not any(
        _PATTERN_OPTION.fullmatch(word.text) for word in command.args
    )
    split = bool(words) and words[0].splits  # it may be several words
    return iter(words[1:] if taken and not split else words)


def _matches_otherwise(script: Script) -> bool:
    """Whether a setting lets patterns match what they usually do not."""
    texts = (word.text for command in script.commands for word in command.args)
    return any(text in _MATCHING_OTHERWISE for text in texts)


def _hole_objection(word: Word, at: int, script: Script, workspace: Workspace) -> str | None:
    places: list[Place] = []
    for source in _sources(at, script) if _is_bare(word) else ():
        if listed := _listed_objection(source, workspace):
            return listed
    for one in _hole_places(word, at, script, workspace):
        if one is None:
            return "reads files by names that may be any"
        places.append(one)
    becomes_words = word.could_be_flag or may_split(word)
    for folder, names in places:
        chosen = replace(names, words=becomes_words)
        found = reading_objection(folder, chosen, workspace)
        if found is not None:
            return found
    return None


def _is_bare(word: Word) -> bool:
    """Whether a word that is only known when it runs has nothing else in it."""
    return word.text.strip(HOLE) in ("", "./")


def _hole_places(
    word: Word, at: int, script: Script, workspace: Workspace
) -> Iterator[Place | None]:
    """Where the files may lie that such a word stands for; None for anywhere."""
    if not _is_bare(word):
        path = word_path(word.text, script.commands[at], workspace)
        last = path.rpartition("/")[2]
        yield known_folder(path), Names((last.replace(HOLE, "*"),) if last.strip(HOLE) else ())
        return
    sources = list(_sources(at, script))
    if not sources:
        yield None
    for one in sources:
        found = _place_of(one, workspace)
        yield from (None,) if found is None else found


def shows_credential(word: Word, at: int, script: Script, workspace: Workspace) -> bool:
    """Whether a credential is among the files that a word of a command stands for: by a pattern, a
    folder, or names that only come out while it runs. What is found in a way that is not known may
    be any file of the workspace, and so may what was copied to a folder that is not there yet."""
    path = word_path(word.text, script.commands[at], workspace)
    last = path.rpartition("/")[2]
    places: list[Place | None] = []
    if HOLE in word.text and (_is_bare(word) or script.commands[at].via[-1:] in _EXECUTING):
        for source in filter(_lists_names, _sources(at, script)):
            if tree_objection(source, workspace) is not None:
                return True
            found = _place_of(source, workspace)
            places += (None,) if found is None else found
    elif HOLE in word.text:
        places += _hole_places(word, at, script, workspace)
    elif word.origin is Origin.GLOB:
        if match_objection(word.text, path, Names(), workspace) is not None:
            return True
        hidden = last[:1] == "." or _matches_otherwise(script)
        places.append((known_folder(path), Names((last,), hidden=hidden)))
    else:
        places.append((path, Names()))
    copied = any(one.program in _COPIERS for one in script.commands)
    for place in places:
        folder, names = place or ("", Names())
        new = copied and workspace.files.kind(folder) is Kind.MISSING
        folders = workspace.folders if place is None or new else (folder,)
        if any(_reads_credential(one, names, workspace) for one in folders):
            return True
    return False


def _reads_credential(folder: str, names: Names, workspace: Workspace) -> bool:
    """Whether such names below a folder are. Below a home, where they are too many to look at, it
    is told by the names."""
    if names.wanted and holds_credentials(folder, workspace.home):
        return any(
            may_name_credential(one)
            or is_credential_word(one)
            or may_be_credential(f"/{one}", workspace.home)
            for one in names.wanted
        )
    return reading_objection(folder, names, workspace) is not None


def _lists_names(command: Command) -> bool:
    """Whether it prints names of files that it finds."""
    texts = [word.text for word in command.args]
    match command.program:
        case "git":
            return texts[:1] in (["ls-files"], ["status"], ["clean"]) or "--name-only" in texts
        case "echo" | "printf":
            return any(word.origin is Origin.GLOB for word in command.args)
        case name:
            return name in _FINDERS or name in _LISTERS


def _sources(at: int, script: Script) -> Iterator[Command]:
    """The commands whose output may be the names: those before it in its pipe, where nothing else
    stands between; otherwise all others."""
    command = script.commands[at]
    fed = command.via[-1:] == ("xargs",) and command.position > 0
    first = next(i for i, one in enumerate(script.commands) if one.pipeline == command.pipeline)
    piped = script.commands[first:at]
    if command.via[-1:] in _EXECUTING:
        yield next(one for one in reversed(script.commands[:at]) if one.program == command.via[-1])
    elif fed and all(one.pipeline == command.pipeline for one in piped):
        yield from (one for one in piped if one.position < command.position)
    else:
        yield from (one for i, one in enumerate(script.commands) if i != at and one.words)


def _place_of(command: Command, workspace: Workspace) -> tuple[Place, ...] | None:
    """Where the names lie that the command prints; None when that is not known."""
    words = [word for word in command.args if word.text[:1] != "-"]
    if command.transparent and command.program == "xargs":
        return ()
    if command.program in _LISTS["silent"]:
        return ()
    selects = command.program in _LISTS["selects"] and command.position > 0
    if selects and len(words) <= (1 if command.program.endswith("grep") else 0):
        return ()
    if command.program in _LISTS["prints-lists"] and all(word.value is not None for word in words):
        return ()  # what is in the lists has been looked at
    return found_by(command, workspace)


def _listed_objection(command: Command, workspace: Workspace) -> str | None:
    """What the command prints, or reads for another, as a list of names."""
    prints = command.program in _LISTS["prints-lists"]
    words = [word for word in command.args if prints and word.text[:1] != "-"]
    words += [one.target for one in command.redirects if one.op == "<"]
    fed = (one.target.text for one in command.redirects if one.feeds)
    reasons = [_text_objection(word, command, workspace) for word in words]
    reasons += [_names_listed(text, command, workspace) for text in fed]
    return next(filter(None, reasons), None)


def _list_objection(command: Command, workspace: Workspace) -> str | None:
    """Names that are read from a file: `xargs -a list`, `sort --files0-from=list`, `< list`."""
    lists = list(_lists(command))
    if any(HOLE in word.text for word in command.args) and command.program not in SHOWS_NO_CONTENTS:
        lists += [one.target for one in command.redirects if one.op == "<"]
    reasons = (_text_objection(word, command, workspace) for word in lists)
    return next(filter(None, reasons), None)


def _lists(command: Command) -> Iterator[Word]:
    letter = _LIST_LETTERS.get(command.program)
    for word, after in pairwise((*command.args, Word(""))):
        name, equals, value = word.text.partition("=")
        if _LIST_OPTION.fullmatch(name):
            yield Word(value, word.origin) if equals else after
        elif letter is not None and word.text.startswith(letter):
            yield Word(word.text[2:], word.origin) if word.text != letter else after


def _text_objection(word: Word, command: Command, workspace: Workspace) -> str | None:
    """Each name in the list, as if it had been written in the script."""
    if word.value is None or command.cwd is None:
        return "reads names from a file that is not known"
    path = locate(word.text, command.cwd, workspace.files)
    if word.text in ("-", "/dev/stdin"):
        return "reads names from its input"
    if word.text == "/dev/null" or workspace.files.kind(path) is Kind.MISSING:
        return None
    text = workspace.files.text(path, _LIST_BYTES)
    if text is None or len(text) >= _LIST_BYTES:
        return f"reads names from `{excerpt(word.text)}`, which cannot be looked at"
    return _names_listed(text, command, workspace)


def _names_listed(text: str, command: Command, workspace: Workspace) -> str | None:
    names = {*re.split(r"[\0\n]", text), *re.split(r"[\0\s]", re.sub(r"[\\'\"]", "", text))}
    for name in sorted(names - {""}):
        if name[0] == "-":
            return "a list of names holds an option"
        found = word_objection(Word(name), command, workspace)
        if found is not None:
            return f"a list of names holds one that may not be read: {found}"
    return None
