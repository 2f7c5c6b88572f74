"""The texts a command can be called by: what deny and ask patterns are held against.

Many spellings, on purpose: `/usr/bin/git  -C x push` is a `git push`. Allow rules use none of this.
"""

import posixpath
from collections.abc import Iterable, Iterator
from functools import lru_cache

from automode.core.paths import located, within
from automode.core.workspace import Workspace
from automode.rules.glob import could_match, matches
from automode.shell.script import HOLE, Command, Origin, Redirect, Script, Word

_OPTIONS_SKIPPED = 8  # words before a sub-command that may be options and their values
_NAMES_LIMIT = 1000  # names in a folder past which a wildcard counts as not known
_PROGRAM_FOLDERS = ("/bin/", "/sbin/", "/usr/", "/opt/homebrew/")


def single_spaced(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=4096)
def wide_globs(argument: str) -> tuple[str, ...]:
    """Every reading of a shell pattern, for rules that tighten.

    `git push *` also means the bare `git push`; `git push:*` is another dialect for the same;
    quotes and a program's system folder may be written or not."""
    glob = single_spaced(argument)
    found = [glob]
    if glob.endswith(":*"):
        found += [glob[:-2], glob[:-2] + " *"]
    found += [one[:-2] for one in found if one.endswith(" *")]
    found += [one.replace('"', "").replace("'", "") for one in found]
    found += [_without_folder(one) for one in found if one.startswith(_PROGRAM_FOLDERS)]
    return tuple(dict.fromkeys(one for one in found if one))


def _without_folder(glob: str) -> str:
    program, blank, rest = glob.partition(" ")
    return posixpath.basename(program) + blank + rest


def definitely(argument: str, text: str) -> bool:
    return any(matches(glob, text) for glob in wide_globs(argument))


def possibly(argument: str, text: str) -> bool:
    return any(could_match(glob, text) for glob in wide_globs(argument))


def script_texts(script: Script, raw: str, workspace: Workspace) -> Iterator[str]:
    """Texts of the whole script, of each pipeline and of each command."""
    yield single_spaced(raw)
    yield from _pipelines(script)
    for command in script.commands:
        yield from command_texts(command, workspace)


def command_texts(command: Command, workspace: Workspace) -> Iterator[str]:
    words = tuple(word for one in command.words for word in _listed(one, command, workspace))
    tails = tuple(_tails(words))
    for program in _programs(command, workspace):
        for tail in tails:
            text = single_spaced(f"{program} {tail}")
            yield text
            yield from _redirected(text, command, workspace)
    if not words:
        yield from _redirected("", command, workspace)
    yield single_spaced(command.text)
    if command.assignments:
        before = " ".join(f"{one.name}={one.value.text}" for one in command.assignments)
        yield single_spaced(f"{before} {_joined(words)}")


def _listed(word: Word, command: Command, workspace: Workspace) -> tuple[Word, ...]:
    """The file names a wildcard stands for, where its folder can be looked into."""
    folder, slash, name = word.text.rpartition("/")
    if word.origin is not Origin.GLOB or command.cwd is None or HOLE in word.text or "[" in name:
        return (word,)
    names = workspace.files.names(
        located(folder + slash or ".", command.cwd, workspace.files), _NAMES_LIMIT
    )
    if not names or len(names) >= _NAMES_LIMIT or any(letter in folder for letter in "*?["):
        return (word,)
    shown = [one for one in sorted(names) if name.startswith(".") or not one.startswith(".")]
    found = tuple(Word(folder + slash + one) for one in shown if matches(name, one))
    return found or (Word(word.text),)


def _pipelines(script: Script) -> Iterator[str]:
    """`curl … | sh` as one text, so that a pattern may speak of both ends."""
    lines: dict[int, list[Command]] = {}
    for command in script.commands:
        if command.words and not command.via:
            lines.setdefault(command.pipeline, []).append(command)
    for commands in lines.values():
        if any(command.position for command in commands):
            for start in range(len(commands) - 1):
                texts = (_joined(command.words) for command in commands[start:])
                yield single_spaced(" | ".join(texts))


def _programs(command: Command, workspace: Workspace) -> tuple[str, ...]:
    """The ways to name the program: as typed, by bare name, by its place in the project."""
    if not command.words:
        return ()
    typed = command.words[0].text
    found = [typed, command.program]
    found += [name[:-4] for name in found if name.casefold().endswith(".exe")]
    if "/" in typed and HOLE not in typed:
        place = located(typed, command.cwd or workspace.cwd, workspace.files)
        found.append(place)
        if within(place, workspace.root):
            inside = place[len(workspace.root.rstrip("/")) + 1 :]
            found += [inside, f"./{inside}"]
    return tuple(dict.fromkeys(found))


def _tails(words: tuple[Word, ...]) -> Iterator[str]:
    """What follows the program; then the same without the options in front of a sub-command, whose
    values cannot be told from operands here: `git -C x push` gives `x push` and `push` too."""
    args = words[1:]
    yield _joined(args)
    for start in range(1, min(len(args), _OPTIONS_SKIPPED) + 1):
        skipped = args[start - 1]
        if not skipped.could_be_flag and not (start > 1 and args[start - 2].could_be_flag):
            return
        unknown = any(word.value is None and word.could_be_flag for word in args[:start])
        yield (HOLE if unknown else "") + _joined(args[start:])


def _joined(words: Iterable[Word]) -> str:
    """Words with one blank between. An unquoted expansion may vanish, and its blank with it; the
    file names a wildcard stands for are not known either."""
    text = ""
    for word in words:
        glued = word.splits and word.text == HOLE and text
        text += ("" if glued or not text else " ") + _unglobbed(word)
    return text


def _unglobbed(word: Word) -> str:
    if word.origin is not Origin.GLOB:
        return word.text
    text, rest = "", word.text
    while rest:
        letter, rest = rest[0], rest[1:]
        if letter == "[" and "]" in rest:
            rest = rest.partition("]")[2]
        text += HOLE if letter in "*?[" else letter
    return text


def _redirected(text: str, command: Command, workspace: Workspace) -> Iterator[str]:
    for redirect in command.redirects:
        if not redirect.feeds:
            for operator in _operators(redirect):
                for target in _targets(redirect, command, workspace):
                    yield f"{text} {operator} {target}".lstrip()
                    yield f"{text} {operator}{target}".lstrip()


def _operators(redirect: Redirect) -> tuple[str, ...]:
    plain = ">" if redirect.writes else "<"
    return tuple(dict.fromkeys((redirect.op, redirect.fd + redirect.op, plain)))


def _targets(redirect: Redirect, command: Command, workspace: Workspace) -> tuple[str, ...]:
    text = single_spaced(_unglobbed(redirect.target))
    if text.startswith(HOLE):
        return (text,)
    return tuple(
        dict.fromkeys((text, located(text, command.cwd or workspace.cwd, workspace.files)))
    )
